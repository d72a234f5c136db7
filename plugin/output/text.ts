/** A report as a person reads it on stdout. */
import type { ProbeReport, Report, StepReport } from "../run/report";
import { renderDetails } from "./details";
import { renderNamespaces } from "./namespaces";
import { escape, escapeLines } from "./escape";
import type { Palette } from "./style";
import { renderTable } from "./table";
import { endOf, indented, paintResult, renderFinding } from "./text-parts";

/** How much is shown, and in which colours. */
export interface TextStyle {
  readonly palette: Palette;
  /** 1 and more add the time of each step. */
  readonly verbosity: number;
}

/** A person reads so many steps; a run over a thousand namespaces has thousands. */
const mostSteps = 40;

/** The whole report; a part that it does not have leaves no trace. */
export function renderText(report: Report, style: TextStyle): string {
  const blocks = [
    steps(report.steps ?? [], style),
    probes(report.probes ?? []),
    gap(report),
    certificate(report),
    ...renderNamespaces(report.namespaces ?? [], style.palette),
    report.details === undefined ? [] : renderDetails(report.details),
    ...(report.findings ?? []).map((finding) => renderFinding(finding, style.palette)),
    permissions(report),
    backups(report),
    renderExit(report, style.palette),
  ];
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function steps(all: readonly StepReport[], { palette, verbosity }: TextStyle): readonly string[] {
  if (all.length === 0) return [];
  const timed = verbosity > 0;
  const rows = all
    .slice(0, mostSteps)
    .map((step) => [
      String(step.n),
      step.action,
      escape(step.object),
      step.result,
      ...(timed ? [`${step.ms}ms`] : []),
      escape(step.why),
    ]);
  const head = ["STEP", "ACTION", "OBJECT", "RESULT", ...(timed ? ["TIME"] : []), "WHY"];
  const table = renderTable(head, rows, (cell, column) =>
    column === 3 ? paintResult(cell, palette) : cell,
  );
  const more = all.length - rows.length;
  return more === 0 ? table : [...table, `and ${more} steps more, all of them with -o json`];
}

function probes(all: readonly ProbeReport[]): readonly string[] {
  if (all.length === 0) return [];
  const rows = all.map(({ phase, accept, deny }) => [
    escape(phase),
    `${accept.ok}/${accept.of}`,
    `${deny.ok}/${deny.of}`,
    escape(deny.by),
  ]);
  return renderTable(["PROBE", "ACCEPTED", "REFUSED", "REFUSED BY"], rows);
}

function gap(report: Report): readonly string[] {
  if (report.gap === undefined) return [];
  const { bypassSeconds, outageSeconds, method } = report.gap;
  return [
    `Unguarded: ${bypassSeconds}s (edits that should have been refused could pass)`,
    `Outage:    ${outageSeconds}s (edits that should have passed were refused)`,
    `Observed:  ${escape(method)}`,
  ];
}

function certificate(report: Report): readonly string[] {
  if (report.certificate === undefined) return [];
  const { secret, sha256, notAfter, san } = report.certificate;
  return [
    `Certificate: ${escape(secret)}`,
    `  SHA-256:     ${escape(sha256)}`,
    `  Valid until: ${escape(notAfter)}`,
    `  Names:       ${san.map(escape).join(", ")}`,
  ];
}

function permissions(report: Report): readonly string[] {
  if (report.permissions === undefined) return [];
  return [
    "Missing permissions:",
    ...report.permissions.missing.map((one) => `  ${escape(one)}`),
    "",
    "Ask for:",
    escapeLines(report.permissions.manifest.trimEnd()),
  ];
}

function backups(report: Report): readonly string[] {
  return (report.backups ?? []).flatMap(({ object, file, command }) => [
    `Saved ${escape(object)} in ${escape(file)}`,
    `  Put it back: ${escape(command)}`,
  ]);
}

/** What fits into a line stays one; a longer sum of reasons has a line for each. */
const widest = 120;

function byClause(reason: string): string {
  return reason.length <= widest ? reason : reason.replaceAll("; ", ";\n");
}

function renderExit(report: Report, palette: Palette): readonly string[] {
  const { code } = report.exit;
  const { reason, next } = endOf(report);
  const dryRun = report.run?.dryRun ?? "none";
  const head = code === 0 ? palette.good("Done:") : palette.bad(`Ended with exit code ${code}:`);
  return [
    ...(dryRun === "none" ? [] : [`Dry run (${dryRun}): nothing was changed`]),
    `${head} ${indented(byClause(reason))}`,
    ...(next === undefined ? [] : [`Next: ${indented(next)}`]),
  ];
}
