/** The databases: version, place, state (S61, S98, S123, S126; domain facts 6, 7, 13). */
import { prerequisites } from "../../domain/checks/prerequisites";
import { ec, text } from "../../domain/names/text";
import { isTooOld } from "../../domain/engine-cluster/causes";
import type { ClusterGoal } from "../../domain/database/channel";
import { asInactive } from "../../domain/database/state";
import type { DatabaseScene } from "../../domain/database/subject";
import { channelSymptom, databaseSymptoms as rows } from "../../domain/database/symptoms";
import type { Found, Symptom } from "../../domain/diagnosis/symptom";
import { versionPaths } from "../../domain/engine-cluster/fields";
import { readNamespace } from "../../domain/kube/objects";
import { judgeEdit } from "../../domain/rules/order";
import type { RuleOptions } from "../../domain/rules/types";
import { renderCause } from "../../domain/rules/wording";
import { listExisting, otherOperators } from "../../domain/rbac/managed";
import { getPath } from "../../domain/base/values";
import { parseLeadingEngineVersion } from "../../domain/base/versions";
import { type Check, makeChecks, on } from "../../domain/checks/check";
import { referenceCheck } from "../../domain/checks/references";
import { type PlacedDatabase, type CheckContext, findWantedTag } from "../../domain/checks/context";

const { error, ofSymptom, warning } = makeChecks("databases");
const needs = ["ecs", "edbs", "eaadbs", "namespaces", "deployments", "configMaps"] as const;

/** One database in a bad state does not block the upgrade of the others. */
const ofDatabases = (row: Symptom<DatabaseScene>): Check => ({
  ...ofSymptom(row, { needs: [...needs, ...row.needs] }),
  severity: "warning",
});

/** The checks of the databases. */
export const databaseChecks: readonly Check[] = [
  prerequisites.databaseOld,
  prerequisites.databaseUnknown,
  error("DATABASE-VERSION-UNSUPPORTED", "S126", {
    vouched: true,
    title: text`Every database asks for a version that its ${ec} has`,
    cause: text`a database asks for an engine version that its ${ec} does not support`,
    fix: "set one of the versions that are named: an edit of this database would be denied",
    needs,
    judge: (situation) => situation.databases.flatMap((one) => judgeVersion(one, situation)),
  }),
  ofDatabases(rows.twoVersions),
  ofDatabases(rows.clusterUnknown),
  warning("DATABASE-UNMANAGED", "Facts 6", {
    title: "Every database is in a namespace that an operator manages",
    cause: "a database is in a namespace that no operator manages: nobody upgrades it",
    fix: "let the operator manage the namespace, roles first, or delete the database if nobody needs it",
    needs: [...needs, "roleBindings"],
    judge: judgeUnmanaged,
  }),
  ofDatabases({ ...rows.notActive, judge: (scene) => rows.notActive.judge(scene).map(asInactive) }),
  ofDatabases(rows.specInvalid),
  ofDatabases(rows.notObserved),
  ofDatabases(rows.deleting),
  ofDatabases(rows.type),
  referenceCheck,
  ofDatabases(rows.volatile),
  ofDatabases(rows.backupFailed),
  ofSymptom({
    ...channelSymptom,
    needs,
    judge: (situation) => channelSymptom.judge({ ...situation, goal: findClusterGoal(situation) }),
  }),
];

/** The release of the cluster that is asked for, or that belongs to the operator's; undefined where none is. */
function findClusterGoal(situation: CheckContext): ClusterGoal | undefined {
  const { target, wanted } = situation;
  if (target.clusterTag === undefined && wanted === undefined) return undefined;
  return { tag: findWantedTag(situation) };
}

/** As the admission rules would judge it, were it recreated; what is below 7.2 is a check of its own. */
function judgeVersion(
  { object, kind, lookup }: PlacedDatabase,
  { facts, names }: CheckContext,
): readonly Found[] {
  const rules = { version: "deny", policy: "off", modules: "off" } as const;
  const options: RuleOptions = { reading: "target", allowLatest: undefined, names, rules };
  const wanted = parseLeadingEngineVersion(
    getPath(object, versionPaths(facts, { kind, object })[0]),
  );
  if (isTooOld(wanted)) return [];
  const { causes } = judgeEdit(
    { kind, before: undefined, after: object },
    { after: lookup },
    options,
  );
  return causes.map((cause) => on(object, renderCause(cause), { field: cause.field }));
}

/** Another operator's are those of a namespace with an EC of its own, or with its account in the binding. */
function judgeUnmanaged({ facts, names, managed, configured }: CheckContext): readonly Found[] {
  const { namespace, objects } = facts;
  if (configured.is === "unknown") return [];
  const existing = listExisting(facts);
  const theirs = objects.roleBindings
    .filter(
      (binding) =>
        otherOperators(binding, { operatorNamespace: namespace, names, existing }).length > 0,
    )
    .map(readNamespace);
  const homes = objects.ecs.map(readNamespace);
  const known = new Set([namespace, ...managed, ...theirs, ...homes]);
  return [...objects.edbs, ...objects.eaadbs]
    .filter((database) => !known.has(readNamespace(database)))
    .map((database) => on(database, `namespace ${readNamespace(database)} is not managed`));
}
