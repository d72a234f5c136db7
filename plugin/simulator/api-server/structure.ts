/** How values merge: the structure of a kind read at one place after the other. */
import { getOwn, isObject, type Json, sameJson } from "../../domain/base/values";
import type { Structure } from "../../adapters/schema/schema";
import type { KindDefinition } from "../model";
import {
  below,
  type FieldSet,
  isEmpty,
  noFields,
  onlyHere,
  renderPath,
  makeFieldSet,
  union,
} from "./field-set";

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
export function findStructure({ structure, custom }: KindDefinition): Structure {
  const fields = { metadata, ...structure.fields };
  // a custom kind without a schema has no names of its own, not even for the spec
  return custom && structure.open === true
    ? { ...structure, fields, values: { open: true } }
    : { ...structure, fields };
}

/** The structure of a field; what is below an open one is open as well. */
export function fieldStructure(structure: Structure, key: string): Structure {
  const known = getOwn(structure.fields, key);
  if (known !== undefined) return known as Structure;
  const { values, open } = structure;
  return values ?? (open === true ? { open } : {});
}

/** True for a field that has its name from the schema, false for a key that someone chose. */
function isNamed({ fields, values, open }: Structure, key: string): boolean {
  if (getOwn(fields, key) !== undefined) return true;
  return values === undefined && (open !== true || fields !== undefined);
}

/** True when the items of a list are known one by one. */
export function isAssociative({ list }: Structure): boolean {
  return list === "map" || list === "set";
}

/** The path element of a list item, or what is wrong with the item. */
export function identifyElement(
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
    .map((key) => [key, getOwn(item, key) ?? getOwn(keyDefaults, key)] as const)
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
export function indexItems(
  structure: Structure,
  value: unknown,
): { readonly items: ReadonlyMap<string, unknown>; readonly twice: ReadonlySet<string> } {
  const items = new Map<string, unknown>();
  const twice = new Set<string>();
  for (const item of Array.isArray(value) ? (value as readonly unknown[]) : []) {
    const found = identifyElement(structure, item);
    if (!("element" in found)) continue;
    if (items.has(found.element)) twice.add(found.element);
    else items.set(found.element, item);
  }
  return { items, twice };
}

/** Every field that a value names; of a list that is one value, and of scalars, the place. */
export function collectFields(value: unknown, structure: Structure): FieldSet {
  if (isObject(value)) {
    if (structure.atomic === true) return onlyHere;
    return makeFieldSet(
      false,
      Object.entries(value).map(([key, inner]) => {
        const fields = collectFields(inner, fieldStructure(structure, key));
        const leaf = inner === null || (isObject(inner) && Object.keys(inner).length === 0);
        const member = fields.member || leaf || !isNamed(structure, key);
        return [`f:${key}`, { ...fields, member }] as const;
      }),
    );
  }
  if (!Array.isArray(value) || !isAssociative(structure)) return onlyHere;
  const { items, twice } = indexItems(structure, value);
  return makeFieldSet(
    false,
    [...items].map(([element, item]) => {
      if (twice.has(element)) return [element, onlyHere] as const;
      return [element, { ...collectFields(item, structure.items ?? {}), member: true }] as const;
    }),
  );
}

/** What a change did to each field. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const unchanged: Comparison = { added: noFields, modified: noFields, removed: noFields };

/** The fields in which `after` differs from `before`; undefined for a value that is not there. */
export function compare(before: unknown, after: unknown, structure: Structure): Comparison {
  const change = compareInside(before, after, structure);
  if (before === undefined) return { ...change, added: { ...change.added, member: true } };
  if (after === undefined) return { ...change, removed: { ...change.removed, member: true } };
  return change;
}

function compareInside(before: unknown, after: unknown, structure: Structure): Comparison {
  const descent = findDescent([before, after], structure);
  if (descent === undefined) {
    if (before === undefined || after === undefined || sameJson(before, after)) return unchanged;
    return { ...unchanged, modified: onlyHere };
  }
  const { children, inner } = descent;
  const [left = new Map<string, unknown>(), right = new Map<string, unknown>()] = children;
  const found = [...new Set([...left.keys(), ...right.keys()])].map((key) => {
    return [key, compare(left.get(key), right.get(key), inner(key))] as const;
  });
  const part = (name: keyof Comparison): FieldSet =>
    makeFieldSet(
      false,
      found.map(([key, change]) => [key, change[name]]),
    );
  return { added: part("added"), modified: part("modified"), removed: part("removed") };
}

interface Descent {
  readonly children: readonly ReadonlyMap<string, unknown>[];
  readonly inner: (element: string) => Structure;
}

/** How to look into values of one place; undefined when the place is one value. */
function findDescent(values: readonly unknown[], structure: Structure): Descent | undefined {
  const present = values.filter((value) => value !== undefined && value !== null);
  if (present.length === 0) return undefined;
  if (present.every(isObject)) {
    const empty = present.every((value) => Object.keys(value).length === 0);
    if (structure.atomic === true || empty) return undefined;
    return {
      children: values.map((value) => new Map(listEntries(value))),
      inner: (element) => fieldStructure(structure, element.slice(2)),
    };
  }
  const lists = present.every((value) => Array.isArray(value));
  if (!lists || !isAssociative(structure) || present.every(({ length }) => length === 0)) {
    return undefined;
  }
  return {
    children: values.map((value) => indexItems(structure, value).items),
    inner: () => structure.items ?? {},
  };
}

function listEntries(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(isObject(value) ? value : {}).map(([key, inner]) => [`f:${key}`, inner]);
}

/** A value without the fields of a set; what is left empty goes as well. */
export function removeFields(value: unknown, remove: FieldSet, structure: Structure): unknown {
  if (isObject(value)) {
    if (structure.atomic === true || isBare(value)) return undefined;
    const kept = Object.entries(value).flatMap(([key, inner]) => {
      const set = below(remove, `f:${key}`);
      if (set.member) return [];
      return [[key, prune(inner, set, fieldStructure(structure, key))] as const];
    });
    return kept.length > 0 ? Object.fromEntries(kept) : undefined;
  }
  if (!Array.isArray(value)) return value;
  return isAssociative(structure) ? listWithout(value, remove, structure) : undefined;
}

function listWithout(
  value: readonly unknown[],
  remove: FieldSet,
  structure: Structure,
): readonly unknown[] | undefined {
  const kept = value.flatMap((item) => {
    const found = identifyElement(structure, item);
    const set = "element" in found ? below(remove, found.element) : noFields;
    return set.member ? [] : [prune(item, set, structure.items ?? {})];
  });
  return kept.length > 0 ? kept : undefined;
}

function prune(value: unknown, set: FieldSet, structure: Structure): unknown {
  if (isEmpty(set)) return value;
  const left = removeFields(value, set, structure);
  return left === undefined ? null : left;
}

function isBare(value: object): boolean {
  return Object.keys(value).length === 0;
}

/** The set with every named field on the way to a member, which is otherwise left unsaid. */
export function withNamedFields(set: FieldSet, structure: Structure): FieldSet {
  return makeFieldSet(
    set.member,
    [...set.children].map(([key, child]) => {
      const name = key.startsWith("f:") ? key.slice(2) : undefined;
      const inner = name === undefined ? (structure.items ?? {}) : fieldStructure(structure, name);
      const named = name !== undefined && isNamed(structure, name) && child.children.size > 0;
      const deeper = withNamedFields(child, inner);
      return [key, named ? union(deeper, onlyHere) : deeper] as const;
    }),
  );
}

/** Types, undeclared fields, and items of a list that their keys do not report apart. */
export function findTypeProblems(
  value: unknown,
  structure: Structure,
  path: readonly string[] = [],
): readonly string[] {
  const own = typeProblems(value, structure, renderPath(path));
  if (own.length > 0) return own;
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, inner]) =>
      findTypeProblems(inner, fieldStructure(structure, key), [...path, `f:${key}`]),
    );
  }
  if (!Array.isArray(value)) return [];
  return isAssociative(structure)
    ? findKeyProblems(value, structure, path)
    : value.flatMap((item, index) =>
        findTypeProblems(item, structure.items ?? {}, [...path, `i:${index}`]),
      );
}

