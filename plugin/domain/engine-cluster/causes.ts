/** Why an EC's upgrade cannot be, judged from data alone: license, digests, databases, modules. */
import type { Facts } from "../facts/facts";
import type { About, Finding } from "../base/findings";
import { type KubeObject, objectLabel, readName, readNamespace } from "../kube/objects";
import { kubectl, type Remedy, renderFix, tool } from "../base/remedy";
import { unreadVerdict } from "../rollout/health";
import { type Timed } from "../rollout/progress";
import {
  asString,
  type FieldPath,
  getPath,
  groupBy,
  type Json,
  oncePer,
  withValue,
} from "../base/values";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  parseEngineVersion,
} from "../base/versions";
import { buildPatch } from "../kube/edits";
import { findRetired } from "../release/retired-modules";
import type { ApiLicense } from "../rest-api/records";
import { findBundled } from "../rules/display-names";
import { databaseVersion } from "./database-versions";
import { helperFields } from "./helper-images";
import { findLicense } from "./license";
import { clusterFinding, type clusterFindings } from "./findings";
import { findScaledCauses } from "./scale";
import {
  clusterKey,
  type ModuleStanding,
  moduleStanding,
  projectCluster,
  findServedPaths,
} from "../rules/clusters";
import { autoOffEdits, isAutoUpgraded, clusterLookups, versionPaths } from "./fields";
import { type Names, renderTerm } from "../names/names";
import { readSubject } from "../rules/fields";
import type { Edit } from "../rules/types";

/** That nothing of what was read explains a refusal; what was not read explains nothing either way. */
export function renderNoCause(facts: Facts): string {
  const hidden = unreadVerdict(facts, ["edbs", "eaadbs"]);
  if (hidden === undefined) return "license, digests, databases and modules show no cause";
  return `license and digests show no cause, databases and modules not all read (${hidden.because})`;
}

/** Databases have to run this or a later version (S123). */
export const lowest: EngineVersion = { major: 7, minor: 2 };

/** True for what upgrades do not take along; of one that does not report nothing is claimed. */
export function isTooOld(runs: EngineVersion | undefined): runs is EngineVersion {
  return runs !== undefined && compareEngineVersions(runs, lowest) < 0;
}

/** A database that lives in the EC. */
interface DatabaseUse {
  readonly object: KubeObject;
  readonly label: string;
  /** From spec.engineVersion, else from the status; undefined where neither tells (S123). */
  readonly version: EngineVersion | undefined;
  readonly modules: readonly string[];
}

/** Every database of type engine that refers to the EC, or has no other to refer to (C16). */
export function listDatabases(facts: Facts, ec: KubeObject): readonly DatabaseUse[] {
  return usesIn(facts)(ec);
}

const usesIn = oncePer((facts: Facts) =>
  oncePer((ec: KubeObject): readonly DatabaseUse[] =>
    listDatabaseObjects(facts, ec).map(({ object, kind }) => read(facts, object, kind)),
  ),
);

/** The same as they were read, each with its kind. */
export function listDatabaseObjects(
  facts: Facts,
  { metadata: { name, namespace } }: KubeObject,
): readonly { readonly object: KubeObject; readonly kind: Edit["kind"] }[] {
  const key = clusterKey({ namespace: String(namespace), name: String(name) });
  return usesByCluster(facts).get(key) ?? [];
}

/** The databases of type engine whose EC is found, by its key. */
const usesByCluster = oncePer((facts: Facts) => {
  const { names, objects } = facts;
  const lookUp = clusterLookups(facts);
  const placeDatabases = (kind: Edit["kind"], databases: readonly KubeObject[]) =>
    databases.flatMap((database) => {
      const found = lookUp(database, kind);
      const ec = found.is === "found" ? clusterKey(found.cluster) : undefined;
      return ec === undefined ? [] : [{ object: database, kind, ec }];
    });
  const edbs = objects.edbs.filter((edb) => isOfEngine(edb, names));
  return groupBy(
    [...placeDatabases("edb", edbs), ...placeDatabases("eaadb", objects.eaadbs)],
    ({ ec }) => ec,
  );
});

