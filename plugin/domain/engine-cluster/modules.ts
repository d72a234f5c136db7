/** What is wrong with the modules in use, as they are and for an upgrade (S47, S54, S56, S99, S103). */
import { ec, text, textIn } from "../names/text";
import { type Names, renderTerm } from "../names/names";
import { clusterFindings } from "./findings";
import { moduleStanding, projectCluster } from "../rules/clusters";
import { error, type Finding, warning } from "../base/findings";
import { type Code, bindFindings } from "../names/codes";
import { type KubeObject, objectLabel } from "../kube/objects";
import { asString, getPath, suggestion } from "../base/values";
import {
  isBeforeRetirement,
  listRetiredUses,
  retiredFinding,
  type RetiredUse,
  stopsUpgrade,
} from "./retired-modules";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  parseLeadingEngineVersion,
} from "../base/versions";
import { moduleLabel, listModuleNames, withInstalled } from "../rest-api/modules";
import type { ApiDatabase, ApiNode, InstalledModule } from "../rest-api/records";

/** What may be wrong with modules as the REST API has them, by what it is about. */
export const moduleFindings = {
  absent: error("MODULE-ABSENT", "S99", {
    cause: "a database uses a module that is not installed in that version: an upgrade freezes",
    fix: "install the module with modules install FILE, then run this again",
  }),
  defineNext: warning("MODULE-DEFINE-NEXT", "S56", {
    cause: text`an installed user-defined module is not defined in the ${ec}`,
    fix: text`define it in the ${ec} under one of its two names before a database that uses it is upgraded`,
  }),
  engineUnknown: warning("MODULE-ENGINE-UNKNOWN", "Facts 9", {
    cause:
      "no node of the cluster supports the requested engine version: bundled modules cannot be checked",
    fix: text`upgrade the cluster (${ec}) first, then run this again; or correct the version`,
  }),
  oneNode: warning("MODULE-ONE-NODE", "Facts 9", {
    cause: "the module was uploaded to one node only, and the newer call needs it on each node",
    fix: text`run it without --api-url, from where the pods of the ${ec} can be reached: it then uploads to each node`,
  }),
  platform: error("MODULE-PLATFORM", "S103", {
    cause: "a module in use is not installed for the requested platform",
    fix: "install a build for that platform with modules install FILE before the upgrade",
  }),
  platformUnknown: warning("MODULE-PLATFORM-UNKNOWN", "S47", {
    cause: "the server does not report for which platforms a module in use is installed",
    fix: "check in the manifest of its archive that it is built for the platform",
  }),
  target: error("MODULE-TARGET", "S103", {
    cause: "a module in use has no installed build for the requested engine version",
    fix: "install a build for that version with modules install FILE before the upgrade",
  }),
} as const satisfies Readonly<Record<string, Code>>;

/** A finding of one of the codes. */
export const moduleFinding = bindFindings(moduleFindings);

/** The catalogue entries of every finding about installed modules. */
export const moduleCodes: readonly Code[] = Object.values(moduleFindings);

/** What the modules have to fit; absent parts are not judged. */
export interface ModuleTarget {
  readonly engine?: EngineVersion;
  readonly platform?: string;
}

type CauselessCode = Omit<Code, "cause">;

/** All findings, in the order of the modules. */
export function judgeModules(facts: ModuleFacts, target: ModuleTarget): readonly Finding[] {
  const ended = listEnded(facts);
  const uses = moduleUses(facts).filter(({ name }) => !ended.some(({ called }) => called(name)));
  return [
    ...ended.map((use) => retiredFinding(facts.ec, use, facts.names)),
    ...uses.flatMap((use) => [...judgeStanding(use, facts), ...judgeBuilds(use, facts, target)]),
    ...judgeNames(facts),
    ...judgeEngine(facts, target),
  ];
}

/** Those at the end of their life that stand against an upgrade: no build of them helps. */
function listEnded({ ec, names, modules, databases }: ModuleFacts): readonly RetiredUse[] {
  const users = databases.map((database) => ({
    label: databaseLabel(database),
    modules: database.modules.map(({ name }) => name),
  }));
  const tag = asString(getPath(ec, names.ecFields.versionTag));
  const tags = tag === undefined ? [] : [tag];
  return listRetiredUses({ ec, names, modules, databases: users }).filter((use) =>
    stopsUpgrade(use, !isBeforeRetirement(use.row, tags)),
  );
}

