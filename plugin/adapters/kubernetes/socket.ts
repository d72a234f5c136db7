/** Opens a WebSocket to the API server, with the login, trust and proxy of every other request. */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import WebSocket from "ws";
import { type Clock, deadline } from "../../run/ports";
import type { Lease } from "../http/agents";
import { type Answer, NoAnswer } from "../http/answer";

/** What a socket is opened with. */
export interface SocketCall {
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
export function openSocket(call: SocketCall): Promise<WebSocket | Answer | NoAnswer> {
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
    const aborted = (): void => {
      inTime();
      socket.terminate();
      reject(signal?.reason as Error);
    };
    const settle = (outcome: WebSocket | Answer | NoAnswer): void => {
      inTime();
      signal?.removeEventListener("abort", aborted);
      resolve(outcome);
    };
    signal?.addEventListener("abort", aborted);
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
      refusalOf(response, (answer) => {
        settle(answer);
        request.destroy();
        lease.done();
      });
    });
  });
}

function refusalOf(response: IncomingMessage, done: (answer: Answer) => void): void {
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
