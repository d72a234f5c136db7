/** A tag that is a release of the operator, written where the cluster's own belongs (domain facts 8). */
import type { Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import { type KubeObject, nameOf, namespaceOf, objectLabel } from "../kube/objects";
import { asString, getPath } from "../base/values";
import { compareTags } from "../base/versions";
import { clusterVersionFor, releasePairs } from "../release/platforms";
import { clusterFinding } from "./findings";

/** Said at once: no repository holds such an image of the cluster. */
export function mistakenTag(facts: Facts, ec: KubeObject): readonly Finding[] {
  const path = facts.names.ecFields.versionTag;
  const tag = asString(getPath(ec, path));
  const right = tag === undefined ? undefined : rightTag(tag);
  if (tag === undefined || right === undefined) return [];
  const { name, namespace } = { name: nameOf(ec), namespace: namespaceOf(ec) };
  return [
    clusterFinding(
      "mistakenTag",
      {
        object: objectLabel(ec),
        field: path.join("."),
        cause: `${tag} is a release of the operator and not of the cluster; its cluster release is ${right}`,
        fix: `set the cluster's own tag: kubectl engine upgrade-cluster ${name} --target ${right} -n ${namespace}`,
      },
      facts.names,
    ),
  ];
}

/** The cluster's tag of the operator release that this tag is; undefined where it is none. */
export function rightTag(tag: string): string | undefined {
  const isCluster = releasePairs.some(([, cluster]) => compareTags(cluster, tag) === 0);
  return isCluster ? undefined : clusterVersionFor(tag);
}
