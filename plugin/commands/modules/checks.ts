/** User-defined modules: defined, named and downloaded as they must be (S51-S56, S103, S124). */
import type { Found } from "../../domain/diagnosis/symptom";
import { databaseSymptoms } from "../../domain/database/symptoms";
import { listUsedModules } from "../../domain/engine-cluster/causes";
import { projectCluster } from "../../domain/rules/clusters";
import type { KubeObject } from "../../domain/kube/objects";
import { fieldName, findFields, readSubject } from "../../domain/rules/fields";
import { getPath, asArray, getOwn, asString } from "../../domain/base/values";
import { type Check, makeChecks, on, perCluster } from "../../domain/checks/check";
import { judgeUse } from "../../domain/checks/secrets";
import { activeActiveDatabases, type CheckContext } from "../../domain/checks/context";
import { prerequisites } from "../../domain/checks/prerequisites";
import { isRetiredBy } from "../../domain/checks/retired-modules";
import { factNamed } from "../../domain/facts/facts";

const { error, warning } = makeChecks("modules");
const needs = ["ecs", "edbs", "eaadbs"] as const;

/** The checks of the modules. */
export const moduleChecks: readonly Check[] = [
  // upgrade and upgrade-cluster switch it off by themselves
  {
    ...prerequisites.autoUserModules,
    severity: "warning",
    judge: (situation) =>
      prerequisites.autoUserModules
        .judge(situation)
        .map((found) => ({ ...found, severity: "warning" })),
  },
  prerequisites.moduleUndefined,
  error("MODULE-NAME", "S54", {
    vouched: true,
    title: "Every defined module has the name of an installed one",
    cause: "a defined module has neither the name nor the display name of any installed module",
    fix: "give it one of the two names of its manifest: the operator cannot validate it otherwise",
    needs: ["ecs"],
    judge: perCluster((cluster, situation) => {
      const { names } = situation;
      const projected = projectCluster(cluster, names);
      if (projected === undefined || projected.installedModules.length === 0) return [];
      const installed = projected.installedModules.flatMap((entry) => Object.values(entry));
      return projected.userModules
        .filter((module) => !installed.includes(module))
        .filter((module) => !isRetiredBy(situation, cluster, module))
        .map((module) =>
          on(cluster, `${module} is none of ${installed.join(", ")}`, {
            field: names.fields.userDefinedModules.join("."),
          }),
        );
    }),
  }),
  prerequisites.moduleRetired,
  error("MODULE-SOURCE", "S52", {
    title: "Every defined module has one source",
    cause: "a defined module does not have exactly one source with an address",
    fix: "give it exactly one of the two protocols, with the address",
    needs: ["ecs"],
    judge: perCluster(judgeSources),
  }),
  error("MODULE-CREDENTIALS", "Facts 7", {
    title: "The Secrets for downloading modules are there",
    cause: "the Secret for downloading a module is absent or lacks an item",
    fix: "create the Secret with both items",
    needs: ["ecs", "ercs", "namedSecrets"],
    judge: (situation) => judgeUse(situation, "module"),
  }),
  warning("MODULE-TWO-LISTS", "Facts 13", {
    title: "Every database has one list of modules",
    cause: "a database has its modules in both spellings of the list",
    fix: "keep the list that the definition has, remove the other",
    needs: [...needs, "namespaces", "deployments", "configMaps"],
    judge: ({ databases, names }) =>
      databases.flatMap(({ object, kind }) => {
        const { moduleParent } = findFields(kind, names);
        const there = names.fields.moduleLists.filter(
          (name) => getPath(object, [...moduleParent, name]) !== undefined,
        );
        return there.length < 2 ? [] : [on(object, `it has ${there.join(" and ")}`)];
      }),
  }),
  warning("MODULE-TO-LATEST", "Facts 7", {
    title: "No database asks for automatic upgrades of its modules",
    cause: "a field is set that is deprecated: modules follow the engine version",
    fix: "remove the field",
    needs: ["edbs", "eaadbs", "ecs", "namespaces", "deployments", "configMaps"],
    judge: ({ databases, names: { edbFields } }) =>
      databases
        .filter(({ object, kind }) => kind === "edb" && isSet(object, edbFields))
        .map(({ object }) =>
          on(object, `${fieldName(edbFields.upgradeModulesToLatest)} is set`, {
            field: edbFields.upgradeModulesToLatest.join("."),
          }),
        ),
  }),
];

function isSet(database: KubeObject, fields: CheckContext["names"]["edbFields"]): boolean {
  return getPath(database, fields.upgradeModulesToLatest) !== undefined;
}

function judgeSources(cluster: KubeObject, { names }: CheckContext): readonly Found[] {
  const { entryFields, fields } = names;
  return asArray(getPath(cluster, fields.userDefinedModules)).flatMap((module, index) => {
    const source = getOwn(module, entryFields.userModuleSource);
    const given = entryFields.userModuleTransports.filter(
      (one) => getOwn(source, one) !== undefined,
    );
    const urls = given.map((one) => asString(getPath(source, [one, entryFields.userModuleUrl])));
    if (given.length === 1 && !urls.includes(undefined)) return [];
    const name = asString(getOwn(module, entryFields.userModuleName)) ?? `number ${index + 1}`;
    const said = given.length === 1 ? "no address" : `${given.length} sources`;
    const field = `${fields.userDefinedModules.join(".")}[${index}].${entryFields.userModuleSource}`;
    return [on(cluster, `module ${name} has ${said}`, { field })];
  });
}

