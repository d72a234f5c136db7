/** How long one database is waited for: as long as something moves, and no longer than was said. */
import { databaseCodes } from "../../domain/databases/codes";
import { exitCodes, TimeoutError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import type { DatabasePatience } from "../../domain/rollout/edb";
import type { Progress } from "../../domain/rollout/progress";
import { BlockedError } from "../recorder";
import type { Board } from "./board";
import type { UpgradeDatabaseDeps, UpgradeDatabaseOptions } from "./deps";

type Stalled = Extract<Progress, { readonly is: "stalled" }>;

/** What the waiting is done with. */
export interface Waiting {
  readonly deps: UpgradeDatabaseDeps;
  readonly options: UpgradeDatabaseOptions;
  readonly board: Board;
}

/** Judges look after look at one database. */
export class Patience {
  #moved: number;
  /** A step that comes again is no progress, or an action could fail forever. */
  readonly #steps = new Set<string>();
  #suspect: Stalled | undefined;

  constructor(
    private readonly waiting: Waiting,
    private readonly label: string,
  ) {
    this.#moved = waiting.deps.clock.now();
  }

  /** How it ended; undefined while it goes on. A stall counts when it is seen twice. */
  judge(look: (patience: DatabasePatience) => Progress): string | undefined {
    const { deps, options, board } = this.waiting;
    const now = deps.clock.now();
    const { stallAfterMs } = options;
    const verdict = look({ idleMs: now - this.#moved, stallAfterMs });
    if (verdict.is === "done") return verdict.says;
    if (verdict.is === "stalled") {
      if (isSame(this.#suspect, verdict)) throw new BlockedError(exitCodes.failed, [told(verdict)]);
      this.#suspect = verdict;
      return undefined;
    }
    this.#suspect = undefined;
    if (!this.#steps.has(verdict.step)) this.#moved = now;
    this.#steps.add(verdict.step);
    board.waits(this.label, verdict.on);
    this.requireTime(verdict.on);
    return undefined;
  }

  /** Throws when the time of the whole run is over. */
  requireTime(on: string): void {
    const { deps, options, board } = this.waiting;
    const spent = deps.clock.now() - board.from;
    if (options.limitMs === undefined || spent < options.limitMs) return;
    const after = `after ${Math.round(spent / 1000)} s`;
    throw new TimeoutError(`stopped waiting for ${this.label}: ${on}, ${after}`, {
      hint: "run the same command again: it goes on from the state found",
    });
  }
}

function isSame(one: Stalled | undefined, other: Stalled): boolean {
  return one?.code === other.code && one.object === other.object;
}

/** A stall as a finding. */
function told({ code, object, because, fix }: Stalled): Finding {
  const source = databaseCodes.find((known) => known.code === code)?.source ?? "domain facts 11";
  return { code, severity: "error", object, cause: because, fix, source };
}
