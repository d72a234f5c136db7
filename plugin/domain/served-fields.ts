/** Which fields of a custom resource the API server keeps, by the definition that it serves. */
import type { KubeObject } from "./objects";
import { asArray, type FieldPath, getOwn, getPath, isObject } from "./values";
import { factNamed, type Facts } from "./facts";
import { fieldsOf } from "./rules/fields";
import type { Edit } from "./rules/types";
import type { Names } from "./names";

/** Both spellings of the automatic upgrade, that of the definitions first (domain facts 13). */
export function autoPaths({ ecFields }: Names): readonly FieldPath[] {
  return [ecFields.autoUpgrade, ecFields.autoUpgradeDirect];
}

/** True when the EC asks for automatic upgrades under either spelling (S13, S51). */
export function autoOf(ec: KubeObject, names: Names): boolean {
  return autoPaths(names).some((path) => getPath(ec, path) === true);
}

/** Where the definition has the field, undefined for nowhere; unread, as definitions are known to have it. */
export function autoPathIn(
  definition: KubeObject | undefined,
  version: string,
  names: Names,
): FieldPath | undefined {
  const paths = autoPaths(names);
  return (servedPaths(definition, version, paths) ?? paths)[0];
}

/** The paths at which a database's version is read and written; the first one holds the current value. */
export type VersionPaths = readonly [readonly string[], ...(readonly string[])[]];

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
  const { engineVersion, engineVersions } = fieldsOf(kind, names);
  const name = `${names[kind].plural}.${names.group}`;
  const definition = factNamed(facts, "definitions", { name });
  const served = servedPaths(definition, names.version, engineVersions);
  const filled = (served ?? engineVersions).filter(
    (path) => (getPath(object, path) ?? null) !== null,
  );
  const [first, ...others] = filled;
  return first === undefined ? [served?.[0] ?? engineVersion] : [first, ...others];
}

/** Those of the paths that the definition has in a version, in their order; undefined when it is not known. */
export function servedPaths(
  definition: KubeObject | undefined,
  version: string,
  paths: readonly FieldPath[],
): readonly FieldPath[] | undefined {
  const versions = asArray(getPath(definition, ["spec", "versions"]));
  const served = versions.find((each) => getOwn(each, "name") === version);
  const schema = getPath(served, ["schema", "openAPIV3Schema"]);
  return schema === undefined ? undefined : paths.filter((path) => has(schema, path));
}

/** True when a schema has a field; below a part that takes unknown fields everything is kept. */
function has(schema: unknown, [first, ...rest]: FieldPath): boolean {
  if (first === undefined) return true;
  if (getOwn(schema, "x-kubernetes-preserve-unknown-fields") === true) return true;
  const inner = getPath(schema, ["properties", first]);
  return isObject(inner) && has(inner, rest);
}
