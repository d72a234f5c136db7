/** Judging a names file: what it replaces, and every problem that stands against it. */
import { mapNames, type Names, namesTree, type NamesTree } from "../names";
import { nearest } from "../suggest";
import { getPath, isObject, getOwn, renderValue } from "../values";
import { NameSpec } from "./types";

/** A key, dotted, and the value that it has. */
type Entry<V> = readonly [key: string, value: V];

/** Values that have to differ, and what would go wrong. */
interface Distinct {
  readonly among: (names: Names) => readonly Entry<string>[];
  readonly because: string;
}

/** Paths in one kind of object, none of which may lead to or through another. */
type Apart = (names: Names) => readonly Entry<readonly string[]>[];

const kinds = ["ec", "edb", "eaadb", "erc"] as const;

/** The entries of a group, or those that are named. */
function entries(
  group: string,
  values: Readonly<Record<string, string | readonly string[]>>,
  keys: readonly string[] = Object.keys(values),
): readonly Entry<string>[] {
  return Object.entries(values)
    .filter(([key]) => keys.includes(key))
    .flatMap(([key, value]) => [value].flat().map((one) => [`${group}.${key}`, one] as const));
}

const twoThings = "one field would mean two things";
const oneKind = "two kinds could not be told apart";
const ofModules = ["currentModule", "newModule", "newModuleArgs"];

const distinct: readonly Distinct[] = [
  {
    among: (names) => kinds.map((kind) => [`${kind}.kind`, names[kind].kind]),
    because: oneKind,
  },
  {
    among: (names) => kinds.flatMap((kind) => entries(kind, names[kind], ["plural", "short"])),
    because: oneKind,
  },
  {
    among: ({ webhook }) => entries("webhook", webhook, ["configuration", "oldConfiguration"]),
    because: "the old configuration, which is deleted, would be the new one",
  },
  {
    among: ({ webhook }) => entries("webhook", webhook, ["entry", "oldEntry"]),
    because: "a refusal by the old webhook would count as one by the new",
  },
  {
    among: ({ webhook }) => entries("webhook", webhook, ["secretCert", "secretKey"]),
    because: "the private key would be published as the certificate",
  },
  {
    among: ({ scc }) => entries("scc", scc),
    because: "the present constraint would be taken for the older one",
  },
  {
    among: ({ configMap }) => entries("configMap", configMap, ["namespaces", "namespacesLabel"]),
    because: "a list of namespaces would be read as a label",
  },
  {
    among: ({ secretItems }) => entries("secretItems", secretItems, ["username", "password"]),
    because: "the password would be read as the user name",
  },
  {
    among: ({ annotations }) => entries("annotations", annotations),
    because: "one annotation would mean two things",
  },
  {
    among: ({ operator }) => entries("operator", operator, ["container", "admissionContainer"]),
    because: "two containers of one pod cannot share a name",
  },
  {
    among: ({ majorChannel, latestChannel }) => [
      ["majorChannel", majorChannel],
      ["latestChannel", latestChannel],
    ],
    because: "two channels could not be told apart",
  },
  ...[
    ["moduleName", "moduleVersion"],
    ["bundledType", "bundledVersion", "bundledMajor"],
    ["userModuleName", "userModuleSource"],
    ["participatingName", "participatingNamespace"],
  ].map((keys) => ({
    among: ({ entryFields }: Names) => entries("entryFields", entryFields, keys),
    because: twoThings,
  })),
  {
    among: ({ upgradeRequest }) => entries("upgradeRequest", upgradeRequest, ofModules),
    because: twoThings,
  },
  {
    among: ({ upgradeRequest }) =>
      entries(
        "upgradeRequest",
        upgradeRequest,
        Object.keys(upgradeRequest).filter((key) => !ofModules.includes(key)),
      ),
    because: twoThings,
  },
  ...(["bdbFields", "restModuleFields", "actionFields", "clusterFields"] as const).map((group) => ({
    among: (names: Names) => entries(group, names[group]),
    because: twoThings,
  })),
  {
    among: ({ restErrors }) => entries("restErrors", restErrors),
    because: "one word would mean two things",
  },
];

const paths = (
  group: string,
  values: Readonly<Record<string, readonly string[]>>,
): readonly Entry<readonly string[]>[] =>
  Object.entries(values).map(([key, value]) => [`${group}.${key}`, value]);

