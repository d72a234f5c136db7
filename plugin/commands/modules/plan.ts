/** What `modules define` would write, and everything that stands against it (S52-S56, S124). */
import type { Finding } from "../../domain/base/findings";
import { asArray, getOwn, getPath } from "../../domain/base/values";
import { canDefineModules } from "../../domain/engine-cluster/causes";
import { clusterFinding, clusterFindings } from "../../domain/engine-cluster/findings";
import { gate } from "../../domain/diagnosis/diagnose";
import { operatorList } from "../../domain/operator/symptoms";
import { operatorFindings } from "../../domain/engine-cluster/operator";
import {
  aheadSymptoms,
  clusterGates,
  type ClusterScene,
} from "../../domain/engine-cluster/symptoms";
import type { Symptom } from "../../domain/diagnosis/symptom";
import { judgeCluster } from "../../domain/engine-cluster/rollout";
import { factNamed, type Facts } from "../../domain/facts/facts";
import { type FieldEdit, fieldEdits } from "../../domain/kube/edits";
import { type KubeObject, objectLabel, readName } from "../../domain/kube/objects";
import { type Names, renderTerm } from "../../domain/names/names";
import { moduleStanding, projectCluster } from "../../domain/rules/clusters";
import { findBundled } from "../../domain/rules/display-names";
import type { ClusterFacts } from "../../domain/rules/types";

/** A module to define. */
export interface WantedModule {
  readonly name: string;
  /** Where the operator downloads it; absent: the entry has no source. */
  readonly url?: string | undefined;
}

/** What is asked for. */
export interface DefineRequest {
  /** Name of the EC. */
  readonly ec: string;
  /** Version of the API that the EC is read and written by. */
  readonly version: string;
  readonly modules: readonly WantedModule[];
  /** Secret with the user name and the password for the downloads. */
  readonly credentialsSecret?: string | undefined;
}

