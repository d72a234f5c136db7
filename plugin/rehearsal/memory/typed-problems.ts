/** What server-side apply finds wrong with an object before it is merged. */
import { isObject } from "../../domain/values";
import type { Structure } from "../model";
import { renderPath } from "./field-set";
import { elementOf, fieldStructure, isAssociative } from "./structure";

/** Types, undeclared fields, and items of a list that their keys do not report apart. */
export function typedProblems(
  value: unknown,
  structure: Structure,
  path: readonly string[] = [],
): readonly string[] {
  const own = typeProblems(value, structure, renderPath(path));
  if (own.length > 0) return own;
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, inner]) =>
      typedProblems(inner, fieldStructure(structure, key), [...path, `f:${key}`]),
    );
  }
  if (!Array.isArray(value)) return [];
  return isAssociative(structure)
    ? keyedProblems(value, structure, path)
    : value.flatMap((item, index) =>
        typedProblems(item, structure.items ?? {}, [...path, `i:${index}`]),
      );
}

function keyedProblems(
  value: readonly unknown[],
  structure: Structure,
  path: readonly string[],
): readonly string[] {
  const seen = new Set<string>();
  return value.flatMap((item, index) => {
    const found = elementOf(structure, item);
    if ("problem" in found) return [`${renderPath(path)}: element ${index}: ${found.problem}`];
    const { element } = found;
    const again = seen.has(element);
    seen.add(element);
    return [
      ...(again ? [`${renderPath(path)}: duplicate entries for key ${renderPath([element])}`] : []),
      ...typedProblems(item, structure.items ?? {}, [...path, element]),
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
  if (isOf(value, wanted)) return isObject(value) ? undeclared(value, structure, path) : [];
  return [`${path}: expected ${wanted}, got ${renderAs(value, wanted)}`];
}

type Wanted = "string" | "boolean" | "numeric (int or float)" | "map" | "list";

/** The bytes behind a text, and how large or whole a number is, are left to the later checks. */
const wantedFor: Readonly<Record<string, Wanted>> = {
  string: "string",
  bytes: "string",
  boolean: "boolean",
  integer: "numeric (int or float)",
  number: "numeric (int or float)",
  object: "map",
  array: "list",
};

function isOf(value: unknown, wanted: Wanted): boolean {
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
function renderAs(value: unknown, wanted: Wanted): string {
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

function undeclared(
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
