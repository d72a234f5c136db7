/** How values merge: the structure of a kind read at one place after the other. */
import { isObject, type Json, own } from "../../domain/values";
import type { KindDefinition, Structure } from "../model";

const free: Structure = { values: {} };

/** Metadata merges the same way in every kind. */
const metadata: Structure = {
  fields: {
    labels: free,
    annotations: free,
    finalizers: { list: "set" },
    ownerReferences: { list: "map", keys: ["uid"], items: { atomic: true } },
    managedFields: { list: "atomic" },
  },
};

/** The structure of a whole object of a kind. */
export function structureOf({ structure, custom }: KindDefinition): Structure {
  const fields = { metadata, ...structure.fields };
  // a custom kind without a schema has no names of its own, not even for the spec
  return custom && structure.open === true
    ? { ...structure, fields, values: { open: true } }
    : { ...structure, fields };
}

/** The structure of a field; what is below an open one is open as well. */
export function fieldStructure(structure: Structure, key: string): Structure {
  const known = own(structure.fields, key);
  if (known !== undefined) return known as Structure;
  const { values, open } = structure;
  return values ?? (open === true ? { open } : {});
}

/** True for a field that has its name from the schema, false for a key that somebody chose. */
export function isNamed({ fields, values, open }: Structure, key: string): boolean {
  if (own(fields, key) !== undefined) return true;
  return values === undefined && (open !== true || fields !== undefined);
}

/** True when the items of a list are known one by one. */
export function isAssociative({ list }: Structure): boolean {
  return list === "map" || list === "set";
}

/** The path element of a list item, or what is wrong with the item. */
export function elementOf(
  structure: Structure,
  item: unknown,
): { readonly element: string } | { readonly problem: string } {
  if (structure.list === "set") return setElement(item);
  if (item === null) return { problem: "associative list with keys may not have a null element" };
  if (!isObject(item)) {
    return { problem: "associative list with keys may not have non-map elements" };
  }
  return keyElement(structure, item);
}

function setElement(item: unknown): { readonly element: string } | { readonly problem: string } {
  if (item === null) {
    return { problem: "associative list without keys has an element that's an explicit null" };
  }
  if (typeof item === "object") {
    const what = Array.isArray(item)
      ? "not supported: associative list with lists as elements"
      : "associative list without keys has an element that's a map type";
    return { problem: what };
  }
  return { element: `v:${JSON.stringify(item)}` };
}

function keyElement(
  { keys = [], keyDefaults = {} }: Structure,
  item: Json,
): { readonly element: string } | { readonly problem: string } {
  const held = [...keys]
    .sort()
    .map((key) => [key, own(item, key) ?? own(keyDefaults, key)] as const)
    .filter(([, value]) => value !== undefined);
  if (held.length > 0) return { element: `k:${JSON.stringify(Object.fromEntries(held))}` };
  const names = keys.map((key) => JSON.stringify(key)).join(" ");
  return {
    problem:
      `associative list with keys has an element that omits all key fields [${names}] ` +
      "(and doesn't have default values for any key fields)",
  };
}

/** Items by their path elements, in order; of equal ones the first, which `twice` names. */
export function itemsOf(
  structure: Structure,
  value: unknown,
): { readonly items: ReadonlyMap<string, unknown>; readonly twice: ReadonlySet<string> } {
  const items = new Map<string, unknown>();
  const twice = new Set<string>();
  for (const item of Array.isArray(value) ? (value as readonly unknown[]) : []) {
    const found = elementOf(structure, item);
    if (!("element" in found)) continue;
    if (items.has(found.element)) twice.add(found.element);
    else items.set(found.element, item);
  }
  return { items, twice };
}
