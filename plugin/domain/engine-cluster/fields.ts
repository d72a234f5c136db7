/** Where an EC and its databases keep what is read of them, and which EC a database belongs to. */
import { factNamed, type Facts } from "../facts/facts";
import type { FieldEdit } from "../kube/edits";
import type { Names } from "../names/names";
import { type KubeObject, readNamespace } from "../kube/objects";
import { findFields } from "../rules/fields";
import type { ClusterLookup, Edit } from "../rules/types";
import { type FieldPath, getPath, oncePer } from "../base/values";
import { projectCluster, readReference, lookUpCluster, findServedPaths } from "../rules/clusters";

/** The EC of each database of a snapshot. */
export const clusterLookups = oncePer(
  (facts: Facts): ((object: KubeObject, kind: Edit["kind"]) => ClusterLookup) => {
    const { names, objects, namespace: operatorNamespace } = facts;
    const all = objects.ecs
      .map((ec) => projectCluster(ec, names))
      .filter((cluster) => cluster !== undefined);
    return (object, kind) =>
      lookUpCluster({
        reference: readReference(object, kind, names),
        namespace: readNamespace(object),
        operatorNamespace,
        all,
      });
  },
);

/** Both spellings of the automatic upgrade, that of the definitions first (domain facts 13). */
export function autoPaths({ ecFields }: Names): readonly FieldPath[] {
  return [ecFields.autoUpgrade, ecFields.autoUpgradeDirect];
}

/** True when the EC asks for automatic upgrades under either spelling (S13, S51). */
export function isAutoUpgraded(ec: KubeObject, names: Names): boolean {
  return autoOffEdits(ec, names).length > 0;
}

/** What switches them off, at each path where they are on. */
export function autoOffEdits(ec: KubeObject, names: Names): readonly FieldEdit[] {
  const on = autoPaths(names).filter((path) => getPath(ec, path) === true);
  return on.map((path) => ({ path, from: true, to: false }));
}

/** Where the definition has the field, undefined for nowhere; unread, as definitions are known to have it. */
export function autoPathIn(
  definition: KubeObject | undefined,
  version: string,
  names: Names,
): FieldPath | undefined {
  const paths = autoPaths(names);
  return (findServedPaths(definition, version, paths) ?? paths)[0];
}

/** The paths at which a database's version is read and written; the first one holds the current value. */
type VersionPaths = readonly [readonly string[], ...(readonly string[])[]];

/**
 * The places that the served definition has and the database fills; where it fills none, the
 * first that is served, since the API server drops what is written anywhere else (C8, C15). While
 * the definition is not known, every place counts as served, and an empty one is where
 * definitions are known to have it.
 */
export function versionPaths(
  facts: Facts,
  { kind, object }: { readonly kind: Edit["kind"]; readonly object: KubeObject },
): VersionPaths {
  const { names } = facts;
  const { engineVersion, engineVersions } = findFields(kind, names);
  const name = `${names[kind].plural}.${names.group}`;
  const definition = factNamed(facts, "definitions", { name });
  const served = findServedPaths(definition, names.version, engineVersions);
  const filled = (served ?? engineVersions).filter(
    (path) => (getPath(object, path) ?? null) !== null,
  );
  const [first, ...others] = filled;
  return first === undefined ? [served?.[0] ?? engineVersion] : [first, ...others];
}
