/** Switches the automatic upgrade of clusters off (S51, S124). */
import type { ClusterFacts } from "./read";
import type { RunPorts } from "../../kernel/world";
import type { PartRun } from "../../cmdutil/part-command";
import { listOffEdits } from "./plan";
import { clusterKeys } from "./needs";
import { objectLabel } from "../../domain/kube/objects";
import { projectWrites } from "../../kernel/projection";
import type { PartDescription, SimplePlan } from "../../kernel/simple-part";
import { requireGround } from "../../readers/ground";
import { ecResource, readClusterFacts } from "../../readers/engine-cluster";
import { clusterPatch } from "./changes";

/** Where databases use user-defined modules. */
export function describeAutoOff(
  deps: RunPorts,
  clusters: readonly string[],
  { namespace }: Pick<PartRun, "namespace">,
): PartDescription<ClusterFacts, SimplePlan> {
  return {
    read: async () => {
      const resource = await ecResource(deps);
      await requireGround(deps, "upgrade-cluster", { namespace, clusters });
      return {
        resource,
        facts: await readClusterFacts(deps, { namespace, resource }, clusterKeys),
      };
    },
    plan: (seen) => ({ changes: listSwitches(seen, clusters) }),
    // the answer to the patch shows the stored field, and no pod follows it
    proof: () => Promise.resolve(""),
    still: "",
    says: ({ changes }) => {
      const names = changes.map(({ object }) => objectLabel(object)).join(", ");
      return changes.length === 0
        ? "no cluster upgrades itself while databases use user-defined modules"
        : `${names}: switched off`;
    },
    midway: "what was switched off before stays so",
    after: (_, writes) => projectWrites(writes),
  };
}

/** One patch for each named EC; it recreates no pod. */
function listSwitches({ resource, facts }: ClusterFacts, clusters: readonly string[]) {
  const named = facts.objects.ecs.filter(({ metadata: { name = "" } }) => clusters.includes(name));
  return named.map((ec) => ({
    ...clusterPatch({ resource, ec, edits: listOffEdits(facts, ec) }, facts),
    id: "cluster.auto-off",
    risk: "none by itself: the cluster then waits for its own upgrade",
    isHarmless: true as const,
    reverse: "until the operator is upgraded, by the printed command; the run saves the old value",
    backHolds: "until the operator is upgraded",
  }));
}