function makeModuleFinding({ ec, names }: ModuleFacts, of: CauselessCode, cause: string): Finding {
  const { code, severity, source } = of;
  return { code, severity, object: objectLabel(ec), cause, fix: textIn(of.fix, names), source };
}

function renderUsers({ databases }: ModuleUse): string {
  const named = databases.slice(0, 5).join(", ");
  const more = databases.length - 5;
  return more > 0 ? `${named} and ${more} more` : named;
}

/** Installed, and defined where it is one of the user's own. */
function judgeStanding(use: ModuleUse, facts: ModuleFacts): readonly Finding[] {
  const label = moduleLabel(use);
  const field = facts.names.fields.userDefinedModules.join(".");
  const known = listModuleNames(use).join(" or ");
  const fix = `define it in the ${renderTerm(facts.names.ec)} as ${known}, or take it out of these databases`;
  const absent = makeModuleFinding(
    facts,
    moduleFindings.absent,
    `${label}, used by ${renderUsers(use)}, is not installed`,
  );
  const missing = makeModuleFinding(
    facts,
    clusterFindings.moduleUndefined,
    `${label}, used by ${renderUsers(use)}, is a user-defined module that is not defined in the ${renderTerm(facts.names.ec)}`,
  );
  return [
    ...(use.installed ? [] : [absent]),
    ...(use.bundled || use.defined ? [] : [{ ...missing, field, fix, source: "S56" }]),
  ];
}

/** What is installed of a module that a target needs. */
function judgeBuilds(
  use: ModuleUse,
  facts: ModuleFacts,
  { engine, platform }: ModuleTarget,
): readonly Finding[] {
  const all = facts.modules.filter(({ name }) => name === use.name);
  const fitting = engine === undefined ? all : all.filter((build) => fits(build, engine));
  const comesAlong = use.bundled && engine !== undefined && supports(facts, engine) !== true;
  // bundled builds of a version come with the cluster that has it, those that are missing are told
  if (all.length === 0 || comesAlong) return [];
  if (engine !== undefined && fitting.length === 0) {
    const wanted = formatEngineVersion(engine);
    const has = all.map(buildWords).join(", ");
    const cause = `${use.name}, used by ${renderUsers(use)}, has no build for ${wanted}: installed are ${has}`;
    return [makeModuleFinding(facts, moduleFindings.target, cause)];
  }
  return use.bundled ? [] : judgePlatform(use, fitting, { facts, platform });
}

function judgePlatform(
  use: ModuleUse,
  builds: readonly InstalledModule[],
  { facts, platform }: { readonly facts: ModuleFacts; readonly platform: string | undefined },
): readonly Finding[] {
  if (platform === undefined) return [];
  const told = builds.map(({ platforms }) => platforms).filter((each) => each !== undefined);
  const has = [...new Set(told.flat())];
  if (has.includes(platform)) return [];
  const who = `${use.name}, used by ${renderUsers(use)}`;
  if (told.length < builds.length) {
    const cause = `the server does not report for which platforms ${who}, is installed`;
    return [makeModuleFinding(facts, moduleFindings.platformUnknown, cause)];
  }
  const cause = `${who}, is installed for ${has.join(", ") || "no platform"}, not for ${platform}`;
  return [makeModuleFinding(facts, moduleFindings.platform, cause)];
}

/** Of a build that does not fit: it tells one or the other. */
function buildWords(build: InstalledModule): string {
  const { compatibleEngineVersion: fit, minEngineVersion: from } = build;
  const engines = [
    ...(fit === undefined ? [] : [`for ${fit}`]),
    ...(from === undefined ? [] : [`from ${from} on`]),
  ];
  return `${moduleLabel(build)} (${engines.join(", ")})`;
}

/** A build is made for one engine version, or for all from one on; what it does not report is no bar. */
export function fits(build: InstalledModule, engine: EngineVersion): boolean {
  const only = parseLeadingEngineVersion(build.compatibleEngineVersion);
  if (only !== undefined) return compareEngineVersions(only, engine) === 0;
  const from = parseLeadingEngineVersion(build.minEngineVersion);
  return from === undefined || compareEngineVersions(from, engine) <= 0;
}

