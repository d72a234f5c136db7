/** Checks a custom resource against its schema; expressions (CEL) are not evaluated. */
import { isObject, type Json, asArray, getOwn, sameJson } from "../../domain/base/values";
import {
  duplicate,
  type FieldError,
  invalid,
  required,
  tooLong,
  tooMany,
  unsupported,
  wrongType,
} from "./refusal";
import { type Schema, readSchema, schemaOfField } from "../../adapters/schema/schema";

/** A value and what was stored in its place: what did not change is not judged again. */
interface ValueChange {
  readonly value: unknown;
  readonly before?: unknown;
}

/** Everything wrong with a value. */
export function schemaErrors(
  { value, before }: ValueChange,
  schema: Schema,
  field: string,
): readonly FieldError[] {
  if (value === undefined) return [];
  if (before !== undefined && sameJson(value, before)) return [];
  const wrong = typeErrors(value, schema, field);
  const rest = [
    ...combinationErrors(value, schema, field),
    ...limitErrors(value, schema, field),
    ...itemErrors({ value, before }, schema, field),
    ...(isObject(value) ? fieldErrors({ value, before }, schema, field) : []),
  ];
  return [...wrong, ...rest];
}

function typeErrors(value: unknown, schema: Schema, field: string): readonly FieldError[] {
  const { type, nullable } = schema;
  if (type === undefined) return [];
  const found = nameType(value);
  if (found === "null" && nullable === true) return [];
  const fits = type === "integer,string" ? ["integer", "string"] : [type];
  if (fits.includes(found) || (type === "number" && found === "integer")) return [];
  const [wanted, shown] = formatWords(schema, found) ?? [type, found];
  return [wrongType(field, shown, `${field} in body must be of type ${wanted}: "${shown}"`)];
}

/** Where a text has a format, the API server names it, and the format of what it found. */
function formatWords({ limits }: Schema, found: string): readonly [string, string] | undefined {
  const format = getOwn(limits, "format");
  if (typeof format !== "string" || !isKnownFormat(format)) return undefined;
  if (found === "array" || found === "null") return undefined;
  const formats: Readonly<Record<string, string>> = { integer: "int64", number: "float64" };
  return [format, formats[found] ?? ""];
}

function nameType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value !== "number") return typeof value;
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? "integer" : "number";
}

function itemErrors(
  { value, before }: ValueChange,
  { items, list: kind, keys = [] }: Schema,
  field: string,
): readonly FieldError[] {
  if (items === undefined || !Array.isArray(value)) return [];
  const readKey = (item: unknown): unknown => keys.map((key) => getOwn(item, key));
  return value.flatMap((item: unknown, index) => {
    const key = readKey(item);
    const held =
      kind === "map" ? asArray(before).find((one) => sameJson(readKey(one), key)) : undefined;
    return schemaErrors({ value: item, before: held }, items, `${field}[${index}]`);
  });
}

function fieldErrors(
  { value, before }: { readonly value: Json; readonly before?: unknown },
  schema: Schema,
  field: string,
): readonly FieldError[] {
  const needed = [
    ...(schema.embedded === true ? ["apiVersion", "kind"] : []),
    ...asArray(schema.limits?.["required"]),
  ].map(String);
  const path = (key: string): string => (field === "" ? key : `${field}.${key}`);
  return [
    ...Object.entries(value).flatMap(([key, inner]) => {
      const known = schemaOfField(schema, key);
      const change = { value: inner, before: getOwn(before, key) };
      return known === undefined ? [] : schemaErrors(change, known, path(key));
    }),
    ...needed.filter((key) => !Object.hasOwn(value, key)).map((key) => required(path(key))),
  ];
}

/** `anyOf` and its like: the API server names no field for them, but the value's path. */
function combinationErrors(
  value: unknown,
  { limits }: Schema,
  field: string,
): readonly FieldError[] {
  const of = (key: string): readonly (readonly FieldError[])[] =>
    asArray(getOwn(limits, key)).map((raw) => schemaErrors({ value }, readSchema(raw), field));
  const refuseLimit = (why: string): FieldError => invalid("<nil>", "", `"${field}" must ${why}`);
  const not = getOwn(limits, "not");
  const [any, one, all] = [of("anyOf"), of("oneOf"), of("allOf")];
  const isExcluded = isObject(not) && schemaErrors({ value }, readSchema(not), field).length === 0;
  return [
    ...(any.length > 0 && !any.some(isGood)
      ? [refuseLimit("validate at least one schema (anyOf)"), ...(any[0] ?? [])]
      : []),
    ...oneOfErrors(one, refuseLimit),
    ...(all.every(isGood)
      ? []
      : [...all.flat(), refuseLimit(`validate all the schemas (allOf)${explainNone(all)}`)]),
    ...(isExcluded ? [refuseLimit("not validate the schema (not)")] : []),
  ];
}

function isGood(errors: readonly FieldError[]): boolean {
  return errors.length === 0;
}

function explainNone(all: readonly (readonly FieldError[])[]): string {
  return all.some(isGood) ? "" : ". None validated";
}

