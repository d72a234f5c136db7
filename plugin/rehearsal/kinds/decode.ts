/** Reading an object as a built-in kind: the first value of a wrong type, in the decoder's words. */
import { isObject, asArray } from "../../domain/values";
import { goType, type Schema, schemaOfField, type ValueType } from "./schema";

/** Where a value stands: in which struct, under which path. */
interface Place {
  readonly struct: string;
  readonly path: string;
}

/** Why an object cannot be read as its kind, undefined when it can. */
export function decodingProblem(object: unknown, schema: Schema): string | undefined {
  return problem(object, schema, undefined);
}

function problem(value: unknown, schema: Schema, place: Place | undefined): string | undefined {
  if (value === undefined || value === null || schema.type === undefined) return undefined;
  if (!isOfType(value, schema)) return mismatch(value, schema, place);
  if (schema.type === "bytes" && typeof value === "string") return base64Problem(value);
  const { items } = schema;
  if (items !== undefined) return first(asArray(value), (item) => problem(item, items, place));
  if (!isObject(value)) return undefined;
  return first(Object.entries(value), ([key, inner]) => {
    const field = schemaOfField(schema, key);
    return field && problem(inner, field, placeOf(schema, key, place));
  });
}

function first<T>(
  values: readonly T[],
  judge: (value: T) => string | undefined,
): string | undefined {
  for (const value of values) {
    const found = judge(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The values of a map stand where the map stands. */
function placeOf(schema: Schema, key: string, place: Place | undefined): Place | undefined {
  if (schema.fields === undefined) return place;
  const path = place === undefined || place.path === "" ? key : `${place.path}.${key}`;
  return { struct: goType(schema).replace(/^.*\./, ""), path };
}

const checks: Readonly<Record<ValueType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  bytes: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  "integer,string": (value) => typeof value === "string" || Number.isInteger(value),
  object: isObject,
  array: (value) => Array.isArray(value),
};

function isOfType(value: unknown, { type, format }: Schema): boolean {
  if (type === undefined) return true;
  const small = format !== "int32" || Math.abs(Number(value)) < 2 ** 31;
  return checks[type](value) && small;
}

function mismatch(value: unknown, schema: Schema, place: Place | undefined): string {
  const target = place === undefined ? "value" : `struct field ${place.struct}.${place.path}`;
  return `json: cannot unmarshal ${wordOf(value, schema)} into Go ${target} of type ${goType(schema)}`;
}

function wordOf(value: unknown, { type }: Schema): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value !== "number") return typeof value;
  return type === "integer" ? `number ${value}` : "number";
}

/** Base64 as Go's decoder reads it: line breaks are skipped, padding is needed. */
function base64Problem(value: string): string | undefined {
  const text = value.replaceAll(/[\r\n]/g, "");
  const good = /^(?:[A-Za-z0-9+/]{4})*/.exec(text)?.[0].length ?? 0;
  const rest = text.slice(good);
  if (rest === "" || /^[A-Za-z0-9+/]{2}(==|[A-Za-z0-9+/]=)$/.test(rest)) return undefined;
  const wrong = /^[A-Za-z0-9+/]*/.exec(rest)?.[0].length ?? 0;
  const cutShort = wrong === rest.length;
  return `illegal base64 data at input byte ${good + (cutShort ? 0 : wrong)}`;
}