const apart: readonly Apart[] = [
  ({ fields, ecFields }) => {
    const { engineUpgradePolicy, userDefinedModules, bundledDatabaseVersions, statusModules } =
      fields;
    return [
      ...paths("fields", { engineUpgradePolicy, userDefinedModules }),
      ...paths("fields", { bundledDatabaseVersions, statusModules }),
      ...paths("ecFields", ecFields),
    ];
  },
  ({ fields, edbFields }) => {
    const { engineVersion, clusterReference, evictionPolicy, statusVersion, moduleLists } = fields;
    const root = engineVersion.slice(0, 1);
    return [
      ...paths("fields", { engineVersion, clusterReference, evictionPolicy, statusVersion }),
      ...moduleLists.map((name, at) => [`fields.moduleLists[${at}]`, [...root, name]] as const),
      ...paths("edbFields", edbFields),
    ];
  },
  ({ fields: { globalConfigurations, clusterReference }, eaadbFields }) => [
    ...paths("fields", { globalConfigurations, clusterReference }),
    ...paths("eaadbFields", eaadbFields),
  ],
  ({ ercFields }) => paths("ercFields", ercFields),
];

/** Every clash within a full set of names. */
export function clashesOf(names: Names): readonly string[] {
  const found = [
    ...distinct.flatMap(({ among, because }) => equals(among(names), because)),
    ...apart.flatMap((among) => crossings(among(names))),
    ...placeholderClashes(names),
  ];
  return [...new Set(found)];
}

/** Each pair of a list once. */
function pairs<T>(items: readonly T[]): readonly (readonly [T, T])[] {
  return items.flatMap((one, index) =>
    items.slice(index + 1).map((other) => [one, other] as const),
  );
}

function equals(among: readonly Entry<string>[], because: string): readonly string[] {
  return pairs(among)
    .filter(([[, one], [, other]]) => one === other)
    .map(([[key, value], [other]]) => `${key} and ${other} are both "${value}": ${because}`);
}

function crossings(among: readonly Entry<readonly string[]>[]): readonly string[] {
  return pairs(among).flatMap(([[key, one], [other, another]]) => {
    const length = Math.min(one.length, another.length);
    const shared = one.slice(0, length).join(".");
    if (shared !== another.slice(0, length).join(".")) return [];
    return one.length === another.length
      ? [`${key} and ${other} are both ${shared}: one field would mean two things`]
      : [`${key} and ${other}: ${shared} would be a value and hold fields at once`];
  });
}

/** Filling in a placeholder must touch neither another one nor a name. */
function placeholderClashes(names: Names): readonly string[] {
  const all = (["namespace", "serviceAccount"] as const).flatMap((key) =>
    names.placeholders[key].map(
      (token, index) => [`placeholders.${key}[${index}]`, token] as const,
    ),
  );
  const between = pairs(all).flatMap(([[key, one], [other, another]]) =>
    one.includes(another) || another.includes(one)
      ? [`${key} and ${other}: "${one}" and "${another}" overlap, one would be filled in by half`]
      : [],
  );
  return [...between, ...all.flatMap((token) => tokensInNames(token, names))];
}

/** Names that stand in templates beside the placeholders. */
function tokensInNames([key, token]: Entry<string>, names: Names): readonly string[] {
  const flat: readonly Entry<string>[] = [
    ["group", names.group],
    ...kinds.flatMap((kind) => entries(kind, names[kind])),
    ...(["webhook", "operator", "rbac", "scc", "configMap"] as const).flatMap((group) =>
      entries(group, names[group]),
    ),
  ];
  return flat
    .filter(([, value]) => value.includes(token))
    .map(([other, value]) => `${key}: "${token}" is a part of ${other}, "${value}"`);
}

/** No key of the names begins so. */
const mark = /^twice~+/;

/** So many are looked for. */
const most = 10;

/** Parses a text again with each key marked that the parser found twice; what else it throws stays. */
export function parseMarked<T>(text: string, parse: (text: string) => T): T {
  let rest = text;
  for (let found = 1; ; found += 1) {
    try {
      return parse(rest);
    } catch (error) {
      const position = placeOf(error);
      if (position === undefined || found > most) throw error;
      const from = /["']/.test(rest.charAt(position)) ? position + 1 : position;
      rest = `${rest.slice(0, from)}twice${"~".repeat(found)}${rest.slice(from)}`;
    }
  }
}

/** The key as it was written, where it was marked. */
export function twiceKey(key: string): string | undefined {
  return mark.test(key) ? key.replace(mark, "") : undefined;
}

/** Where the second one begins, as js-yaml tells it. */
function placeOf(error: unknown): number | undefined {
  const position = getPath(error, ["mark", "position"]);
  const isTwice = getPath(error, ["reason"]) === "duplicated mapping key";
  return isTwice && typeof position === "number" ? position : undefined;
}

/** The names with what was replaced, or every problem at once. */
export type JudgedNames = { readonly names: Names } | { readonly problems: readonly string[] };

/**
 * Lays `overrides` over the defaults: any subset of the keys, lists as a whole. Nothing (an empty
 * file) changes nothing.
 */
export function judgeNames(overrides: unknown): JudgedNames {
  if (overrides !== undefined && overrides !== null && !isObject(overrides)) {
    return { problems: [`${brief(overrides)} is not a mapping of names`] };
  }
  const given = overrides ?? {};
  const found = problemsOf(namesTree, given, []);
  const problems = [
    ...found.slice(0, mostProblems).map((problem) => problem()),
    ...(found.length > mostProblems ? [`and ${found.length - mostProblems} more problems`] : []),
  ];
  const names = mapNames(namesTree, (named, path) => usable(named, valueAt(given, path))) as Names;
  const all = [...problems, ...clashesOf(names)];
  return all.length > 0 ? { problems: all } : { names };
}

/** A file with more of them is no names file: the first ones tell. */
const mostProblems = 10;

/** The given value where it can be used, else the specification's. */
function usable(named: NameSpec, value: unknown): unknown {
  if (value === undefined || problemsOfValue(named, value).length > 0) return named.value;
  return isTextOfList(named, value) ? [value] : value;
}

function valueAt(given: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => getOwn(inner, key), given);
}

