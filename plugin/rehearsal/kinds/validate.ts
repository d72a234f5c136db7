/** Checks a custom resource against its schema; expressions (CEL) are not evaluated. */
import { isObject, type Json, list, own, sameJson } from "../../domain/values";
import { schemaOf } from "./custom-schema";
import { isKnownFormat, limitErrors } from "./limits";
import { type FieldError, invalid, required, wrongType } from "./refusal";
import { type Schema, schemaOfField } from "./schema";

/** A value and what was stored in its place: what did not change is not judged again. */
export interface Change {
  readonly value: unknown;
  readonly before?: unknown;
}

/** Everything wrong with a value. */
export function schemaErrors(
  { value, before }: Change,
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
  const found = typeOf(value);
  if (found === "null" && nullable === true) return [];
  const fits = type === "integer,string" ? ["integer", "string"] : [type];
  if (fits.includes(found) || (type === "number" && found === "integer")) return [];
  const [wanted, shown] = formatWords(schema, found) ?? [type, found];
  return [wrongType(field, shown, `${field} in body must be of type ${wanted}: "${shown}"`)];
}

/** Where a text has a format, the API server names it, and the format of what it found. */
function formatWords({ limits }: Schema, found: string): readonly [string, string] | undefined {
  const format = own(limits, "format");
  if (typeof format !== "string" || !isKnownFormat(format)) return undefined;
  if (found === "array" || found === "null") return undefined;
  const formats: Readonly<Record<string, string>> = { integer: "int64", number: "float64" };
  return [format, formats[found] ?? ""];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value !== "number") return typeof value;
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? "integer" : "number";
}

function itemErrors(
  { value, before }: Change,
  { items, list: kind, keys = [] }: Schema,
  field: string,
): readonly FieldError[] {
  if (items === undefined || !Array.isArray(value)) return [];
  const keyOf = (item: unknown): unknown => keys.map((key) => own(item, key));
  return value.flatMap((item: unknown, index) => {
    const key = keyOf(item);
    const held = kind === "map" ? list(before).find((one) => sameJson(keyOf(one), key)) : undefined;
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
    ...list(schema.limits?.["required"]),
  ].map(String);
  const path = (key: string): string => (field === "" ? key : `${field}.${key}`);
  return [
    ...Object.entries(value).flatMap(([key, inner]) => {
      const known = schemaOfField(schema, key);
      const change = { value: inner, before: own(before, key) };
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
    list(own(limits, key)).map((raw) => schemaErrors({ value }, schemaOf(raw), field));
  const failed = (why: string): FieldError => invalid("<nil>", "", `"${field}" must ${why}`);
  const not = own(limits, "not");
  const [any, one, all] = [of("anyOf"), of("oneOf"), of("allOf")];
  const isExcluded = isObject(not) && schemaErrors({ value }, schemaOf(not), field).length === 0;
  return [
    ...(any.length > 0 && !any.some(isGood)
      ? [failed("validate at least one schema (anyOf)"), ...(any[0] ?? [])]
      : []),
    ...oneOfErrors(one, failed),
    ...(all.every(isGood)
      ? []
      : [...all.flat(), failed(`validate all the schemas (allOf)${noneOf(all)}`)]),
    ...(isExcluded ? [failed("not validate the schema (not)")] : []),
  ];
}

function isGood(errors: readonly FieldError[]): boolean {
  return errors.length === 0;
}

function noneOf(all: readonly (readonly FieldError[])[]): string {
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
