/** Waiting by looking again and again: what moves may take its time, what stands still may not. */
import { ClusterApiError } from "../../domain/api/failure";
import { ApiError, TimeoutError, UnavailableError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import type { RecoverDeps, RecoverOptions } from "./deps";

/** Between two looks. */
export const pollMs = 2_000;

/** Servers that are renewed themselves may be away for so long. */
const awayMs = 60_000;

/** What one look tells. */
export type Seen<T> =
  | { readonly is: "done"; readonly value: T }
  /** `step` changes whenever something moved. */
  | { readonly is: "moving"; readonly on: string; readonly step: string };

/** How it is looked, and what it means when nothing moves any more. */
export interface Waiting<T> {
  readonly look: () => Promise<Seen<T>>;
  /** Thrown as the end of the wait. */
  readonly stalled: (on: string) => Error;
  readonly stallAfterMs?: number;
}

/** Looks until it is done; TimeoutError when the time that was given is over. */
export async function waitFor<T>(
  deps: Pick<RecoverDeps, "clock" | "recorder" | "signal">,
  { stallAfterMs, limitMs }: Pick<RecoverOptions, "stallAfterMs" | "limitMs">,
  waiting: Waiting<T>,
): Promise<T> {
  const { clock, recorder, signal } = deps;
  const from = clock.now();
  const steps = new Set<string>();
  let moved = from;
  let on = "the first look";
  let awaySince: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const now = clock.now();
    const seen = await waiting.look().catch((error: unknown) => {
      awaySince ??= now;
      if (!isAway(error) || now - awaySince >= awayMs) throw error;
      on = error.message;
      return undefined;
    });
    if (seen?.is === "done") return seen.value;
    if (seen !== undefined) {
      awaySince = undefined;
      on = seen.on;
      if (!steps.has(seen.step)) moved = now;
      steps.add(seen.step);
    }
    recorder.waiting(on, (now - from) / 1000);
    if (limitMs !== undefined && now - from >= limitMs) throw outOfTime(on, now - from);
    if (now - moved >= (waiting.stallAfterMs ?? stallAfterMs)) throw waiting.stalled(on);
    await clock.sleep(pollMs, signal);
  }
}

function outOfTime(on: string, ms: number): TimeoutError {
  return new TimeoutError(`stopped waiting for ${on}: after ${Math.round(ms / 1000)} s`, {
    hint: "run the same command again: it goes on from the state found",
  });
}

/** A server that does not answer for the moment, or is too busy. */
export function isAway(error: unknown): error is Error {
  if (error instanceof ApiError || error instanceof ClusterApiError) {
    return error.status >= 500 || error.status === 429;
  }
  return error instanceof UnavailableError;
}

/** Nothing moved. */
export type Stall = Pick<Finding, "object"> & { readonly on: string };
