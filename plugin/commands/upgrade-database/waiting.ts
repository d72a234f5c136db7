/** How all waits for databases go, and the one line that tells of them. */
import type { Recorder } from "../../kernel/recorder";
import { boundList } from "../../domain/base/values";
import type { Awaited } from "../../domain/base/awaited";
import type { Session } from "../../kernel/session";
import type { Clock } from "../../ports/kubernetes";
import type {
  UpgradeDatabaseDeps,
  UpgradeDatabaseOptions,
  DatabasePoller,
  DatabaseSnapshot,
} from "./read";
import { TimeoutError } from "../../domain/base/errors";
import { databaseCodes } from "../../domain/database/findings";
import { type Waiting, waitFor, type Limit, type Look } from "../../kernel/wait";
import type { DatabasePatience } from "../../domain/database/progress";

/** One for a whole run. */
export interface DatabaseContext {
  readonly deps: UpgradeDatabaseDeps;
  readonly options: UpgradeDatabaseOptions;
  readonly session: Session;
  readonly poller: DatabasePoller;
  readonly line: ProgressLine;
}

/** So many databases are told by their names. */
export const shownAtMost = 3;

/** The live line of many databases at once: how many are done, and what those under way wait for. */
export class ProgressLine {
  readonly #under = new Map<string, Awaited>();
  #total = 1;
  #done = 0;
  #failed = 0;

  constructor(
    private readonly clock: Clock,
    private readonly recorder: Pick<Recorder, "noteWaiting">,
    /** When the run began, in milliseconds since 1970. */
    readonly from = clock.now(),
  ) {}

  /** From here on each of so many is accounted for. */
  begin(total: number): void {
    this.#total = total;
    this.#under.clear();
  }

  waits(label: string, on: Awaited): void {
    this.#under.set(label, on);
    this.recorder.noteWaiting(this.#line(on), (this.clock.now() - this.from) / 1000);
  }

  ended(label: string, failed: boolean): void {
    this.#under.delete(label);
    this.#done += 1;
    if (failed) this.#failed += 1;
  }

  #line(on: Awaited): Awaited {
    if (this.#total === 1) return on;
    const all = [...this.#under.values()];
    const failed = this.#failed === 0 ? "" : `, ${this.#failed} failed`;
    return `databases: ${this.#done} of ${this.#total}${failed}; ${boundList(all, shownAtMost)}`;
  }
}

/** Waits for one database until the time of the whole run is over. */
export async function waitForDatabase<T>(
  { deps, options, line }: DatabaseContext,
  label: string,
  waiting: Pick<Waiting<T>, "look" | "pause" | "server">,
): Promise<T> {
  const { clock, signal } = deps;
  const { limitMs } = options;
  const recorder = {
    noteWaiting: (on: Awaited) => {
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
      return new TimeoutError(`stopped waiting for ${on}, ${after}`, {
        hint: "run the same command again: it continues from the state found",
      });
    };
    return { ms: ofRun - spentMs(), end };
  }
}

/** The same by looks at the cluster that all who wait share. */
export async function waitBySeen<T>(
  context: DatabaseContext,
  { label, first }: { readonly label: string; readonly first: DatabaseSnapshot },
  look: (seen: DatabaseSnapshot, patience: DatabasePatience) => Look<T>,
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
