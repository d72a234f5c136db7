/** Finding codes as they are explained, and findings made of them. */
import type { Finding } from "./findings";

/** A code without the object that it was found on. */
export type Explained = Pick<Finding, "code" | "severity" | "cause" | "fix" | "source">;

/** What a finding says of the object that it was found on; words here are closer than the code's. */
export type About = Partial<Pick<Finding, "object" | "field" | "cause" | "fix" | "source">>;

type Words = readonly [cause: string, fix: string, source?: string];

interface Area {
  /** What every code of the area begins with. */
  readonly prefix?: string;
  /** Where a code comes from that does not say so itself. */
  readonly source: string;
}

/** The two makers of an area's codes. */
export function codesOf({ prefix = "", source }: Area): {
  readonly error: (code: string, ...words: Words) => Explained;
  readonly warning: (code: string, ...words: Words) => Explained;
} {
  const explained =
    (severity: Finding["severity"]) =>
    (code: string, ...[cause, fix, from = source]: Words): Explained => ({
      code: `${prefix}${code}`,
      severity,
      cause,
      fix,
      source: from,
    });
  return { error: explained("error"), warning: explained("warning") };
}

/** The maker of findings from a table of codes. */
export const findingIn =
  <Key extends string>(table: Readonly<Record<Key, Explained>>) =>
  (what: Key, about: About): Finding => ({ ...table[what], ...about });
