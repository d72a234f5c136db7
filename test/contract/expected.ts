/** What cases expect to see, in short. */
import { inOrder, type Refusal } from "./plain";

interface Cause {
  readonly reason?: string;
  readonly field?: string;
  readonly message: string;
}

/** A refusal, its causes in the order in which `refusalOf` tells them. */
export function refusal(
  [status, reason]: readonly [number, string],
  message: string,
  causes: readonly Cause[] = [],
): Refusal {
  return { status, reason, message, ...(causes.length > 0 && { causes: inOrder(causes) }) };
}

export const badRequest = (message: string): Refusal => refusal([400, "BadRequest"], message);
export const forbidden = (message: string): Refusal => refusal([403, "Forbidden"], message);
export const notFound = (message: string): Refusal => refusal([404, "NotFound"], message);
export const conflict = (message: string): Refusal => refusal([409, "Conflict"], message);
/** An error that is no Status of the API's own. */
export const failed = (message: string): Refusal => refusal([500, ""], message);

const reasons: readonly (readonly [RegExp, string])[] = [
  [/ must be of type /, "FieldValueTypeInvalid"],
  [/^Required value/, "FieldValueRequired"],
  [/^Unsupported value/, "FieldValueNotSupported"],
  [/^Duplicate value/, "FieldValueDuplicate"],
  [/^Too long/, "FieldValueTooLong"],
  [/^Too many/, "FieldValueTooMany"],
  [/^Forbidden/, "FieldValueForbidden"],
  [/^Invalid value/, "FieldValueInvalid"],
];

/** The cause that a Status has for `field: message`. */
export function causeOf(told: string): Required<Cause> {
  const [, field = "", message = ""] = /^(.*?): (.*)$/s.exec(told) ?? [];
  const reason = reasons.find(([pattern]) => pattern.test(message))?.[1] ?? "";
  return { reason, field, message };
}

/** 422: what is invalid, and each `field: message`, in the order of the message. */
export function invalid(subject: string, ...told: readonly string[]): Refusal {
  const all = told.length === 1 ? told.join() : `[${told.join(", ")}]`;
  return refusal([422, "Invalid"], `${subject} is invalid: ${all}`, told.map(causeOf));
}

/** 409 of an apply: the fields by manager, as the message names them. */
export function ownedBy(owners: Readonly<Record<string, readonly string[]>>): Refusal {
  const entries = Object.entries(owners).map(([who, fields]) => {
    const [, manager = "", using = ""] = /^(\S+)( using .*)?$/.exec(who) ?? [];
    return { who: `"${manager}"${using}`, fields };
  });
  const causes = entries.flatMap(({ who, fields }) =>
    fields.map((field) => ({
      reason: "FieldManagerConflict",
      field,
      message: `conflict with ${who}`,
    })),
  );
  const [only] = causes;
  const lists = entries.map(
    ({ who, fields }) => `conflicts with ${who}:\n${fields.map((f) => `- ${f}`).join("\n")}`,
  );
  const told =
    causes.length === 1 && only !== undefined
      ? `1 conflict: ${only.message}: ${only.field}`
      : `${causes.length} conflicts: ${lists.join("\n")}`;
  return refusal([409, "Conflict"], `Apply failed with ${told}`, causes);
}

const entryName = "databases.admission.engine";

/** A webhook's denial as it is told when the webhook gives neither code nor reason. */
export function denied(message: string, [status, reason]: [number, string] = [400, ""]): Refusal {
  const told = `admission webhook "${entryName}" denied the request: ${message}`;
  return refusal([status, reason], told);
}

/** 500 for a webhook that could not be asked. */
export function failedCalling(what: string): Refusal {
  const message = `failed calling webhook "${entryName}": ${what}`;
  return refusal([500, "InternalError"], `Internal error occurred: ${message}`, [{ message }]);
}

/** The same for one that could not be reached at the Service's address. */
export function unreached(what: string, { port = 443, timeout = 10 } = {}): Refusal {
  const url = `https://admission.NS.svc:${port}/admission?timeout=${timeout}s`;
  return failedCalling(`failed to call webhook: Post "${url}": ${what}`);
}
