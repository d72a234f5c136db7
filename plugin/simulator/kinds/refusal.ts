/** Refusals of the API server: field errors in its words, gathered into one answer. */
import { ApiError } from "../../domain/base/errors";
import type { Resource } from "../../ports/kubernetes";

/** One field's error, as a Status carries it. */
export interface FieldError {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** A rule's words for a value that breaks it. */
export type FieldRule = (value: string) => readonly string[];

const words = {
  FieldValueInvalid: "Invalid value",
  FieldValueTypeInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueTooMany: "Too many",
  FieldValueRequired: "Required value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
} as const;

type Reason = keyof typeof words;

/** An error that shows the value. */
function withValue(reason: Reason, field: string, [value, detail]: readonly [unknown, string]) {
  const shown = value === undefined ? "null" : JSON.stringify(value);
  const body = `${words[reason]}: ${shown}`;
  return { reason, field, message: detail === "" ? body : `${body}: ${detail}` };
}

function refuseField(reason: Reason, field: string, detail: string): FieldError {
  return { reason, field, message: detail === "" ? words[reason] : `${words[reason]}: ${detail}` };
}

/** A value that breaks a rule. */
export function invalid(field: string, value: unknown, detail: string): FieldError {
  return withValue("FieldValueInvalid", field, [value, detail]);
}

/** A value of another type than the schema's. */
export function wrongType(field: string, value: unknown, detail: string): FieldError {
  return withValue("FieldValueTypeInvalid", field, [value, detail]);
}

/** A value that is not among the known ones; they are shown in the given order. */
export function unsupported(
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldError {
  const quoted = supported.map((text) => JSON.stringify(text)).join(", ");
  return withValue("FieldValueNotSupported", field, [value, `supported values: ${quoted}`]);
}

/** The error of a value that is given but not among the known ones. */
export function choice(
  field: string,
  value: unknown,
  known: readonly string[],
): readonly FieldError[] {
  const isKnown = value === undefined || known.some((one) => one === value);
  return isKnown ? [] : [unsupported(field, value, known)];
}

/** A value that another item has already. */
export function duplicate(field: string, value: unknown): FieldError {
  return withValue("FieldValueDuplicate", field, [value, ""]);
}

/** More items than allowed. */
export function tooMany(field: string, actual: number, most: number): FieldError {
  const items = most === 1 ? "item" : "items";
  return withValue("FieldValueTooMany", field, [actual, `must have at most ${most} ${items}`]);
}

/** A value that has to be given. */
export function required(field: string, detail = ""): FieldError {
  return refuseField("FieldValueRequired", field, detail);
}

/** A value that may not be given, or not be changed. */
export function forbidden(field: string, detail: string): FieldError {
  return refuseField("FieldValueForbidden", field, detail);
}

/** A value of more than so many bytes; it is not shown. */
export function tooLong(field: string, most: number): FieldError {
  const bytes = most === 1 ? "byte" : "bytes";
  return refuseField("FieldValueTooLong", field, `may not be more than ${most} ${bytes}`);
}

/** The errors of one value under a rule. */
export function breaches(field: string, value: string, rule: FieldRule): readonly FieldError[] {
  return rule(value).map((detail) => invalid(field, value, detail));
}

/** 422 with every error at once; one that is found twice is a cause twice and a text once. */
export function invalidObject(
  subject: string,
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const all = texts.length === 1 ? texts.join() : `[${texts.join(", ")}]`;
  return new ApiError(`${subject} ${JSON.stringify(name)} is invalid: ${all}`, {
    status: 422,
    reason: "Invalid",
    causes: errors,
  });
}

/** An object that cannot be read as its kind. */
export function undecodable({ version, kind }: Resource, why: string): ApiError {
  return new ApiError(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`, {
    status: 400,
    reason: "BadRequest",
  });
}
