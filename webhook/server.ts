/** The two servers of the application: HTTP/1.1 alone, as the API server calls webhooks. */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerResponse,
  type ServerOptions,
} from "node:http";
import { createServer, type Server } from "node:https";
import { Server as NetServer, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import type { ServedKeyPair } from "./certificate/served";
import { handshakeMs, tlsFloor } from "./certificate/handshake";
import type { Health } from "./health";
import type { InFlight } from "./review/room";
import { readFileSync } from "node:fs";

const second = 1_000;

/** Idle connections live well above the API server's 90 s: the side that calls closes them. */
const times = {
  keepAliveTimeout: 300 * second,
  headersTimeout: 5 * second,
  requestTimeout: 9 * second,
  handshakeTimeout: handshakeMs,
  connectionsCheckingInterval: second,
};

/** An application, and the requests and responses that its servers make. */
export interface App {
  readonly listener: RequestListener;
  readonly messages: Required<Pick<ServerOptions, "IncomingMessage" | "ServerResponse">>;
}

/** Probes and metrics need few connections; what comes on top makes room for the next. */
const mostBeside = 64;

interface ServerParts {
  /** TLS requires a certificate of the client CA that `servePair` gets. */
  readonly requireClientCert?: boolean;
  readonly connections?: Connections;
}

/** The HTTPS server without a pair yet: no handshake succeeds before `servePair`. */
export function createWebhookServer(
  { listener, messages }: App,
  { requireClientCert = false, connections = new Connections() }: ServerParts = {},
): Server {
  const asking = { requestCert: requireClientCert, rejectUnauthorized: true };
  const server = createServer({ ...times, ...tlsFloor, ...asking, ...messages });
  connections.watch(server);
  server.on("request", listener);
  spareUnused(server, { idleMs: times.keepAliveTimeout });
  return server;
}

/** The plain server of probes and metrics, under the same times as the other. */
export function createPlainServer({ listener, messages }: App): HttpServer {
  const server = createHttpServer({ ...times, ...messages });
  new Connections(mostBeside).watch(server);
  server.on("request", listener);
  return server;
}

/** For new handshakes; connections that exist continue. */
export function servePair(server: Server, { cert, key }: ServedKeyPair, clientCa?: string): void {
  const ca = clientCa !== undefined && { ca: clientCa };
  server.setSecureContext({ cert, key, ...ca, ...tlsFloor });
}

/** Listens; the port that it got, which differs from the wanted one only for 0. */
export async function listen(
  server: NetServer,
  where: { readonly host: string | undefined; readonly port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...where, host: where.host }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : where.port;
}

interface Drain {
  readonly health: Health;
  readonly inFlight: InFlight;
  /** How long calls still arrive until nobody is sent here any more. */
  readonly wait: () => Promise<void>;
  /** The longest that a call in flight can take. */
  readonly patienceMs: number;
}

/** Leaves without a failed call (admission facts 11). */
export async function drain(server: Server, options: Drain): Promise<void> {
  const { health, inFlight, wait, patienceMs } = options;
  health.drain();
  await wait();
  const closed = stopListening(server);
  await atMost(patienceMs, untilQuiet(inFlight));
  // Idle connections go last: a close that races with their reuse is a failed call.
  server.close();
  await atMost(second, closed);
  server.closeAllConnections();
  await closed;
}

/** So long without a call, and connections that look idle are not about to be used. */
const quietMs = 250;

/**
 * Until calls have stopped. Where machines are busy, calls are on their way, or lie unread in the buffers of
 * connections that look idle, and a close would take them away unanswered.
 */
async function untilQuiet(inFlight: InFlight): Promise<void> {
  for (let before = -1; before !== inFlight.taken;) {
    before = inFlight.taken;
    await sleep(quietMs);
    await inFlight.idle();
  }
}

async function atMost(ms: number, end: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([end, limit]);
  clearTimeout(timer);
}

/** Node's own close() of an HTTP server closes idle connections at once; this one only stops listening. */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => {
      resolve();
    });
  });
}

interface TimeLimits {
  /** How long an unused connection may stay. */
  readonly idleMs: number;
  /** So many at once; what comes on top is cut. Far more than the API servers of a cluster keep. */
  readonly most?: number;
}

const statuses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
};

/** Leaves connections alone on which nothing was sent yet; the rest is answered and closed. */
export function spareUnused(server: Server, { idleMs, most = 256 }: TimeLimits): void {
  const unused = new Set<Socket>();
  const spare = (socket: Socket): boolean => {
    if (socket.bytesRead > 0) return false;
    for (const each of unused) if (each.bytesRead > 0) unused.delete(each);
    if (unused.size >= most) return false;
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
    socket.setTimeout(idleMs); // as after an answer; the head's own time counts from its first byte
    return true;
  };
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    if (!(stream instanceof Socket)) return; // there are no others
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && spare(stream)) return;
    const status = statuses[error.code ?? ""] ?? "400 Bad Request";
    if (stream.writable) stream.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    stream.destroySoon();
  });
}

