/** Fills in the defaults of a schema. */
import { isObject, type Json } from "../../domain/values";
import { type Schema, schemaOfField } from "./schema";

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
