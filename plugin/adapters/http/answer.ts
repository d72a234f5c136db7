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

/** Seconds of the Retry-After header; its date form is not used by the servers that are asked. */
function readRetryAfter({ headers }: HttpAnswer): number | undefined {
  const value = headers["retry-after"];
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}

/** What a server said as one line that fits on a screen line or two. */
export function oneLine(text: string, longest: number): string {
  const line = text
    .slice(0, 4096)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

const attempts = 5;
/** A server that asks for a longer pause is not waited for: its answer counts. */
const longestPauseMs = 30_000;
const resets = ["ECONNRESET", "EPIPE"];

/**
 * Milliseconds to wait before sending again, undefined to go with what there is. A write is
 * repeated only after a 429 with Retry-After, which says that it was not looked at; never after a
 * reset or a timeout, which leave open whether it happened.
 */
export function pauseBefore(
  answer: HttpAnswer | NoAnswer,
  attempt: number,
  writes: boolean,
): number | undefined {
  if (attempt >= attempts || !repeatable(answer, writes)) return undefined;
  const asked = answer instanceof NoAnswer ? undefined : readRetryAfter(answer);
  const pause = asked === undefined ? 100 * 2 ** (attempt - 1) : asked * 1000;
  return pause > longestPauseMs ? undefined : pause;
}

function repeatable(answer: HttpAnswer | NoAnswer, writes: boolean): boolean {
  if (answer instanceof NoAnswer) return !writes && resets.includes(answer.code);
  if (writes) return answer.status === 429 && readRetryAfter(answer) !== undefined;
  return answer.status === 429 || answer.status === 503;
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
