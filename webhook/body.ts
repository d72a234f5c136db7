/** Reads a request's body, bounded in size and in time. */
import type { IncomingMessage } from "node:http";

/** What became of reading a body. */
export type Body =
  | { readonly is: "whole"; readonly bytes: Buffer }
  | { readonly is: "too large" }
  | { readonly is: "late" }
  /** It had to make room for others. */
  | { readonly is: "shed" }
  /** The caller went away. */
  | { readonly is: "gone" };

export interface BodyLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** The body; until it is whole, what ends the wait for it is among `arriving`. The size is counted while it arrives, and nothing beyond the limit is kept. */
export function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  arriving: Set<() => void>,
): Promise<Body> {
  return new Promise((resolve) => {
    const into = new Gathered(Number(request.headers["content-length"] ?? 0));
    const end = (body: Body) => {
      clearTimeout(timer);
      arriving.delete(giveUp);
      request.off("data", take);
      into.clear();
      resolve(body);
    };
    const take = (chunk: Buffer) => {
      if (into.size + chunk.length > limits.bytes) end({ is: "too large" });
      else into.add(chunk);
    };
    const giveUp = () => {
      end({ is: "shed" });
    };
    const timer = setTimeout(end, limits.ms, { is: "late" });
    arriving.add(giveUp);
    request.on("data", take);
    request.once("end", () => {
      end({ is: "whole", bytes: into.whole() });
    });
    request.once("error", () => {
      end({ is: "gone" });
    });
    request.once("close", () => {
      end({ is: "gone" });
    });
  });
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
export async function discardBody(request: IncomingMessage, limits: BodyLimits): Promise<void> {
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
