/** Where a database keeps its engineVersion: an active-active one has up to two places (S61, C8). */
import { type Facts, factNamed } from "../facts";
import type { KubeObject } from "../objects";
import { fieldsOf } from "../rules/fields";
import type { Edit } from "../rules/types";
import { servedPaths } from "../served-fields";
import { at } from "../values";

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
  const filled = (served ?? engineVersions).filter((path) => (at(object, path) ?? null) !== null);
  const [first, ...others] = filled;
  return first === undefined ? [served?.[0] ?? engineVersion] : [first, ...others];
}
