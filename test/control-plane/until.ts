import { setTimeout as pause } from "node:timers/promises";

export interface UntilOptions {
  /** How long to try before giving up: longer than a busy machine takes, since a wait without an end would hide the cause of a hang. */
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/**
 * Asks again until the answer is something other than undefined. A probe that throws counts as "not
 * yet"; its last error becomes the cause of the time-out, so that the reader learns why.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  { withinMs = 90_000, everyMs = 50 }: UntilOptions = {},
): Promise<T> {
  const deadline = Date.now() + withinMs;
  let cause: unknown;
  for (;;) {
    try {
      const answer = await probe();
      if (answer !== undefined) {
        return answer;
      }
      cause = undefined;
    } catch (error) {
      if (error instanceof GivenUp) {
        throw error;
      }
      cause = error;
    }
    if (Date.now() >= deadline) {
      const because = cause instanceof Error ? `: ${cause.message}` : "";
      throw new Error(`waited ${String(withinMs)} ms for ${what}${because}`, { cause });
    }
    await pause(everyMs);
  }
}

/** Thrown by a probe that knows that the awaited thing can no longer happen. */
export class GivenUp extends Error {
  override readonly name = "GivenUp";
}
