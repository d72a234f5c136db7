/** What a custom kind's schema asks of a value beside its type, in the API server's words. */
import { isObject, type Json, list, own } from "../../domain/values";
import { type FieldError, invalid, tooLong, tooMany, unsupported, wrongType } from "./refusal";
import type { Schema } from "./schema";

/** Everything wrong with a value that is no object's field: text, number, list size, choice. */
export function limitErrors(value: unknown, schema: Schema, field: string): readonly FieldError[] {
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

function numberOf(limits: Json, key: string): number | undefined {
  const value = own(limits, key);
  return typeof value === "number" ? value : undefined;
}

/** The first breach counts. */
function stringErrors(value: string, limits: Json, field: string): readonly FieldError[] {
  const length = Array.from(value).length;
  const most = numberOf(limits, "maxLength");
  if (most !== undefined && length > most) return [tooLong(field, most)];
  const least = numberOf(limits, "minLength");
  if (least !== undefined && length < least) {
    return [invalid(field, value, `${field} in body should be at least ${least} chars long`)];
  }
  const pattern = own(limits, "pattern");
  if (typeof pattern === "string" && !matches(value, pattern)) {
    return [invalid(field, value, `${field} in body should match '${pattern}'`)];
  }
  return formatErrors(value, own(limits, "format"), field);
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
export function isKnownFormat(format: string): boolean {
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
    own(limits, "exclusiveMinimum") === true
      ? { key: "minimum", words: "greater than", fits: (limit) => value > limit }
      : { key: "minimum", words: "greater than or equal to", fits: (limit) => value >= limit },
    own(limits, "exclusiveMaximum") === true
      ? { key: "maximum", words: "less than", fits: (limit) => value < limit }
      : { key: "maximum", words: "less than or equal to", fits: (limit) => value <= limit },
  ];
  return bounds.flatMap(({ key, words, fits }) => {
    const limit = numberOf(limits, key);
    return limit === undefined || fits(limit) ? [] : [wrong(`${words} ${limit}`)];
  });
}

interface Size {
  readonly limits: Json;
  readonly field: string;
  readonly what: "Items" | "Properties";
}

function sizeErrors(size: number, { limits, field, what }: Size): readonly FieldError[] {
  const most = numberOf(limits, `max${what}`);
  if (most !== undefined && size > most) return [tooMany(field, size, most)];
  const least = numberOf(limits, `min${what}`);
  if (least === undefined || size >= least) return [];
  const why = `${field} in body should have at least ${least} ${what.toLowerCase()}`;
  return [invalid(field, size, why)];
}

function enumErrors(value: unknown, limits: Json, field: string): readonly FieldError[] {
  const known = list(own(limits, "enum")).map((one) => JSON.stringify(one));
  if (known.length === 0 || known.includes(JSON.stringify(value))) return [];
  const shown = list(own(limits, "enum")).map((one) =>
    typeof one === "string" ? one : JSON.stringify(one),
  );
  return [unsupported(field, value, shown)];
}