function findKeyProblems(
  value: readonly unknown[],
  structure: Structure,
  path: readonly string[],
): readonly string[] {
  const seen = new Set<string>();
  return value.flatMap((item, index) => {
    const found = identifyElement(structure, item);
    if ("problem" in found) return [`${renderPath(path)}: element ${index}: ${found.problem}`];
    const { element } = found;
    const again = seen.has(element);
    seen.add(element);
    return [
      ...(again ? [`${renderPath(path)}: duplicate entries for key ${renderPath([element])}`] : []),
      ...findTypeProblems(item, structure.items ?? {}, [...path, element]),
    ];
  });
}

/** The problems of one value itself, its fields and items aside; `path` as the API server shows it. */
export function typeProblems(
  value: unknown,
  structure: Structure,
  path: string,
): readonly string[] {
  const wanted = wantedFor[structure.type ?? ""];
  if (value === null || value === undefined || wanted === undefined) return [];
  if (hasType(value, wanted)) return isObject(value) ? listUndeclared(value, structure, path) : [];
  return [`${path}: expected ${wanted}, got ${renderAs(value, wanted)}`];
}

type TypeName = "string" | "boolean" | "numeric (int or float)" | "map" | "list";

/** The bytes behind a text, and how large or whole a number is, are left to the later checks. */
const wantedFor: Readonly<Record<string, TypeName>> = {
  string: "string",
  bytes: "string",
  boolean: "boolean",
  integer: "numeric (int or float)",
  number: "numeric (int or float)",
  object: "map",
  array: "list",
};

function hasType(value: unknown, wanted: TypeName): boolean {
  switch (wanted) {
    case "map":
      return isObject(value);
    case "list":
      return Array.isArray(value);
    case "numeric (int or float)":
      return typeof value === "number";
    case "string":
    case "boolean":
      return typeof value === wanted;
  }
}

/** Each type has its own way of showing what was found instead. */
function renderAs(value: unknown, wanted: TypeName): string {
  if (wanted === "string") return `&value.valueUnstructured{Value:${goSyntax(value)}}`;
  return wanted === "numeric (int or float)" ? typeName(value) : `&{${goText(value)}}`;
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "list";
  if (isObject(value)) return "map";
  return typeof value === "boolean" ? "bool" : "string";
}

function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isObject(value)) return value === null ? "interface {}(nil)" : JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}:${goSyntax(inner)}`,
  );
  return `map[string]interface {}{${entries.toSorted().join(", ")}}`;
}

function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (typeof value === "string") return value;
  if (!isObject(value)) return value === null ? "<nil>" : JSON.stringify(value);
  const entries = Object.entries(value).map(([key, inner]) => `${key}:${goText(inner)}`);
  return `map[${entries.toSorted().join(" ")}]`;
}

function listUndeclared(
  value: Readonly<Record<string, unknown>>,
  { fields, values, open }: Structure,
  path: string,
): readonly string[] {
  if (open === true || values !== undefined) return [];
  const [first] = Object.keys(value)
    .filter((key) => fields === undefined || !Object.hasOwn(fields, key))
    .toSorted();
  return first === undefined ? [] : [`${path}.${first}: field not declared in schema`];
}
