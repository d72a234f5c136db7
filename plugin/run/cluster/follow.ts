/** Follows an upgrade by facts until it is done, or until it is sure that it will not be (S68-S72). */
import { TimeoutError, UnavailableError, ApiError } from "../../domain/errors";
import type { FactKey, Facts } from "../../domain/facts";
import type { Resource } from "../../domain/objects";
import { isTakenUp, judgeCluster, type WantedCluster } from "../../domain/rollout/cluster";
import { clusterCodes } from "../../domain/cluster/codes";
import { Momentum } from "../momentum";
import type { UpgradeClusterDeps, UpgradeClusterOptions } from "./deps";
import { followed, judged, readFacts, suspected } from "./read";

/** Between two looks. */
export const pollMs = 2_000;

/** Nothing has moved for so long: what is read grows. */
const suspicionMs = 20_000;

/** An API server that is renewed itself may be away for so long. */
const awayMs = 60_000;

/** What is waited for. */
export interface Following {
  readonly resource: Resource;
  readonly wanted: WantedCluster;
}

/** Looks until the cluster is as wanted; a stall ends with 1, time that runs out with 124. */
export async function follow(
  deps: UpgradeClusterDeps,
  options: UpgradeClusterOptions,
  following: Following,
): Promise<string> {
  return await new Follower(deps, options, following).run();
}

class Follower {
  readonly #from: number;
  readonly #momentum: Momentum;
  #on = "the cluster";
  #awaySince: number | undefined;
  #taken = false;

  constructor(
    private readonly deps: UpgradeClusterDeps,
    private readonly options: UpgradeClusterOptions,
    private readonly following: Following,
  ) {
    this.#from = deps.clock.now();
    this.#momentum = new Momentum(this.#from, clusterCodes);
  }

  async run(): Promise<string> {
    const { clock, recorder, signal } = this.deps;
    for (;;) {
      const facts = await this.#look();
      const said = facts === undefined ? undefined : this.#judge(facts);
      if (said !== undefined) return said;
      recorder.waiting(this.#on, (clock.now() - this.#from) / 1000);
      this.#requireTime();
      await clock.sleep(pollMs, signal);
    }
  }

  /** What the end is; undefined while it goes on. A stall counts when it is seen twice. */
  #judge(facts: Facts): string | undefined {
    const { name, stallAfterMs } = this.options;
    const now = this.deps.clock.now();
    const patience = { idleMs: this.#momentum.idleMs(now), stallAfterMs };
    const { wanted } = this.following;
    this.#taken = isTakenUp(facts, name, wanted);
    const verdict = judgeCluster(facts, name, { ...wanted, patience });
    this.#momentum.take(verdict, now);
    if (verdict.is === "done") return verdict.says;
    if (verdict.is === "moving") this.#on = verdict.on;
    return undefined;
  }

  async #look(): Promise<Facts | undefined> {
    const { namespace } = this.options;
    const { resource } = this.following;
    const now = this.deps.clock.now();
    try {
      const facts = await readFacts(this.deps, { namespace, resource }, this.#keys(now));
      this.#awaySince = undefined;
      return facts;
    } catch (error) {
      this.#awaySince ??= now;
      if (!isAway(error) || now - this.#awaySince >= awayMs) throw error;
      this.#on = `the API server (${error.message})`;
      return undefined;
    }
  }

  #keys(now: number): readonly FactKey[] {
    if (this.#momentum.isSuspected) return [...new Set([...judged, ...suspected])];
    // until then databases may freeze it
    if (!this.#taken) return judged;
    return this.#momentum.idleMs(now) >= suspicionMs ? suspected : followed;
  }

  #requireTime(): void {
    const { limitMs, stallAfterMs } = this.options;
    const now = this.deps.clock.now();
    const total = limitMs !== undefined && now - this.#from >= limitMs;
    // a poll more, so that a cause of the same moment is told first
    const idleMs = this.#momentum.idleMs(now);
    const idle = limitMs === undefined && idleMs >= stallAfterMs + 2 * pollMs;
    if (!total && !idle) return;
    const spent = Math.round((total ? now - this.#from : idleMs) / 1000);
    const what = total ? `after ${spent} s` : `nothing has moved for ${spent} s`;
    throw new TimeoutError(`stopped waiting for ${this.#on}: ${what}`, {
      hint: "run the same command again: it goes on from the state found",
    });
  }
}

function isAway(error: unknown): error is Error {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429;
  return error instanceof UnavailableError;
}
