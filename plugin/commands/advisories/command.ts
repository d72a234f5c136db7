/** `advisories lint`, `advisories test` and `advisories list`: files of advisories, without a cluster. */
import { openAdvisories, type OpenedAdvisories } from "../../adapters/advisories/open";
import { testExamples } from "../../domain/advisories/examples";
import { advisoryFinding } from "../../domain/advisories/findings";
import type { Sourced } from "../../domain/advisories/row";
import { judgeTexts } from "../../domain/advisories/lint";
import type { Finding } from "../../domain/base/findings";
import { countNoun, groupBy, pick } from "../../domain/base/values";
import type { JudgedObject, Report } from "../../kernel/report";
import type { CommandContext, CommandRun } from "../../cmdutil/context";
import { endWith, reportAdvisories } from "../../cmdutil/advisories-list";
import {
  type AdvisoriesFile,
  describeFile,
  loadAdvisories,
  readAdvisoriesWish,
} from "../../cmdutil/advisories-option";
import { escape } from "../../output/escape";
import { renderText, type TextStyle } from "../../output/text";
import type { ListFlags, SourceFlags } from "./flags";

/** `details` of `advisories lint` and `advisories test`. */
export interface FilesDetails {
  readonly files: readonly AdvisoriesFile[];
  /** Each row as an object: refused with a problem, else allowed. */
  readonly objects: readonly JudgedObject[];
}

/** What is wrong with a part of a row. */
interface RowFault {
  readonly path: readonly (string | number)[];
  readonly says: string;
}

/** Every problem of the files. */
export const runAdvisoriesLint: CommandRun<SourceFlags> = async (context, sources, flags) =>
  reportFiles("AdvisoriesLint", await open(context, sources, flags), (one, row) =>
    judgeTexts(row).map((fault) => place("unclear", one, row, fault)),
  );

/** What the examples of every row come to. */
export const runAdvisoriesTest: CommandRun<SourceFlags> = async (context, sources, flags) =>
  reportFiles("AdvisoriesTest", await open(context, sources, flags), (one, row) =>
    // one that only switches off a row of the tool has nothing to try
    row.disabled === true
      ? []
      : testExamples(row).map((fault) => place("example", one, row, fault)),
  );

/** The shipped rows with those of the flags. */
export const runAdvisoriesList: CommandRun<ListFlags> = async (context, _args, flags) =>
  reportAdvisories(
    "Advisories",
    await loadAdvisories(readAdvisoriesWish(flags, context.env), context),
  );

function open(
  context: CommandContext,
  sources: readonly string[],
  { advisoriesSha256: sha256 }: SourceFlags,
): Promise<readonly OpenedAdvisories[]> {
  return openAdvisories(sources, { ...pick(context, "signal", "env", "onSlow", "clock"), sha256 });
}

function place(
  what: "unclear" | "example",
  { locate }: OpenedAdvisories,
  row: Sourced,
  { path, says }: RowFault,
): Finding {
  return advisoryFinding(what, {
    object: labelRow(row),
    field: path.join("."),
    location: locate(row, path),
    cause: says,
  });
}

const labelRow = ({ id }: Sourced): string => `Advisory/${id}`;

/** The document of what was judged, rows that were left out among it. */
function reportFiles(
  kind: string,
  opened: readonly OpenedAdvisories[],
  judge: (one: OpenedAdvisories, row: Sourced) => readonly Finding[],
): Report {
  const judged = opened.flatMap((one) =>
    one.rows.map((row) => ({
      object: labelRow(row),
      location: one.locate(row, []),
      findings: judge(one, row),
    })),
  );
  const broken = opened.flatMap(({ findings }) => findings);
  const findings = [...broken, ...judged.flatMap((one) => one.findings)];
  const objects: readonly JudgedObject[] = [
    ...judged.map(({ object, location, findings: own }): JudgedObject => {
      return { object, location, result: own.length === 0 ? "allowed" : "refused" };
    }),
    ...listBroken(broken),
  ];
  const details: FilesDetails = { files: opened.map(describeFile), objects };
  return {
    apiVersion: "cli.engine.com/v1",
    kind,
    details,
    ...(findings.length > 0 && { findings }),
    exit: endWith(findings, countNoun(objects.length, "row")),
  };
}

/** Each row that cannot be judged once, whatever is wrong with it. */
function listBroken(findings: readonly Finding[]): readonly JudgedObject[] {
  const rows = groupBy(
    findings,
    ({ object, location }) => `${location?.file ?? ""} ${object ?? ""}`,
  );
  return [...rows.values()].flatMap(([first]) =>
    first?.object === undefined
      ? []
      : [{ ...pick(first, "location"), object: first.object, result: "refused" }],
  );
}

/** A line for each file, then the problems. */
export function lintText(report: Report, style: TextStyle): string {
  const { files } = report.details as FilesDetails;
  const lines = files.map(({ origin, digest, date }) => {
    const of = date === undefined ? "" : ` of ${date},`;
    return escape(`${origin}:${of} SHA-256 ${digest}`);
  });
  return `${lines.join("\n")}\n\n${renderText({ ...report, details: undefined }, style)}`;
}

/** A line for each row, then what has failed. */
export function testText(report: Report, style: TextStyle): string {
  const { palette } = style;
  const lines = (report.details as FilesDetails).objects.map(({ object, result }) => {
    const isOk = result === "allowed";
    const word = (isOk ? palette.good : palette.bad)((isOk ? "ok" : "failed").padEnd(6));
    return `${word} ${escape(object.replace("Advisory/", ""))}`;
  });
  return `${lines.join("\n")}\n\n${renderText({ ...report, details: undefined }, style)}`;
}
