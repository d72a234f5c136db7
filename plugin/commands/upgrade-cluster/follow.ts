/** Follows the roll of an EC by facts, to its end or to a stall (S48-S60). */
import type { RunPorts } from "../../kernel/world";
import type { UpgradeClusterOptions } from "./read";
import { nameProgress } from "../../domain/rollout/progress";
import type { FactKey, Facts } from "../../domain/facts/facts";
import { clusterKeys } from "./needs";
import { type Resource } from "../../domain/kube/objects";
import { judgeCluster, rollIn, type WantedCluster } from "../../domain/engine-cluster/rollout";
import { followed, readClusterFacts, suspected } from "../../readers/engine-cluster";
import { PodTimes } from "./pod-times";
import { boundRollout, type Moment, waitFor } from "../../kernel/wait";

/** Nothing has moved for so long: what is read grows. */
const suspicionMs = 20_000;

/** What is waited for. */
export interface Following {
  readonly resource: Resource;
  readonly wanted: WantedCluster;
  /** Told what each look has found. */
  readonly seen?: (facts: Facts) => void;
}

/** Looks until the cluster is up to date; a stall ends with 1, time that runs out with 124. */
export async function follow(
  deps: RunPorts,
  { namespace, name, stallAfterMs, limitMs }: UpgradeClusterOptions,
  { resource, wanted, seen: tell }: Following,
): Promise<string> {
  let isTaken = false;
  const pods = new PodTimes(deps);
  const keysAt = ({ idleMs, isSuspected }: Moment): readonly FactKey[] => {
    if (isSuspected) return [...new Set([...clusterKeys, ...suspected])];
    // until then databases may freeze it
    if (!isTaken) return clusterKeys;
    return idleMs >= suspicionMs ? suspected : followed;
  };
  const rolled = waitFor(deps, {
    look: async (moment) => {
      const facts = await readClusterFacts(deps, { namespace, resource }, keysAt(moment));
      tell?.(facts);
      const roll = rollIn(facts, name, wanted);
      isTaken = roll !== undefined;
      if (roll !== undefined) pods.see(roll);
      const patience = { idleMs: moment.idleMs, stallAfterMs };
      const seen = judgeCluster(facts, name, { ...wanted, patience });
      if (seen.is === "done") return { is: "done", value: seen.says };
      return nameProgress(`${resource.kind}/${namespace}/${name}`, seen);
    },
    ...boundRollout({ limitMs, stallAfterMs }),
  });
  return await rolled.finally(() => {
    pods.end();
  });
}
