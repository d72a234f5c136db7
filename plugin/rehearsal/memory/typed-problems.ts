/** What server-side apply finds wrong with an object before it is merged. */
import { isObject } from "../../domain/values";
import { typeProblems } from "../kinds/typed";
import type { Structure } from "../model";
import { shownPath } from "./field-set";
import { elementOf, fieldStructure, isAssociative } from "./structure";

/** Types, undeclared fields, and items of a list that their keys do not tell apart. */
export function typedProblems(
  value: unknown,
  structure: Structure,
  path: readonly string[] = [],
): readonly string[] {
  const own = typeProblems(value, structure, shownPath(path));
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
    if ("problem" in found) return [`${shownPath(path)}: element ${index}: ${found.problem}`];
    const { element } = found;
    const again = seen.has(element);
    seen.add(element);
    return [
      ...(again ? [`${shownPath(path)}: duplicate entries for key ${shownPath([element])}`] : []),
      ...typedProblems(item, structure.items ?? {}, [...path, element]),
    ];
  });
}
