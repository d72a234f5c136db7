/** Values that servers of different releases write differently. */

/** True or false, undefined for anything else. */
export function flag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** A whole number from zero on, undefined for anything else. */
export function wholeNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

/** The uid of a database or a node: a number, or a text that is one. */
export function uidNumber(value: unknown): number | undefined {
  if (typeof value === "string" && /^\d{1,15}$/.test(value)) return Number(value);
  return wholeNumber(value);
}