/** The plan, and what keeps it from being done. */
export interface DefinePlan {
  readonly ec: KubeObject;
  /** Empty: every module is defined as it was asked for. */
  readonly edits: readonly FieldEdit[];
  /** Exit 3. */
  readonly blocks: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** The plan for the EC of this name; undefined where there is none. */
export function planDefinition(facts: Facts, request: DefineRequest): DefinePlan | undefined {
  const { names, namespace } = facts;
  const ec = factNamed(facts, "ecs", { name: request.ec, namespace });
  const cluster = projectCluster(ec, names);
  if (ec === undefined || cluster === undefined) return undefined;
  const target = { request, names, cluster };
  const wanted = request.modules.filter((module) => !isDefined(ec, module, target));
  if (wanted.length === 0) return { ec, edits: [], blocks: [], warnings: [] };
  const listed = asArray(getPath(ec, names.fields.userDefinedModules));
  const list = wanted.reduce<readonly unknown[]>(
    (entries, module) => withModule(entries, module, target),
    listed,
  );
  const asked = { ec, cluster, request, wanted };
  const { errors, warnings } = sourceFindings(facts, asked);
  const state = stateFindings(facts, ec);
  const isError = ({ severity }: Finding): boolean => severity === "error";
  return {
    ec,
    edits: fieldEdits(ec, [[names.fields.userDefinedModules, list]]),
    blocks: [
      ...bundledFindings(names, asked),
      ...placeFindings(facts, ec),
      ...errors,
      ...state.filter(isError),
    ],
    warnings: [...warnings, ...unknownNames(names, asked), ...state.filter((one) => !isError(one))],
  };
}

interface Target {
  readonly request: DefineRequest;
  readonly names: Names;
  readonly cluster: ClusterFacts;
}

/** True where the EC has it already, with that source where one is given. */
function isDefined(ec: KubeObject, module: WantedModule, target: Target): boolean {
  const { request, names } = target;
  const entries = asArray(getPath(ec, names.fields.userDefinedModules));
  const at = findEntry(entries, module.name, target);
  if (at === -1) return false;
  if (module.url === undefined) return true;
  const source = getOwn(entries[at], names.entryFields.userModuleSource);
  const [transport, fields] = makeSource(module.url, request, names);
  return Object.entries(fields).every(
    ([name, value]) => getPath(source, [transport, name]) === value,
  );
}

/** The entry of a module, under the name that was given or the other one of its manifest (S54); -1 for none. */
function findEntry(entries: readonly unknown[], name: string, { cluster, names }: Target): number {
  const { userModuleName } = names.entryFields;
  const both = aliases(cluster, name);
  return entries.findIndex((entry) => both.includes(String(getOwn(entry, userModuleName))));
}

/** Every name of the module, as the EC publishes them. */
function aliases({ installedModules }: ClusterFacts, name: string): readonly string[] {
  const found = installedModules.map((entry) => Object.values(entry));
  return [name, ...found.filter((both) => both.includes(name)).flat()];
}

function withModule(
  entries: readonly unknown[],
  module: WantedModule,
  target: Target,
): readonly unknown[] {
  const { request, names } = target;
  const { userModuleName, userModuleSource } = names.entryFields;
  const { name, url } = module;
  const source =
    url === undefined
      ? {}
      : { [userModuleSource]: Object.fromEntries([makeSource(url, request, names)]) };
  const at = findEntry(entries, name, target);
  if (at === -1) return [...entries, { [userModuleName]: name, ...source }];
  return entries.with(at, { ...(entries[at] as object), ...source });
}

/** The protocol of the address, and what stands below it (S52). */
function makeSource(
  url: string,
  { credentialsSecret }: DefineRequest,
  { entryFields }: Names,
): readonly [transport: string, fields: Readonly<Record<string, string>>] {
  const { userModuleTransports, userModuleUrl, userModuleCredentials } = entryFields;
  const [secure, plain] = userModuleTransports;
  const secret = credentialsSecret && { [userModuleCredentials]: credentialsSecret };
  const transport = String(url.startsWith("https:") ? secure : plain);
  return [transport, { [userModuleUrl]: url, ...secret }];
}

/** What is written, and to which EC. */
interface Asked {
  readonly ec: KubeObject;
  readonly cluster: ClusterFacts;
  readonly request: DefineRequest;
  readonly wanted: readonly WantedModule[];
}

/** A bundled module defined as a user's own would restart every pod, for a download that does not exist. */
function bundledFindings(names: Names, { ec, cluster, wanted }: Asked): readonly Finding[] {
  return wanted.flatMap(({ name }) => {
    const isBundled = moduleStanding(name, cluster, names) === "bundled";
    const meant = findBundled(name, names) ?? (isBundled ? name : undefined);
    if (meant === undefined) return [];
    const cause = `${name} comes with the cluster: defined as a user's own, it would restart every pod for nothing`;
    const fix = `define nothing; databases name it ${meant}`;
    return [clusterFinding("moduleBundled", { object: objectLabel(ec), cause, fix }, names)];
  });
}

/** Definitions of earlier releases have no list of modules. */
function placeFindings(facts: Facts, ec: KubeObject): readonly Finding[] {
  if (canDefineModules(facts)) return [];
  const { names } = facts;
  const field = names.fields.userDefinedModules.join(".");
  const cause = `the definition of the ${renderTerm(names.ec)} has no ${field}, so it would be dropped`;
  return [clusterFinding("modulesUndefinable", { object: objectLabel(ec), field, cause }, names)];
}

/** An entry without a source: refused where the definition requires one (S52). */
function sourceFindings(
  facts: Facts,
  { ec, request, wanted }: Asked,
): { readonly errors: readonly Finding[]; readonly warnings: readonly Finding[] } {
  const { names } = facts;
  const without = wanted.filter(({ url }) => url === undefined).map(({ name }) => name);
  if (without.length === 0) return { errors: [], warnings: [] };
  const field = names.fields.userDefinedModules.join(".");
  const found = clusterFinding("moduleSource", {
    object: objectLabel(ec),
    field,
    cause: `${without.join(", ")}: no address to download from is given`,
    fix: `give ${without.map((name) => `--source ${name}=URL`).join(" ")}`,
  });
  return requiresSource(facts, request.version)
    ? { errors: [found], warnings: [] }
    : { errors: [], warnings: [{ ...found, severity: "warning" }] };
}

function requiresSource(facts: Facts, version: string): boolean {
  const { names } = facts;
  const definition = factNamed(facts, "definitions", { name: `${names.ec.plural}.${names.group}` });
  const served = definition?.spec?.versions?.find((each) => each.name === version);
  const path = names.fields.userDefinedModules.flatMap((field) => ["properties", field]);
  const schema = getPath(served, ["schema", "openAPIV3Schema", ...path, "items"]);
  return asArray(getOwn(schema, "required")).includes(names.entryFields.userModuleSource);
}

/** The operator looks for the name in the module's manifest; another one is a module that nobody has (S54). */
function unknownNames(names: Names, { ec, cluster, wanted }: Asked): readonly Finding[] {
  const installed = cluster.installedModules.flatMap((entry) => Object.values(entry));
  if (installed.length === 0) return [];
  return wanted
    .filter(({ name }) => moduleStanding(name, cluster, names) === "unknown")
    .map(({ name }) => {
      const known = installed.join(", ");
      const cause = `${name} is the name of no installed module: ${known}`;
      return clusterFinding("moduleName", { object: objectLabel(ec), cause });
    });
}

/** Pods are renewed one roll at a time; a refused or frozen upgrade is what this may set free (S55, S70, S113). */
function stateFindings(facts: Facts, ec: KubeObject): readonly Finding[] {
  return [
    ...operatorFindings(facts, ec, { auto: false }).filter(({ severity }) => severity === "error"),
    ...gate(operatorList, "modules", { facts }),
    ...gate(chooseRows(facts, ec), "modules", { facts, clusters: [ec] }),
  ];
}

/** An upgrade that stands frozen is what a module may set free. */
function chooseRows(facts: Facts, ec: KubeObject): readonly Symptom<ClusterScene>[] {
  const { busy, restarting } = aheadSymptoms;
  const mended: readonly Symptom<ClusterScene>[] = isFrozen(facts, readName(ec))
    ? [busy, restarting]
    : [];
  return clusterGates.filter((row) => !mended.includes(row));
}

/** The operator has not begun, since a prerequisite is missing (S113). */
function isFrozen(facts: Facts, name: string): boolean {
  const progress = judgeCluster(facts, name);
  return progress.is === "stalled" && progress.code === clusterFindings.frozen.code;
}
