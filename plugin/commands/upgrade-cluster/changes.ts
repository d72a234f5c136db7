/** The write of an EC, with its text. */
import { findOwnership } from "../../domain/engine-cluster/operator";
import { clusterFinding } from "../../domain/engine-cluster/findings";
import type { Facts } from "../../domain/facts/facts";
import { type KubeObject, type Resource } from "../../domain/kube/objects";
import type { FieldEdit } from "../../domain/kube/edits";
import type { Patch } from "../../domain/kube/change";

/** The EC and what is to be written to it. */
interface ClusterWrite {
  readonly resource: Resource;
  readonly ec: KubeObject;
  readonly edits: readonly FieldEdit[];
}

export function clusterPatch({ resource, ec, edits }: ClusterWrite, facts: Facts): Patch {
  const { names } = facts;
  return {
    verb: "patch",
    id: "cluster.patch",
    resource,
    object: ec,
    edits,
    needs: "to write the fields of the upgrade",
    risk: "all pods of the cluster are recreated one after the other; a cluster cannot be downgraded",
    reverse:
      "until the first pod is recreated, by the printed command; the run saves the old values",
    backHolds: "until the first pod is recreated",
    owned: findOwnership(ec, facts),
    dropped: (lost, object) =>
      lost.map(({ path }) =>
        clusterFinding(
          "fieldPruned",
          {
            object,
            field: path.join("."),
            cause: `the API server did not keep ${path.join(".")}: its definition does not have it`,
          },
          names,
        ),
      ),
  };
}
