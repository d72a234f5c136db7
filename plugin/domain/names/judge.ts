/** Judging a names file: what it replaces, and every problem that stands against it. */
import { mapNames, type Names, namesTree, type NamesTree } from "./names";
import { getOwn, getPath, isObject, nearest, renderValue } from "../base/values";
import { NameSpec } from "./types";

/** A key, dotted, and the value that it has. */
type NameEntry<V> = readonly [key: string, value: V];

const twoThings = "one field would mean two things";
const oneKind = "two kinds could not be told apart";

/** Keys of names that have to differ, and what would go wrong. */
const distinct: readonly (readonly [keys: RegExp, because: string])[] = [
  [/^(ec|edb|eaadb|erc)\.kind$/, oneKind],
  [/^(ec|edb|eaadb|erc)\.(plural|short)$/, oneKind],
  [
    /^webhook\.(configuration|oldConfiguration)$/,
    "the old configuration, which is deleted, would be the new one",
  ],
  [/^webhook\.(entry|oldEntry)$/, "a refusal by the old webhook would count as one by the new"],
  [/^webhook\.(secretCert|secretKey)$/, "the private key would be published as the certificate"],
  [/^scc\./, "the present constraint would be taken for the older one"],
  [/^configMap\.(namespaces|namespacesLabel)$/, "a list of namespaces would be read as a label"],
  [/^secretItems\.(username|password)$/, "the password would be read as the user name"],
  [/^annotations\./, "one annotation would mean two things"],
  [/^operator\.(container|admissionContainer)$/, "two containers of one pod cannot share a name"],
  [/^(majorChannel|latestChannel)$/, "two channels could not be told apart"],
  [/^entryFields\.(moduleName|moduleVersion)$/, twoThings],
  [/^entryFields\.bundled/, twoThings],
  [/^entryFields\.(userModuleName|userModuleSource)$/, twoThings],
  [/^entryFields\.participating/, twoThings],
  [/^upgradeRequest\.(currentModule|newModule)/, twoThings],
  [/^upgradeRequest\.(?!currentModule|newModule)/, twoThings],
  [/^bdbFields\./, twoThings],
  [/^restModuleFields\./, twoThings],
  [/^actionFields\./, twoThings],
  [/^clusterFields\./, twoThings],
  [/^restErrors\./, "one word would mean two things"],
];

/** Keys of the paths in one kind of object, none of which may lead to or through another. */
const apart: readonly RegExp[] = [
  /^(fields\.(engineUpgradePolicy|userDefinedModules|bundledDatabaseVersions|statusModules)|ecFields\..*)$/,
  /^(fields\.(engineVersion|clusterReference|evictionPolicy|statusVersion|moduleLists)|edbFields\..*)$/,
  /^(fields\.(globalConfigurations|clusterReference)|eaadbFields\..*)$/,
  /^ercFields\./,
];

/** Names that stand in templates beside the placeholders. */
const inTemplates = /^(group$|(ec|edb|eaadb|erc|webhook|operator|rbac|scc|configMap)\.)/;

/** Every text of these keys. */
function listTexts(names: Names, keys: RegExp): readonly NameEntry<string>[] {
  return listLists(names, keys).flatMap(([key, texts]) =>
    texts.map((text) => [key, text] as const),
  );
}

function listLists(names: Names, keys: RegExp): readonly NameEntry<readonly string[]>[] {
  return listKeys(namesTree)
    .filter((key) => keys.test(key))
    .map((key) => [key, [getPath(names, key.split("."))].flat().map(String)]);
}

/** The paths of these keys; a list of modules is beside the version. */
function listPaths(names: Names, keys: RegExp): readonly NameEntry<readonly string[]>[] {
  const root = names.fields.engineVersion.slice(0, 1);
  return listLists(names, keys).flatMap(([key, path]): readonly NameEntry<readonly string[]>[] =>
    key === "fields.moduleLists"
      ? path.map((name, at) => [`${key}[${at}]`, [...root, name]])
      : [[key, path]],
  );
}

/** Every clash within a full set of names. */
function findClashes(names: Names): readonly string[] {
  const found = [
    ...distinct.flatMap(([keys, because]) => equals(listTexts(names, keys), because)),
    ...apart.flatMap((keys) => crossings(listPaths(names, keys))),
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

function equals(among: readonly NameEntry<string>[], because: string): readonly string[] {
  return pairs(among)
    .filter(([[, one], [, other]]) => one === other)
    .map(([[key, value], [other]]) => `${key} and ${other} are both "${value}": ${because}`);
}

function crossings(among: readonly NameEntry<readonly string[]>[]): readonly string[] {
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
  const all = listLists(names, /^placeholders\./).flatMap(([key, tokens]) =>
    tokens.map((token, index) => [`${key}[${index}]`, token] as const),
  );
  const between = pairs(all).flatMap(([[key, one], [other, another]]) =>
    one.includes(another) || another.includes(one)
      ? [`${key} and ${other}: "${one}" and "${another}" overlap, one would be filled in by half`]
      : [],
  );
  return [...between, ...all.flatMap((token) => tokensInNames(token, names))];
}

function tokensInNames([key, token]: NameEntry<string>, names: Names): readonly string[] {
  return listTexts(names, inTemplates)
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
      const position = readPosition(error);
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
function readPosition(error: unknown): number | undefined {
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
  const found = findProblems(namesTree, given, []);
  const problems = [
    ...found.slice(0, mostProblems).map((problem) => problem()),
    ...(found.length > mostProblems ? [`and ${found.length - mostProblems} more problems`] : []),
  ];
  const names = mapNames(namesTree, (named, path) => usable(named, valueAt(given, path))) as Names;
  const all = [...problems, ...findClashes(names)];
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
function findProblems(
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
    if (!(known instanceof NameSpec)) return findProblems(known, value, here);
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
  const elsewhere = listKeys(namesTree).find((known) => known.split(".").at(-1) === key);
  const found = near === undefined ? elsewhere : [...group, near].join(".");
  return found === undefined ? "" : ` (did you mean ${found}?)`;
}

/** The paths of all names, dotted. */
export function listKeys(tree: NamesTree): readonly string[] {
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
  if (typeof value !== "string") return [`${brief(value)} is not a text${adviseQuoting(value)}`];
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
function adviseQuoting(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" ? ", quote it in YAML" : "";
}

/** A value as JSON, cut: a file given by mistake may hold anything. */
function brief(value: unknown): string {
  return cut(renderValue(value));
}

function cut(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
