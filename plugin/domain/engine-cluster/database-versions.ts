/** The engine versions that a database runs: of an active-active one its instances here tell (S61, S65). */
import { byName, type Facts } from "../facts/facts";
import type { KubeObject } from "../kube/objects";
import { asArray, asString, getOwn, getPath } from "../base/values";
import {
  compareEngineVersions,
  type EngineVersion,
  parseLeadingEngineVersion,
} from "../base/versions";

/** The engine version in the status of a database; undefined where it does not report. */
export function databaseVersion(
  { names }: Pick<Facts, "names">,
  object: KubeObject,
): EngineVersion | undefined {
  return parseLeadingEngineVersion(getPath(object, names.fields.statusVersion));
}

/** Names of the databases that are instances of an active-active one here. */
export function listLinkedNames(
  eaadb: KubeObject,
  { eaadbFields }: Facts["names"],
): readonly (string | undefined)[] {
  return asArray(getPath(eaadb, eaadbFields.linkedEdbs)).map(
    (one) => asString(one) ?? asString(getOwn(one, "name")),
  );
}

/** The instances here of an active-active database, which are of its namespace; a database has none. */
export function listInstances({ names, objects }: Facts, eaadb: KubeObject): readonly KubeObject[] {
  const linked = listLinkedNames(eaadb, names);
  const { namespace } = eaadb.metadata;
  const named = byName(objects.edbs);
  const found = [...new Set(linked)].flatMap(
    (name) => named.get(name)?.filter(({ metadata }) => metadata.namespace === namespace) ?? [],
  );
  // in the order of the list, through which one does not go for each of thousands
  return found.length > 1 ? objects.edbs.filter((one) => found.includes(one)) : found;
}

/** What the database and its instances here run, the oldest first; empty where no status reports. */
export function listRunning(facts: Facts, object: KubeObject): readonly EngineVersion[] {
  return [object, ...listInstances(facts, object)]
    .flatMap((one) => databaseVersion(facts, one) ?? [])
    .toSorted(compareEngineVersions);
}
