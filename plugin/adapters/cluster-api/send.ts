/** One request to the REST API and its whole answer, bounded in time and size. */
import https from "node:https";
import type http from "node:http";
import type { UploadProgress } from "../../run/cluster-api";
import { type Clock, deadline } from "../../run/ports";
import { type Answer, NoAnswer } from "../kubernetes/exchange";

/** A request, complete. */
export interface Outgoing {
  readonly method: "GET" | "POST" | "PUT";
  /** The Host header (S76). */
  readonly host: string;
  readonly path: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body: Uint8Array | undefined;
  readonly agent: http.Agent;
  /** Ends the request while the server cannot have carried it out; a read at any time. */
  readonly signal: AbortSignal;
  readonly limits: Limits;
  readonly clock: Pick<Clock, "alarm">;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** How long and how large. */
export interface Limits {
  /** For the connection to stand. */
  readonly dialMs: number;
  /** For the answer, from when the request or its last part was sent. */
  readonly answerMs: number;
  readonly answerBytes: number;
}

const partBytes = 64 * 1024;

/** Sends; rejects with NoAnswer, or with the signal's reason. */
export function send(wanted: Outgoing): Promise<Answer> {
  return new Promise((resolve, reject) => {
    new Sending(wanted, resolve, reject).begin();
  });
}

class Sending {
  private readonly request: http.ClientRequest;
  private established = false;
  private complete = false;
  private inTime = (): void => undefined;

  constructor(
    private readonly wanted: Outgoing,
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (error: Error) => void,
  ) {
    const { method, path, headers, host, body, agent } = wanted;
    this.request = https.request({
      host: host.replace(/:\d+$/, ""),
      method,
      path,
      agent,
      headers: { ...headers, host, ...(body && { "content-length": body.byteLength }) },
    });
  }

  begin(): void {
    const { request, wanted } = this;
    wanted.signal.addEventListener("abort", this.aborted);
    this.within(wanted.limits.dialMs, "DIAL_TIMEOUT");
    request.on("error", (error: NodeJS.ErrnoException) => {
      this.fail(error.code ?? "UNKNOWN", error);
    });
    request.on("response", (response) => {
      this.collect(response);
    });
    request.on("socket", (socket) => {
      if (request.reusedSocket) this.write();
      else {
        socket.once("secureConnect", () => {
          this.write();
        });
      }
    });
    if (wanted.signal.aborted) this.aborted();
  }

  /** Nothing is sent before the server has shown its certificate. */
  private write(): void {
    this.established = true;
    this.within(this.wanted.limits.answerMs, "REQUEST_TIMEOUT");
    this.part(0);
  }

  private part(from: number): void {
    const { body, onProgress, limits } = this.wanted;
    if (body === undefined || from >= body.byteLength) {
      this.complete = true;
      this.request.end();
      return;
    }
    const to = Math.min(body.byteLength, from + partBytes);
    this.request.write(body.subarray(from, to), (error) => {
      if (error || this.request.destroyed) return;
      this.within(limits.answerMs, "REQUEST_TIMEOUT");
      onProgress?.({ sent: to, of: body.byteLength });
      this.part(to);
    });
  }

  private collect(response: http.IncomingMessage): void {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > this.wanted.limits.answerBytes) this.fail("BODY_TOO_LONG");
      else chunks.push(chunk);
    });
    response.on("error", (error: NodeJS.ErrnoException) => {
      this.fail(error.code ?? "UNKNOWN", error);
    });
    response.on("end", () => {
      const { statusCode: status = 0, headers } = response;
      this.settle();
      this.resolve({ status, headers, body: Buffer.concat(chunks).toString("utf8") });
      // an answer to half an upload: the rest is not wanted
      if (!this.complete) this.request.destroy();
    });
  }

  private readonly aborted = (): void => {
    if (this.complete && this.wanted.method !== "GET") return;
    this.settle();
    this.reject(this.wanted.signal.reason as Error);
    this.request.destroy();
  };

  private fail(code: string, cause?: unknown): void {
    this.settle();
    this.reject(new NoAnswer(this.established, code, cause));
    this.request.destroy();
  }

  private within(ms: number, code: string): void {
    this.inTime();
    this.inTime = deadline(this.wanted.clock, ms, () => {
      this.fail(code);
    });
  }

  private settle(): void {
    this.inTime();
    this.wanted.signal.removeEventListener("abort", this.aborted);
  }
}
