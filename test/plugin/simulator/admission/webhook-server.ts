/** HTTPS servers that play a webhook, and the objects that lead to them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import type { PemPair } from "../../../support/tls";

/** A review as it arrived. */
export interface Received {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly review: Review;
  /** The same number for calls over the same connection. */
  readonly connection: number;
}

export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly [key: string]: unknown };
}

export type Conduct = (review: Review, response: ServerResponse) => void;

export interface WebhookServer {
  readonly port: number;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** Listens on 127.0.0.1; the last part of the called path chooses how it answers. */
export async function startWebhook(
  pair: PemPair,
  conducts: Readonly<Record<string, Conduct>>,
): Promise<WebhookServer> {
  const received: Received[] = [];
  const connections = new Map<unknown, number>();
  const server = createServer({ cert: pair.certPem, key: pair.keyPem }, (request, response) => {
    void reviewIn(request).then((review) => {
      const { url = "", headers, socket } = request;
      const connection = connections.get(socket) ?? connections.size;
      connections.set(socket, connection);
      received.push({ url, headers, review, connection });
      conducts[new URL(url, "https://x").pathname.slice(1)]?.(review, response);
    });
  });
  const port = await listening(server);
  return { port, received, close: () => closed(server) };
}

async function reviewIn(request: IncomingMessage): Promise<Review> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString("utf8")) as Review;
}

/** Starts a server of any kind and reports its port. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

export async function closed(server: Server & { closeAllConnections?(): void }): Promise<void> {
  const done = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections?.();
  await done;
}

/** A review's answer in the version of the question. */
export function answering(response: object, more: object = {}): Conduct {
  return ({ apiVersion, kind, request: { uid } }, to) => {
    sendJson(to, { apiVersion, kind, response: { uid, ...response }, ...more });
  };
}

export function sendJson(to: ServerResponse, body: unknown): void {
  to.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

/** The Service behind which every webhook of these tests stands. */
export const service: KubeObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "admission", namespace: "engine" },
  spec: { clusterIP: "10.0.0.7", ports: [{ port: 443 }] },
};

export const serverName = "admission.engine.svc";

/** One entry that sees every write, calls the Service at `/name`, and waits for a second. */
export function entry(name: string, more: object = {}): object {
  return {
    name: `${name}.x.y`,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    timeoutSeconds: 5,
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    clientConfig: { service: { name: "admission", namespace: "engine", path: `/${name}` } },
    rules: [{ apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], operations: ["*"] }],
    ...more,
  };
}

export function configuration(
  name: string,
  webhooks: readonly object[],
  kind = "ValidatingWebhookConfiguration",
): KubeObject {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name },
    webhooks,
  };
}

/** The entry with the CA put in. */
export function trusting(webhook: object, caPem: string): object {
  const { clientConfig = {} } = webhook as { readonly clientConfig?: object };
  const caBundle = Buffer.from(caPem).toString("base64");
  return { ...webhook, clientConfig: { ...clientConfig, caBundle } };
}
