/** A call before its review: what its head allows, and its body, bounded in size and in time. */
import type { IncomingMessage } from "node:http";
import type { Fault } from "./reply";
import type { Arrival, Room } from "./room";

export function judgeHead(request: IncomingMessage, maxBody: number): Fault | undefined {
  const { method, headers } = request;
  if (method !== "POST") return { code: 405, message: "reviews are sent with POST" };
  if (!isJson(headers["content-type"] ?? "")) {
    return { code: 415, message: "the content type has to be application/json in UTF-8" };
  }
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return { code: 415, message: "a content encoding is not accepted" };
  }
  return readAnnounced(request) > maxBody ? tooLarge(maxBody) : undefined;
}

function isJson(contentType: string): boolean {
  if (contentType === "application/json") return true;
  const [type, ...parameters] = contentType.toLowerCase().split(";");
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith("charset="));
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  return type?.trim() === "application/json" && utf8;
}

/** The answer to a body over the limit, announced or not. */
export function tooLarge(maxBody: number): Fault {
  return { code: 413, message: `the body is larger than ${maxBody} bytes` };
}

/** The length of the body; of one that does not say it room is taken for what has come. */
export function readAnnounced({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}

/** Why there is no body: over the limit, too slow, given up to free space, without room, or broken off. */
export type NoBody = "too large" | "late" | "shed" | "crowded" | "gone";

/** How much may pass, and until when, by `performance.now()`. */
interface BodyLimits {
  readonly bytes: number;
  readonly since: number;
  readonly until: number;
  readonly room: Room;
}

/** A large body has to come with so many bytes a millisecond, after a moment, while room is scarce. */
const leastRate = 2_048;
const graceMs = 500;

/**
 * The body, or why there is none; until then it is among those that arrive. The size is counted
 * while it arrives, and nothing beyond the limit is kept.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer | NoBody> {
  return new Promise((resolve) => {
    const arriving = new ArrivingBody(readAnnounced(request), limits, resolve);
    limits.room.arriving.add(arriving);
    request.on("data", (chunk: Buffer) => {
      arriving.take(chunk);
    });
    // what says how long it is ends with its last byte
    if (request.headers["content-length"] === undefined || readAnnounced(request) === 0) {
      request.on("end", () => {
        arriving.finish();
      });
    }
    // without a listener of errors a request that breaks off is closed without one
    request.on("close", () => {
      arriving.end("gone");
    });
  });
}

/** From this length on a body that says how long it is goes into its place as it arrives. */
const inPlace = 64 * 1024;

class ArrivingBody implements Arrival {
  private size = 0;
  private chunks: Buffer[] = [];
  /** Of a large body, which is never in memory twice. */
  private place: Buffer | undefined;

  constructor(
    private readonly announced: number,
    private readonly limits: BodyLimits,
    private done: ((body: Buffer | NoBody) => void) | undefined,
  ) {}

  get latest(): number {
    return this.limits.until;
  }

  take(chunk: Buffer): void {
    if (this.done === undefined) return;
    const { limits, announced } = this;
    const size = this.size + chunk.length;
    if (size > limits.bytes) this.end("too large");
    else if (announced === 0 && !limits.room.grow(size)) this.end("crowded");
    else {
      this.add(chunk);
      // the parser lets no more through than was announced
      if (size === announced) this.finish();
    }
  }

  finish(): void {
    const [only, ...others] = this.chunks;
    const whole = only !== undefined && others.length === 0 ? only : undefined;
    this.end(this.place ?? whole ?? Buffer.concat(this.chunks));
  }

  giveUp(is: "late" | "shed"): void {
    this.end(is);
  }

  isSlow(now: number): boolean {
    const ms = now - this.limits.since;
    const isLarge = Math.max(this.announced, this.size) >= inPlace;
    return isLarge && ms > graceMs && this.size < leastRate * ms;
  }

  end(body: Buffer | NoBody): void {
    const { done } = this;
    const { room } = this.limits;
    if (done === undefined) return;
    this.done = undefined;
    room.arriving.delete(this);
    if (typeof body === "string") room.release();
    this.chunks = [];
    this.place = undefined;
    done(body);
  }

  private add(chunk: Buffer): void {
    if (this.announced < inPlace || chunk.length === this.announced) {
      this.chunks.push(chunk);
    } else {
      this.place ??= Buffer.allocUnsafeSlow(this.announced);
      chunk.copy(this.place, this.size);
    }
    this.size += chunk.length;
  }
}

/**
 * Lets the rest of a body pass by: enough for an honest caller to finish sending, more is cut off.
 * A connection that is closed over unread bytes is reset, and the reset can overtake the answer.
 */
export async function discardBody(request: IncomingMessage, maxBody: number): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    let passed = 0;
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, 1_000);
    request.on("data", (chunk: Buffer) => {
      passed += chunk.length;
      if (passed > 2 * maxBody) end();
    });
    for (const event of ["end", "close", "error"]) request.once(event, end);
  });
}
