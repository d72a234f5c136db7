/** A finding: something that a person has to know, with its cause and its way out. */
import type { Remedy } from "./remedy";
import { dataLossCodes } from "./skip";

export type Severity = "error" | "warning";

/** What a rule, a check or a step has found; shown as is in text and JSON. */
export interface Finding {
  /**
   * Stable, upper case with dashes, explained by `explain CODE`.
   * @pattern ^[A-Z][A-Z0-9]*(-[A-Z0-9]+)*$
   */
  readonly code: string;
  readonly severity: Severity;
  /** `kind/name` or `kind/namespace/name` of the object concerned. */
  readonly object?: string;
  /** Path inside the object, dots for fields and [0] for an index. */
  readonly field?: string;
  /** Where it stands in a file that was read; line and column from 1. */
  readonly location?: { readonly file: string; readonly line: number; readonly column: number };
  readonly cause: string;
  readonly fix: string;
  /** The ways out as data, the surest first; `fix` and `command` are rendered from them. */
  readonly remedies?: readonly Remedy[];
  /** The fix as a line to run, where a command is one. */
  readonly command?: string;
  /** What stands behind it: a statement of the specification ("S27"), a decision ("C9"), a chapter ("Facts 5"), an exit code, or a page of docs/. */
  readonly source: string;
  /** A person accepted it with --skip: it is still shown, as a warning, and blocks nothing. */
  readonly accepted?: true;
}

/** A code without the object that it was found on. */
export type Explained = Pick<Finding, "code" | "severity" | "cause" | "fix" | "source">;

/** What a finding says of the object that it was found on; words here are closer than the code's. */
export type About = Partial<
  Pick<
    Finding,
    "severity" | "object" | "field" | "location" | "cause" | "fix" | "remedies" | "source"
  >
>;

const makeCode =
  (severity: Finding["severity"]) =>
  <T extends { readonly cause: unknown; readonly fix: unknown }>(
    code: string,
    source: string,
    texts: T,
  ) => ({ code, severity, ...texts, source });

/** A code of something that stands against an upgrade. */
export const error = makeCode("error");
/** A code of something that a person has to know, and that blocks nothing. */
export const warning = makeCode("warning");

/** What the program and its pages have themselves: other sources are documents of others. */
const own = /^(?:[SC]\d|Facts \d|exit code \d)/;

/** A source with the page that has it: `S27 (docs/specification.md)`. */
export function withPage(source: string): string {
  if (!own.test(source)) return source;
  const page = source.startsWith("exit code ") ? "reference/exit-codes.md" : "specification.md";
  return `${source} (docs/${page})`;
}

/** The same for findings that are the same in every word. */
export function findingKey(finding: Finding): string {
  return JSON.stringify(Object.entries(finding).sort());
}

/**
 * The findings in the order of their gravity, the worst last: warnings, accepted errors, errors. Within each of
 * these, what cannot be undone stands behind the others, and the loss of data last.
 */
export function sortWorstLast(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort(
    (one, other) => rankGravity(one) - rankGravity(other) || rankHarm(one) - rankHarm(other),
  );
}

function rankGravity({ severity, accepted }: Finding): number {
  if (accepted === true) return 1;
  return severity === "error" ? 2 : 0;
}

/** Codes of what cannot be undone, the gravest last. */
const lasting: readonly string[] = [
  "DATABASE-CHANNEL-ENDS",
  "DATABASE-CHANNEL",
  "DATABASE-DATA-MAY-GO",
  ...dataLossCodes,
];

function rankHarm({ code }: Finding): number {
  return lasting.indexOf(code);
}

/** The findings without those that are the same in every word: parts of a run may meet the same thing. */
export function distinct(findings: readonly Finding[]): readonly Finding[] {
  const met = new Map(findings.map((finding) => [findingKey(finding), finding]));
  return [...met.values()];
}

/** Where a person who has only the program reads what stands behind a finding: `S27 (kubectl engine explain S27)`. */
export function sourceCommand(source: string): string {
  const [, page] = /^docs\/reference\/commands\/(.+)\.md$/.exec(source) ?? [];
  if (page !== undefined) return `kubectl engine ${page.replaceAll("-", " ")} --help`;
  const [, guide] = /^docs\/(guides\/.+)\.md$/.exec(source) ?? [];
  if (guide !== undefined) return `kubectl engine explain ${guide}`;
  if (source === "docs/reference/environment.md") return "kubectl engine options";
  if (!own.test(source)) return source;
  const typed = source
    .replaceAll(/\s*,\s*/g, ",")
    .replaceAll(/^exit code /g, "exit-")
    .replaceAll("Facts ", "Facts-");
  return `${source} (kubectl engine explain ${typed})`;
}
