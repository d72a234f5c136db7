/** Which pods are an EC's. */
import type { Pod } from "../kube/models";
import type { KubeObject } from "../kube/objects";
import type { Names } from "../names/names";
import { readAccount } from "./grants";

/** The pods of an EC: those of its stateful set, and all that run as its account. */
export function findClusterPods(
  cluster: KubeObject,
  pods: readonly Pod[],
  names: Names,
): readonly Pod[] {
  const { namespace, name } = readAccount(cluster, names);
  const prefix = `${cluster.metadata.name ?? ""}-`;
  return pods.filter(({ metadata, spec }) => {
    if (metadata.namespace !== namespace) return false;
    const pod = metadata.name ?? "";
    const ordinal = pod.startsWith(prefix) && /^\d+$/.test(pod.slice(prefix.length));
    return ordinal || spec?.serviceAccountName === name;
  });
}
