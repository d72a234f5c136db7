/** The words in which the schemas of built-in kinds are written down. */
import type { Schema } from "./schema";

export const string: Schema = { type: "string", go: "string", omitted: true };
export const bytes: Schema = { type: "bytes", go: "[]uint8", omitted: true };
export const boolean: Schema = { type: "boolean", go: "bool" };
export const int32: Schema = { type: "integer", go: "int32" };
export const int64: Schema = { type: "integer", go: "int64" };
/** `false` is as good as nothing. */
export const flag: Schema = { ...boolean, omitted: true };
/** 0 is as good as nothing. */
export const count: Schema = { ...int32, omitted: true };
/** A number or a name, such as a port. */
export const intOrString: Schema = { type: "integer,string", go: "intstr.IntOrString" };
/** An amount of something, which is stored in a form of its own. */
export const quantity: Schema = { go: "resource.Quantity", quantity: true };
/** Kept as it comes. */
export const anything: Schema = { open: true };

/** An object with known fields; `go` is its name in the API server's code. */
export function struct(go: string, fields: Readonly<Record<string, Schema>>): Schema {
  return { type: "object", go, fields };
}

/** A struct of which only the fields that matter are known. */
export function openStruct(go: string, fields: Readonly<Record<string, Schema>>): Schema {
  return { ...struct(go, fields), open: true };
}

/** A list that is one value. */
export function listOf(items: Schema): Schema {
  return { type: "array", go: `[]${goType(items)}`, items, list: "atomic", omitted: true };
}

/** A list of scalars, each there once. */
export function setOf(items: Schema): Schema {
  return { ...listOf(items), list: "set" };
}

/** A list of objects that are known by some of their fields. */
export function mapOf(keys: readonly string[], items: Schema): Schema {
  const { fields = {} } = items;
  const keyDefaults = Object.fromEntries(
    keys.flatMap((key) => {
      const value = fields[key]?.default;
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
  return { ...listOf(items), list: "map", keys, keyDefaults };
}

/** A map with free keys. */
export function valuesOf(values: Schema): Schema {
  return { type: "object", go: `map[string]${goType(values)}`, values, omitted: true };
}

/** The same, merged as one value. */
export function whole(schema: Schema): Schema {
  return { ...schema, atomic: true };
}

/** The same with a value that is filled in where none is given. */
export function preset(schema: Schema, value: unknown): Schema {
  return { ...schema, default: value };
}

/** The same, stored as it is given even when it is empty. */
export function kept(schema: Schema): Schema {
  return { ...schema, omitted: false };
}

/** The name of a schema's type in decoding errors. */
export function goType({ go = "", fields }: Schema): string {
  return fields === undefined ? go : `v1.${go}`;
}
