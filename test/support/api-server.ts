/** A small API server in the process of the test: answers what it is told, keeps what it was asked. */
import type { KubeObject, Ref, Resource } from "../../plugin/domain/kube/objects";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { type PeerCertificate, TLSSocket } from "node:tls";
import type { Pair } from "./tls";

/** A request as it arrived. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];
  readonly body: unknown;
  /** Numbers connections in the order of their arrival. */
  readonly connection: number;
  /** Common name of the client's certificate. */
  readonly client: string | undefined;
}

/** An answer: JSON, text or bytes; or a way of giving none. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  /** "reset" before the answer, "cut" in the middle of it, "hang" without one, "open" without an end. */
  readonly instead?: "reset" | "cut" | "hang" | "open";
  /** It is given only then. */
  readonly after?: Promise<void>;
}

export type Handler = (request: Received) => Reply | undefined;

export interface FakeApiServer {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly Received[];
  /** Resolves when the next request has arrived. */
  arrival(): Promise<Received>;
  close(): Promise<void>;
}

/** Starts on loopback; without a pair it speaks plain http. An unanswered request gets a 404 Status. */
export async function startFakeApiServer(handler: Handler, pair?: Pair): Promise<FakeApiServer> {
  const requests: Received[] = [];
  const waiting: ((request: Received) => void)[] = [];
  const numbers = new Map<Socket, number>();
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const number = numbers.get(message.socket) ?? numbers.size + 1;
      numbers.set(message.socket, number);
      const request = received(message, Buffer.concat(chunks).toString("utf8"), number);
      requests.push(request);
      const reply = handler(request) ?? notFound(request.path);
      if (reply.after === undefined) answer(response, reply);
      else
        void reply.after.then(() => {
          answer(response, reply);
        });
      waiting.splice(0).forEach((tell) => {
        tell(request);
      });
    });
  };
  const server =
    pair === undefined
      ? createHttp(listener)
      : createHttps(
          { key: pair.key, cert: pair.cert, requestCert: true, rejectUnauthorized: false },
          listener,
        );
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket.on("close", () => open.delete(socket)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${pair === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    port,
    requests,
    arrival: () => new Promise((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of open) socket.destroy();
      }),
  };
}

/** A Status as API servers send it. */
export function status(code: number, reason: string, more: object = {}): Reply {
  return {
    status: code,
    body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, ...more },
  };
}

function notFound(path: string): Reply {
  return status(404, "NotFound", { message: `${path} not found` });
}

function received(message: IncomingMessage, body: string, connection: number): Received {
  const url = new URL(message.url ?? "", "http://fake");
  return {
    method: message.method ?? "",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
    ),
    rawHeaders: message.rawHeaders,
    body: body === "" ? undefined : (JSON.parse(body) as unknown),
    connection,
    client: clientOf(message.socket),
  };
}

function clientOf(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>;
  return subject === undefined ? undefined : String(subject.CN);
}

function answer(response: ServerResponse, reply: Reply): void {
  switch (reply.instead) {
    case "hang":
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "cut":
      begin(response, reply, () => response.socket?.destroy());
      return;
    case "open":
      begin(response, reply, (rest) => response.write(rest));
      return;
    case undefined:
      begin(response, reply, (rest) => response.end(rest));
  }
}

/** In two pieces, so that characters of several bytes may fall apart. */
function begin(response: ServerResponse, reply: Reply, finish: (rest: Buffer) => void): void {
  const { status: code = 200, headers = {}, body = {} } = reply;
  const raw = typeof body === "string" || Buffer.isBuffer(body);
  const bytes = Buffer.from(raw ? body : JSON.stringify(body));
  const half = Math.ceil(bytes.length / 2);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!response.hasHeader("content-type")) {
    response.setHeader("content-type", raw ? "text/plain; charset=utf-8" : "application/json");
  }
  response.statusCode = code;
  response.write(bytes.subarray(0, half), () => {
    finish(bytes.subarray(half));
  });
}

/** A kind, one object of it by reference, and the object. */
export const configMaps: Resource = {
  ...{ group: "", version: "v1" },
  ...{ plural: "configmaps", kind: "ConfigMap" },
};
export const aConfigMapRef: Ref = { resource: configMaps, name: "x", namespace: "ns" };
export const aConfigMap: KubeObject = {
  ...{ apiVersion: "v1", kind: "ConfigMap" },
  metadata: { name: "x", namespace: "ns" },
};