/** Each is put into words only when it is shown. */
function problemsOf(
  tree: NamesTree,
  given: unknown,
  path: readonly string[],
): readonly (() => string)[] {
  if (given === null) return []; // a group whose keys are all commented out
  if (!isObject(given)) {
    return [() => `${path.join(".")}: ${brief(given)} is not a group of names (${some(tree)})`];
  }
  return Object.entries(given).flatMap(([key, value]) => {
    const here = [...path, cut(key)];
    const known = Object.hasOwn(tree, key) ? tree[key] : undefined;
    const twice = twiceKey(key);
    if (twice !== undefined) return [() => `${[...path, cut(twice)].join(".")}: is there twice`];
    if (known === undefined) {
      return [() => `${here.join(".")}: unknown key${hintFor(key, path, tree)}`];
    }
    if (!(known instanceof NameSpec)) return problemsOf(known, value, here);
    return problemsOfValue(known, value).map((problem) => () => `${here.join(".")}${problem}`);
  });
}

function some(tree: NamesTree): string {
  const keys = Object.keys(tree);
  return keys.length > 3 ? `${keys.slice(0, 3).join(", ")}, …` : keys.join(", ");
}

/** The nearest key of the same group, else the place in which a key of that very name stands. */
function hintFor(key: string, group: readonly string[], tree: NamesTree): string {
  const near = nearest(key, Object.keys(tree));
  const elsewhere = keysOf(namesTree).find((known) => known.split(".").at(-1) === key);
  const found = near === undefined ? elsewhere : [...group, near].join(".");
  return found === undefined ? "" : ` (did you mean ${found}?)`;
}

/** The paths of all names, dotted. */
export function keysOf(tree: NamesTree): readonly string[] {
  const keys: string[] = [];
  mapNames(tree, (_, path) => keys.push(path.join(".")));
  return keys;
}

/** What is wrong with one value, each beginning where the key ends. */
function problemsOfValue(named: NameSpec, value: unknown): readonly string[] {
  return Array.isArray(named.value) && !isTextOfList(named, value)
    ? problemsOfList(named, named.value as readonly string[], value)
    : problemsOfText(named, String(named.value), value).map((problem) => `: ${problem}`);
}

/** True for a single text, or what may be meant as one, where a list may be one text. */
function isTextOfList({ sort }: NameSpec, value: unknown): boolean {
  return sort.list?.orText === true && typeof value !== "object";
}

function problemsOfText({ sort }: NameSpec, original: string, value: unknown): readonly string[] {
  if (typeof value !== "string") return [`${brief(value)} is not a text${quotingAdvice(value)}`];
  return sort.fits(value, original) ? [] : [`${brief(value)} is not ${sort.form}`];
}

function problemsOfList(
  named: NameSpec,
  original: readonly string[],
  value: unknown,
): readonly string[] {
  if (!Array.isArray(value)) {
    const such = original.length === 0 ? "" : ` such as [${original.join(", ")}]`;
    return [`: ${brief(value)} is not a list${such}`];
  }
  const items = value as readonly unknown[];
  const wrong = items.flatMap((item, index) =>
    problemsOfText(named, "", item).map((problem) => `[${index}]: ${problem}`),
  );
  if (wrong.length > 0) return wrong;
  const { list } = named.sort;
  const texts = items.map(String);
  if (list !== undefined && !list.fits(texts, original)) {
    return [`: ${brief(value)} is not ${list.form}`];
  }
  const twice = texts.find((text, index) => texts.indexOf(text) !== index);
  return twice === undefined || list?.once !== true ? [] : [`: ${brief(twice)} is there twice`];
}

/** YAML turns an unquoted 7.2 into a number, and an unquoted yes into true. */
function quotingAdvice(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" ? ", quote it in YAML" : "";
}

/** A value as JSON, cut: a file given by mistake may hold anything. */
function brief(value: unknown): string {
  return cut(renderValue(value));
}

function cut(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
