/** Whether an upgrade has a cluster to upgrade. */
import { ownClusters } from "../../domain/engine-cluster/operator";
import type { Facts } from "../../domain/facts/facts";

/** Why no EC is upgraded: there is nothing to upgrade but the operator. */
export function skipClusters({ facts }: { readonly facts: Facts }): string | undefined {
  return ownClusters(facts).length > 0 ? undefined : `namespace ${facts.namespace} has no cluster`;
}
