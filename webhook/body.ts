/** Reads a request's body, bounded in size and in time. */
import type { IncomingMessage } from "node:http";

/** What became of reading a body. */
export type Body =
  | { readonly is: "whole"; readonly bytes: Buffer }
  | { readonly is: "too large" }
  | { readonly is: "late" }
  /** The caller went away. */
  | { readonly is: "gone" };

export interface BodyLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** The body; the size is counted while it arrives, and nothing beyond the limit is kept. */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Body> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const end = (body: Body) => {
      clearTimeout(timer);
      request.off("data", take);
      chunks = [];
      resolve(body);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limits.bytes) end({ is: "too large" });
      else chunks.push(chunk);
    };
    const timer = setTimeout(end, limits.ms, { is: "late" });
    request.on("data", take);
    request.once("end", () => {
      const [only, ...others] = chunks;
      const bytes = only !== undefined && others.length === 0 ? only : Buffer.concat(chunks);
      end({ is: "whole", bytes });
    });
    request.once("error", () => {
      end({ is: "gone" });
    });
    request.once("close", () => {
      end({ is: "gone" });
    });
  });
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
