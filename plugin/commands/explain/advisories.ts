/** What is said of the advisories of a code. */
import type { Sourced } from "../../domain/advisories/row";
import { describeReach } from "../../domain/advisories/reach";
import { pick } from "../../domain/base/values";
import type { LoadedAdvisories } from "../../cmdutil/advisories-option";
import { escape } from "../../output/escape";

/** A row as its file has it, without its examples. */
export interface ExplainedAdvisory extends Pick<
  Sourced,
  | ("id" | "code" | "severity" | "title" | "cause" | "source" | "origin" | "concerns")
  | ("when" | "whenUnknown" | "forbids" | "warns" | "supersedes" | "since")
> {
  /** The ways out: the fix, or what each remedy says. */
  readonly ways: readonly string[];
  /** The ranges that it is about, in words. */
  readonly reach: readonly string[];
}

/** `details` where the code is one of advisories; beside those of a finding of that code. */
export interface ExplainedAdvisories {
  readonly advisories: readonly ExplainedAdvisory[];
}

/** The rows of a code; undefined where there is none. */
export function explainRows(
  wanted: string,
  { rows }: LoadedAdvisories,
): ExplainedAdvisories | undefined {
  const own = rows.filter(({ code }) => code === wanted);
  return own.length === 0 ? undefined : { advisories: own.map(explainRow) };
}

function explainRow(row: Sourced): ExplainedAdvisory {
  const { fix, remedies = [] } = row;
  return {
    ...pick(row, "id", "code", "severity", "title", "cause", "source", "origin", "concerns"),
    ...pick(row, "when", "whenUnknown", "forbids", "warns", "supersedes", "since"),
    ways: fix === undefined ? remedies.map(({ says }) => says) : [fix],
    reach: describeReach(row),
  };
}

/** Its parts, one a line. */
export function renderRow(row: ExplainedAdvisory): string {
  const { code, severity, id, title, cause, ways, reach, when, source, since, origin } = row;
  const { concerns, whenUnknown, forbids = [], warns = [], supersedes = [] } = row;
  const parts: readonly (readonly [name: string, text: string])[] = [
    ["Code", `${code} (${severity})`],
    ["Row", id],
    ["Concerns", concerns],
    ["Holds", title],
    ["Cause", cause],
    ...ways.map((way) => ["Fix", way] as const),
    ...reach.map((one) => ["About", one] as const),
    ...(when === undefined ? [] : [["When", when] as const]),
    ...(whenUnknown === undefined ? [] : [["Unknown", whenUnknown] as const]),
    ...forbids.map((act) => ["Forbids", act] as const),
    ...warns.map((act) => ["Warns", act] as const),
    ...supersedes.map((other) => ["Hides", other] as const),
    ["Source", since === undefined ? source : `${source}, written down on ${since}`],
    ["File", origin === "shipped" ? "ships with the tool" : origin],
  ];
  return parts.map(([name, text]) => `${`${name}:`.padEnd(9)} ${escape(text)}\n`).join("");
}
