/** How long one database is waited for: as long as something moves, and no longer than was said. */
import { databaseCodes } from "../../domain/databases/codes";
import { TimeoutError } from "../../domain/errors";
import type { DatabasePatience } from "../../domain/rollout/edb";
import type { Progress } from "../../domain/rollout/progress";
import { Momentum } from "../momentum";
import type { Board } from "./board";
import type { UpgradeDatabaseDeps, UpgradeDatabaseOptions } from "./deps";

/** What the waiting is done with. */
export interface Waiting {
  readonly deps: UpgradeDatabaseDeps;
  readonly options: UpgradeDatabaseOptions;
  readonly board: Board;
}

/** Judges look after look at one database. */
export class Patience {
  readonly #momentum: Momentum;

  constructor(
    private readonly waiting: Waiting,
    private readonly label: string,
  ) {
    this.#momentum = new Momentum(waiting.deps.clock.now(), databaseCodes);
  }

  /** How it ended; undefined while it goes on. A stall counts when it is seen twice. */
  judge(look: (patience: DatabasePatience) => Progress): string | undefined {
    const { deps, options, board } = this.waiting;
    const now = deps.clock.now();
    const { stallAfterMs } = options;
    const verdict = look({ idleMs: this.#momentum.idleMs(now), stallAfterMs });
    this.#momentum.take(verdict, now);
    if (verdict.is === "done") return verdict.says;
    if (verdict.is === "stalled") return undefined;
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
