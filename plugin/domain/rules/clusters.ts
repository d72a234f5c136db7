/** What is kept of an EC, and which EC a database belongs to (C1, C9, C16). */
import type { Names } from "../names/names";
import type { KubeObject } from "../kube/objects";
import { mayBeDisplayName } from "./display-names";
import { findFields } from "./fields";
import type { ClusterFacts, ClusterLookup, Edit } from "./types";
import {
  asArray,
  asString,
  type FieldPath,
  getOwn,
  getPath,
  isObject,
  type Json,
} from "../base/values";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  parseLeadingEngineVersion,
} from "../base/versions";

/**
 * `bundled` and `defined` ones may be used. One that is merely `installed` is the user's own and
 * undefined: with it an upgrade freezes (S113, S124). `unpublished` is what may be the display name of
 * a bundled one, where the EC does not publish its modules: it is neither right nor wrong.
 */
export type ModuleStanding = "bundled" | "defined" | "installed" | "unpublished" | "unknown";

/** The modules of an EC under all of their names. */
export interface KnownModules {
  readonly standingOf: (name: string) => ModuleStanding;
  /** The names that may be used, by their lower-case form: for hints. */
  readonly lowered: ReadonlyMap<string, string>;
}

/** Made once for each EC as it was read, and for none. */
const made = new WeakMap<
  ClusterFacts | Names,
  { readonly names: Names; readonly modules: KnownModules }
>();

/** The modules of an EC; those that are bundled with every one where it is not known. */
export function findKnownModules(cluster: ClusterFacts | undefined, names: Names): KnownModules {
  const found = made.get(cluster ?? names);
  if (found?.names === names) return found.modules;
  const standings = indexStandings(cluster, names);
  const passing = [...standings].filter(([, standing]) => standing !== "installed");
  const isSilent = cluster?.installedModules.length === 0;
  const judgeUnlisted = (name: string): ModuleStanding =>
    isSilent && mayBeDisplayName(name, names) ? "unpublished" : "unknown";
  const modules: KnownModules = {
    standingOf: (name) => standings.get(name) ?? judgeUnlisted(name),
    lowered: new Map(passing.map(([name]) => [name.toLowerCase(), name])),
  };
  made.set(cluster ?? names, { names, modules });
  return modules;
}

/** What a module of a database is to its EC, by either of its names. */
export function moduleStanding(
  name: string,
  cluster: ClusterFacts | undefined,
  names: Names,
): ModuleStanding {
  return findKnownModules(cluster, names).standingOf(name);
}

/** What is said last counts. A bundled module is known by its own name, which no user chooses. */
function indexStandings(
  cluster: ClusterFacts | undefined,
  names: Names,
): ReadonlyMap<string, Exclude<ModuleStanding, "unpublished" | "unknown">> {
  const { installedModules = [], userModules = [] } = cluster ?? {};
  const entries = installedModules.map((entry) => ({
    name: entry.name,
    both: Object.values(entry),
  }));
  const bundled: readonly (string | undefined)[] = names.bundledModules;
  const defined = entries.filter(({ both }) => both.some((each) => userModules.includes(each)));
  const shipped = entries.filter(({ name }) => bundled.includes(name));
  const all = (some: typeof entries) => some.flatMap(({ both }) => both);
  return new Map([
    ...all(entries).map((name) => [name, "installed"] as const),
    ...[...all(defined), ...userModules].map((name) => [name, "defined"] as const),
    ...[...all(shipped), ...names.bundledModules].map((name) => [name, "bundled"] as const),
  ]);
}

/** Databases run 7.2 or later (S123); what an EC bundles below it is no target (C1). */
export const lowestVersion: EngineVersion = { major: 7, minor: 2 };

/** The part of an EC that the rules need; undefined for what is no EC at all (C1, C9; admission facts 9.5). */
export function projectCluster(object: unknown, names: Names): ClusterFacts | undefined {
  const namespace = asString(getPath(object, ["metadata", "namespace"]));
  const name = asString(getPath(object, ["metadata", "name"]));
  if (namespace === undefined || name === undefined) return undefined;
  const { engineUpgradePolicy, statusModules, userDefinedModules } = names.fields;
  const { statusModuleName, statusModuleDisplayName, userModuleName } = names.entryFields;
  return {
    namespace,
    name,
    uid: asString(getPath(object, ["metadata", "uid"])) ?? "",
    resourceVersion: asString(getPath(object, ["metadata", "resourceVersion"])) ?? "",
    policy: getPath(object, engineUpgradePolicy),
    versions: readBundledVersions(object, names),
    installedModules: asArray(getPath(object, statusModules)).flatMap((entry) => {
      const module = asString(getOwn(entry, statusModuleName));
      const displayName = asString(getOwn(entry, statusModuleDisplayName));
      const entryNames = { ...(module && { name: module }), ...(displayName && { displayName }) };
      return module || displayName ? [entryNames] : [];
    }),
    userModules: [
      ...new Set(
        asArray(getPath(object, userDefinedModules)).flatMap(
          (entry) => asString(getOwn(entry, userModuleName)) ?? [],
        ),
      ),
    ],
  };
}

