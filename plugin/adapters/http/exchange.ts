/** One HTTP request and its answer, bounded in time and size; nothing here knows whom it goes to. */
import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { gunzipSync } from "node:zlib";
import { type Clock, deadline } from "../../ports/kubernetes";
import type { Lease } from "./agents";
import { type HttpAnswer, NoAnswer } from "./answer";
import { readHost, readPort } from "./tunnel";

/** How long, and how large. */
export interface Limits {
  /** For the connection to stand. */
  readonly dialMs: number;
  /** For the whole exchange; of a stream, until it begins. */
  readonly answerMs: number;
  /** For the answer to begin on a kept connection, which may have died without a word. */
  readonly keptMs?: number | undefined;
  readonly answerBytes?: number;
}

/** A request, complete. */
export interface Exchange {
  /** Scheme, host and port. */
  readonly base: URL;
  readonly method: string;
  readonly path: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body?: string | Uint8Array | undefined;
  readonly lease: Lease;
  readonly signal: AbortSignal | undefined;
  readonly clock: Pick<Clock, "alarm">;
  readonly limits: Limits;
  /** The statuses that are answered as soon as they begin, their bodies as streams. */
  readonly streams?: ((status: number) => boolean) | undefined;
  /** An upload of any size: sent part by part, each of which is told and gets `answerMs` again. */
  readonly onPart?: ((sent: number) => void) | undefined;
  /** Judges a new TLS connection in Node's place, before anything is sent on it. */
  readonly judge?: ((socket: TLSSocket) => Error | undefined) | undefined;
  /** Once it is sent whole, no abort ends it: its outcome must be known. */
  readonly finishes?: boolean;
}

const usualAnswerBytes = 256 * 1024 * 1024;
const partBytes = 64 * 1024;

/** Sends; rejects with the signal's reason alone. */
export function exchange(wanted: Exchange): Promise<HttpAnswer | NoAnswer> {
  return new Promise((resolve, reject) => {
    new PendingExchange(wanted, resolve, reject).begin();
  });
}

class PendingExchange {
  private readonly request: http.ClientRequest;
  private readonly secure: boolean;
  private readonly alarms = new Map<string, () => void>();
  private established = false;
  private complete = false;

  constructor(
    private readonly wanted: Exchange,
    private readonly resolve: (outcome: HttpAnswer | NoAnswer) => void,
    private readonly reject: (reason: Error) => void,
  ) {
    const { base, method, path, headers, body, lease } = wanted;
    this.secure = base.protocol === "https:";
    this.request = (this.secure ? https : http).request({
      host: readHost(base),
      port: readPort(base),
      method,
      path,
      agent: lease.agent,
      headers: {
        ...headers,
        ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
      },
    });
  }

  begin(): void {
    const { request } = this;
    const { limits, signal } = this.wanted;
    this.within("DIAL_TIMEOUT", limits.dialMs);
    this.within("REQUEST_TIMEOUT", limits.answerMs);
    signal?.addEventListener("abort", this.aborted);
    request.on("error", this.broken);
    request.on("response", (response) => {
      this.answered(response);
    });
    request.on("socket", (socket: Socket & { readonly secureConnecting?: boolean }) => {
      const stands = !socket.connecting && socket.secureConnecting !== true;
      if (stands) this.send();
      else
        socket.once(this.secure ? "secureConnect" : "connect", () => {
          const problem = socket instanceof TLSSocket ? this.wanted.judge?.(socket) : undefined;
          if (problem === undefined) this.send();
          else this.fail("NOT_ACCEPTED", problem);
        });
    });
    if (signal?.aborted === true) this.aborted();
  }

  /** Before the connection stands, and the server's certificate is accepted, nothing is sent. */
  private send(): void {
    const { body, limits, onPart } = this.wanted;
    this.established = true;
    this.off("DIAL_TIMEOUT");
    if (limits.keptMs !== undefined && this.request.reusedSocket) {
      this.within("SILENT", limits.keptMs);
    }
    if (onPart === undefined || body === undefined) this.end(body);
    else this.part(typeof body === "string" ? Buffer.from(body) : body, 0);
  }

  private part(body: Uint8Array, from: number): void {
    if (from >= body.length) {
      this.end();
      return;
    }
    const to = Math.min(body.length, from + partBytes);
    this.request.write(body.subarray(from, to), (error) => {
      if (error || this.request.destroyed) return;
      this.within("REQUEST_TIMEOUT", this.wanted.limits.answerMs);
      this.wanted.onPart?.(to);
      this.part(body, to);
    });
  }

  private end(body?: string | Uint8Array): void {
    this.complete = true;
    this.request.end(body);
  }

  private answered(response: http.IncomingMessage): void {
    const { streams, limits, lease } = this.wanted;
    const { statusCode: status = 0, headers } = response;
    this.off("SILENT");
    if (streams?.(status) === true) {
      this.settle();
      response.once("close", lease.done);
      this.resolve({ status, headers, body: "", stream: response });
      return;
    }
    const chunks: Buffer[] = [];
    const most = limits.answerBytes ?? usualAnswerBytes;
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > most) this.fail("BODY_TOO_LONG");
      else chunks.push(chunk);
    });
    response.on("error", this.broken);
    response.on("end", () => {
      try {
        const bytes = Buffer.concat(chunks);
        const zipped = headers["content-encoding"] === "gzip" && bytes.length > 0;
        const plain = zipped ? gunzipSync(bytes, { maxOutputLength: most }) : bytes;
        this.finish({ status, headers, body: plain.toString("utf8") });
      } catch (error) {
        this.fail("BODY_UNREADABLE", error);
      }
    });
  }

  private finish(answer: HttpAnswer): void {
    this.settle();
    this.resolve(answer);
    // an answer to half an upload: the rest is not wanted
    if (!this.complete) this.request.destroy();
    this.wanted.lease.done();
  }

  private readonly broken = (error: NodeJS.ErrnoException): void => {
    this.fail(error.code ?? "UNKNOWN", error);
  };

  private fail(code: string, cause?: unknown): void {
    const { established: sent, request } = this;
    this.settle();
    this.resolve(new NoAnswer(code, { sent, reused: request.reusedSocket, cause }));
    this.drop();
  }

  private readonly aborted = (): void => {
    const { finishes, signal } = this.wanted;
    if (this.complete && finishes === true) return;
    this.settle();
    this.reject(signal?.reason as Error);
    this.drop();
  };

  private drop(): void {
    this.request.destroy();
    this.wanted.lease.done();
  }

  /** Fails when the time is over; a limit that runs already begins again. */
  private within(code: string, ms: number): void {
    this.off(code);
    const late = (): void => {
      this.fail(code);
    };
    this.alarms.set(code, deadline(this.wanted.clock, ms, late));
  }

  private off(code: string): void {
    this.alarms.get(code)?.();
  }

  private settle(): void {
    for (const off of this.alarms.values()) off();
    this.wanted.signal?.removeEventListener("abort", this.aborted);
  }
}
