/** Switches the automatic upgrade off before the operator is upgraded (S51, S124). */
import { autoOffEdits } from "../../domain/cluster/plan";
import type { Facts } from "../../domain/facts";
import { objectLabel, type Resource } from "../../domain/objects";
import type { Job, Plan } from "../engine/execute";
import type { UpgradeClusterDeps } from "./deps";
import { ecResource, judged, readFacts, readPermissions } from "./read";
import { clusterPatch } from "./writes";

/** Which clusters, and fields that may be taken from their managers. */
export interface AutoOffFlags {
  readonly clusters: readonly string[];
  readonly takeFields: readonly string[];
}

interface Seen {
  readonly resource: Resource;
  readonly facts: Facts;
}

/** The job over these clusters in this namespace. */
export function autoOffJob(
  deps: UpgradeClusterDeps,
  { clusters }: AutoOffFlags,
  { namespace }: { readonly namespace: string },
): Job<Seen, Plan> {
  return {
    reads: clusters.flatMap((name) => readPermissions(deps.names, { namespace, name })),
    read: async () => {
      const resource = await ecResource(deps);
      return { resource, facts: await readFacts(deps, { namespace, resource }, judged) };
    },
    plan: (seen) => ({ changes: changesOf(seen, clusters) }),
    proof: () => Promise.resolve(""),
    says: ({ changes }) => {
      const names = changes.map(({ object }) => objectLabel(object)).join(", ");
      return changes.length === 0
        ? "no cluster upgrades itself while databases use modules of their own"
        : `${names}: switched off`;
    },
    midway: "what was switched off before stays so",
  };
}

/** These patches renew no pod. */
function changesOf({ resource, facts }: Seen, clusters: readonly string[]) {
  const named = facts.objects.ecs.filter(({ metadata: { name = "" } }) => clusters.includes(name));
  return named.map((ec) => ({
    ...clusterPatch({ resource, ec, edits: autoOffEdits(facts, ec) }),
    id: "cluster.auto-off",
    risk: "none by itself: the cluster then waits for its own upgrade",
    reverse: "by the printed command; the run saves the old value",
  }));
}
