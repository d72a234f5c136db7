/**
 * A connection to a port of a pod, through the API server. Of the two WebSocket forms the older is
 * spoken, one channel for data and one for errors: API servers hand it on to the kubelet unread, in
 * every release; the newer one wraps SPDY, for which there is no maintained client.
 */
import { Duplex } from "node:stream";
import WebSocket from "ws";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { type Clock, deadline } from "../../ports/kubernetes";
import type { Lease } from "../http/agents";
import { type HttpAnswer, NoAnswer } from "../http/answer";

/** The kubelet's protocol: the first byte of a message is its channel. */
export const forwardProtocol = "v4.channel.k8s.io";

const dataChannel = 0;
const errorChannel = 1;
/** Each channel begins with the number of the port. */
const portBytes = 2;

/** The far end could not be reached, or went away with words about it. */
export class ForwardError extends Error {
  readonly code = "FORWARD_BROKEN";

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ForwardError";
  }
}

/** The data channel of a socket that stands, paused until now, as a stream. */
export function openForwardedStream(socket: WebSocket): Duplex {
  const headers = [portBytes, portBytes];
  const stream = new Duplex({
    read: () => {
      socket.resume();
    },
    write: (chunk: Buffer, _encoding, done) => {
      socket.send(Buffer.concat([Buffer.of(dataChannel), chunk]), { binary: true }, done);
    },
    final: (done) => {
      socket.close();
      done();
    },
    destroy: (error, done) => {
      socket.terminate();
      done(error);
    },
  });
  socket.on("message", (data) => {
    const message = data as Buffer; // the library's own form, unless another is asked for
    const channel = message[0] ?? errorChannel;
    const skipped = Math.min(headers[channel] ?? 0, message.length - 1);
    headers[channel] = (headers[channel] ?? 0) - skipped;
    const content = message.subarray(1 + skipped);
    if (content.length === 0) return;
    if (channel !== dataChannel) stream.destroy(new ForwardError(content.toString("utf8")));
    else if (!stream.push(content)) socket.pause();
  });
  socket.on("close", () => {
    stream.push(null);
  });
  socket.on("error", (error) => {
    stream.destroy(new ForwardError("the connection through the API server broke", error));
  });
  socket.resume();
  return stream;
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
