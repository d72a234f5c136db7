/** Objects of files held against the schema of their kind: code behind this relies on the types of the fields. */
import type { MisfitField } from "../../domain/facts/dump";
import { isObject, type Json } from "../../domain/base/values";
import type { KubeObject } from "../../domain/kube/objects";
import {
  builtInSchema,
  isOfType,
  objectMeta,
  type Schema,
  schemaOfField,
  type ValueType,
} from "./schema";

/** An object without the fields that have another type than its kind says, and these fields. */
interface Fitted {
  readonly object: KubeObject;
  readonly misfits: readonly MisfitField[];
}

/** Of a kind that is not built in the metadata alone is known. */
const metadataOnly: Schema = { type: "object", fields: { metadata: objectMeta } };

/** The object as code may rely on it; nothing is judged but types, and null is as good as nothing. */
export function fitObject(object: KubeObject): Fitted {
  const misfits: MisfitField[] = [];
  const schema = builtInSchema(object.apiVersion, object.kind) ?? metadataOnly;
  const given = dropNulls(object);
  return { object: fitFields(given, schema, { path: "", misfits }) as KubeObject, misfits };
}

/** In the metadata of a stored object nothing is null: its identity is filled in where it is absent. */
function dropNulls(object: KubeObject): KubeObject {
  const entries = Object.entries(object.metadata);
  const given = entries.filter(([, value]) => value !== null);
  return given.length === entries.length
    ? object
    : { ...object, metadata: Object.fromEntries(given) };
}

interface Walk {
  readonly path: string;
  readonly misfits: MisfitField[];
}

/** Undefined for a value of another type, which is noted. */
function fitValue(value: unknown, schema: Schema, walk: Walk): unknown {
  if (value === null || value === undefined) return value;
  const { known, typed } = chooseSchema(value, schema);
  // an API server takes the number of a quantity, and stores the text
  const left = known.go === "resource.Quantity" && typeof value === "number" ? `${value}` : value;
  if (!isOfType(left, typed)) {
    note(left, typed, walk);
    return undefined;
  }
  if (Array.isArray(left)) return fitItems(left, known, walk);
  return isObject(left) ? fitFields(left, known, walk) : left;
}

/** The schema of a value, and its type where the schema itself has none. */
function chooseSchema(
  value: unknown,
  schema: Schema,
): { readonly known: Schema; readonly typed: Schema } {
  if (schema.go === "resource.Quantity") return { known: schema, typed: { type: "string" } };
  if (schema.fields === undefined || schema.type !== undefined)
    return { known: schema, typed: schema };
  // in a definition's schemas, a list of schemas or true stands for a schema in some places
  if (Array.isArray(value)) return { known: { items: schema }, typed: {} };
  return { known: schema, typed: typeof value === "boolean" ? {} : { type: "object" } };
}

function fitItems(list: readonly unknown[], { items }: Schema, walk: Walk): readonly unknown[] {
  if (items?.type === undefined && items?.fields === undefined) return list;
  const fitted = list.flatMap((item, index) => {
    const inner = { ...walk, path: `${walk.path}[${index}]` };
    if (item === null) note(item, items, inner);
    const left = fitValue(item, items, inner);
    return left === undefined || left === null ? [] : [left];
  });
  const isSame = fitted.length === list.length && fitted.every((item, at) => item === list[at]);
  return isSame ? list : fitted;
}

function fitFields(value: Json, schema: Schema, { path, misfits }: Walk): Json {
  const entries = Object.entries(value);
  const fitted = entries.flatMap(([key, inner]): readonly (readonly [string, unknown])[] => {
    const field = schemaOfField(schema, key);
    if (field === undefined) return [[key, inner]];
    const at = path === "" ? key : `${path}.${key}`;
    const left = fitValue(inner, field, { path: at, misfits });
    return left === undefined ? [] : [[key, left]];
  });
  const isSame =
    fitted.length === entries.length && fitted.every(([key, inner]) => inner === value[key]);
  return isSame ? value : Object.fromEntries(fitted);
}

function note(value: unknown, { type, format }: Schema, { path, misfits }: Walk): void {
  const wanted = format === "int32" ? "an integer of 32 bits" : typeWords[type ?? "object"];
  misfits.push({ field: path, found: nameValue(value), wanted });
}

const typeWords: Readonly<Record<ValueType, string>> = {
  string: "a text",
  bytes: "a text",
  boolean: "true or false",
  integer: "an integer",
  number: "a number",
  "integer,string": "an integer or a text",
  object: "a map",
  array: "a list",
};

function nameValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return "a number";
  return typeof value === "string" ? "a text" : "a map";
}
