/**
 * Databases that replicate from another one: an old target does not read the stream of a newer source, so
 * targets come first. Which database a source is stands in a Secret with credentials, which is not read.
 */
import type { Finding } from "../base/findings";
import { asArray, asString, boundList, getOwn, getPath } from "../base/values";
import { compareEngineVersions } from "../base/versions";
import type { Facts } from "../facts/facts";
import { type KubeObject, objectLabel } from "../kube/objects";
import type { Names } from "../names/names";
import { databaseFinding } from "./findings";
import type { DatabasePlan } from "./plan";
import { databaseVersion } from "../engine-cluster/database-versions";
import { renderVersion } from "./rollout";

/** What the database replicates from, as its spec names it; empty for one that is no target. */
function listSources(object: KubeObject, { edbFields, entryFields }: Names): readonly string[] {
  return asArray(getPath(object, edbFields.replicaSources)).map(
    (entry) => asString(getOwn(entry, entryFields.replicaSourceName)) ?? "a source without a name",
  );
}

/** True for a database that replicates from another one. */
export function isReplica({ target }: Pick<DatabasePlan, "target">, names: Names): boolean {
  return listSources(target.object, names).length > 0;
}

/** The plans, targets of a replication first; each keeps its place otherwise. */
export function orderByReplication<T extends Pick<DatabasePlan, "target">>(
  plans: readonly T[],
  names: Names,
): readonly T[] {
  const targets = plans.filter((plan) => isReplica(plan, names));
  return [...targets, ...plans.filter((plan) => !targets.includes(plan))];
}

/** Targets that this run leaves behind what it upgrades; their source may be among it. */
export function judgeReplication(
  { names, objects }: Pick<Facts, "names" | "objects">,
  plans: readonly DatabasePlan[],
): readonly Finding[] {
  const raised = plans.filter(({ edits, version }) => edits.length > 0 && version !== undefined);
  const done = new Set(plans.map(({ label }) => label));
  return objects.edbs
    .filter((edb) => !done.has(objectLabel(edb)))
    .flatMap((edb) => {
      const sources = listSources(edb, names);
      const runs = databaseVersion({ names }, edb);
      const ahead = raised.filter(
        ({ version }) =>
          version !== undefined && (runs === undefined || compareEngineVersions(version, runs) > 0),
      );
      if (sources.length === 0 || ahead.length === 0) return [];
      const cause = `it replicates from ${boundList(sources)}, runs ${renderVersion(runs)}, and is not upgraded with ${boundList(ahead.map(({ label }) => label))}: if one of them is its source, the replication breaks`;
      return [databaseFinding("replicaBehind", { object: objectLabel(edb), cause })];
    });
}
