/** Follows an upgrade by facts until it is done, or until it is sure that it will not be (S68-S72). */
import { clusterCodes } from "../../domain/cluster/codes";
import type { FactKey } from "../../domain/facts";
import type { Resource } from "../../domain/objects";
import { isTakenUp, judgeCluster, type WantedCluster } from "../../domain/rollout/cluster";
import { type Moment, nothingMoves, pollMs, timeIsUp, waitFor } from "../engine/wait";
import type { UpgradeClusterDeps, UpgradeClusterOptions } from "./deps";
import { followed, judged, readFacts, suspected } from "./read";

/** Nothing has moved for so long: what is read grows. */
const suspicionMs = 20_000;

/** What is waited for. */
export interface Following {
  readonly resource: Resource;
  readonly wanted: WantedCluster;
}

/** Looks until the cluster is as wanted; a stall ends with 1, time that runs out with 124. */
export async function follow(
  deps: UpgradeClusterDeps,
  { namespace, name, stallAfterMs, limitMs }: UpgradeClusterOptions,
  { resource, wanted }: Following,
): Promise<string> {
  let isTaken = false;
  const keysAt = ({ idleMs, isSuspected }: Moment): readonly FactKey[] => {
    if (isSuspected) return [...new Set([...judged, ...suspected])];
    // until then databases may freeze it
    if (!isTaken) return judged;
    return idleMs >= suspicionMs ? suspected : followed;
  };
  return await waitFor(deps, {
    look: async (moment) => {
      const facts = await readFacts(deps, { namespace, resource }, keysAt(moment));
      isTaken = isTakenUp(facts, name, wanted);
      const patience = { idleMs: moment.idleMs, stallAfterMs };
      const seen = judgeCluster(facts, name, { ...wanted, patience });
      return seen.is === "done" ? { is: "done", value: seen.says } : seen;
    },
    codes: clusterCodes,
    ...(limitMs === undefined
      ? // a poll more, so that a cause of the same moment is told first
        { idle: { ms: stallAfterMs + 2 * pollMs, end: nothingMoves } }
      : { total: { ms: limitMs, end: timeIsUp } }),
  });
}
