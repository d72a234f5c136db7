/** What a request comes to: an answer of any status, or none and why; and what is sent again, after which pause. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Clock, deadline } from "../../ports/kubernetes";

/** An answer, whatever its status. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body of an answer that was asked for as a stream; `body` is empty then. */
  readonly stream?: IncomingMessage;
}

/** Codes of Node's network errors, and those of this folder, in words. */
export const failureWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name lookup failed",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was reset",
  ETIMEDOUT: "the connection timed out",
  DIAL_TIMEOUT: "the connection timed out",
  REQUEST_TIMEOUT: "no answer within the request timeout",
  SILENT: "nothing came for too long",
  BODY_TOO_LONG: "the answer is too long",
  BODY_UNREADABLE: "the answer cannot be read",
  UNKNOWN: "it broke off",
};

/** There was no complete answer; the message says why in words. */
export class NoAnswer extends Error {
  /** The server may have carried the request out. */
  readonly sent: boolean;
  /** It was sent on a connection that had served another request before. */
  readonly reused: boolean;

  constructor(
    readonly code: string,
    how: { readonly sent: boolean; readonly reused?: boolean; readonly cause?: unknown },
  ) {
    super(failureWords[code] ?? code, { cause: how.cause });
    this.name = "NoAnswer";
    this.sent = how.sent;
    this.reused = how.reused ?? false;
  }
}

/** How long a stream may be silent, and what ends it. */
interface Listening {
  readonly clock: Pick<Clock, "alarm">;
  readonly silentMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * What comes of an answer's stream, as long as nobody has to wait too long for more of it: then, and when it breaks off,
 * a NoAnswer is thrown. An abort throws the signal's reason.
 */
export async function* readArriving(
  { stream }: Pick<HttpAnswer, "stream">,
  { clock, silentMs, signal }: Listening,
): AsyncGenerator<Buffer> {
  if (stream === undefined) return;
  const abort = (): void => {
    stream.destroy(signal?.reason as Error);
  };
  const late = (): void => {
    stream.destroy(new NoAnswer("SILENT", { sent: true }));
  };
  let inTime = deadline(clock, silentMs, late);
  signal?.addEventListener("abort", abort);
  try {
    signal?.throwIfAborted();
    for await (const chunk of stream) {
      inTime();
      yield chunk as Buffer;
      inTime = deadline(clock, silentMs, late);
    }
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof NoAnswer) throw cause;
    const { code = "UNKNOWN" } = cause as NodeJS.ErrnoException;
    throw new NoAnswer(code, { sent: true, cause });
  } finally {
    inTime();
    signal?.removeEventListener("abort", abort);
    stream.destroy();
  }
}

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Milliseconds that the Retry-After header asks for, in seconds or until a date. */
function readRetryAfter({ headers }: HttpAnswer, now: number): number | undefined {
  const value = headers["retry-after"] ?? "";
  if (/^\d{1,6}$/.test(value)) return Number(value) * 1000;
  return httpDate.test(value) ? Math.max(0, Date.parse(value) - now) : undefined;
}

/** When a server asks to be asked again, for people: `after 3600 s`; undefined where it does not say. */
export function describeRetryAfter({ headers }: HttpAnswer): string | undefined {
  const value = headers["retry-after"] ?? "";
  if (/^\d{1,6}$/.test(value)) return `after ${value} s`;
  return httpDate.test(value) ? `at ${value}` : undefined;
}

/** What a server said as one line that fits on a screen line or two. */
export function oneLine(text: string, longest: number): string {
  const line = text
    .slice(0, 4096)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/** Without a word about when to come back, a read is sent so often in all. */
const attempts = 5;
/** After an answer that says when to come back, and after a 429, a request is sent again so often, as client-go does it. */
const mostRepeats = 10;
/** The shortest pause after a 429. */
const busyMs = 1000;
const resets = ["ECONNRESET", "EPIPE"];

/** What is sent again, and after which pause. */
interface Repeated {
  readonly writes: boolean;
  readonly clock: Pick<Clock, "now">;
  /** Of all pauses together: the longest time for one request. */
  readonly limitMs: number;
}

/**
 * One request that may be sent again. A write is repeated only after a 429 with Retry-After, which says
 * that it was not looked at; never after a reset or a timeout, which leave open whether it happened. A
 * server that asks for a longer pause than there is time is not waited for: its answer counts.
 */
export class Repeats {
  #sent = 0;
  #pausedMs = 0;

  constructor(private readonly of: Repeated) {}

  /** Milliseconds to wait before it is sent again, undefined to go with what there is. */
  pauseAfter(answer: HttpAnswer | NoAnswer): number | undefined {
    this.#sent += 1;
    const pause = this.#choosePause(answer);
    if (pause === undefined || this.#pausedMs + pause > this.of.limitMs) return undefined;
    this.#pausedMs += pause;
    return pause;
  }

  #choosePause(answer: HttpAnswer | NoAnswer): number | undefined {
    if (answer instanceof NoAnswer) return resets.includes(answer.code) ? this.#usual() : undefined;
    const asked = readRetryAfter(answer, this.of.clock.now());
    if (!this.#mayComeBack(answer, asked)) return answer.status === 503 ? this.#usual() : undefined;
    if (this.#sent > mostRepeats) return undefined;
    return Math.max(asked ?? 0, answer.status === 429 ? busyMs : 100);
  }

  #mayComeBack({ status }: HttpAnswer, asked: number | undefined): boolean {
    const saysWhen = asked !== undefined;
    if (this.of.writes) return status === 429 && saysWhen;
    return status === 429 || (status >= 500 && saysWhen);
  }

  #usual(): number | undefined {
    return this.#sent < attempts && !this.of.writes ? 100 * 2 ** (this.#sent - 1) : undefined;
  }
}

const newline = 0x0a;

/** Lines of UTF-8 without their ends; empty ones are left out. Bytes are joined before decoding. */
export async function* splitLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      begun.push(chunk.subarray(from, end));
      const line = Buffer.concat(begun).toString("utf8");
      begun = [];
      from = end + 1;
      if (line !== "") yield line;
    }
    begun.push(chunk.subarray(from));
  }
  const last = Buffer.concat(begun).toString("utf8");
  if (last !== "") yield last;
}
