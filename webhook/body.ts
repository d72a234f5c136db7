/** Reads a request's body, bounded in size and in time. */
import type { IncomingMessage } from "node:http";
import type { Arrival, Arrivals } from "./arrivals";
import type { Room } from "./big-bodies";
import { announcedBy } from "./call-head";

/** What became of reading a body. */
export type Body =
  | { readonly is: "whole"; readonly bytes: Buffer }
  | { readonly is: "too large" }
  | { readonly is: "late" }
  /** It had to make room for others. */
  | { readonly is: "shed" }
  /** It did not say how long it is, and there is no room for what came. */
  | { readonly is: "crowded" }
  /** The caller went away. */
  | { readonly is: "gone" };

/** How much may pass, and for how long. */
interface Bounds {
  readonly bytes: number;
  readonly ms: number;
}

/** For a body that is kept. */
export interface BodyLimits extends Bounds {
  /** When the call began, by `performance.now()`. */
  readonly since: number;
  readonly arriving: Arrivals;
  readonly room: Room;
}

/** A large body has to come with so many bytes a millisecond, after a moment, while room is scarce. */
const leastRate = 2_048;
const graceMs = 500;

/**
 * Hands over the body, or why there is none; until then it is among `arriving`. The size is counted
 * while it arrives, and nothing beyond the limit is kept.
 */
export function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  done: (body: Body) => void,
): void {
  const arriving = new ArrivingBody(request, limits, done);
  limits.arriving.add(arriving);
  request.on("data", (chunk: Buffer) => {
    arriving.take(chunk);
  });
  // what says how long it is ends with its last byte
  if (request.headers["content-length"] === undefined || arriving.isEmpty) {
    request.on("end", () => {
      arriving.finish();
    });
  }
  // without a listener of errors a request that breaks off is closed without one
  request.on("close", () => {
    arriving.end({ is: "gone" });
  });
}

class ArrivingBody implements Arrival {
  readonly latest: number;
  private readonly announced: number;
  private readonly into: Gathered;
  private done: ((body: Body) => void) | undefined;

  constructor(
    request: IncomingMessage,
    private readonly limits: BodyLimits,
    done: (body: Body) => void,
  ) {
    this.latest = limits.since + limits.ms;
    this.announced = announcedBy(request);
    this.into = new Gathered(this.announced);
    this.done = done;
  }

  /** True for one that is announced as empty. */
  get isEmpty(): boolean {
    return this.announced === 0;
  }

  take(chunk: Buffer): void {
    if (this.done === undefined) return;
    const { into, limits, announced } = this;
    if (chunk.length === announced && announced <= limits.bytes) {
      this.end({ is: "whole", bytes: chunk });
      return;
    }
    if (into.size + chunk.length > limits.bytes) {
      this.end({ is: "too large" });
      return;
    }
    if (announced === 0 && !limits.room.grow(into.size + chunk.length)) {
      this.end({ is: "crowded" });
      return;
    }
    into.add(chunk);
    // the parser lets no more through than was announced
    if (into.size === announced) this.finish();
  }

  finish(): void {
    if (this.done !== undefined) this.end({ is: "whole", bytes: this.into.whole() });
  }

  giveUp(is: "late" | "shed"): void {
    this.end({ is });
  }

  isSlow(now: number): boolean {
    const ms = now - this.limits.since;
    const isLarge = Math.max(this.announced, this.into.size) >= inPlace;
    return isLarge && ms > graceMs && this.into.size < leastRate * ms;
  }

  end(body: Body): void {
    const { done } = this;
    if (done === undefined) return;
    this.done = undefined;
    this.limits.arriving.delete(this);
    this.into.clear();
    done(body);
  }
}

/** From this length on a body that says how long it is goes into its place as it arrives. */
const inPlace = 64 * 1024;

/** The bytes of a body so far; a large one is never in memory twice. */
class Gathered {
  size = 0;
  private chunks: Buffer[] = [];
  private place: Buffer | undefined;

  constructor(private readonly announced: number) {}

  add(chunk: Buffer): void {
    if (this.announced < inPlace) {
      this.chunks.push(chunk);
    } else {
      // of its own, so that it can be handed to a thread
      this.place ??= Buffer.allocUnsafeSlow(this.announced);
      chunk.copy(this.place, this.size);
    }
    this.size += chunk.length;
  }

  whole(): Buffer {
    if (this.place !== undefined) return this.place;
    const [only, ...others] = this.chunks;
    return only !== undefined && others.length === 0 ? only : Buffer.concat(this.chunks);
  }

  clear(): void {
    this.chunks = [];
    this.place = undefined;
  }
}

/**
 * Lets the rest of a body pass by, within limits. A connection that is closed over unread bytes is
 * reset, and the reset can overtake the answer.
 */
export async function discardBody(request: IncomingMessage, limits: Bounds): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    let passed = 0;
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, limits.ms);
    request.on("data", (chunk: Buffer) => {
      passed += chunk.length;
      if (passed > limits.bytes) end();
    });
    for (const event of ["end", "close", "error"]) request.once(event, end);
  });
}
