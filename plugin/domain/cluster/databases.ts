/** The databases of an EC as its upgrade sees them: their engine versions and modules (S56, S123). */
import { termOf } from "../names";
import { lookUpCluster, projectCluster, referenceOf } from "../clusters";
import { versionPaths } from "../databases/version-paths";
import type { Facts } from "../facts";
import { type ModuleStanding, moduleStanding } from "../module-standing";
import { type KubeObject, objectLabel } from "../objects";
import { readSubject } from "../rules/subject";
import { servedPaths } from "../served-fields";
import type { Edit } from "../rules/types";
import { at } from "../values";
import {
  compareEngineVersions,
  type EngineVersion,
  leadingEngineVersion,
  parseEngineVersion,
} from "../versions";

/** Databases have to run this or a later version (S123). */
export const lowest: EngineVersion = { major: 7, minor: 2 };

/** True for what upgrades do not take along; of one that does not tell nothing is claimed. */
export function isTooOld(runs: EngineVersion | undefined): runs is EngineVersion {
  return runs !== undefined && compareEngineVersions(runs, lowest) < 0;
}

/** A database that lives in the EC. */
export interface Database {
  readonly label: string;
  /** From spec.engineVersion, else from the status; undefined where neither tells (S123). */
  readonly version: EngineVersion | undefined;
  readonly modules: readonly string[];
}

/** Every database of type engine that refers to the EC, or has no other to refer to (C16). */
export function databasesOf(facts: Facts, ec: KubeObject): readonly Database[] {
  const { names, objects, namespace: operatorNamespace } = facts;
  const all = objects.ecs
    .map((object) => projectCluster(object, names))
    .filter((projected) => projected !== undefined);
  const inThis = (kind: Edit["kind"]) => (database: KubeObject) => {
    const namespace = database.metadata.namespace ?? "";
    const reference = referenceOf(database, kind, names);
    const found = lookUpCluster({ reference, namespace, operatorNamespace, all });
    return (
      found.is === "found" &&
      found.cluster.name === ec.metadata.name &&
      found.cluster.namespace === ec.metadata.namespace
    );
  };
  const { type } = names.edbFields;
  const ofEngine = (edb: KubeObject): boolean =>
    (at(edb, type) ?? names.engineDbType) === names.engineDbType;
  return [
    ...objects.edbs
      .filter(ofEngine)
      .filter(inThis("edb"))
      .map((edb) => read(facts, edb, "edb")),
    ...objects.eaadbs.filter(inThis("eaadb")).map((eaadb) => read(facts, eaadb, "eaadb")),
  ];
}

function read(facts: Facts, object: KubeObject, kind: Edit["kind"]): Database {
  const { names } = facts;
  const { modules } = readSubject({ kind, before: undefined, after: object }, names);
  const [path] = versionPaths(facts, { kind, object });
  return {
    label: objectLabel(object),
    version:
      parseEngineVersion(at(object, path)) ??
      leadingEngineVersion(at(object, names.fields.statusVersion)),
    modules: modules.map(({ name }) => name).filter((name) => name !== undefined),
  };
}

/** A module of the user's own that databases use, under either of its names (S51, S54). */
export interface UsedModule {
  readonly module: string;
  readonly databases: readonly string[];
  readonly standing: Exclude<ModuleStanding, "bundled">;
}

/** Which modules of the user's own are in use. */
export function usedModules(facts: Facts, ec: KubeObject): readonly UsedModule[] {
  const cluster = projectCluster(ec, facts.names);
  const users = new Map<string, readonly string[]>();
  for (const { label, modules } of databasesOf(facts, ec)) {
    for (const module of modules) users.set(module, [...(users.get(module) ?? []), label]);
  }
  return [...users].flatMap(([module, databases]) => {
    const standing = moduleStanding(module, cluster, facts.names);
    return standing === "bundled" ? [] : [{ module, databases, standing }];
  });
}

/** False where the served definition of the EC has no place for modules: then none can be missing there (C9, S124). */
export function canDefineModules({ names, objects }: Facts): boolean {
  const name = `${names.ec.plural}.${names.group}`;
  const definition = objects.definitions.find(({ metadata }) => metadata.name === name);
  const [served] = [names.ecVersion, names.version].flatMap((version) => {
    const paths = servedPaths(definition, version, [names.fields.userDefinedModules]);
    return paths === undefined ? [] : [paths];
  });
  return served?.length !== 0;
}

/** Those that nothing defines, and what is wrong with each, for people (S56; C9). */
export function undefinedModules(
  facts: Facts,
  ec: KubeObject,
): readonly (UsedModule & { readonly says: string })[] {
  const canDefine = canDefineModules(facts);
  return usedModules(facts, ec)
    .filter(({ standing }) => standing !== "defined" && (canDefine || standing !== "installed"))
    .map((used) => {
      const lack =
        used.standing === "installed" ? "installed but not defined" : "neither bundled nor defined";
      const says = `module ${used.module} of ${used.databases.join(", ")} is ${lack} in the ${termOf(facts.names.ec)}`;
      return { ...used, says };
    });
}
