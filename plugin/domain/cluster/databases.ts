/** The databases of an EC as its upgrade sees them: their engine versions and modules (S56, S123). */
import { lookUpCluster, projectCluster, referenceOf } from "../clusters";
import type { Facts } from "../facts";
import { type KubeObject, objectLabel } from "../objects";
import { readSubject } from "../rules/subject";
import type { Edit } from "../rules/types";
import { at } from "../values";
import { type EngineVersion, leadingEngineVersion, parseEngineVersion } from "../versions";

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

function read({ names }: Facts, object: KubeObject, kind: Edit["kind"]): Database {
  const { version, modules } = readSubject({ kind, before: undefined, after: object }, names);
  return {
    label: objectLabel(object),
    version:
      parseEngineVersion(version.after) ??
      leadingEngineVersion(at(object, names.fields.statusVersion)),
    modules: modules.map(({ name }) => name).filter((name) => name !== undefined),
  };
}

/** Modules of one's own that databases use, each with its databases (S51, S56). */
export interface UsedModules {
  /** In spec.userDefinedModules. */
  readonly defined: ReadonlyMap<string, readonly string[]>;
  /** Neither bundled nor installed nor defined. */
  readonly undefined: ReadonlyMap<string, readonly string[]>;
}

/** Which modules of the user's own are in use (S51, S54: either name of a module counts). */
export function usedModules(facts: Facts, ec: KubeObject): UsedModules {
  const { names } = facts;
  const projected = projectCluster(ec, names);
  const user = new Set(projected?.userModules);
  const bundled = new Set<string>(names.bundledModules);
  const installed = new Set(projected?.bundledModules);
  const defined = new Map<string, readonly string[]>();
  const missing = new Map<string, readonly string[]>();
  for (const { label, modules } of databasesOf(facts, ec)) {
    for (const module of modules.filter((name) => !bundled.has(name))) {
      if (user.has(module)) defined.set(module, [...(defined.get(module) ?? []), label]);
      else if (!installed.has(module)) missing.set(module, [...(missing.get(module) ?? []), label]);
    }
  }
  return { defined, undefined: missing };
}
