/** Where the two kinds of databases keep the same thing. */
import type { FieldPath } from "../base/values";
import type { Names } from "./names";

/** A field of a database's spec as an active-active one has it: below its global configurations. */
export function pathInGlobal(path: FieldPath, { fields }: Pick<Names, "fields">): FieldPath {
  return [...fields.globalConfigurations, ...path.slice(1)];
}

/** The same field in a database of this kind. */
export function pathInKind(
  kind: "edb" | "eaadb",
  path: FieldPath,
  names: Pick<Names, "fields">,
): FieldPath {
  return kind === "edb" ? path : pathInGlobal(path, names);
}
