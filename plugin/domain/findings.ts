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
