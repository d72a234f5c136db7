/** The form in which values of a schema are stored: unknown fields dropped, empty ones left out, defaults filled in. */
import { storedQuantity } from "../../domain/operator/differences";
import { asArray, isObject, type Json } from "../../domain/values";
import { goType, objectMeta, type Schema, schemaOfField, type ValueType } from "./schema";

/** What is left, and the paths of what is not. */
interface Pruned {
  readonly value: unknown;
  readonly unknown: readonly string[];
}

/** Prunes a value of any depth; a value of another type than the schema's is left to the checks. */
export function prune(value: unknown, schema: Schema | undefined): Pruned {
  const unknown: string[] = [];
  return { value: pruned(value, schema, { path: "", unknown }), unknown };
}

interface Walk {
  readonly path: string;
  readonly unknown: string[];
}

function pruned(value: unknown, schema: Schema | undefined, walk: Walk): unknown {
  if (Array.isArray(value)) {
    // In an open list, nothing is unknown but what a deeper schema says.
    const inner: Schema | undefined =
      schema?.open === true ? { ...schema.items, open: true } : schema?.items;
    return value.map((item, index) =>
      pruned(item, inner, { ...walk, path: `${walk.path}[${index}]` }),
    );
  }
  return isObject(value) ? prunedObject(value, schema, walk) : value;
}

function prunedObject(value: Json, schema: Schema | undefined, walk: Walk): Json {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const at = { ...walk, path: walk.path === "" ? key : `${walk.path}.${key}` };
      const field = fieldOf(schema, key);
      if (field !== undefined) return [[key, pruned(inner, field, at)] as const];
      if (schema?.open === true) return [[key, inner] as const];
      walk.unknown.push(at.path);
      return [];
    }),
  );
}

function fieldOf(schema: Schema | undefined, key: string): Schema | undefined {
  const isOwn = schema?.embedded === true && ["apiVersion", "kind", "metadata"].includes(key);
  if (!isOwn) return schemaOfField(schema, key);
  return key === "metadata" ? objectMeta : { open: true };
}

/** A value without nulls, in the form of its kind, and without the empty values that the schema leaves out. */
export function plain(value: unknown, schema: Schema | undefined): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item, schema?.items));
  if (!isObject(value)) {
    return schema?.go === "resource.Quantity" ? (storedQuantity(value) ?? value) : value;
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      if (inner === null || inner === undefined) return [];
      const field = schemaOfField(schema, key);
      const left = plain(inner, field);
      const isField = schema?.values === undefined;
      return isField && field?.omitted === true && isEmpty(left) ? [] : [[key, left] as const];
    }),
  );
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false;
}

/** A value with its defaults; where null is not allowed, it is as good as nothing. */
export function filled(value: unknown, schema: Schema | undefined): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, schema.items));
  return isObject(value) ? filledObject(value, schema) : value;
}

function filledObject(value: Json, schema: Schema): Json {
  const given = Object.entries(value).flatMap(([key, inner]) => {
    const field = schemaOfField(schema, key);
    const isNothing = inner === null && field !== undefined && field.nullable !== true;
    return isNothing ? [] : [[key, filled(inner, field)] as const];
  });
  const missing = Object.entries(schema.fields ?? {}).flatMap(([key, field]) => {
    const isMissing = !Object.hasOwn(value, key) || (value[key] === null && !field.nullable);
    return isMissing && field.default !== undefined
      ? [[key, filled(structuredClone(field.default), field)] as const]
      : [];
  });
  return Object.fromEntries([...given, ...missing]);
}

/** Where a value stands: in which struct, under which path. */
interface FieldContext {
  readonly struct: string;
  readonly path: string;
}

/** Why an object cannot be read as its kind, undefined when it can. */
export function decodingProblem(object: unknown, schema: Schema): string | undefined {
  return problem(object, schema, undefined);
}

function problem(
  value: unknown,
  schema: Schema,
  place: FieldContext | undefined,
): string | undefined {
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
function placeOf(
  schema: Schema,
  key: string,
  place: FieldContext | undefined,
): FieldContext | undefined {
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

function mismatch(value: unknown, schema: Schema, place: FieldContext | undefined): string {
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
