/** A rehearsal as a person reads it: each stage as the command itself prints it, then what it is worth. */
import { escape, escapeLines, renderTable } from "../output/escape";
import { renderText, type TextStyle } from "../output/text";
import type { Report } from "../run/report";

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
  const { source, stages, faults, unknown } = details;
  const { apiVersion, kind, findings } = report;
  const rest: Report = { apiVersion, kind, findings, exit: exitOf(report.exit, stages) };
  return [
    ...toldOnce(stages).map((stage, index) =>
      stageText(stage, `${index + 1}. ${stage.title}`, { style, command }),
    ),
    ...(faults === undefined ? [] : [faultsText(faults, style)]),
    `${sourceLines(source, style).join("\n")}\n`,
    limitsText(unknown, limits, style),
    renderText(rest, style),
  ].join("\n");
}

/** The stages, each without the findings that an earlier one has told. */
function toldOnce(stages: readonly RehearsedStage[]): readonly RehearsedStage[] {
  const told = new Set<string>();
  return stages.map((stage) => {
    const { findings = [] } = stage.report;
    const news = findings.filter((finding) => !told.has(JSON.stringify(finding)));
    for (const finding of news) told.add(JSON.stringify(finding));
    return { ...stage, report: { ...stage.report, findings: news } };
  });
}

/** The end, where a stage has told it already: as that stage's. */
function exitOf(exit: Report["exit"], stages: readonly RehearsedStage[]): Report["exit"] {
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
      "",
    ]);
    return [head, ...lines].join("\n");
  }
  const lines = [
    ...(stage.asked ?? []).map((question) => `Would ask: ${escape(question)}`),
    ...(stage.saved ?? []).map((object) => `Would save ${escape(object)} first, in $ENGINE_HOME`),
  ];
  return [
    head,
    `$ ${escape(stage.command)}`,
    command(stage.report, style).trimEnd(),
    ...(lines.length === 0 ? [] : ["", ...lines]),
    "",
  ].join("\n");
}

function limitsText(unknown: readonly string[], all: boolean, { palette }: TextStyle): string {
  const head = palette.strong("What a rehearsal cannot know");
  if (all) return `${head}\n${unknown.map((one) => `  - ${escape(one)}\n`).join("")}`;
  const here = unknown.filter((one) => one.includes("(here: ")).length;
  const met = here === 0 ? "" : `, ${here} of them met here`;
  return `${head}: ${unknown.length} things${met}; --limits lists them\n`;
}

function sourceLines(
  { described, objects, kinds, user, warnings }: RehearsalDetails["source"],
  { palette }: TextStyle,
): readonly string[] {
  const counts = Object.entries(kinds).map(([kind, count]) => `${count} ${escape(kind)}`);
  return [
    `${palette.strong("Rehearsed on")} ${escape(described)}: ${objects} objects${counts.length === 0 ? "" : `, among them ${counts.join(", ")}`}`,
    `As ${escape(user)}`,
    ...warnings.map((warning) => `${palette.warn("warning:")} ${escape(warning)}`),
  ];
}

function faultsText(faults: RehearsedFaults, { palette }: TextStyle): string {
  const rows = faults.summary.map(({ fault, runs, ends, reruns, says }) => [
    fault,
    String(runs),
    Object.entries(ends)
      .map(([end, count]) => `${count}x ${end}`)
      .join(", "),
    String(reruns),
    says,
  ]);
  const { moments } = faults;
  return [
    palette.strong(
      `== ${faults.runs} ${faults.runs === 1 ? "run" : "runs"} with injected failures; without them, a run has ${faults.calls} requests`,
    ),
    ...renderTable(["FAULT", "RUNS", "FIRST END", "RE-RUNS", "WHAT HAPPENED"], rows),
    "",
    ...faults.summary.map(({ fault, worst }) => `Worst of ${fault}: ${escape(worst)}`),
    "",
    moments === "not judged"
      ? "Moments without a working webhook: not judged, it did not work at the start"
      : `Moments without a working webhook: ${moments.broken} of ${moments.judged} judged`,
    ...faults.failures.flatMap(({ what, why, again }) => [
      "",
      `${palette.bad("failed:")} ${escape(what)}`,
      `  ${escape(why)}`,
      `  Repeat it: ${escape(again)}`,
    ]),
    "",
  ].join("\n");
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

/** How runs with one sort of failure ended. */
export interface FaultSummary {
  readonly fault: string;
  readonly says: string;
  readonly runs: number;
  /** Number of first runs by their end: an exit code, or `killed`. */
  readonly ends: Readonly<Record<string, number>>;
  /** The most runs without failures that one needed to be done. */
  readonly reruns: number;
  /** The worst end met, and how the cluster came out of it. */
  readonly worst: string;
}

/** The runs with failures put in. */
export interface RehearsedFaults {
  readonly chosen: string;
  /** Requests of the run without failures. */
  readonly calls: number;
  readonly runs: number;
  /** States of the webhook configurations that were judged, and those without a working webhook. */
  readonly moments: { readonly judged: number; readonly broken: number } | "not judged";
  readonly summary: readonly FaultSummary[];
  /** Runs that did not end as they have to, with the command that repeats each. */
  readonly failures: readonly {
    readonly what: string;
    readonly why: string;
    readonly again: string;
  }[];
}

/** `details` of a document of kind Rehearsal. */
export interface RehearsalDetails {
  readonly source: RehearsedSource;
  readonly stages: readonly RehearsedStage[];
  readonly faults?: RehearsedFaults;
  /** What a rehearsal cannot know. */
  readonly unknown: readonly string[];
}
