/** Switches the automatic upgrade off before the operator is upgraded (S51, S124). */
import { autoOffEdits } from "../../domain/cluster/auto-off";
import type { Facts } from "../../domain/facts";
import { objectLabel, type Resource } from "../../domain/objects";
import { execute } from "../engine/execute";
import type { Report } from "../report";
import type { UpgradeClusterDeps, UpgradeClusterOptions } from "./deps";
import { ecResource, judged, readFacts, readPermissions } from "./read";
import { clusterPatch } from "./writes";

/** What is told beside the ECs' names. */
export type AutoOffOptions = Pick<
  UpgradeClusterOptions,
  "namespace" | "takeFields" | "dryRun" | "fieldManager"
> & { readonly clusters: readonly string[] };

/** Runs it; expected ends of every kind come back as a report. */
export async function switchAutoOff(
  deps: UpgradeClusterDeps,
  options: AutoOffOptions,
): Promise<Report> {
  const { clusters, namespace } = options;
  return await execute(deps, options, {
    reads: clusters.flatMap((name) => readPermissions(deps.names, { namespace, name })),
    read: async () => {
      const resource = await ecResource(deps);
      return { resource, facts: await readFacts(deps, { namespace, resource }, judged) };
    },
    plan: ({ resource, facts }) => ({ changes: changesOf({ resource, facts, clusters }) }),
    proof: () => Promise.resolve(""),
    says: ({ changes }) => {
      const names = changes.map(({ object }) => objectLabel(object)).join(", ");
      return changes.length === 0
        ? "no cluster upgrades itself while databases use modules of their own"
        : `${names}: switched off`;
    },
    midway: "what was switched off before stays so",
  });
}

/** These patches renew no pod. */
function changesOf(of: {
  readonly resource: Resource;
  readonly facts: Facts;
  readonly clusters: readonly string[];
}) {
  const { resource, facts, clusters } = of;
  const named = facts.objects.ecs.filter(({ metadata: { name = "" } }) => clusters.includes(name));
  return named.flatMap((ec) => {
    const edits = autoOffEdits(facts, ec);
    if (edits.length === 0) return [];
    return [
      {
        ...clusterPatch({ resource, ec, edits }),
        id: "cluster.auto-off",
        risk: "none by itself: the cluster then waits for its own upgrade",
        reverse: "by the printed command; the run saves the old value",
      },
    ];
  });
}
