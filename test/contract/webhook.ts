/** A webhook server whose conduct a case chooses. */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { isObject, type Json, getOwn } from "../../plugin/domain/base/values";
import { makePair, type Pair } from "../control-plane/certificate";

const pairs = new Map<string, Pair>();

/** The pair of a namespace's webhook, made once: making keys takes most of a case's time. */
export function pairOf(namespace: string): Pair {
  const pair = pairs.get(namespace) ?? makePair({ namespace });
  pairs.set(namespace, pair);
  return pair;
}

/** An answer: the review's response, or a whole HTTP answer. */
export type Verdict =
  | { readonly response: Json; readonly apiVersion?: string; readonly kind?: string }
  | { readonly status: number; readonly body: string }
  | "silent";

export interface WebhookOptions {
  readonly pair: Pair;
  /** Told of the review's request and of the path that was called. */
  readonly judge: (request: Json, path: string) => Verdict;
  /** The port of the Service; 443 by default. */
  readonly port?: number;
}

export interface RunningWebhook {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens at an address, on a free port for 0. */
export async function startWebhook(
  { host, port }: { readonly host: string; readonly port: number },
  { pair, judge }: Pick<WebhookOptions, "pair" | "judge">,
): Promise<RunningWebhook> {
  const server = createServer({ cert: pair.cert, key: pair.privateKey }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const review = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Json;
      const asked = getOwn(review, "request");
      const path = new URL(request.url ?? "/", "https://webhook").pathname;
      const verdict = judge(isObject(asked) ? asked : {}, path);
      if (verdict === "silent") return;
      if ("status" in verdict) {
        response.writeHead(verdict.status).end(verdict.body);
        return;
      }
      const { apiVersion = review["apiVersion"], kind = review["kind"] } = verdict;
      const answer = { uid: getOwn(asked, "uid"), ...verdict.response };
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ apiVersion, kind, response: answer }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