const activeActives = makeChecks("active-active");
const ofNamespaces = ["eaadbs", "ecs", "namespaces", "deployments", "configMaps"] as const;

const perDatabase =
  (
    judge: (database: KubeObject, situation: CheckContext) => Found | readonly Found[] | undefined,
  ) =>
  (situation: CheckContext): readonly Found[] =>
    activeActiveDatabases(situation).flatMap((database) => judge(database, situation) ?? []);

/** The checks of active-active databases. */
export const activeActiveChecks: readonly Check[] = [
  activeActives.warning("ACTIVE-ACTIVE-REMOTE-UNSEEN", "S66", {
    title: "No other cluster participates in a database",
    cause:
      "other clusters participate, and the versions of their operators cannot be read from here",
    fix: `check on each of them that the operator is at 8.0.2-2 or later, ideally at the same release as here`,
    needs: [...ofNamespaces, "ercs"],
    judge: perDatabase((database, situation) => {
      const remote = participants(database, situation).filter(
        (name) => getPath(remoteNamed(name, situation), situation.names.ercFields.local) !== true,
      );
      return remote.length === 0
        ? undefined
        : on(database, `other participating clusters: ${remote.join(", ")}`);
    }),
  }),
  activeActives.warning("ACTIVE-ACTIVE-NO-REMOTE", "Facts 7", {
    title: "Every participating cluster has a remote cluster resource",
    cause: "a database names a participating cluster that has no remote cluster resource here",
    fix: "create the remote cluster resource, or correct the name in the database",
    needs: [...ofNamespaces, "ercs"],
    judge: perDatabase((database, situation) => {
      const unknown = participants(database, situation).filter(
        (name) => remoteNamed(name, situation) === undefined,
      );
      return unknown.length === 0
        ? undefined
        : on(database, `no remote cluster resource for ${unknown.join(", ")}`);
    }),
  }),
  activeActives.ofSymptom(databaseSymptoms.notReplicating, { needs: ofNamespaces }),
  activeActives.warning("ACTIVE-ACTIVE-USER-MODULE", "Facts 7", {
    title: "No active-active database uses a user-defined module",
    cause: "user-defined modules are not supported on active-active databases",
    fix: "take the module out of the database",
    needs: [...ofNamespaces, "edbs"],
    judge: (situation) => {
      const defined = ownModules(situation);
      return activeActiveDatabases(situation).flatMap((database) => {
        const used = modulesIn(database, situation).filter((module) => defined.has(module));
        return used.length === 0 ? [] : [on(database, `it uses ${used.join(", ")}`)];
      });
    },
  }),
  activeActives.warning("REMOTE-CLUSTER-STATUS", "Facts 7", {
    title: "Every remote cluster is reached",
    cause: "the operator does not reach a remote cluster",
    fix: "see its status and the operator's log: address, credentials and certificate",
    needs: ["ercs"],
    judge: ({ facts, names }) =>
      listRemotes(facts).flatMap((remote) => {
        const path = names.ercFields.status;
        const status = asString(getPath(remote, path)) ?? "Active";
        if (status === "Active") return [];
        return [on(remote, `its status is ${status}`, { field: path.join(".") })];
      }),
  }),
  activeActives.warning("REMOTE-CLUSTER-SECRET", "Facts 3", {
    title: "The Secrets of remote clusters are there",
    cause: "the Secret with the credentials of a remote cluster is absent or lacks an item",
    fix: "copy the credentials from that cluster into the Secret that is named",
    needs: ["ecs", "ercs", "namedSecrets"],
    judge: (situation) => judgeUse(situation, "remote"),
  }),
];

function listRemotes({ objects, namespace }: CheckContext["facts"]): readonly KubeObject[] {
  return objects.ercs.filter(({ metadata }) => metadata.namespace === namespace);
}

function participants(database: KubeObject, { names }: CheckContext): readonly string[] {
  return asArray(getPath(database, names.eaadbFields.participatingClusters))
    .map((one) => asString(getOwn(one, names.entryFields.participatingName)))
    .filter((name) => name !== undefined);
}

function remoteNamed(name: string, { facts }: CheckContext): KubeObject | undefined {
  return factNamed(facts, "ercs", { name, namespace: facts.namespace });
}

function modulesIn(database: KubeObject, { names }: CheckContext): readonly string[] {
  const { modules } = readSubject({ kind: "eaadb", before: undefined, after: database }, names);
  return modules.map(({ name }) => name).filter((name) => name !== undefined);
}

/** User-defined modules in use that are there; what is nowhere is told by a check of its own. */
function ownModules({ facts, clusters }: CheckContext): ReadonlySet<string> {
  const used = clusters.flatMap((ec) => listUsedModules(facts, ec));
  return new Set(used.flatMap(({ module, standing }) => (standing === "unknown" ? [] : [module])));
}