/** True for a database of the type that has an engine version. */
export function isOfEngine(database: KubeObject, names: Names): boolean {
  return (getPath(database, names.edbFields.type) ?? names.engineDbType) === names.engineDbType;
}

function read(facts: Facts, object: KubeObject, kind: Edit["kind"]): DatabaseUse {
  const { names } = facts;
  const { modules } = readSubject({ kind, before: undefined, after: object }, names);
  const [path] = versionPaths(facts, { kind, object });
  return {
    object,
    label: objectLabel(object),
    version: parseEngineVersion(getPath(object, path)) ?? databaseVersion(facts, object),
    modules: modules.map(({ name }) => name).filter((name) => name !== undefined),
  };
}

/** A module that databases use, under either of its names (S51, S54). */
interface ModuleUsage {
  readonly module: string;
  readonly databases: readonly string[];
  readonly standing: ModuleStanding;
}

/** Which user-defined modules are in use; what may be a bundled one is none. */
export function listUsedModules(facts: Facts, ec: KubeObject): readonly ModuleUsage[] {
  return modulesInUse(facts, ec).filter(
    ({ standing }) => standing !== "bundled" && standing !== "unpublished",
  );
}

/** Modules in use that may be bundled ones by their display names, which the EC does not publish yet, for people. */
export function listUnpublishedModules(facts: Facts, ec: KubeObject): readonly string[] {
  return modulesInUse(facts, ec)
    .filter(({ standing }) => standing === "unpublished")
    .map(({ module, databases }) => `${module} (${databases.join(", ")})`);
}

function modulesInUse(facts: Facts, ec: KubeObject): readonly ModuleUsage[] {
  const cluster = projectCluster(ec, facts.names);
  const uses = listDatabases(facts, ec).flatMap(({ label, modules }) =>
    modules.map((module) => ({ module, label })),
  );
  return [...groupBy(uses, ({ module }) => module)].map(([module, users]) => {
    const standing = moduleStanding(module, cluster, facts.names);
    return { module, databases: users.map(({ label }) => label), standing };
  });
}

/** False where the served definition of the EC has no place for modules: then none can be missing there (C9, S124). */
export function canDefineModules({ names, objects }: Facts): boolean {
  const name = `${names.ec.plural}.${names.group}`;
  const definition = objects.definitions.find(({ metadata }) => metadata.name === name);
  const [served] = [names.ecVersion, names.version].flatMap((version) => {
    const paths = findServedPaths(definition, version, [names.fields.userDefinedModules]);
    return paths === undefined ? [] : [paths];
  });
  return served?.length !== 0;
}

/** What is wrong with a module that nothing defines, for people. */
interface UndefinedModule extends ModuleUsage {
  readonly says: string;
  /** Where defining it helps nobody: a bundled one is meant, or one whose life has ended. */
  readonly fix?: string;
}

/** Those that nothing defines (S56; C9). */
export function listUndefinedModules(facts: Facts, ec: KubeObject): readonly UndefinedModule[] {
  const canDefine = canDefineModules(facts);
  return listUsedModules(facts, ec)
    .filter(({ standing }) => standing !== "defined" && (canDefine || standing !== "installed"))
    .map((used) => {
      const lack =
        used.standing === "installed" ? "installed but not defined" : "neither bundled nor defined";
      const says = `module ${used.module} of ${used.databases.join(", ")} is ${lack} in the ${renderTerm(facts.names.ec)}`;
      const meant = findBundled(used.module, facts.names);
      const ended = findRetired(used.module, facts.names);
      const fix =
        ended === undefined
          ? meant && `write ${meant}, the name of the bundled module, in these databases`
          : `take it out of these databases: its life has ended, no cluster from ${ended.from} on can have it`;
      return { ...used, says, ...(fix !== undefined && { fix }) };
    });
}

/** The command that shows, and does, the recovery of an EC whose upgrade makes no progress (S97-S103). */
export function recoverLine({ metadata: { name, namespace } }: KubeObject): string {
  return `kubectl engine recover --ec ${String(name)} -n ${String(namespace)}`;
}