function oneOfErrors(
  one: readonly (readonly FieldError[])[],
  failed: (why: string) => FieldError,
): readonly FieldError[] {
  const good = one.filter(isGood).length;
  if (one.length === 0 || good === 1) return [];
  const why = "validate one and only one schema (oneOf). Found";
  if (good > 1) return [failed(`${why} ${good} valid alternatives`)];
  return [failed(`${why} none valid`), ...(one[0] ?? [])];
}

/** Everything wrong with a value that is not an object's field: text, number, list size, choice. */
function limitErrors(value: unknown, schema: Schema, field: string): readonly FieldError[] {
  const { limits } = schema;
  if (limits === undefined) return [];
  return [
    ...(typeof value === "string" ? stringErrors(value, limits, field) : []),
    ...(typeof value === "number" ? numberErrors(value, limits, field) : []),
    ...(Array.isArray(value) ? sizeErrors(value.length, { limits, field, what: "Items" }) : []),
    ...enumErrors(value, limits, field),
    ...(isObject(value)
      ? sizeErrors(Object.keys(value).length, { limits, field, what: "Properties" })
      : []),
  ];
}

function readNumber(limits: Json, key: string): number | undefined {
  const value = getOwn(limits, key);
  return typeof value === "number" ? value : undefined;
}

/** The first breach counts. */
function stringErrors(value: string, limits: Json, field: string): readonly FieldError[] {
  const length = Array.from(value).length;
  const most = readNumber(limits, "maxLength");
  if (most !== undefined && length > most) return [tooLong(field, most)];
  const least = readNumber(limits, "minLength");
  if (least !== undefined && length < least) {
    return [invalid(field, value, `${field} in body should be at least ${least} chars long`)];
  }
  const pattern = getOwn(limits, "pattern");
  if (typeof pattern === "string" && !matches(value, pattern)) {
    return [invalid(field, value, `${field} in body should match '${pattern}'`)];
  }
  return formatErrors(value, getOwn(limits, "format"), field);
}

/** A pattern that this language cannot read says nothing. */
function matches(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

const formats: Readonly<Record<string, RegExp>> = {
  "date-time": /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/,
  byte: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
};

/** True for the formats of texts that are looked at. */
function isKnownFormat(format: string): boolean {
  return Object.hasOwn(formats, format);
}

function formatErrors(value: string, format: unknown, field: string): readonly FieldError[] {
  const known = typeof format === "string" && isKnownFormat(format) ? formats[format] : undefined;
  if (known === undefined || known.test(value)) return [];
  const why = `${field} in body must be of type ${String(format)}: ${JSON.stringify(value)}`;
  return [wrongType(field, value, why)];
}

/** A limit of a number, by its name in the schema. */
interface Bound {
  readonly key: string;
  readonly words: string;
  readonly fits: (limit: number) => boolean;
}

function numberErrors(value: number, limits: Json, field: string): readonly FieldError[] {
  const wrong = (why: string): FieldError =>
    invalid(field, value, `${field} in body should be ${why}`);
  const bounds: readonly Bound[] = [
    { key: "multipleOf", words: "a multiple of", fits: (limit) => Number.isInteger(value / limit) },
    getOwn(limits, "exclusiveMinimum") === true
      ? { key: "minimum", words: "greater than", fits: (limit) => value > limit }
      : { key: "minimum", words: "greater than or equal to", fits: (limit) => value >= limit },
    getOwn(limits, "exclusiveMaximum") === true
      ? { key: "maximum", words: "less than", fits: (limit) => value < limit }
      : { key: "maximum", words: "less than or equal to", fits: (limit) => value <= limit },
  ];
  return bounds.flatMap(({ key, words, fits }) => {
    const limit = readNumber(limits, key);
    return limit === undefined || fits(limit) ? [] : [wrong(`${words} ${limit}`)];
  });
}

interface Size {
  readonly limits: Json;
  readonly field: string;
  readonly what: "Items" | "Properties";
}

function sizeErrors(size: number, { limits, field, what }: Size): readonly FieldError[] {
  const most = readNumber(limits, `max${what}`);
  if (most !== undefined && size > most) return [tooMany(field, size, most)];
  const least = readNumber(limits, `min${what}`);
  if (least === undefined || size >= least) return [];
  const why = `${field} in body should have at least ${least} ${what.toLowerCase()}`;
  return [invalid(field, size, why)];
}

function enumErrors(value: unknown, limits: Json, field: string): readonly FieldError[] {
  const known = asArray(getOwn(limits, "enum")).map((one) => JSON.stringify(one));
  if (known.length === 0 || known.includes(JSON.stringify(value))) return [];
  const shown = asArray(getOwn(limits, "enum")).map((one) =>
    typeof one === "string" ? one : JSON.stringify(one),
  );
  return [unsupported(field, value, shown)];
}

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
      ...findRepeated(items, schema, field),
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

function findRepeated(
  items: readonly unknown[],
  schema: Schema,
  field: string,
): readonly FieldError[] {
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
      const value = getOwn(item, key);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}
