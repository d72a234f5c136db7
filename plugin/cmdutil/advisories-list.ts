/** Advisories as a table and as a document: of `advisories list`, and of `explain --advisories`. */
import { shippedDate, shippedUpTo } from "../domain/advisories/shipped";
import type { Sourced } from "../domain/advisories/row";
import type { Applying } from "../domain/advisories/applying";
import { exitCodes } from "../domain/base/errors";
import { boundList, countNoun, pick } from "../domain/base/values";
import type { ExitReport, Report } from "../kernel/report";
import { escape, renderTable } from "../output/escape";
import { renderText, type TextStyle } from "../output/text";
import type { AdvisoriesFile, LoadedAdvisories } from "./advisories-option";

/** A row as lists have it. */
export interface AdvisoryLine extends Pick<
  Sourced,
  "code" | "id" | "severity" | "area" | "title" | "source" | "origin"
> {
  /** Whether it applies to the cluster; absent where none was asked. */
  readonly here?: Applying;
}

/** What a list says of the cluster: the marks, one for each row in their order, or why there are none. */
export type Marks =
  | { readonly here: readonly Applying[]; readonly place: MarkedPlace }
  | { readonly unmarked: string };

/** The cluster by which rows are marked. */
export interface MarkedPlace {
  readonly server: string;
  readonly namespace: string;
}

/** `details` of a list. */
export interface AdvisoriesDetails {
  readonly advisories: readonly AdvisoryLine[];
  /** The rows that ship with the tool: the day up to which they were kept, and the newest releases that were read. */
  readonly shipped: {
    readonly date: string;
    readonly upTo: Readonly<Record<string, string>>;
  };
  /** Files of a person's own. */
  readonly files: readonly AdvisoriesFile[];
  /** Where rows are marked: the cluster by which they are. */
  readonly place?: MarkedPlace;
  /** Why no row is marked, where marks are asked for. */
  readonly unmarked?: string;
}

/** The document of a list; a row that was left out is a finding, and ends it with 3. */
export function reportAdvisories(
  kind: string,
  { rows, findings, files }: LoadedAdvisories,
  marks?: Marks,
): Report {
  const here = marks !== undefined && "here" in marks ? marks.here : [];
  const details: AdvisoriesDetails = {
    advisories: rows.map((row, index) => ({
      ...pick(row, "code", "id", "severity", "area", "title", "source", "origin"),
      ...pick({ here: here[index] }, "here"),
    })),
    shipped: { date: shippedDate, upTo: shippedUpTo },
    files,
    ...(marks !== undefined && ("here" in marks ? { place: marks.place } : marks)),
  };
  return {
    apiVersion: "cli.engine.com/v1",
    kind,
    details,
    ...(findings.length > 0 && { findings }),
    exit: endWith(findings, countNoun(rows.length, "row")),
  };
}

/** Exit code 3 with what there is to correct, else 0. */
export function endWith(findings: Report["findings"] = [], said: string): ExitReport {
  const [first] = findings;
  if (first === undefined) return { code: exitCodes.ok, reason: said };
  return {
    code: exitCodes.blocked,
    reason: `${said}; ${countNoun(findings.length, "problem")} to correct`,
    next: first.fix,
  };
}

/** So many objects are named. */
const namedAtMost = 3;

function renderHere(here: Applying | undefined): string {
  if (here === undefined) return "";
  if (here.is === "applies") return `applies here: ${boundList(here.objects, namedAtMost)}`;
  return here.is === "silent" ? "does not" : `not known: ${here.because}`;
}

/** What the last column says, or why there is none. */
function renderMarks({ place, unmarked }: AdvisoriesDetails): readonly string[] {
  if (place !== undefined) {
    return [`HERE is namespace ${place.namespace} of ${place.server}, without a target.`];
  }
  return unmarked === undefined ? [] : [`Which of them apply here is not known: ${unmarked}.`];
}

/** One table; the reports of both commands have it. */
export function advisoriesText(report: Report, style: TextStyle): string {
  const details = report.details as AdvisoriesDetails;
  const { advisories, shipped, place } = details;
  const isWide = style.wide === true;
  const beside = <T>(more: readonly T[], wanted: boolean): readonly T[] => (wanted ? more : []);
  const isMarked = place !== undefined;
  const head = [
    ...["CODE", "ID", "SEVERITY", ...beside(["AREA", "SOURCE"], isWide), "TITLE", "ORIGIN"],
    ...beside(["HERE"], isMarked),
  ];
  const rows = advisories.map(({ code, id, severity, area, title, source, origin, here }) =>
    [
      ...[code, id, severity, ...beside([area, source], isWide), title, origin],
      ...beside([renderHere(here)], isMarked),
    ].map(escape),
  );
  const upTo = Object.entries(shipped.upTo).map(([what, version]) => `, ${what} up to ${version}`);
  const kept = `The rows that ship with the tool are of ${shipped.date}${upTo.join("")}.`;
  const table = [...renderTable(head, rows), "", ...[kept, ...renderMarks(details)].map(escape)];
  return `${table.join("\n")}\n\n${renderText({ ...report, details: undefined }, style)}`;
}
