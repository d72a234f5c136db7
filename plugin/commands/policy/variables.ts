/** What the rules of a policy speak of, each under a name that a reader of the policy understands. */
import { lowestVersion } from "../../domain/rules/clusters";
import { namePatterns } from "../../domain/rules/display-names";
import type { Names } from "../../domain/names/names";
import { findFields } from "../../domain/rules/fields";
import { findReleases } from "../../domain/rules/engine-version";
import type { Edit, RuleOptions } from "../../domain/rules/types";
import type { FieldPath } from "../../domain/base/values";
import { fullVersion } from "../../domain/base/versions";
import {
  all,
  any,
  anyCase,
  has,
  literal,
  member,
  nameVariable,
  pathVariables,
  pattern,
  use,
  type Variables,
} from "./cel";

/** The kinds that are judged. */
export const kinds = ["edb", "eaadb"] as const satisfies readonly Edit["kind"][];

/** The databases that a policy judges, and how. */
export interface PolicySubject {
  readonly kind: Edit["kind"];
  readonly options: RuleOptions;
}

/** A place of the subject, with its value and the one before the change. */
export interface Place {
  readonly path: FieldPath;
  readonly now: string;
  readonly was: string;
  /** True where it is there and is new or another one. */
  readonly isNew: string;
}

function makePlace(path: FieldPath): Place {
  const [now, was] = [use(nameVariable(path)), use(nameVariable(path, "old"))];
  return { path, now, was, isNew: `${now} != null && ${now} != ${was}` };
}

/** The places of the engine version, of the module lists, and of what has to have a shape. */
export function listPlaces({ kind, options: { names } }: PolicySubject) {
  const { engineVersions, moduleLists, shapes } = findFields(kind, names);
  return {
    versions: engineVersions.map(makePlace),
    lists: moduleLists.map(makePlace),
    shapes: shapes.map((shape) => ({ ...shape, ...makePlace(shape.path) })),
  };
}

/** True for a full version that is of a release: "7.4" and "7.4.2" are of "7.4". */
export function isVersion(version: string, release: string): string {
  return `(${version} == ${release} || ${version}.startsWith(${release} + ".") || ${version}.startsWith(${release} + "-"))`;
}

/** Versions that no EC offers (C1, S123). */
export const tooOld = new RegExp(
  `^((${below(lowestVersion.major)})[.]|${lowestVersion.major}[.](${below(lowestVersion.minor)})([.-]|$))`,
);

function below(end: number): string {
  return Array.from({ length: end }, (_, number) => number).join("|");
}

/** The largest number that is read of a version; with a larger one it counts as not known. */
const largestPart = 99;

/** Every variable that a rule may use, in an order in which each knows those that it uses. */
export function buildVariables(subject: PolicySubject): Variables {
  const { kind, options } = subject;
  const { statusVersion } = options.names.fields;
  const { clusterReference, moduleLists, engineVersions } = findFields(kind, options.names);
  const paths = [...engineVersions, clusterReference, ...moduleLists];
  const text = (path: FieldPath, prefix?: string) => textOr(use(nameVariable(path, prefix)));
  return {
    now: "dyn(object)",
    was: "oldObject == null ? dyn({}) : dyn(oldObject)",
    ...pathVariables(use("now"), paths),
    ...pathVariables(use("was"), [...paths, statusVersion], "old"),
    reference: text(clusterReference),
    oldReference: text(clusterReference, "old"),
    ...clusterVariables(options),
    ...versionVariables(subject),
    ...moduleVariables(subject),
  };
}

function textOr(value: string): string {
  return `type(${value}) == string ? ${value} : ""`;
}

/** What is read of the EC: its policy, its versions, the modules that it bundles or defines (C1–C4, C9). */
function clusterVariables({ names }: RuleOptions): Variables {
  const { fields, entryFields, bundledModules } = names;
  const { statusModuleName: name, statusModuleDisplayName: displayName } = entryFields;
  const [type, major] = [entryFields.bundledType, entryFields.bundledMajor];
  const version = member("v", entryFields.bundledVersion);
  const paths = [
    fields.engineUpgradePolicy,
    fields.bundledDatabaseVersions,
    fields.userDefinedModules,
    fields.statusModules,
  ];
  const readListed = (path: FieldPath) => toList(use(nameVariable(path, "ec")));
  const isNamed = (key: string) =>
    `${has("m", key)} && type(${member("m", key)}) == string && ${member("m", key)} != ""`;
  const isKnown = (key: string, list: string) =>
    `${has("m", key)} && ${member("m", key)} in ${list}`;
  const findShipped = (key: string) =>
    `${use("shipped")}.filter(m, ${isNamed(key)}).map(m, ${member("m", key)})`;
  const userName = entryFields.userModuleName;
  const isBundled = all(
    "type(v) == map",
    has("v", type),
    `${member("v", type)} == ${literal(names.engineDbType)}`,
    has("v", entryFields.bundledVersion),
    `type(${version}) == string`,
    `${version}.matches(${pattern(fullVersion)})`,
    `!${version}.matches(${pattern(tooOld)})`,
  );
  const isShipped = [
    isKnown(name, literal(bundledModules)),
    isKnown(name, use("definedModules")),
    isKnown(displayName, use("definedModules")),
  ].join(" || ");
  const itsName = `${use("cluster")}.metadata.name`;
  const [reference, oldReference] = [use("reference"), use("oldReference")];
  const usable = [literal(bundledModules), use("definedModules")];
  return {
    cluster: "dyn(params)",
    ...pathVariables(use("cluster"), paths, "ec"),
    isItsCluster: any(`${reference} == ""`, `${reference} == ${itsName}`),
    wasItsCluster: all(`${oldReference} != ${reference}`, `${oldReference} == ${itsName}`),
    bundledVersions: `${readListed(fields.bundledDatabaseVersions)}.filter(v, ${isBundled})`,
    published: `${use("bundledVersions")}.map(v, ${version})`,
    releases: `size(${use("published")}) > 0 ? ${use("published")} : ${literal(ownReleases(names))}`,
    majorReleases: `${use("bundledVersions")}.filter(v, ${has("v", major)} && ${member("v", major)} == true).map(v, ${version})`,
    definedModules: `${readListed(fields.userDefinedModules)}.filter(m, type(m) == map && ${isNamed(userName)}).map(m, ${member("m", userName)})`,
    shipped: `${readListed(fields.statusModules)}.filter(m, type(m) == map && (${isShipped}))`,
    publishesModules: `${readListed(fields.statusModules)}.exists(m, type(m) == map && (${isNamed(name)} || ${isNamed(displayName)}))`,
    modules: [...usable, findShipped(name), findShipped(displayName)].join(" + "),
  };
}

