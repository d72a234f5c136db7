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
