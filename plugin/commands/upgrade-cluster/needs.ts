/** What `upgrade-cluster` needs. */
import type { FactKey } from "../../domain/facts/facts";
import { prerequisiteKeys } from "../../domain/checks/prerequisites";
import { factNeeds } from "../../domain/checks/needs";
import { groundNeeds, listing, type Needs } from "../../domain/facts/needs";
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
export const clusterPlanKeys: readonly FactKey[] = [
  ...new Set<FactKey>([...clusterKeys, ...prerequisiteKeys]),
].filter((key) => key !== "ecs");

/** `upgrade-cluster`: one write. */
export function clusterNeeds(place: ClusterPlace): Needs {
  const why = (own: boolean): string =>
    own ? "to follow the rollout" : "to see whether all databases can go along";
  const planned = { keys: clusterPlanKeys, why: "to see whether the upgrade may begin" };
  return {
    reads: clusterLook(place, { keys: clusterKeys, why }),
    may: [clusterWrite(place, "to write the fields of the upgrade"), ...factNeeds(place, planned)],
    beside: [
      ...(["events", "nodes"] as const).map((key) =>
        listing(key, place, "to see why nothing moves"),
      ),
      ...groundNeeds(place),
    ],
  };
}
