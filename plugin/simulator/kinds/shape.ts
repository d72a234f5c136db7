/** The form in which values of a schema are stored: unknown fields dropped, empty ones left out, defaults filled in. */
import { renderStoredQuantity } from "../../domain/kube/quantities";
import { asArray, isObject, type Json } from "../../domain/base/values";
import {
  goType,
  isOfType,
  objectMeta,
  type Schema,
  schemaOfField,
} from "../../adapters/schema/schema";

/** A value as it is stored, and the paths of what is not. */
interface Shaped {
  readonly value: unknown;
  readonly unknown: readonly string[];
}

/**
 * A built-in kind is decoded into a struct: nulls and empty values are lost, and quantities are
 * written in one way. A custom resource is stored as it was sent.
 */
type Form = "built-in" | "custom";

interface Walk {
  readonly form: Form;
  readonly path: string;
  readonly unknown: string[];
  /** An empty value here is left out. */
  readonly omitted?: boolean;
}

/**
 * Values that have the stored form of a schema already. Objects are never changed in place, and a
 * write shares what it does not touch with the object before it: that is not looked at again.
 */
const shapedAs: Readonly<Record<Form, WeakMap<object, Schema>>> = {
  "built-in": new WeakMap(),
  custom: new WeakMap(),
};

/** The stored form of a value; what has another type than the schema says is left to the checks. */
export function shape(value: unknown, schema: Schema, form: Form): Shaped {
  const unknown: string[] = [];
  return { value: shapeValue(value, schema, { form, path: "", unknown }), unknown };
}

function isShaped(value: unknown, schema: Schema | undefined, form: Form): boolean {
  const isWhole = typeof value === "object" && value !== null && schema !== undefined;
  return isWhole && shapedAs[form].get(value) === schema;
}

/** Undefined for an empty value that is left out. */
function shapeValue(value: unknown, schema: Schema | undefined, walk: Walk): unknown {
  if (typeof value !== "object" || value === null) return shapeScalar(value, schema, walk);
  if (walk.omitted === true && Object.keys(value).length === 0) return undefined;
  if (isShaped(value, schema, walk.form)) return value;
  const result = Array.isArray(value)
    ? shapeList(value, schema, walk)
    : shapeObject(value as Json, schema, walk);
  if (schema !== undefined && result !== undefined) shapedAs[walk.form].set(result, schema);
  return result;
}

function shapeScalar(value: unknown, schema: Schema | undefined, walk: Walk): unknown {
  const isQuantity = walk.form === "built-in" && schema?.go === "resource.Quantity";
  const left = isQuantity ? (renderStoredQuantity(value) ?? value) : value;
  return walk.omitted === true && (left === "" || left === 0 || left === false) ? undefined : left;
}

function shapeList(list: readonly unknown[], schema: Schema | undefined, walk: Walk): object {
  // In an open list, nothing is unknown but what a deeper schema says.
  const items = schema?.open === true ? { ...schema.items, open: true as const } : schema?.items;
  const result = list.map((item, index) =>
    shapeValue(item, items, { ...walk, omitted: false, path: `${walk.path}[${index}]` }),
  );
  return result.every((item, index) => item === list[index]) ? list : result;
}

function shapeObject(
  value: Json,
  schema: Schema | undefined,
  { omitted, ...walk }: Walk,
): object | undefined {
  const given = Object.entries(value).flatMap((entry) => shapeField(entry, schema, walk));
  if (omitted === true && given.length === 0) return undefined;
  const names = new Set(given.map(([key]) => key));
  const missing = listDefaults(schema, walk.form).filter(([key]) => !names.has(key));
  const isSame =
    missing.length === 0 &&
    given.length === Object.keys(value).length &&
    given.every(([key, inner]) => inner === value[key]);
  if (isSame) return value;
  return Object.fromEntries([
    ...given,
    ...missing.map(([key, inner]) => [key, structuredClone(inner)] as const),
  ]);
}

const anything: Schema = { open: true };

/** The field as it is stored; none where it is not. */
function shapeField(
  [key, inner]: readonly [string, unknown],
  schema: Schema = {},
  { form, path, unknown }: Walk,
): readonly (readonly [string, unknown])[] {
  const at = path === "" ? key : `${path}.${key}`;
  const field = findField(schema, key) ?? schema.open;
  if (field === undefined) {
    unknown.push(at);
    return [];
  }
  const known = field === true ? anything : field;
  if (inner === null && isLost(known, form)) return [];
  const omitted = isOmitted(known, form) && schema.values === undefined;
  const left = shapeValue(inner, known, { form, path: at, unknown, omitted });
  return left === undefined ? [] : [[key, left]];
}

function isOmitted({ omitted }: Schema, form: Form): boolean {
  return form === "built-in" && omitted === true;
}

/** Whether null is as good as nothing. */
function isLost(field: Schema, form: Form): boolean {
  return form === "built-in" || (field !== anything && field.nullable !== true);
}

function findField(schema: Schema | undefined, key: string): Schema | undefined {
  const isOwn = schema?.embedded === true && ["apiVersion", "kind", "metadata"].includes(key);
  if (!isOwn) return schemaOfField(schema, key);
  return key === "metadata" ? objectMeta : anything;
}

type Defaults = readonly (readonly [string, unknown])[];
const filledIn = new WeakMap<Schema, Defaults>();

/** What is filled in where it is missing, with the defaults inside of it. */
function listDefaults(schema: Schema | undefined, form: Form): Defaults {
  if (schema?.fields === undefined) return [];
  const made =
    filledIn.get(schema) ??
    Object.entries(schema.fields).flatMap(([key, field]) =>
      field.default === undefined ? [] : [[key, shape(field.default, field, form).value] as const],
    );
  filledIn.set(schema, made);
  return made;
}

/** Where a value stands: in which struct, under which path. */
interface FieldContext {
  readonly struct: string;
  readonly path: string;
}

/** Why an object cannot be read as its kind, undefined when it can. */
export function findDecodingProblem(object: unknown, schema: Schema): string | undefined {
  return problem(object, schema, undefined);
}

function problem(
  value: unknown,
  schema: Schema,
  place: FieldContext | undefined,
): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (isShaped(value, schema, "built-in") || schema.type === undefined) return undefined;
  if (!isOfType(value, schema)) return mismatch(value, schema, place);
  if (schema.type === "bytes" && typeof value === "string") return base64Problem(value);
  const { items } = schema;
  if (items !== undefined) return first(asArray(value), (item) => problem(item, items, place));
  if (!isObject(value)) return undefined;
  return first(Object.entries(value), ([key, inner]) => {
    const field = schemaOfField(schema, key);
    return field && problem(inner, field, enterField(schema, key, place));
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
function enterField(
  schema: Schema,
  key: string,
  place: FieldContext | undefined,
): FieldContext | undefined {
  if (schema.fields === undefined) return place;
  const path = place === undefined || place.path === "" ? key : `${place.path}.${key}`;
  return { struct: goType(schema).replace(/^.*\./, ""), path };
}

function mismatch(value: unknown, schema: Schema, place: FieldContext | undefined): string {
  const target = place === undefined ? "value" : `struct field ${place.struct}.${place.path}`;
  return `json: cannot unmarshal ${nameType(value, schema)} into Go ${target} of type ${goType(schema)}`;
}

function nameType(value: unknown, { type }: Schema): string {
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
