/** One HTTP request and its whole answer; nothing here knows Kubernetes. */
import http from "node:http";
import https from "node:https";
import { gunzipSync } from "node:zlib";
import { type Clock, deadline } from "../../run/ports";
import { hostOf, portOf } from "./proxy";

/** A request, complete. */
export interface Exchange {
  readonly base: URL;
  readonly method: string;
  readonly path: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body: string | undefined;
  readonly agent: http.Agent;
  readonly signal: AbortSignal | undefined;
  readonly clock: Pick<Clock, "alarm">;
  /** Limit of the whole exchange; of a stream, until it begins. */
  readonly timeoutMs: number;
  /** Limit for the connection to stand. */
  readonly dialTimeoutMs: number;
  /** A success is answered as soon as it begins, its body as a stream. */
  readonly streams?: boolean | undefined;
}

/** An answer, whatever its status. */
export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** The body of a success that was asked for as a stream; `body` is empty then. */
  readonly stream?: http.IncomingMessage;
}

/** There was no complete answer. `sent`: the server may have carried the request out. */
export class NoAnswer extends Error {
  readonly sent: boolean;
  readonly code: string;

  constructor(sent: boolean, code: string, cause?: unknown) {
    super(code, { cause });
    this.name = "NoAnswer";
    this.sent = sent;
    this.code = code;
  }
}

const bodyLimit = 256 * 1024 * 1024;

/** Sends; rejects with NoAnswer, or with the signal's reason. */
export function exchange(wanted: Exchange): Promise<Answer> {
  const { base, body, signal } = wanted;
  return new Promise((resolve, reject) => {
    const secure = base.protocol === "https:";
    const request = (secure ? https : http).request({
      host: hostOf(base),
      port: portOf(base),
      method: wanted.method,
      path: wanted.path,
      headers: wanted.headers,
      agent: wanted.agent,
    });
    let sent = false;
    const settle = (act: () => void): void => {
      inTime();
      dialed();
      signal?.removeEventListener("abort", aborted);
      act();
    };
    const fail = (code: string, cause?: unknown): void => {
      settle(() => {
        reject(new NoAnswer(sent, code, cause));
      });
      request.destroy();
    };
    const aborted = (): void => {
      settle(() => {
        reject(signal?.reason as Error);
      });
      request.destroy();
    };
    const within = (ms: number, code: string): (() => void) =>
      deadline(wanted.clock, ms, () => {
        fail(code);
      });
    signal?.addEventListener("abort", aborted);
    const dialed = within(wanted.dialTimeoutMs, "DIAL_TIMEOUT");
    const inTime = within(wanted.timeoutMs, "REQUEST_TIMEOUT");
    whenEstablished(request, secure, () => {
      sent = true;
      dialed();
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      fail(error.code ?? "UNKNOWN", error);
    });
    request.on("response", (response) => {
      const done = (answer: Answer): void => {
        settle(() => {
          resolve(answer);
        });
      };
      const { statusCode: status = 0, headers } = response;
      if (wanted.streams === true && status < 300) {
        done({ status, headers, body: "", stream: response });
      } else collect(response, fail, done);
    });
    request.end(body);
  });
}

/** Before the connection stands nothing can have been carried out. */
function whenEstablished(request: http.ClientRequest, secure: boolean, act: () => void): void {
  request.on("socket", (socket) => {
    if (request.reusedSocket || (!secure && !socket.connecting)) act();
    else socket.once(secure ? "secureConnect" : "connect", act);
  });
}

function collect(
  response: http.IncomingMessage,
  fail: (code: string, cause?: unknown) => void,
  done: (answer: Answer) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > bodyLimit) fail("BODY_TOO_LONG");
    else chunks.push(chunk);
  });
  response.on("error", (error: NodeJS.ErrnoException) => {
    fail(error.code ?? "UNKNOWN", error);
  });
  response.on("end", () => {
    const { statusCode = 0, headers } = response;
    try {
      const bytes = Buffer.concat(chunks);
      const zipped = headers["content-encoding"] === "gzip" && bytes.length > 0;
      const plain = zipped ? gunzipSync(bytes, { maxOutputLength: bodyLimit }) : bytes;
      done({ status: statusCode, headers, body: plain.toString("utf8") });
    } catch (error) {
      fail("BODY_UNREADABLE", error);
    }
  });
}
