/** What the rules of a policy speak of, each under a name that a reader of the policy understands. */
import { lowestVersion } from "../clusters";
import { fieldsOf } from "../rules/fields";
import { releasesOf } from "../rules/engine-version";
import type { Edit, RuleOptions } from "../rules/types";
import type { FieldPath } from "../values";
import { fullVersion } from "../versions";
import {
  all,
  any,
  has,
  literal,
  member,
  nameOf,
  pathVariables,
  pattern,
  use,
  type Variable,
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

function placeOf(path: FieldPath): Place {
  const [now, was] = [use(nameOf(path)), use(nameOf(path, "old"))];
  return { path, now, was, isNew: `${now} != null && ${now} != ${was}` };
}

/** The places of the engine version, of the module lists, and of what has to have a shape. */
export function placesOf({ kind, options: { names } }: PolicySubject) {
  const { engineVersions, moduleLists, shapes } = fieldsOf(kind, names);
  return {
    versions: engineVersions.map(placeOf),
    lists: moduleLists.map(placeOf),
    shapes: shapes.map((shape) => ({ ...shape, ...placeOf(shape.path) })),
  };
}

/** True for a full version that is of a release: "7.4" and "7.4.2" are of "7.4". */
export function isOf(version: string, release: string): string {
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
export const largestPart = 99;

/** Every variable that a rule may use, in an order in which each knows those that it uses. */
export function variablesOf(subject: PolicySubject): readonly Variable[] {
  const { kind, options } = subject;
  const { names } = options;
  const { clusterReference, moduleLists, engineVersions } = fieldsOf(kind, names);
  const paths = [...engineVersions, clusterReference, ...moduleLists];
  const text = (path: FieldPath, prefix = "") => {
    const value = use(nameOf(path, prefix));
    return `type(${value}) == string ? ${value} : ""`;
  };
  return [
    { name: "now", expression: "dyn(object)" },
    { name: "was", expression: "oldObject == null ? dyn({}) : dyn(oldObject)" },
    ...pathVariables(use("now"), paths),
    ...pathVariables(use("was"), [...paths, names.fields.statusVersion], "old"),
    { name: "reference", expression: text(clusterReference) },
    { name: "oldReference", expression: text(clusterReference, "old") },
    ...clusterVariables(options),
    ...versionVariables(subject),
    ...moduleVariables(subject),
  ];
}

/** What is read of the EC: its policy, its versions, the modules that it bundles or defines (C1–C4, C9). */
function clusterVariables({ names }: RuleOptions): readonly Variable[] {
  const { engineUpgradePolicy, statusModules, userDefinedModules, bundledDatabaseVersions } =
    names.fields;
  const { bundledType, bundledVersion, bundledMajor, userModuleName } = names.entryFields;
  const { statusModuleName, statusModuleDisplayName } = names.entryFields;
  const of = (path: FieldPath) => use(nameOf(path, "ec"));
  const [type, version, major] = [bundledType, bundledVersion, bundledMajor];
  const own = releasesOf({ is: "missing", lookedIn: [] }, names).valid.map((each) => each.text);
  const shippedAs = (key: string): string =>
    `${use("shipped")}.filter(m, ${has("m", key)} && ${isText(member("m", key))}).map(m, ${member("m", key)})`;
  const known = (key: string, list: string): string =>
    `${has("m", key)} && ${member("m", key)} in ${list}`;
  return [
    { name: "cluster", expression: "dyn(params)" },
    ...pathVariables(
      use("cluster"),
      [engineUpgradePolicy, bundledDatabaseVersions, userDefinedModules, statusModules],
      "ec",
    ),
    {
      name: "isItsCluster",
      expression: any(
        `${use("reference")} == ""`,
        `${use("reference")} == ${use("cluster")}.metadata.name`,
      ),
    },
    {
      name: "wasItsCluster",
      expression: all(
        `${use("oldReference")} != ${use("reference")}`,
        `${use("oldReference")} == ${use("cluster")}.metadata.name`,
      ),
    },
    {
      name: "bundledVersions",
      expression: `${listOf(of(bundledDatabaseVersions))}.filter(v, ${all(
        "type(v) == map",
        has("v", type),
        `${member("v", type)} == ${literal(names.engineDbType)}`,
        has("v", version),
        `type(${member("v", version)}) == string`,
        `${member("v", version)}.matches(${pattern(fullVersion)})`,
        `!${member("v", version)}.matches(${pattern(tooOld)})`,
      )})`,
    },
    {
      name: "published",
      expression: `${use("bundledVersions")}.map(v, ${member("v", version)})`,
    },
    {
      name: "releases",
      expression: `size(${use("published")}) > 0 ? ${use("published")} : ${literal(own)}`,
    },
    {
      name: "majorReleases",
      expression: `${use("bundledVersions")}.filter(v, ${has("v", major)} && ${member("v", major)} == true).map(v, ${member("v", version)})`,
    },
    {
      name: "definedModules",
      expression: `${listOf(of(userDefinedModules))}.filter(m, type(m) == map && ${has("m", userModuleName)} && ${isText(member("m", userModuleName))}).map(m, ${member("m", userModuleName)})`,
    },
    {
      name: "shipped",
      expression: `${listOf(of(statusModules))}.filter(m, type(m) == map && (${[
        known(statusModuleName, literal(names.bundledModules)),
        known(statusModuleName, use("definedModules")),
        known(statusModuleDisplayName, use("definedModules")),
      ].join(" || ")}))`,
    },
    {
      name: "modules",
      expression: [
        literal(names.bundledModules),
        use("definedModules"),
        shippedAs(statusModuleName),
        shippedAs(statusModuleDisplayName),
      ].join(" + "),
    },
  ];
}

function listOf(value: string): string {
  return `(type(${value}) == list ? ${value} : [])`;
}

function isText(value: string): string {
  return `type(${value}) == string && ${value} != ""`;
}

/** The numbers of the versions that a change is about; lists of one, or of none where it is no version. */
function versionVariables(subject: PolicySubject): readonly Variable[] {
  const { versions } = placesOf(subject);
  const status = use(nameOf(subject.options.names.fields.statusVersion, "old"));
  const numbers = Array.from({ length: largestPart + 1 }, (_, number) => number);
  return [
    { name: "numbers", expression: literal(numbers) },
    {
      name: "versionChanges",
      expression: any(...versions.map(({ now, was }) => `${now} != ${was}`)),
    },
    ...versions.flatMap(({ path, now, was }) => {
      const others = versions.map((other) => other.was).filter((other) => other !== was);
      const known = [was, ...others, status].join(", ");
      const current = nameOf(path, "current");
      return [
        {
          name: current,
          expression: `[${known}].filter(v, type(v) == string && v.matches(${pattern(fullVersion)}))`,
        },
        ...partsOf(nameOf(path, "target"), `type(${now}) == string ? ${now} : ""`),
        ...partsOf(current, `size(${use(current)}) > 0 ? ${use(current)}[0] : ""`),
      ];
    }),
  ];
}

/** The names of the variables that a version's text and its numbers have. */
export function partNames(name: string) {
  return { text: `${name}Text`, major: `${name}Major`, line: `${name}Line`, minor: `${name}Minor` };
}

function partsOf(name: string, expression: string): readonly Variable[] {
  const { text, major, line, minor } = partNames(name);
  return [
    { name: text, expression },
    {
      name: major,
      expression: `${use("numbers")}.filter(n, ${use(text)}.startsWith(string(n) + "."))`,
    },
    {
      name: line,
      expression: `size(${use(major)}) > 0 ? string(${use(major)}[0]) + "." : "none"`,
    },
    {
      name: minor,
      expression: `${use("numbers")}.filter(n, ${isOf(use(text), `(${use(line)} + string(n))`)})`,
    },
  ];
}

/** The names in the lists, and what of these is neither bundled nor defined (C9, C10). */
function moduleVariables(subject: PolicySubject): readonly Variable[] {
  const { lists } = placesOf(subject);
  const { moduleName } = subject.options.names.entryFields;
  const isOdd = `type(m) != map || !(${has("m", moduleName)}) || type(${member("m", moduleName)}) != string`;
  const namesIn = (list: string) =>
    `${listOf(list)}.filter(m, !(${isOdd})).map(m, ${member("m", moduleName)})`;
  const odd = (list: string) =>
    `${list} != null && (type(${list}) == list ? ${list}.exists(m, ${isOdd}) : true)`;
  const oldNames = lists.map(({ was }) => namesIn(was)).join(" + ");
  return [
    { name: "oldModules", expression: oldNames },
    { name: "hadOddModules", expression: any(...lists.map(({ was }) => odd(was))) },
    ...lists.flatMap(({ path, now }) => [
      { name: nameOf(path, "odd"), expression: odd(now) },
      {
        name: nameOf(path, "missing"),
        expression: `${namesIn(now)}.filter(m, !(m in ${use("modules")}) && (${use("versionChanges")} || !(m in ${use("oldModules")})))`,
      },
    ]),
  ];
}