/** API servers keep at most 25 idle connections each, and open more only for calls under way. */
const usualMost = 1_024;
/** What else the process opens: the metrics port, requests to the API server, files. */
const otherDescriptors = 192;
/** So many there are even where next to nothing may be open. */
const fewest = 64;
/** More that were never used are no dialling ahead: someone opens them to take up room. */
const manyUnused = 256;

/** Beyond the limit of open files connections are reset before they can be told from each other. */
function parseMost(limits: string): number {
  const open = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return Math.max(fewest, Math.min(usualMost, open - otherDescriptors));
}

/** Of this process; empty where there is no such file. */
function ownLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}

/** One connection; a call touches this and nothing else, since there are many calls to each. */
interface TrackedConnection {
  readonly key: string;
  readonly socket: Socket;
  /** Once its handshake is done. */
  secure?: TLSSocket;
  /** Of the last call, until it is answered. */
  response?: ServerResponse | undefined;
  calls: number;
  used: boolean;
  /**
   * When it was last without a call, in an order without a clock. One that is new comes last: the
   * API server has dialled it for a call that is about to come, and to cut it would fail that call.
   */
  idleSince: number;
}

/**
 * The connections of a server: bounded, and closed where their caller is no longer let in. Node's own `maxConnections` turns away who comes last, which is the
 * API server when someone else holds 2,500 silent ones (load.test.ts); it costs a review the same.
 */
export class Connections {
  /** By the caller's address: encrypted connections are other objects than those beneath them. */
  private readonly places = new Map<string, TrackedConnection>();
  private readonly known = new WeakMap<Socket, TrackedConnection>();
  private moment = 0;

  constructor(private readonly limit = parseMost(ownLimits())) {}

  /** Counts the connections of a server and their calls from now on. */
  watch(server: HttpServer | Server): void {
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      this.call(request, response);
    });
    server.on("connection", (socket: Socket) => {
      const key = socketKey(socket);
      if (key === undefined) return; // it is gone already
      const place = { key, socket, calls: 0, used: false, idleSince: (this.moment += 1) };
      this.places.set(key, place);
      socket.once("close", () => {
        if (this.places.get(key) === place) this.places.delete(key);
      });
      if (this.places.size > this.limit) this.makeRoom(place);
    });
    server.on("secureConnection", (secure: TLSSocket) => {
      const place = this.find(secure);
      if (place !== undefined) place.secure = secure;
    });
  }

  /** Closes encrypted connections, each after its review in flight. */
  closeWhere(isUnwanted: (socket: TLSSocket) => boolean): void {
    for (const { secure, response } of this.places.values()) {
      if (secure !== undefined && isUnwanted(secure)) closeAfter(response, secure);
    }
  }

  /** A connection with a call under way is not idle until it is answered. */
  private call({ socket }: IncomingMessage, response: ServerResponse): void {
    const place = this.known.get(socket) ?? this.find(socket);
    if (place === undefined) return;
    place.calls += 1;
    place.used = true;
    place.response = response;
    response.on("close", () => {
      if (place.response === response) place.response = undefined;
      place.calls -= 1;
      place.idleSince = this.moment += 1;
    });
  }

  private find(socket: Socket): TrackedConnection | undefined {
    const place = this.places.get(socketKey(socket) ?? "");
    if (place !== undefined) this.known.set(socket, place);
    return place;
  }

  /** Cuts the one that can best be spared; with calls on all others it is the newest itself. */
  private makeRoom(newest: TrackedConnection): void {
    const idle = [...this.places.values()].filter(({ calls }) => calls === 0);
    const unused = idle.filter(({ used }) => !used);
    const spared = (unused.length > manyUnused ? unused : idle).reduce(
      (oldest, each) => (each.idleSince < oldest.idleSince ? each : oldest),
      newest,
    );
    this.places.delete(spared.key);
    spared.socket.destroy();
  }
}

function closeAfter(response: ServerResponse | undefined, socket: TLSSocket): void {
  if (response === undefined) {
    socket.destroy();
    return;
  }
  if (!response.headersSent) response.setHeader("connection", "close");
  response.once("close", () => {
    socket.destroySoon();
  });
}

function socketKey({ remoteAddress, remotePort }: Socket): string | undefined {
  return remotePort === undefined ? undefined : `${remoteAddress ?? ""} ${remotePort}`;
}
