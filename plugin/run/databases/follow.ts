/** What the work on databases is done with, and how one of them is waited for. */
import { databaseCodes } from "../../domain/databases/codes";
import { TimeoutError } from "../../domain/errors";
import type { DatabasePatience } from "../../domain/rollout/database";
import { bounded } from "../../domain/status/verdict";
import type { Session } from "../engine/session";
import { type Limit, type Look, waitFor, type Waiting } from "../engine/wait";
import type { Clock } from "../ports";
import type { Recorder } from "../engine/recorder";
import type { UpgradeDatabaseDeps, UpgradeDatabaseOptions } from "./deps";
import type { DatabasePoller, Seen } from "./read";

/** One for a whole run. */
export interface WriteContext {
  readonly deps: UpgradeDatabaseDeps;
  readonly options: UpgradeDatabaseOptions;
  readonly session: Session;
  readonly poller: DatabasePoller;
  readonly line: ProgressLine;
}

/** So many databases are told by their names. */
const shownAtMost = 3;

/** The live line of many databases at once: how many are done, and what those under way wait for. */
export class ProgressLine {
  /** When the run began, in milliseconds since 1970. */
  readonly from: number;
  readonly #under = new Map<string, string>();
  #total = 1;
  #done = 0;
  #failed = 0;

  constructor(
    private readonly clock: Clock,
    private readonly recorder: Pick<Recorder, "waiting">,
  ) {
    this.from = clock.now();
  }

  /** From here on each of so many is accounted for. */
  begin(total: number): void {
    this.#total = total;
    this.#under.clear();
  }

  waits(label: string, on: string): void {
    this.#under.set(label, on);
    this.recorder.waiting(this.#line(), (this.clock.now() - this.from) / 1000);
  }

  ended(label: string, failed: boolean): void {
    this.#under.delete(label);
    this.#done += 1;
    if (failed) this.#failed += 1;
  }

  #line(): string {
    const all = [...this.#under].map(([label, on]) => `${label}: ${on}`);
    if (this.#total === 1) return all.join("");
    const failed = this.#failed === 0 ? "" : `, ${this.#failed} failed`;
    return `databases: ${this.#done} of ${this.#total}${failed}; ${bounded(all, shownAtMost)}`;
  }
}

/** Waits for one database until the time of the whole run is over. */
export async function waitForDatabase<T>(
  { deps, options, line }: WriteContext,
  label: string,
  waiting: Pick<Waiting<T>, "look" | "pause" | "server">,
): Promise<T> {
  const { clock, signal } = deps;
  const { limitMs } = options;
  const recorder = {
    waiting: (on: string) => {
      line.waits(label, on);
    },
  };
  return await waitFor<T>(
    { clock, signal, recorder },
    { ...waiting, total: limitMs === undefined ? undefined : limit(limitMs), codes: databaseCodes },
  );

  function limit(ofRun: number): Limit {
    const spentMs = (): number => clock.now() - line.from;
    const end: Limit["end"] = (on) => {
      const after = `after ${Math.round(spentMs() / 1000)} s`;
      return new TimeoutError(`stopped waiting for ${label}: ${on}, ${after}`, {
        hint: "run the same command again: it goes on from the state found",
      });
    };
    return { ms: ofRun - spentMs(), end };
  }
}

/** The same by looks at the cluster that all who wait share. */
export async function waitBySeen<T>(
  context: WriteContext,
  { label, first }: { readonly label: string; readonly first: Seen },
  look: (seen: Seen, patience: DatabasePatience) => Look<T>,
): Promise<T> {
  const { poller, options } = context;
  let seen = first;
  return await waitForDatabase(context, label, {
    look: ({ idleMs }) =>
      Promise.resolve(look(seen, { idleMs, stallAfterMs: options.stallAfterMs })),
    pause: async () => {
      seen = await poller.next();
    },
  });
}