/** Whether the nodes can run a version; undefined where they do not report. */
function supports({ nodes = [] }: ModuleFacts, engine: EngineVersion): boolean | undefined {
  const told = nodes.filter(({ supportedVersions }) => supportedVersions.length > 0);
  if (told.length === 0) return undefined;
  return told.some(({ supportedVersions }) =>
    supportedVersions.some((text) => {
      const version = parseLeadingEngineVersion(text);
      return version !== undefined && compareEngineVersions(version, engine) === 0;
    }),
  );
}

function judgeEngine(facts: ModuleFacts, { engine }: ModuleTarget): readonly Finding[] {
  if (engine === undefined || supports(facts, engine) !== false) return [];
  const cause = `no node of the cluster supports engine version ${formatEngineVersion(engine)}`;
  return [makeModuleFinding(facts, moduleFindings.engineUnknown, cause)];
}

/** The same as the check of the EC alone, by the names that the manifests have (S54). */
const misnamed: CauselessCode = {
  code: "MODULE-NAME",
  severity: "warning",
  fix: "give it the name or the display name of its manifest: the operator cannot validate it otherwise",
  source: "S54",
};

function judgeNames(facts: ModuleFacts): readonly Finding[] {
  const { ec, names, modules } = facts;
  const known = [...new Set(modules.flatMap(listModuleNames))];
  const field = names.fields.userDefinedModules.join(".");
  return (projectCluster(ec, names)?.userModules ?? [])
    .filter((name) => !known.includes(name))
    .map((name) => {
      const cause = `${name} is defined, and no installed module is named so${suggestion(name, known)}`;
      return { ...makeModuleFinding(facts, misnamed, cause), field };
    });
}

/** What the REST API and the EC say, read at one time. */
export interface ModuleFacts {
  readonly ec: KubeObject;
  readonly names: Names;
  readonly databases: readonly ApiDatabase[];
  readonly modules: readonly InstalledModule[];
  /** Undefined where the server does not list them. */
  readonly nodes: readonly ApiNode[] | undefined;
}

/** One module in one version, with the databases that use it. */
export interface ModuleUse {
  readonly name: string;
  readonly version: string | undefined;
  readonly displayName: string | undefined;
  readonly installed: boolean;
  /** It came with the cluster: nobody defines it. */
  readonly bundled: boolean;
  /** In the EC's list, under either name (S54, S56). */
  readonly defined: boolean;
  readonly databases: readonly string[];
}

/** Every module in use, by name and version. */
export function moduleUses(facts: ModuleFacts): readonly ModuleUse[] {
  const users = new Map<string, ModuleUse>();
  for (const database of facts.databases) {
    for (const { name, version } of database.modules) {
      const key = JSON.stringify([name, version]);
      const use = users.get(key) ?? describe({ name, version }, facts);
      users.set(key, { ...use, databases: [...use.databases, databaseLabel(database)] });
    }
  }
  return [...users].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, use]) => use);
}

/** `orders (uid 1)`, or the uid alone. */
function databaseLabel({ uid, name }: Pick<ApiDatabase, "uid" | "name">): string {
  return name === undefined ? `uid ${uid}` : `${name} (uid ${uid})`;
}

function describe(
  { name, version }: Pick<ModuleUse, "name" | "version">,
  { ec, names, modules }: ModuleFacts,
): ModuleUse {
  const builds = modules.filter((module) => module.name === name);
  const build = builds.find((module) => module.version === version);
  const cluster = projectCluster(ec, names);
  const known = cluster && withInstalled(cluster, modules);
  const standing = moduleStanding(name, known, names);
  return {
    name,
    version,
    displayName: (build ?? builds[0])?.displayName,
    // a server that does not report the version tells nothing against it
    installed: version === undefined ? builds.length > 0 : build !== undefined,
    bundled: readFlag(build === undefined ? builds : [build]) ?? standing === "bundled",
    defined: standing === "defined",
    databases: [],
  };
}

/** What the list says; where it says nothing the names tell (C9). */
function readFlag(builds: readonly InstalledModule[]): boolean | undefined {
  const flags = builds.map(({ bundled }) => bundled).filter((flag) => flag !== undefined);
  return flags.length === 0 ? undefined : flags.includes(true);
}
