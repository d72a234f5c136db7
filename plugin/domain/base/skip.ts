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

const dataAtRisk = "DATABASE-DATA-AT-RISK";

/** Codes of data that an upgrade of a database loses: one thing, before its write and in `check`. */
export const dataLossCodes: readonly string[] = [dataAtRisk, "DATABASE-VOLATILE"];

/** The code that stands for every code of the same thing. */
export function commonCode(code: string): string {
  return dataLossCodes.includes(code) ? dataAtRisk : code;
}

/** True for two codes of the same thing: whoever accepts it by one of them accepts it by the other. */
export function isSameCode(one: string, other: string): boolean {
  return commonCode(one) === commonCode(other);
}