/** What is to be done, and then the command that shows each step. */
export function thenRecover(remedy: Remedy, ec: KubeObject): Remedy {
  const name = readName(ec);
  return {
    ...remedy,
    then: tool(`see each step with recover --ec ${name}`, "recover", `--ec=${name}`),
  };
}

/** For whoever looks already as that command does. */
export function withoutPointer<P extends Pick<Timed, "fix" | "remedies">>(problem: P): P {
  if (problem.remedies === undefined) return problem;
  const left = problem.remedies.map(({ then, ...own }) =>
    then === undefined || then.run?.words[0] === "recover" ? own : { ...own, then },
  );
  return { ...problem, remedies: left, fix: renderFix(left) };
}

/** While nothing is to be written, against beginning, in an upgrade that the operator refuses, and in one that it has frozen. */
type CausePhase = "standing" | "beginning" | "refused" | "frozen";

/** The causes, by what their findings are called. */
export type CauseKey = keyof typeof clusterFindings;

interface Cause {
  readonly key: CauseKey;
  readonly phases: readonly CausePhase[];
  /** It is one only where the EC follows its operator by itself. */
  readonly whenAuto?: true;
  readonly judge: (facts: Facts, ec: KubeObject, told: LateFacts) => readonly Finding[];
}

/** What the REST API told, where it was asked: it is nearer than the resources. */
interface LateFacts {
  readonly license?: ApiLicense | undefined;
  readonly databases?: readonly Pick<DatabaseUse, "label" | "version">[];
}

/** What an upgrade cannot do with, the surest first. */
const causes: readonly Cause[] = [
  { key: "scaled", phases: ["refused"], judge: findScaledCauses },
  {
    key: "license",
    phases: ["refused"],
    judge: (facts, ec, { license }) => findLicense(facts, ec, license),
  },
  { key: "digestPinned", phases: ["beginning", "refused"], whenAuto: true, judge: digestCauses },
  {
    key: "autoUserModules",
    phases: ["standing", "beginning", "refused"],
    whenAuto: true,
    judge: userModuleCauses,
  },
  { key: "databaseOld", phases: ["refused", "frozen"], judge: databaseCauses },
  { key: "moduleUndefined", phases: ["refused", "frozen"], judge: findUndefinedModuleCauses },
];

/** What the facts show of one cause, or of all of a phase; `auto` is what the EC asks for unless it is to be changed. */
export function findCauses(
  wanted: CauseKey | CausePhase,
  facts: Facts,
  {
    ec,
    auto = isAutoUpgraded(ec, facts.names),
    told = {},
  }: {
    readonly ec: KubeObject;
    readonly auto?: boolean | undefined;
    readonly told?: LateFacts;
  },
): readonly Finding[] {
  return causes
    .filter(({ key, phases }) => [key, ...phases].includes(wanted))
    .filter(({ whenAuto }) => whenAuto !== true || auto)
    .flatMap(({ judge }) => judge(facts, ec, told));
}

/** With automatic upgrade no image may be pinned by its digest, each path is named (domain facts 7). */
function digestCauses({ names }: Facts, ec: KubeObject): readonly Finding[] {
  return digestPaths(names)
    .filter((path) => asString(getPath(ec, path)) !== undefined)
    .map((path) =>
      clusterFinding(
        "digestPinned",
        {
          object: objectLabel(ec),
          field: path.join("."),
          cause: `${path.join(".")} pins an image, which rules out an automatic upgrade`,
          remedies: [unpin(ec, path, names), autoOffRemedy(ec, names)],
        },
        names,
      ),
    );
}

/** The patch that takes a digest away. */
export function unpin(ec: KubeObject, path: FieldPath, names: Names): Remedy {
  return patchCluster(`remove ${path.join(".")}`, ec, { names, body: withValue({}, path, null) });
}

function digestPaths(names: Facts["names"]): readonly (readonly string[])[] {
  const { digestHash } = names.ecFields;
  return [digestHash, ...helperFields(names, digestHash)];
}

