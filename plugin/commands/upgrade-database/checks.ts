/** The databases: version, place, state (S61, S98, S123, S126; domain facts 6, 7, 13). */
import { prerequisites } from "../../domain/checks/prerequisites";
import type { Code } from "../../domain/names/codes";
import { ec, text } from "../../domain/names/text";
import { isTooOld } from "../../domain/engine-cluster/causes";
import { type ClusterGoal, judgeFollowers } from "../../domain/database/channel";
import { databaseFindings } from "../../domain/database/findings";
import { askedKeeping, describeRisk } from "../../domain/database/keeping";
import { judgeVersions } from "../../domain/database/two-versions";
import { judgeInactive } from "../../domain/database/state";
import { versionPaths } from "../../domain/engine-cluster/fields";
import { isDeleting, renderDeletion } from "../../domain/kube/deletion";
import { readNamespace } from "../../domain/kube/objects";
import { findFields, fieldText } from "../../domain/rules/fields";
import { judgeEdit } from "../../domain/rules/order";
import type { RuleOptions } from "../../domain/rules/types";
import { quote, showMiss } from "../../domain/rules/wording";
import { clusterVersionFor } from "../../domain/release/platforms";
import { listExisting, otherOperators } from "../../domain/rbac/managed";
import { getPath, renderValue, asString } from "../../domain/base/values";
import { parseLeadingEngineVersion } from "../../domain/base/versions";
import {
  type Check,
  makeChecks,
  type CheckResult,
  on,
  perCluster,
} from "../../domain/checks/check";
import { type PlacedDatabase, type CheckContext } from "../../domain/checks/context";

const { error, shared, warning } = makeChecks("databases");
const needs = ["ecs", "edbs", "eaadbs", "namespaces", "deployments", "configMaps"] as const;

const perDatabase =
  (
    judge: (
      database: PlacedDatabase,
      situation: CheckContext,
    ) => CheckResult | readonly CheckResult[] | undefined,
  ) =>
  (situation: CheckContext): readonly CheckResult[] =>
    situation.databases.flatMap((database) => judge(database, situation) ?? []);

/** One database in a bad state does not block the upgrade of the others. */
const asWarning = (code: Code): Code => ({ ...code, severity: "warning" });

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
    judge: perDatabase(judgeVersion),
  }),
  shared(databaseFindings.twoVersions, {
    title: "Every active-active database asks for one version",
    needs: [...needs, "definitions"],
    judge: perDatabase((database, { facts }) => judgeVersions(facts, database)),
  }),
  shared(asWarning(databaseFindings.clusterUnknown), {
    title: text`Every database names its ${ec}, which exists`,
    needs,
    judge: perDatabase(({ object, kind, lookup }, { names }) =>
      lookup.is === "found"
        ? undefined
        : on(object, showMiss(lookup, names), {
            field: fieldText(findFields(kind, names).clusterReference),
          }),
    ),
  }),
  warning("DATABASE-UNMANAGED", "Facts 6", {
    title: "Every database is in a namespace that an operator manages",
    cause: "a database is in a namespace that no operator manages: nobody upgrades it",
    fix: "let the operator manage the namespace, roles first, or delete the database if nobody needs it",
    needs: [...needs, "roleBindings"],
    judge: judgeUnmanaged,
  }),
  shared(databaseFindings.notActive, {
    title: "Every database is active",
    needs,
    judge: perDatabase((database, { facts }) => judgeInactive(facts, database)),
  }),
  shared(asWarning(databaseFindings.specInvalid), {
    title: "The operator accepts every database's spec",
    needs,
    judge: perDatabase(({ object, kind }, { names }) => {
      const path = (kind === "edb" ? names.edbFields : names.eaadbFields).specStatus;
      const status = asString(getPath(object, path)) ?? "Valid";
      if (status === "Valid") return undefined;
      return on(object, `its spec status is ${quote(status)}`, { field: fieldText(path) });
    }),
  }),
  warning("DATABASE-NOT-OBSERVED", "S98", {
    title: "The operator has acted on the latest edit of every database",
    cause: "the operator has not acted on the latest edit of a database",
    fix: text`wait for it; during an upgrade of the ${ec} databases are not reconciled`,
    needs,
    judge: perDatabase(({ object, kind }, { names }) => {
      const seen = kind === "edb" ? getPath(object, names.edbFields.observedGeneration) : undefined;
      const { generation } = object.metadata;
      if (typeof seen !== "number" || generation === undefined || seen >= generation)
        return undefined;
      return on(object, `generation ${generation}, acted on is ${seen}`);
    }),
  }),
  shared(asWarning(databaseFindings.deleting), {
    title: "No database is being deleted",
    needs,
    judge: perDatabase(({ object }) =>
      isDeleting(object) ? on(object, renderDeletion(object)) : undefined,
    ),
  }),
  warning("DATABASE-TYPE", "Facts 7", {
    title: "An engine version is set only where it has a meaning",
    cause: "a database of another type has an engine version, which is for type engine only",
    fix: "remove the engine version",
    needs,
    judge: perDatabase(({ object, kind }, { facts, names }) => {
      const type = getPath(object, names.edbFields.type) ?? names.engineDbType;
      const [path] = versionPaths(facts, { kind, object });
      if (type === names.engineDbType || getPath(object, path) === undefined) return undefined;
      return on(object, `it is of type ${renderValue(type)}`, { field: fieldText(path) });
    }),
  }),
  shared(databaseFindings.restartsEmpty, {
    title: "Every database keeps its data over a restart",
    needs,
    judge: perDatabase((database, { names }) => {
      const risk = describeRisk(askedKeeping(database, names));
      return risk === undefined ? undefined : on(database.object, risk);
    }),
  }),
  shared(databaseFindings.channel, {
    title: text`No database follows its ${ec} by a channel`,
    needs,
    judge: perCluster((cluster, situation) =>
      judgeFollowers(situation.facts, cluster, findClusterGoal(situation)),
    ),
  }),
];

/** The release of the cluster that is asked for, or that belongs to the operator's; undefined where none is. */
function findClusterGoal({ target, wanted }: CheckContext): ClusterGoal | undefined {
  const { clusterTag, contents } = target;
  if (clusterTag === undefined && wanted === undefined) return undefined;
  const paired = wanted && clusterVersionFor(wanted.tag);
  return { tag: clusterTag ?? contents?.clusterVersion ?? paired };
}

/** As the admission rules would judge it, were it recreated; what is below 7.2 is a check of its own. */
function judgeVersion(
  { object, kind, lookup }: PlacedDatabase,
  { facts, names }: CheckContext,
): readonly CheckResult[] {
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
  return causes.map(({ field, message }) => on(object, message, { field }));
}

/** Another operator's are those of a namespace with an EC of its own, or with its account in the binding. */
function judgeUnmanaged({
  facts,
  names,
  managed,
  configured,
}: CheckContext): readonly CheckResult[] {
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
