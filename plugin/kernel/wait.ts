/**
 * The one wait loop: looks again and again until it is done. A server that is away for a moment is
 * tolerated, what moves may take its time, and a stall counts when two looks in a row see it.
 */
import { type Awaited, nameAwaited, nameFinding } from "../domain/base/awaited";
import { isSameStall, type Stalled, stallFinding } from "../domain/rollout/progress";
import { ClusterApiError } from "../domain/rest-api/errors";
import {
  ApiError,
  exitCodes,
  TimeoutError,
  UnavailableError,
  BlockedError,
} from "../domain/base/errors";
import type { Clock } from "../ports/kubernetes";
import type { Recorder } from "./recorder";

/** Milliseconds between two looks, unless a wait says otherwise. */
export const pollMs = 2_000;

/** What a wait calls the other server that is asked. */
export const restApi = "the REST API";

/** A server that restarts may be away for so long. */
const awayMs = 60_000;

/** A look that takes longer was kept waiting for its answer. */
const slowMs = 10_000;

export interface WaitPorts {
  readonly clock: Clock;
  readonly recorder: Pick<Recorder, "noteWaiting">;
  readonly signal: AbortSignal;
}

/** What one look sees. A new `step` is progress; without one, what is waited for is the step. */
export type Look<T> =
  | { readonly is: "done"; readonly value: T }
  | {
      readonly is: "moving";
      readonly on: Awaited;
      readonly step?: string;
      /** What moved last and when, for people. */
      readonly last?: string | undefined;
      /** Of the whole wait while this is waited for, in the place of `total`. */
      readonly limit?: Limit | undefined;
    }
  | Stalled;

/** When the look is taken. */
export interface Moment {
  /** Milliseconds without progress. */
  readonly idleMs: number;
  /** The look before saw a stall. */
  readonly isSuspected: boolean;
}

/** A limit in milliseconds, and the error that ends the wait when it is reached. */
export interface Limit {
  readonly ms: number;
  readonly end: (on: Awaited, ms: number) => Error;
}

export interface Waiting<T> {
  readonly look: (moment: Moment) => Promise<Look<T>>;
  readonly everyMs?: number;
  /** The first pause, for what comes within moments: each is twice the one before, up to `everyMs`. */
  readonly firstMs?: number;
  /** What passes between two looks, instead of so much time: a look that others share. */
  readonly pause?: () => Promise<void>;
  /** Nothing is written yet: a server that does not answer the first look ends the run at once. */
  readonly beforeWrite?: true;
  /** Who is asked, for the line that says that it does not answer. */
  readonly server?: string;
  /** Of the whole wait. */
  readonly total?: Limit | undefined;
  /** Of the time without progress. */
  readonly idle?: Limit | undefined;
}

/**
 * Waits. Throws what a limit gives, BlockedError for a stall that was seen twice, what a look throws
 * unless the server is only away, and the reason of an aborted signal.
 */
export async function waitFor<T>(
  { clock, recorder, signal }: WaitPorts,
  waiting: Waiting<T>,
): Promise<T> {
  const { look, total, idle } = waiting;
  const pauses = listPauses(waiting);
  const from = clock.now();
  const momentum = new StallDetector(from);
  const away = new Absence(waiting);
  let on: Awaited;
  let limit = total;
  for (;;) {
    signal.throwIfAborted();
    const now = clock.now();
    const { isSuspected } = momentum;
    const seen = await look({ idleMs: momentum.idleMs(now), isSuspected }).catch((error: unknown) =>
      away.tolerate(error, { from: now, until: clock.now() }),
    );
    if (seen.is === "done") return seen.value;
    on = seen.is === "stalled" ? nameFinding(seen) : seen.on;
    if (seen.is !== "away") {
      momentum.pass(away.end({ from: now, until: clock.now() }));
      momentum.take(seen, now);
    }
    if (seen.is === "moving") limit = seen.limit ?? total;
    recorder.noteWaiting(on, (now - from) / 1000, seen.is === "moving" ? seen.last : undefined);
    const left = requireTime([
      [limit, now - from - away.lostMs(now)],
      [idle, momentum.idleMs(now) - away.openMs(now)],
    ]);
    await rest(left);
  }

  async function rest(left: number): Promise<void> {
    const { pause } = waiting;
    await (pause?.() ?? clock.sleep(Math.min(pauses.next().value, left), signal));
  }

  /** The time until the next limit. */
  function requireTime(limits: readonly (readonly [Limit | undefined, number])[]): number {
    const open = limits.flatMap(([limit, spent]) =>
      limit === undefined ? [] : [{ limit, spent }],
    );
    const over = open.find(({ limit, spent }) => spent >= limit.ms);
    if (over !== undefined) throw over.limit.end(on, over.spent);
    return Math.min(...open.map(({ limit, spent }) => limit.ms - spent));
  }
}

