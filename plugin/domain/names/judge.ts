/** Judging a names file: what it replaces, and every problem that stands against it. */
import { mapNames, type Names, namesTree, type NamesTree } from "../names";
import { nearest } from "../suggest";
import { isObject, own, shown } from "../values";
import { clashesOf } from "./clashes";
import { Named } from "./sorts";
import { twiceKey } from "./twice";

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
function usable(named: Named, value: unknown): unknown {
  if (value === undefined || problemsOfValue(named, value).length > 0) return named.value;
  return isTextOfList(named, value) ? [value] : value;
}

function valueAt(given: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => own(inner, key), given);
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
    if (!(known instanceof Named)) return problemsOf(known, value, here);
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
function problemsOfValue(named: Named, value: unknown): readonly string[] {
  return Array.isArray(named.value) && !isTextOfList(named, value)
    ? problemsOfList(named, named.value as readonly string[], value)
    : problemsOfText(named, String(named.value), value).map((problem) => `: ${problem}`);
}

/** True for a single text, or what may be meant as one, where a list may be one text. */
function isTextOfList({ sort }: Named, value: unknown): boolean {
  return sort.list?.orText === true && typeof value !== "object";
}

function problemsOfText({ sort }: Named, original: string, value: unknown): readonly string[] {
  if (typeof value !== "string") return [`${brief(value)} is not a text${quotingAdvice(value)}`];
  return sort.fits(value, original) ? [] : [`${brief(value)} is not ${sort.form}`];
}

function problemsOfList(
  named: Named,
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
  return cut(shown(value));
}

function cut(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
