/** The form in which values of a schema are stored: unknown fields dropped, empty ones left out, defaults filled in. */
import { storedQuantity } from "../../domain/operator/differences";
import { isObject, type Json } from "../../domain/values";
import { objectMeta, type Schema, schemaOfField } from "./schema";

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
