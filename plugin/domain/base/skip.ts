/** A finding to accept: all of a code, or those on one object. */
export interface Skip {
  readonly code: string;
  /** As a report prints it. */
  readonly object?: string | undefined;
}

/** A skip as it is typed. */
export function skipWord({ code, object }: Skip): string {
  return object === undefined ? code : `${code}=${object}`;
}

/** Codes of data that an upgrade of a database loses: one thing, before its write and in `check`. */
export const dataLossCodes: readonly string[] = ["DATABASE-DATA-AT-RISK", "DATABASE-VOLATILE"];

/** True for two codes of the same thing: whoever accepts it by one of them accepts it by the other. */
export function isSameCode(one: string, other: string): boolean {
  return one === other || [one, other].every((code) => dataLossCodes.includes(code));
}