/** The ECs of documents that hold nothing else: objects, or lists of them. Throws what is wrong with them. */
export function listClusters(documents: readonly unknown[], names: Names): readonly ClusterFacts[] {
  const objects = documents.filter((each) => each !== null && each !== undefined).flatMap(unlist);
  if (documents.every((each) => each === null || each === undefined)) {
    throw new Error(`it holds no ${names.ec.kind}`);
  }
  const clusters = objects.map((object, index) => parseCluster(object, index, names));
  const keys = new Set<string>();
  const twice = clusters.map(clusterKey).find((key) => keys.size === keys.add(key).size);
  if (twice !== undefined) throw new Error(`${twice} is there twice`);
  return clusters;
}

/** Whether a value says that it is of one of the product's kinds, in whatever version. */
export function isOfKind(object: unknown, kind: "ec" | Edit["kind"], names: Names): object is Json {
  const group = asString(getOwn(object, "apiVersion"))?.split("/")[0];
  return group === names.group && getOwn(object, "kind") === names[kind].kind;
}

/** The kinds that the rules read. */
export const ruledKinds = ["ec", "edb", "eaadb"] as const;

/** Which of them an object is; undefined for any other one. */
export function findRuledKind(
  object: unknown,
  names: Names,
): (typeof ruledKinds)[number] | undefined {
  return ruledKinds.find((kind) => isOfKind(object, kind, names));
}

function unlist(document: unknown): readonly unknown[] {
  return asString(getOwn(document, "kind"))?.endsWith("List") === true
    ? asArray(getOwn(document, "items"))
    : [document];
}

function parseCluster(object: unknown, index: number, names: Names): ClusterFacts {
  if (!isOfKind(object, "ec", names)) {
    throw new Error(`object ${index + 1} is no ${names.ec.kind} of ${names.group}`);
  }
  const cluster = projectCluster(object, names);
  if (cluster === undefined) throw new Error(`object ${index + 1} lacks a name or a namespace`);
  return cluster;
}

/** Each version once, oldest first, as major.minor; the flag of any of its entries counts (C1, C4). */
function readBundledVersions(object: unknown, names: Names): ClusterFacts["versions"] {
  const { bundledType, bundledVersion, bundledMajor } = names.entryFields;
  const entries = asArray(getPath(object, names.fields.bundledDatabaseVersions)).flatMap(
    (entry) => {
      const version = parseLeadingEngineVersion(getOwn(entry, bundledVersion));
      return getOwn(entry, bundledType) === names.engineDbType && version !== undefined
        ? [{ version, major: getOwn(entry, bundledMajor) === true }]
        : [];
    },
  );
  const flags = new Map<string, boolean>();
  for (const { version, major } of entries.sort((left, right) =>
    compareEngineVersions(left.version, right.version),
  )) {
    const key = formatEngineVersion(version);
    if (compareEngineVersions(version, lowestVersion) >= 0)
      flags.set(key, flags.get(key) === true || major);
  }
  return [...flags].map(([version, major]) => ({ version, major }));
}

/** The name of the EC that a database refers to, undefined when it names none (C16). */
export function readReference(
  object: unknown,
  kind: Edit["kind"],
  names: Names,
): string | undefined {
  return asString(getPath(object, findFields(kind, names).clusterReference));
}

/** An EC's key, namespace/name. */
export function clusterKey({ namespace, name }: Pick<ClusterFacts, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}

/** Which EC a database asks for, and the ECs to choose from. */
export interface ClusterQuestion {
  readonly reference: string | undefined;
  /** The database's own namespace. */
  readonly namespace: string;
  readonly operatorNamespace: string;
  readonly all: readonly ClusterFacts[];
}

/** The EC of a database: by name in its own namespace, then in the operator's; else the only one (C16). */
export function lookUpCluster(question: ClusterQuestion): ClusterLookup {
  const { reference, namespace, operatorNamespace, all } = question;
  const lookedIn = [...new Set([namespace, operatorNamespace])].filter((place) => place !== "");
  const candidates = lookedIn.flatMap((place) => all.filter((ec) => ec.namespace === place));
  if (reference !== undefined) {
    const cluster = candidates.find((ec) => ec.name === reference);
    return cluster === undefined
      ? { is: "missing", name: reference, lookedIn }
      : { is: "found", cluster };
  }
  const [first, ...others] = candidates;
  if (first === undefined) return { is: "missing", lookedIn };
  return others.length === 0
    ? { is: "found", cluster: first }
    : { is: "ambiguous", candidates: candidates.map(clusterKey).sort() };
}

/** Those of the paths that the definition has in a version, in their order; undefined when it is not known. */
export function findServedPaths(
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
