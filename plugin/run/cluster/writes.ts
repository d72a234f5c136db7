/** The patch of an EC's upgrade: its fields alone (S48-S51). */
import { clusterFinding } from "../../domain/cluster/codes";
import type { FieldEdit } from "../../domain/cluster/edits";
import { ownedBy } from "../../domain/cluster/plan";
import type { KubeObject, Resource } from "../../domain/objects";
import type { Patch } from "../engine/change";

/** The EC and what is to be written to it. */
export interface ClusterWrite {
  readonly resource: Resource;
  readonly ec: KubeObject;
  readonly edits: readonly FieldEdit[];
}

export function clusterPatch({ resource, ec, edits }: ClusterWrite): Patch {
  return {
    verb: "patch",
    id: "cluster.patch",
    resource,
    object: ec,
    edits,
    needs: "to write the fields of the upgrade",
    risk: "all pods of the cluster are renewed one after the other; a cluster is not lowered again",
    reverse: "until the first pod is renewed, by the printed command; the run saves the old values",
    owned: ownedBy(ec),
    dropped: (lost, object) =>
      lost.map(({ path }) =>
        clusterFinding("fieldPruned", {
          object,
          field: path.join("."),
          cause: `the API server did not keep ${path.join(".")}: its definition does not have it`,
        }),
      ),
  };
}
