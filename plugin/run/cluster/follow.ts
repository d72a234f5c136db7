/** Follows an upgrade by facts until it is done, or until it is sure that it will not be (S68-S72). */
import { exitCodes, TimeoutError, UnavailableError, ApiError } from "../../domain/errors";
import type { FactKey, Facts } from "../../domain/facts";
import type { Finding } from "../../domain/findings";
import type { Resource } from "../../domain/objects";
import { isTakenUp, judgeCluster, type WantedCluster } from "../../domain/rollout/cluster";
import type { Progress } from "../../domain/rollout/progress";
import { clusterCodes } from "../../domain/cluster/codes";
import { BlockedError } from "../recorder";
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

type Stalled = Extract<Progress, { readonly is: "stalled" }>;

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
  #moved: number;
  /** A roll has so many steps; one that comes again is no progress, or a pod could fail forever. */
  readonly #steps = new Set<string>();
  #on = "the cluster";
  #suspect: Stalled | undefined;
  #awaySince: number | undefined;
  #taken = false;

  constructor(
    private readonly deps: UpgradeClusterDeps,
    private readonly options: UpgradeClusterOptions,
    private readonly following: Following,
  ) {
    this.#from = deps.clock.now();
    this.#moved = this.#from;
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
    const patience = { idleMs: now - this.#moved, stallAfterMs };
    const { wanted } = this.following;
    this.#taken = isTakenUp(facts, name, wanted);
    const verdict = judgeCluster(facts, name, { ...wanted, patience });
    if (verdict.is === "done") return verdict.says;
    if (verdict.is === "stalled") {
      if (isSame(this.#suspect, verdict)) throw new BlockedError(exitCodes.failed, [told(verdict)]);
      this.#suspect = verdict;
      return undefined;
    }
    this.#suspect = undefined;
    this.#on = verdict.on;
    if (!this.#steps.has(verdict.step)) this.#moved = now;
    this.#steps.add(verdict.step);
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
    if (this.#suspect !== undefined) return [...new Set([...judged, ...suspected])];
    // until then databases may freeze it
    if (!this.#taken) return judged;
    return now - this.#moved >= suspicionMs ? suspected : followed;
  }

  #requireTime(): void {
    const { limitMs, stallAfterMs } = this.options;
    const now = this.deps.clock.now();
    const total = limitMs !== undefined && now - this.#from >= limitMs;
    // a poll more, so that a cause of the same moment is told first
    const idle = limitMs === undefined && now - this.#moved >= stallAfterMs + 2 * pollMs;
    if (!total && !idle) return;
    const spent = Math.round((total ? now - this.#from : now - this.#moved) / 1000);
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

function isSame(one: Stalled | undefined, other: Stalled): boolean {
  return one?.code === other.code && one.object === other.object;
}

/** A stall as a finding. */
function told({ code, object, because, fix }: Stalled): Finding {
  const source = clusterCodes.find((known) => known.code === code)?.source ?? "domain facts 11";
  return { code, severity: "error", object, cause: because, fix, source };
}
