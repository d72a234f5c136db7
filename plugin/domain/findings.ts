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

/** A finding: something that a person has to know, with its cause and its way out. */

export type Severity = "error" | "warning";

/** What a rule, a check or a step has found; shown as is in text and JSON. */
export interface Finding {
  /** Stable, upper case with dashes, explained by `explain CODE`. */
  readonly code: string;
  readonly severity: Severity;
  /** `kind/name` or `kind/namespace/name` of the object concerned. */
  readonly object?: string;
  /** Path inside the object, dots for fields and [0] for an index. */
  readonly field?: string;
  readonly cause: string;
  readonly fix: string;
  /** The fix as a line to run, where a command is one. */
  readonly command?: string;
  /** The paragraph of the specification or the decision behind it, as "S27". */
  readonly source: string;
  /** A person accepted it with --skip: it is still shown, as a warning, and blocks nothing. */
  readonly accepted?: true;
}

/** The findings without those that are the same in every word: parts of a run may meet the same thing. */
export function distinct(findings: readonly Finding[]): readonly Finding[] {
  const keyOf = (finding: Finding): string => JSON.stringify(Object.entries(finding).sort());
  const met = new Map(findings.map((finding) => [keyOf(finding), finding]));
  return [...met.values()];
}