/** The releases where no EC publishes any (C1). */
export function ownReleases(names: Names): readonly string[] {
  return [...findReleases({ is: "missing", lookedIn: [] }, names).texts];
}

function toList(value: string): string {
  return `(type(${value}) == list ? ${value} : [])`;
}

/** The numbers of the versions that a change is about; lists of one, or of none where it is no version. */
function versionVariables(subject: PolicySubject): Variables {
  const { versions } = listPlaces(subject);
  const status = use(nameVariable(subject.options.names.fields.statusVersion, "old"));
  const found: Record<string, string> = {
    numbers: literal(Array.from({ length: largestPart + 1 }, (_, number) => number)),
    versionChanges: any(...versions.map(({ now, was }) => `${now} != ${was}`)),
  };
  for (const { path, now, was } of versions) {
    const others = versions.map((other) => other.was).filter((other) => other !== was);
    const current = nameVariable(path, "current");
    found[current] =
      `[${[was, ...others, status].join(", ")}].filter(v, type(v) == string && v.matches(${pattern(fullVersion)}))`;
    Object.assign(found, splitVersion(nameVariable(path, "target"), textOr(now)));
    Object.assign(
      found,
      splitVersion(current, `size(${use(current)}) > 0 ? ${use(current)}[0] : ""`),
    );
  }
  return found;
}

/** The names of the variables that a version's text and its numbers have. */
export function partNames(name: string) {
  return { text: `${name}Text`, major: `${name}Major`, line: `${name}Line`, minor: `${name}Minor` };
}

function splitVersion(name: string, expression: string): Variables {
  const { text, major, line, minor } = partNames(name);
  const numbers = use("numbers");
  return {
    [text]: expression,
    [major]: `${numbers}.filter(n, ${use(text)}.startsWith(string(n) + "."))`,
    [line]: `size(${use(major)}) > 0 ? string(${use(major)}[0]) + "." : "none"`,
    [minor]: `${numbers}.filter(n, ${isVersion(use(text), `(${use(line)} + string(n))`)})`,
  };
}

/** Longer names are none of any module, and no expression may cost much. */
const longestName = 256;

/** True for what may be the display name of a bundled module, where the EC publishes none (S54). */
function mayBeShown(name: string, names: Names): string {
  const { display, own } = namePatterns(names);
  const matches = (wanted: RegExp): string => `${name}.matches(${anyCase(wanted)})`;
  return all(
    `!${use("publishesModules")}`,
    `size(${name}) <= ${longestName}`,
    matches(display),
    `!${matches(own)}`,
  );
}

/** The names in the lists, and what of these is neither bundled nor defined (C9, C10). */
function moduleVariables(subject: PolicySubject): Variables {
  const { lists } = listPlaces(subject);
  const { names } = subject.options;
  const { moduleName } = names.entryFields;
  const name = member("m", moduleName);
  const isOdd = `type(m) != map || !(${has("m", moduleName)}) || type(${name}) != string`;
  const namesIn = (list: string) => `${toList(list)}.filter(m, !(${isOdd})).map(m, ${name})`;
  const odd = (list: string) =>
    `${list} != null && (type(${list}) == list ? ${list}.exists(m, ${isOdd}) : true)`;
  const isNew = `(${use("versionChanges")} || !(m in ${use("oldModules")}))`;
  const found: Record<string, string> = {
    oldModules: lists.map(({ was }) => namesIn(was)).join(" + "),
    hadOddModules: any(...lists.map(({ was }) => odd(was))),
  };
  for (const { path, now } of lists) {
    found[nameVariable(path, "odd")] = odd(now);
    found[nameVariable(path, "missing")] =
      `${namesIn(now)}.filter(m, !(m in ${use("modules")}) && ${isNew} && !(${mayBeShown("m", names)}))`;
  }
  return found;
}
