/** A rehearsal as a person reads it: each stage as the command itself prints it, then what it is worth. */
import { countNoun } from "../../domain/base/values";
import { escape, escapeLines } from "../../output/escape";
import { renderText, type TextStyle } from "../../output/text";
import type { Report } from "../../kernel/report";

type Render = (report: Report, style: TextStyle) => string;

/** How the whole is told; `command` is the rehearsed command's own rendering, where it has one. */
interface Telling {
  readonly command?: Render | undefined;
  /** Each limit, not their number alone. */
  readonly limits: boolean;
}

/** The whole text. */
export function rehearsalText(
  report: Report,
  style: TextStyle,
  { command = renderText, limits }: Telling,
): string {
  const details = report.details as RehearsalDetails | undefined;
  if (details === undefined) return renderText(report, style);
  const { source, stages, unknown } = details;
  const { apiVersion, kind, findings } = report;
  const rest: Report = { apiVersion, kind, findings, exit: chooseExit(report.exit, stages) };
  return [
    ...tellOnce(stages).map((stage, index) =>
      stageText(stage, `${index + 1}. ${stage.title}`, { style, command }),
    ),
    [
      ...sourceLines(source, style).map((line) => `${line}\n`),
      limitsText(unknown, limits, style),
      ...(limits ? ["\n"] : []),
      renderText(rest, style),
    ].join(""),
  ].join("\n");
}

/** The stages, each without the findings that an earlier one has told. */
function tellOnce(stages: readonly RehearsedStage[]): readonly RehearsedStage[] {
  const told = new Set<string>();
  return stages.map((stage) => {
    const { findings = [] } = stage.report;
    const news = findings.filter((finding) => !told.has(JSON.stringify(finding)));
    for (const finding of news) told.add(JSON.stringify(finding));
    return { ...stage, report: { ...stage.report, findings: news } };
  });
}

/** The end, where a stage has told it already: as that stage's. */
function chooseExit(exit: Report["exit"], stages: readonly RehearsedStage[]): Report["exit"] {
  const told = stages.find(
    ({ title, report }) => exit.reason === `${title}: ${report.exit.reason}`,
  );
  return told === undefined ? exit : { code: exit.code, reason: `${told.title}, as shown above` };
}

function stageText(
  stage: RehearsedStage,
  title: string,
  { style, command }: { readonly style: TextStyle; readonly command: Render },
): string {
  const head = style.palette.strong(`== ${title}`);
  if (stage.edits !== undefined) {
    const lines = stage.edits.flatMap((edit) => [
      `$ ${escape(edit.command)}`,
      escapeLines(edit.answer),
    ]);
    return [head, ...lines, ""].join("\n");
  }
  const lines = [
    ...(stage.asked ?? []).map((question) => `Would ask: ${escape(question)}`),
    ...savedLines(stage.saved ?? []),
  ];
  return [
    head,
    `$ ${escape(stage.command)}`,
    command(stage.report, style).trimEnd(),
    ...lines,
    "",
  ].join("\n");
}

function savedLines(objects: readonly string[]): readonly string[] {
  const [first, ...others] = new Set(objects);
  if (first === undefined) return [];
  const saved = others.length === 0 ? escape(first) : countNoun(others.length + 1, "object");
  return [`Would save ${saved} first, in $ENGINE_HOME`];
}

function limitsText(unknown: readonly string[], all: boolean, { palette }: TextStyle): string {
  const head = palette.strong("What a rehearsal cannot know");
  if (all) return `${head}\n${unknown.map((one) => `  - ${escape(one)}\n`).join("")}`;
  const here = unknown.filter((one) => one.includes("(here: ")).length;
  const met = here === 0 ? "" : `, ${here} of them met here`;
  return `${head}: ${countNoun(unknown.length, "thing")}${met}; --limits lists them\n`;
}

function sourceLines(
  { described, objects, kinds, user, warnings }: RehearsalDetails["source"],
  { palette, verbosity }: TextStyle,
): readonly string[] {
  const counts = Object.entries(kinds).map(([kind, count]) => `${count} ${escape(kind)}`);
  const among = counts.length === 0 || verbosity === 0 ? "" : `among them ${counts.join(", ")}, `;
  return [
    `${palette.strong("Rehearsed on")} ${escape(described)}: ${objects} objects, ${among}as ${escape(user)}`,
    ...warnings.map((warning) => `${palette.warn("warning:")} ${escape(warning)}`),
  ];
}

/** What the rehearsal was played on. */
export interface RehearsedSource {
  readonly described: string;
  readonly objects: number;
  /** Objects of the kinds that matter most, by kind. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly user: string;
  readonly warnings: readonly string[];
}

/** One run of the command, or what was tried after it. */
export interface RehearsedStage {
  readonly title: string;
  /** As it would be typed. */
  readonly command: string;
  readonly report: Report;
  /** Answers to questions that a real run would ask. */
  readonly asked?: readonly string[];
  /** Objects that a real run saves before it replaces or deletes them. */
  readonly saved?: readonly string[];
  /** Requests that change something, dry runs left out. */
  readonly writes: number;
  /** Commands typed by a person afterwards, with their answers. */
  readonly edits?: readonly { readonly command: string; readonly answer: string }[];
}

/** `details` of a document of kind Rehearsal. */
export interface RehearsalDetails {
  readonly source: RehearsedSource;
  readonly stages: readonly RehearsedStage[];
  /** What a rehearsal cannot know. */
  readonly unknown: readonly string[];
}
