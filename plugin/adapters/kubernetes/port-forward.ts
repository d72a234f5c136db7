/**
 * A connection to a port of a pod, through the API server. Of the two WebSocket forms the older is
 * spoken, one channel for data and one for errors: API servers hand it on to the kubelet unread, in
 * every release; the newer one wraps SPDY, for which there is no maintained client.
 */
import { Duplex, PassThrough, Writable } from "node:stream";
import type { KubeConfig } from "@kubernetes/client-node";
import { PortForward } from "@kubernetes/client-node/dist/portforward.js";
import type { WebSocketInterface } from "@kubernetes/client-node/dist/web-socket-handler.js";
import WebSocket from "ws";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { type Clock, deadline } from "../../ports/kubernetes";
import type { Lease } from "../http/agents";
import { type HttpAnswer, NoAnswer } from "../http/answer";

/** The kubelet's protocol: the first byte of a message is its channel. */
export const forwardProtocol = "v4.channel.k8s.io";

/** The far end could not be reached, or went away with words about it. */
export class ForwardError extends Error {
  readonly code = "FORWARD_BROKEN";

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ForwardError";
  }
}

/** A port of a pod. */
export interface ForwardedPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** Opens a web socket to a path of the API server, paused, with the product's own login, proxy and deadline. */
export type OpenSocket = (path: string) => Promise<WebSocket>;

/** Opens a port of a pod as a stream: client-node speaks the protocol, over a socket of `open`. */
export async function forwardPort(target: ForwardedPort, open: OpenSocket): Promise<Duplex> {
  const toPod = new PassThrough();
  let socket: WebSocket | undefined;
  const stream = new Duplex({
    read: () => {
      socket?.resume();
    },
    write: (chunk, _encoding, done) => {
      toPod.write(chunk, done);
    },
    final: (done) => {
      toPod.end(done);
    },
    destroy: (error, done) => {
      socket?.terminate();
      done(error);
    },
  });
  const fromPod = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!stream.push(chunk)) socket?.pause();
      done();
    },
  });
  const errors = new Writable({
    write: (message: Buffer, _encoding, done) => {
      if (message.length > 0) stream.destroy(new ForwardError(message.toString("utf8")));
      done();
    },
  });
  const handler: WebSocketInterface = {
    connect: async (path, _text, receive) => {
      socket = await open(path);
      sendOneByOne(socket, toPod);
      readInto(stream, socket, joinHeaders(receive ?? (() => true)));
      return socket;
    },
  };
  const noConfig = undefined as unknown as KubeConfig; // only the library's own handler reads it
  const forward = new PortForward(noConfig, false, handler);
  const { namespace, pod, port } = target;
  await forward.portForward(namespace, pod, [port], fromPod, errors, toPod);
  return stream;
}

/** The library sends whatever `source` has; here the next piece waits until the last one has left. */
function sendOneByOne(socket: WebSocket, source: PassThrough): void {
  const send = socket.send.bind(socket);
  socket.send = (message: Buffer) => {
    source.pause();
    send(message, { binary: true }, () => source.resume());
  };
}

type Receive = (channel: number, content: Buffer) => boolean;

/** Starts the socket; the stream ends with it. */
function readInto(stream: Duplex, socket: WebSocket, receive: Receive): void {
  socket.on("message", (data) => {
    const message = data as Buffer; // the library's own form, unless another is asked for
    if (message.length > 0) receive(message.readUInt8(0), message.subarray(1));
  });
  socket.on("close", () => {
    stream.push(null);
  });
  socket.on("error", (cause) => {
    stream.destroy(new ForwardError("the connection through the API server broke", cause));
  });
  socket.resume();
}

/** Each channel begins with the number of the port, in two bytes that may arrive in two messages. */
const headerBytes = 2;

/** Hands on the header of a channel only when it is complete: the library skips it in the first message alone. */
function joinHeaders(receive: Receive): Receive {
  const headers = new Map<number, Buffer>();
  return (channel, content) => {
    const begun = headers.get(channel) ?? Buffer.alloc(0);
    if (begun.length === headerBytes) return receive(channel, content);
    const joined = Buffer.concat([begun, content]);
    headers.set(channel, joined.subarray(0, headerBytes));
    return joined.length < headerBytes || receive(channel, joined);
  };
}

/** What a socket is opened with. */
interface SocketCall {
  readonly url: URL;
  readonly protocol: string;
  readonly headers: OutgoingHttpHeaders;
  readonly lease: Lease;
  readonly clock: Pick<Clock, "alarm">;
  readonly dialTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

const refusalLimit = 64 * 1024;

/**
 * The socket once it stands, paused until its listeners are there; or the answer that refused it.
 * Rejects with the signal's reason.
 */
export function openSocket(call: SocketCall): Promise<WebSocket | HttpAnswer | NoAnswer> {
  const { lease, signal } = call;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const socket = new WebSocket(call.url, call.protocol, {
      agent: lease.agent,
      headers: call.headers as Record<string, string>,
      perMessageDeflate: false,
    });
    // the library's own limit begins with the socket, which a proxy may never give
    const inTime = deadline(call.clock, call.dialTimeoutMs, () => {
      settle(new NoAnswer("DIAL_TIMEOUT", { sent: false }));
      socket.terminate();
    });
    const abort = (): void => {
      inTime();
      socket.terminate();
      reject(signal?.reason as Error);
    };
    const settle = (outcome: WebSocket | HttpAnswer | NoAnswer): void => {
      inTime();
      signal?.removeEventListener("abort", abort);
      resolve(outcome);
    };
    signal?.addEventListener("abort", abort);
    socket.on("close", lease.done);
    socket.once("open", () => {
      // what comes with the answer would be told before anybody listens
      socket.pause();
      settle(socket);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      settle(new NoAnswer(error.code ?? "UPGRADE_FAILED", { sent: false, cause: error }));
    });
    socket.once("unexpected-response", (request, response) => {
      readRefusal(response, (answer) => {
        settle(answer);
        request.destroy();
        lease.done();
      });
    });
  });
}

function readRefusal(response: IncomingMessage, done: (answer: HttpAnswer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = (): void => {
    const body = Buffer.concat(chunks).toString("utf8");
    done({ status: response.statusCode ?? 0, headers: response.headers, body });
  };
  response.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= refusalLimit) chunks.push(chunk);
    else response.destroy();
  });
  response.once("close", finish);
}
