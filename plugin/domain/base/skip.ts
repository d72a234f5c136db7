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

const dataLoss = "DATABASE-VOLATILE";

/** Codes of data that an upgrade of a database loses: the one that is told, and an older one that is still taken. */
export const dataLossCodes: readonly string[] = [dataLoss, "DATABASE-DATA-AT-RISK"];

/** The code that stands for every code of the same thing. */
export function commonCode(code: string): string {
  return dataLossCodes.includes(code) ? dataLoss : code;
}

/** True for two codes of the same thing: whoever accepts it by one of them accepts it by the other. */
export function isSameCode(one: string, other: string): boolean {
  return commonCode(one) === commonCode(other);
}