function* listPauses({
  everyMs = pollMs,
  firstMs = everyMs,
}: Waiting<unknown>): Generator<number, never> {
  for (let ms = firstMs; ; ms = Math.min(ms * 2, everyMs)) yield ms;
}

const late =
  (how: string): Limit["end"] =>
  (on, ms) =>
    new TimeoutError(`stopped waiting for ${on}: ${how} ${Math.round(ms / 1000)} s`, {
      hint: "run the same command again: it continues from the state found",
    });

/** The end of a wait whose whole time is over. */
export const timeIsUp = late("after");

/** The end of a wait without progress, where no cause is known. */
export const nothingMoves = late("nothing has moved for");

/** What ends a wait for a rollout: a time that was given, else so long without progress. Times in milliseconds. */
export function boundRollout({
  limitMs,
  stallAfterMs,
}: {
  readonly limitMs?: number | undefined;
  readonly stallAfterMs: number;
}): Pick<Waiting<unknown>, "total" | "idle"> {
  if (limitMs !== undefined) return { total: { ms: limitMs, end: timeIsUp } };
  // a poll more, so that a cause of the same moment is told first
  return { idle: { ms: stallAfterMs + 2 * pollMs, end: nothingMoves } };
}

/** How long is waited for what has to pass before the first write: a time that was given, else as long as a stall takes. */
export function choosePatience({
  limitMs,
  stallAfterMs = 0,
}: {
  readonly limitMs?: number | undefined;
  readonly stallAfterMs?: number | undefined;
}): number {
  return limitMs ?? stallAfterMs;
}

/** How long a server has not answered: that is no time without progress, since nobody has looked. */
class Absence {
  #since: number | undefined;

  /** Of all that are over, in milliseconds. */
  #lostMs = 0;

  /** The longest, in milliseconds. */
  #mostMs: number;

  readonly #server: string;

  constructor({ beforeWrite, server }: Pick<Waiting<unknown>, "beforeWrite" | "server">) {
    this.#mostMs = beforeWrite === true ? 0 : awayMs;
    this.#server = server ?? "the API server";
  }

  /** Since when, and why, while it may be away; throws the error when that was too long, or is no absence. */
  tolerate(error: unknown, { from, until }: { from: number; until: number }) {
    this.#since ??= from;
    const ms = until - this.#since;
    if (!isAway(error) || ms >= this.#mostMs) throw error;
    return { is: "away", on: nameAwaited(this.#server, `its answer (${error.message})`) } as const;
  }

  /** It has answered; gives how long it was away, or how long the answer took where that was long. */
  end({ from, until }: { from: number; until: number }): number {
    const tookMs = until - from > slowMs ? until - from : 0;
    const ms = this.#since === undefined ? tookMs : until - this.#since;
    this.#since = undefined;
    this.#mostMs = awayMs;
    this.#lostMs += ms;
    return ms;
  }

  /** Of the one that is under way. */
  openMs(now: number): number {
    return this.#since === undefined ? 0 : now - this.#since;
  }

  /** Of all together. */
  lostMs(now: number): number {
    return this.#lostMs + this.openMs(now);
  }
}

/** The end of a wait before the first write. */
export function makeGivenUpError(on: Awaited): TimeoutError {
  return new TimeoutError(`stopped waiting for ${on}`, {
    hint: "nothing was changed; run the same command again later",
  });
}

/** A server that does not answer for the moment, or is too busy. */
export function isAway(error: unknown): error is Error {
  if (error instanceof ApiError || error instanceof ClusterApiError) {
    return error.status >= 500 || error.status === 429;
  }
  return error instanceof UnavailableError;
}

/** What happens to one thing, look after look. */
class StallDetector {
  #moved: number;
  /** A step that comes again is no progress, or a failure could repeat forever. */
  readonly #steps = new Set<string>();
  #suspect: Stalled | undefined;

  constructor(from: number) {
    this.#moved = from;
  }

  /** True after a look that saw a stall. */
  get isSuspected(): boolean {
    return this.#suspect !== undefined;
  }

  /** Milliseconds without a step that is new. */
  idleMs(now: number): number {
    return now - this.#moved;
  }

  /** So much time was no time of its own. */
  pass(ms: number): void {
    this.#moved += ms;
  }

  /** Takes a verdict; a stall that is seen twice is thrown as the end. */
  take(verdict: Exclude<Look<unknown>, { readonly is: "done" }>, now: number): void {
    if (verdict.is === "stalled") {
      if (isSameStall(this.#suspect, verdict)) {
        const code = verdict.unproven === true ? exitCodes.timeout : exitCodes.failed;
        throw new BlockedError(code, [stallFinding(verdict)]);
      }
      this.#suspect = verdict;
      return;
    }
    this.#suspect = undefined;
    const { on, step = on } = verdict;
    if (!this.#steps.has(step)) this.#moved = now;
    this.#steps.add(step);
  }
}