/** The patch that `upgrade` makes, at each path where it is on; where it is only asked for, not to ask. */
function autoOffRemedy(ec: KubeObject, names: Names): Remedy {
  const edits = autoOffEdits(ec, names);
  if (edits.length === 0) return { says: "run again without --auto" };
  const says = "switch the automatic upgrade off, as upgrade and upgrade-cluster do without --auto";
  return patchCluster(says, ec, { names, body: buildPatch(edits) });
}

/** A merge patch of an EC, for a person. */
export function patchCluster(
  says: string,
  ec: KubeObject,
  { names, body }: { readonly names: Names; readonly body: Json },
): Remedy {
  const words = ["patch", `${names.ec.plural}.${names.group}`, readName(ec)];
  const place = ["-n", readNamespace(ec), "--type=merge", "-p", JSON.stringify(body)];
  return kubectl(says, ...words, ...place);
}

/** Databases with user-defined modules need the automatic upgrade off (S51, S124). */
function userModuleCauses(facts: Facts, ec: KubeObject): readonly Finding[] {
  const used = listUsedModules(facts, ec);
  if (used.length === 0) return [];
  const shown = used.map(({ module, databases }) => `${module} (${databases.join(", ")})`);
  return [
    clusterFinding("autoUserModules", {
      object: objectLabel(ec),
      cause: `databases use user-defined modules, for which an automatic upgrade must be off: ${shown.join("; ")}`,
      remedies: [autoOffRemedy(ec, facts.names)],
    }),
  ];
}

/** Every database has to run 7.2 or later (S123). */
function databaseCauses(
  facts: Facts,
  ec: KubeObject,
  { databases = listDatabases(facts, ec) }: LateFacts,
): readonly Finding[] {
  const first = formatEngineVersion(lowest);
  return databases.flatMap(({ label: object, version }) => {
    if (!isTooOld(version)) return [];
    const cause = `it runs ${formatEngineVersion(version)}, and with a database before ${first} the upgrade freezes`;
    const fix = `upgrade it to ${first} or later first; once the upgrade is frozen, recover --apply --engine-version VERSION does that over the REST API`;
    return [clusterFinding("databaseOld", { object, cause, fix }, facts.names)];
  });
}

/** The command that defines modules, with the addresses that only people know (S52, S56). */
export function defineLine(ec: KubeObject, modules: readonly string[]): string {
  const sources = modules.flatMap((module) => ["--source", `${module}=URL`]);
  const words = ["define", ...modules, ...sources, "--ec", readName(ec), "-n", readNamespace(ec)];
  return `kubectl engine modules ${words.join(" ")}`;
}

/** An address is to be filled in: nothing runs it as it stands. */
export function defineModule(ec: KubeObject, module: string): Remedy {
  return { says: `define it with ${defineLine(ec, [module])}` };
}

/** Modules of databases that nothing defines, each with its databases (S56). */
function findUndefinedModuleCauses(facts: Facts, ec: KubeObject): readonly Finding[] {
  return listUndefinedModules(facts, ec).map((used) =>
    moduleUndefined(facts, ec, { cause: used.says, remedies: listModuleWays(facts, ec, used) }),
  );
}

/** How a module comes to be there, or its databases do without it; where it cannot be defined it is installed. */
export function listModuleWays(
  facts: Facts,
  ec: KubeObject,
  { module, fix }: Pick<UndefinedModule, "module" | "fix">,
): readonly Remedy[] {
  if (fix !== undefined) return [{ says: fix }];
  const way = canDefineModules(facts)
    ? defineModule(ec, module)
    : { says: "install it with modules install FILE" };
  return [way, { says: "take it out of these databases" }];
}

/** A module that an EC does not define, and what brings it there. */
export function moduleUndefined(
  facts: Facts,
  ec: KubeObject,
  says: Pick<About, "cause" | "fix" | "remedies">,
): Finding {
  return clusterFinding(
    "moduleUndefined",
    {
      object: objectLabel(ec),
      field: moduleField(facts),
      ...says,
    },
    facts.names,
  );
}

function moduleField({ names }: Facts): string {
  return names.fields.userDefinedModules.join(".");
}
