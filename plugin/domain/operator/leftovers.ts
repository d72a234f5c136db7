/** Fields of the old release's file that the new one does not have: the upgrade takes them away. */
import { type KubeObject, lastApplied, type ManagedFields } from "../objects";
import { isObject, type Json, list, own, parseJson } from "../values";
import { covers } from "./differences";
import { fileEntries, lastFile } from "./managers";

/** Their paths, as the API server writes them. */
export function leftovers(live: KubeObject, wanted: KubeObject, ours: string): readonly string[] {
  const file = lastFile(live);
  const found = fileEntries(live, ours).flatMap((entry) =>
    outside(entry.fieldsV1 ?? {}, wanted).filter(isOfFile(entry, file)),
  );
  return [...new Set(found.map(({ path }) => path))].sort();
}

interface Left {
  readonly path: string;
  /** Path elements, `f:spec` and so on. */
  readonly elements: readonly string[];
}

/** An update's set also holds what the API server filled in: the file tells it apart. */
function isOfFile({ operation }: ManagedFields, file: Json | undefined): (left: Left) => boolean {
  return ({ elements }) => {
    if (operation === "Apply") return true;
    if (file !== undefined) return stands(file, elements);
    return /^[kv]:/.test(String(elements.at(-1)));
  };
}

/** The outermost fields of the set that the object does not have. */
function outside(set: Json, object: unknown, above: readonly string[] = []): readonly Left[] {
  return Object.entries(set).flatMap(([element, inner]) => {
    if (element === "." || isCopy(element, inner)) return [];
    const elements = [...above, element];
    const value = child(object, element);
    if (value === undefined) return [{ elements, path: elements.map(shown).join("") }];
    return isObject(inner) ? outside(inner, value, elements) : [];
  });
}

/** The copy of the file, or annotations that are nothing else: it always goes. */
function isCopy(element: string, inner: unknown): boolean {
  const copy = `f:${lastApplied}`;
  if (element !== "f:annotations" || !isObject(inner)) return element === copy;
  const others = Object.keys(inner).filter((key) => key !== "." && key !== copy);
  return others.length === 0;
}

function stands(object: unknown, elements: readonly string[]): boolean {
  return elements.reduce<unknown>(child, object) !== undefined;
}

/** What a path element leads to. */
function child(value: unknown, element: string): unknown {
  const rest = element.slice(2);
  if (element.startsWith("f:")) return own(value, rest);
  if (element.startsWith("i:")) return list(value)[Number(rest)];
  const wanted = parseJson(rest);
  if (element.startsWith("v:")) return list(value).find((item) => covers(item, wanted));
  return list(value).find((item) => isMeant(item, wanted));
}

/** A key that the file leaves out is one that the API server fills in. */
function isMeant(item: unknown, keys: unknown): boolean {
  const entries = Object.entries(isObject(keys) ? keys : {});
  const held = entries.filter(([key]) => own(item, key) !== undefined);
  return held.length > 0 && held.every(([key, value]) => own(item, key) === value);
}

function shown(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith("f:")) return `.${rest}`;
  if (element.startsWith("v:")) return `[=${rest}]`;
  if (element.startsWith("i:")) return `[${rest}]`;
  const keys = Object.entries(Object(parseJson(rest)) as Json);
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",")}]`;
}
