/** Lists whose items may stand but once: sets, and objects known by keys. */
import { isObject, own } from "../../domain/values";
import { duplicate, type FieldError } from "./refusal";
import { type Schema, schemaOfField } from "./schema";

/** The second of each pair of equal items, at any depth. */
export function duplicateErrors(
  value: unknown,
  schema: Schema,
  field: string,
): readonly FieldError[] {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const { items: inner } = schema;
    return [
      ...repeated(items, schema, field),
      ...(inner === undefined
        ? []
        : items.flatMap((item, index) => duplicateErrors(item, inner, `${field}[${index}]`))),
    ];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const known = schemaOfField(schema, key);
    if (known === undefined) return [];
    const isFree = schema.fields === undefined || !Object.hasOwn(schema.fields, key);
    const path = isFree ? `${field}[${key}]` : `${field === "" ? "" : `${field}.`}${key}`;
    return duplicateErrors(item, known, path);
  });
}

function repeated(items: readonly unknown[], schema: Schema, field: string): readonly FieldError[] {
  const { list, keys = [] } = schema;
  if (list !== "set" && list !== "map") return [];
  const shown = items.map((item) => (list === "set" ? item : keyOf(item, keys)));
  const times = new Map<string, number>();
  return shown.flatMap((item, index) => {
    const text = JSON.stringify(item);
    const seen = (times.get(text) ?? 0) + 1;
    times.set(text, seen);
    return seen === 2 ? [duplicate(`${field}[${index}]`, item)] : [];
  });
}

function keyOf(item: unknown, keys: readonly string[]): unknown {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = own(item, key);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}
