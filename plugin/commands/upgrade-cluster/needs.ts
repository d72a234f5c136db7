/** What `upgrade-cluster` needs. */
import { closeLook, type FactKey } from "../../domain/facts/facts";
import type { AdvisedTarget } from "../../domain/checks/advisories";
import { listPrerequisiteKeys } from "../../domain/checks/prerequisites";
import { factNeeds } from "../../domain/checks/needs";
import { groundNeeds, leftMarkNeeds, needList, type Needs } from "../../domain/facts/needs";
import { type ClusterPlace, clusterLook, clusterWrite } from "../../domain/engine-cluster/needs";

/** What is looked at before a cluster is written, and while it is followed. */
export const clusterKeys = [
  "statefulSets",
  "claims",
  "pods",
  "deployments",
  "edbs",
  "eaadbs",
] as const satisfies readonly FactKey[];

/** What the plan rests on beside it. */
function listPlanned(target: AdvisedTarget): readonly FactKey[] {
  const keys = new Set<FactKey>([...clusterKeys, ...listPrerequisiteKeys(target)]);
  return [...keys].filter((key) => key !== "ecs");
}

/** What leaves no pod to be created again (quotas, nodes, accounts), and who leads the operator, are told where they may be read. */
export function listClusterPlanKeys(target: AdvisedTarget): readonly FactKey[] {
  const told = ["resourceQuotas", "nodes", "leases", "serviceAccounts"] as const;
  return [...new Set<FactKey>([...listPlanned(target), ...told])];
}

/** `upgrade-cluster`: one write. */
export function clusterNeeds(place: ClusterPlace & AdvisedTarget): Needs {
  const why = (own: boolean): string =>
    own ? "to follow the rollout" : "to see whether all databases can go along";
  const before = { keys: listPlanned(place), why: "to see whether the upgrade may begin" };
  return {
    reads: clusterLook(place, { keys: clusterKeys, why }),
    may: [clusterWrite(place, "to write the fields of the upgrade"), ...factNeeds(place, before)],
    beside: [
      needList("resourceQuotas", place, "to see whether the pods can be created again"),
      needList("serviceAccounts", place, "to see whether the account of the pods exists"),
      ...closeLook.map((key) => needList(key, place, "to see why nothing moves")),
      ...groundNeeds(place),
      ...leftMarkNeeds(),
    ],
  };
}
