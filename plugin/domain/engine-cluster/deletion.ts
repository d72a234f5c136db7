/** The EC that is being deleted (Facts 7). */
import { clusterLookups } from "./fields";
import type { Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import { type KubeObject, objectLabel } from "../kube/objects";
import { clusterFinding } from "./findings";
import { isDeleting, renderDeletion } from "../kube/deletion";
import { products, type Going, renderGoing } from "../facts/deletion";

/** An EC that is being deleted, with the databases that it takes along; undefined for one that stays. */
export function findDeletingCluster(facts: Facts, ec: KubeObject): Finding | undefined {
  if (!isDeleting(ec)) return undefined;
  const lookUp = clusterLookups(facts);
  const own = (kind: "edb" | "eaadb"): Going => [
    kind,
    facts.objects[products[kind]].filter((database) => {
      const found = lookUp(database, kind);
      return (
        found.is === "found" &&
        found.cluster.name === ec.metadata.name &&
        found.cluster.namespace === ec.metadata.namespace
      );
    }),
  ];
  const cause = `${renderDeletion(ec)}${renderGoing(facts, [own("edb"), own("eaadb")])}`;
  return clusterFinding("deleting", { object: objectLabel(ec), cause }, facts.names);
}
