/** A rehearsal as a person reads it: each stage as the command itself prints it, then what it is worth. */
import { escape, escapeLines } from "../output/escape";
import { renderText, type TextStyle } from "../output/text";
import { renderTable } from "../output/table";
import type { Report } from "../run/report";
import type { RehearsalDetails, RehearsedFaults, RehearsedStage } from "./rehearse-details";

type Render = (report: Report, style: TextStyle) => string;

/** The whole text; `command` is the rehearsed command's own rendering, where it has one. */
export function rehearsalText(
  report: Report,
  style: TextStyle,
  command: Render = renderText,
): string {
  const details = report.details as RehearsalDetails | undefined;
  if (details === undefined) return renderText(report, style);
  const { source, stages, faults, unknown } = details;
  const { apiVersion, kind, findings, exit } = report;
  const rest: Report = { apiVersion, kind, ...(findings !== undefined && { findings }), exit };
  return [
    ...stages.map((stage, index) =>
      stageText(stage, `${index + 1}. ${stage.title}`, { style, command }),
    ),
    ...(faults === undefined ? [] : [faultsText(faults, style)]),
    `${sourceLines(source, style).join("\n")}\n`,
    `${style.palette.strong("What a rehearsal cannot know")}\n${unknown.map((one) => `  - ${escape(one)}`).join("\n")}\n`,
    renderText(rest, style),
  ].join("\n");
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
      `== ${faults.runs} ${faults.runs === 1 ? "run" : "runs"} with failures put in; without them, a run has ${faults.calls} requests`,
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
