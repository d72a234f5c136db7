/** Reading untrusted values: own properties only, never a throw. */

/** Levels; no manifest is nested deeper, and other code may then walk an object by recursion. */
const deepest = 250;
/** Nodes that aliases may add to what is written out. */
const aliased = 1_000_000;

/** Why a value read from a text of so many characters is not used; undefined where nothing is against it. */
export function shapeProblem(value: unknown, length: number): string | undefined {
  let left = length + aliased;
  const visit = (node: unknown, depth: number): string | undefined => {
    if ((left -= 1) < 0)
      return "its aliases (&, *) expand to an absurd size: write it without them";
    if (typeof node !== "object" || node === null) return undefined;
    if (depth > deepest) return `it is nested deeper than ${deepest} levels, or contains itself`;
    for (const inner of Array.isArray(node) ? asArray(node) : Object.values(node)) {
      const problem = visit(inner, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return visit(value, 1);
}

/** A JSON object of unknown content. */
export type Json = { readonly [key: string]: unknown };

/** True for a plain object that is neither null nor an array. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The own property `key` of a value, undefined for anything else (`__proto__` is only data). */
export function getOwn(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Names of fields, from the root. */
export type FieldPath = readonly string[];

/** The value at a path of own properties, undefined where a part is missing. */
export function getPath(value: unknown, path: FieldPath): unknown {
  let inner = value;
  for (const key of path) inner = getOwn(inner, key);
  return inner;
}

/** The object with another value at a path; undefined removes the field. */
export function withValue(object: Json, path: readonly string[], value: unknown): Json {
  const key = String(path[0]);
  const rest = path.slice(1);
  const held = getOwn(object, key);
  const inner = rest.length === 0 ? value : withValue(isObject(held) ? held : {}, rest, value);
  if (inner !== undefined) return { ...object, [key]: inner };
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** What a text of JSON says, undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value when it is a string that is not empty, else undefined. */
export function asString(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value when it is an array, else an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The number at a path; `absent` where there is none. */
export function numberAt(value: unknown, path: readonly string[], absent: number): number {
  const found = getPath(value, path);
  return typeof found === "number" ? found : absent;
}

/** A value as JSON for a message, "absent" when it is not there. */
export function renderValue(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}

/** The part of a long text where it begins to differ from the other, at most so many characters. */
export function cutWhere(text: string, other: string, longest: number): string {
  if (text.length <= longest) return text;
  let same = 0;
  while (same < text.length && text[same] === other[same]) same += 1;
  // some of what is the same shows where it is
  const from = Math.max(0, Math.min(same - Math.floor(longest / 4), text.length - longest));
  const end = from + longest;
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`;
}

/** The first of a list for a sentence. */
export function few(items: readonly string[]): string {
  const more = items.length > 3 ? ` and ${items.length - 3} more` : "";
  return `${items.slice(0, 3).join(", ")}${more}`;
}

type ValuePair = readonly [unknown, unknown];

/**
 * True when two JSON values are the same, whatever the order of their keys; without recursion, so that
 * no depth can exhaust the stack of the webhook (C12).
 */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  const pairs: ValuePair[] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    if (pair[0] === pair[1]) continue;
    const inside = pairsInside(pair);
    if (inside === undefined) return false;
    for (const inner of inside) pairs.push(inner);
  }
  return true;
}

/** The pairs that have to be the same, undefined when the two cannot be. */
function pairsInside([left, right]: ValuePair): readonly ValuePair[] | undefined {
  if (Array.isArray(left) && Array.isArray(right)) {
    const others = asArray(right);
    return left.length === others.length
      ? asArray(left).map((item, index) => [item, others[index]])
      : undefined;
  }
  if (!isObject(left) || !isObject(right)) return undefined;
  const keys = Object.keys(left);
  const sameKeys =
    keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key));
  return sameKeys ? keys.map((key) => [left[key], right[key]]) : undefined;
}

/** A copy without these fields, each of which the type lets be absent. */
export function omit<T extends object>(value: T, ...names: readonly (string & keyof T)[]): T {
  const gone: readonly string[] = names;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !gone.includes(name))) as T;
}

/** The fields of these names that have a value. */
export function pick<T extends object, Name extends keyof T>(
  value: T,
  ...names: readonly Name[]
): Pick<T, Name> {
  const there = names.filter((name) => value[name] !== undefined);
  return Object.fromEntries(there.map((name) => [name, value[name]])) as Pick<T, Name>;
}

/** Characters; nobody mistypes a longer name, and the comparison takes their square. */
const longest = 64;

/** The candidate with the fewest edits, undefined when even that one is too far away. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length * 0.4));
  if (word.length > longest) return undefined;
  const ranked = candidates
    .filter((candidate) => Math.abs(candidate.length - word.length) <= limit)
    .map((candidate) => ({ candidate, edits: editsBetween(word, candidate) }))
    .filter(({ edits }) => edits <= limit)
    .sort((one, other) => one.edits - other.edits);
  return ranked[0]?.candidate;
}

/** The source of a regular expression that matches the text as it is; RE2 reads it alike. */
export function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** ` (did you mean …?)`, or nothing. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const found = nearest(word, candidates);
  return found === undefined ? "" : ` (did you mean ${found}?)`;
}

/** Insertions, deletions, replacements and swaps of neighbors that lead from one to the other. */
export function editsBetween(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const cell = (row: number, column: number): number =>
    Math.min(...rows.slice(row, row + 1).flatMap((cells) => cells.slice(column, column + 1)));
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = cell(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const best = Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, replaced);
      row[j] = swapped ? Math.min(best, cell(i - 2, j - 2) + 1) : best;
    }
  }
  return cell(from.length, to.length);
}

/** Names for a person, at most so many of them. */
export function boundList(all: readonly string[], most = 5): string {
  const shown = all.slice(0, most).join(", ");
  return all.length > most ? `${shown} and ${all.length - most} more` : shown;
}

/** "1 object", "2 objects": of a noun whose plural is regular. */
export function countNoun(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The same function, which works out its answer once for each thing that it is asked about. */
export function oncePer<K extends object, V>(make: (about: K) => V): (about: K) => V {
  const made = new WeakMap<K, { readonly value: V }>();
  return (about) => {
    const known = made.get(about);
    if (known !== undefined) return known.value;
    const value = make(about);
    made.set(about, { value });
    return value;
  };
}

/** Items by a key that several may share, in their order. */
export function groupBy<T, K>(
  items: readonly T[],
  keyOf: (item: T) => K,
): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
