/** Bodies as lines that a reviewer reads in a diff: a field a line, by its path. */
import { createHash } from "node:crypto";
import { isObject } from "../../plugin/domain/base/values";

/** Paths with what they hold. */
export type Fields = ReadonlyMap<string, string>;

/** `spec.versions[0].name` -> `v1`; lists of plain values are one field. */
export function fieldsOf(value: unknown, path = ""): Fields {
  const found = new Map<string, string>();
  const within = inner(value);
  if (within === undefined) return found.set(path, JSON.stringify(value));
  for (const [key, one] of within)
    for (const [at, text] of fieldsOf(one, joined(path, key))) found.set(at, text);
  return found;
}

function inner(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (Array.isArray(value)) {
    if (!value.some((one) => typeof one === "object")) return undefined;
    return value.map((one: unknown, index) => [`[${String(index)}]`, one] as const);
  }
  if (!isObject(value)) return undefined;
  const all = Object.entries(value).filter(([, one]) => one !== undefined);
  return all.length === 0 ? undefined : all.sort(([a], [b]) => (a < b ? -1 : 1));
}

function joined(path: string, key: string): string {
  if (path === "" || key.startsWith("[")) return path + key;
  return /^[\w-]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

/** The lines of all fields. */
export function toldFields(fields: Fields): readonly string[] {
  return [...fields].map(([path, text]) => `${path}: ${text}`);
}

/** The fields that are others than before, and those that are gone. */
export function toldChanges(before: Fields, now: Fields): readonly string[] {
  const changed = [...now].filter(([path, text]) => before.get(path) !== text);
  const gone = [...before.keys()].filter((path) => !now.has(path));
  return [...toldFields(new Map(changed)), ...gone.map((path) => `${path} is left out`)];
}

/** Of the same fields it is the same. */
export function digestOf(fields: Fields): string {
  return createHash("sha256").update(toldFields(fields).join("\n")).digest("hex").slice(0, 12);
}
