/** The form in which the API server stores a built-in kind: nulls and empty values are left out. */
import { storedQuantity } from "../../domain/operator/differences";
import { isObject } from "../../domain/values";
import { type Schema, schemaOfField } from "./schema";

/** A value without nulls, in the form of its kind, and without the empty values that the schema leaves out. */
export function plain(value: unknown, schema: Schema | undefined): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item, schema?.items));
  if (!isObject(value)) return schema?.quantity === true ? (storedQuantity(value) ?? value) : value;
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
