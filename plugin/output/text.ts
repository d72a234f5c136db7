/** A report as a person reads it on stdout. */
import type { Finding } from "../domain/findings";
import type { ProbeReport, Report, Result, StepReport } from "../run/report";
import { renderDetails } from "./details";
import { escape, escapeLines } from "./escape";
import type { Palette } from "./style";
import { renderTable } from "./table";

/** How much is shown, and in which colours. */
export interface TextStyle {
  readonly palette: Palette;
  /** 1 and more add the time of each step. */
  readonly verbosity: number;
}

/** The whole report; a part that it does not have leaves no trace. */
export function renderText(report: Report, style: TextStyle): string {
  const blocks = [
    steps(report.steps ?? [], style),
    probes(report.probes ?? []),
    gap(report),
    certificate(report),
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
  const rows = all.map((step) => [
    String(step.n),
    step.action,
    escape(step.object),
    step.result,
    ...(timed ? [`${step.ms}ms`] : []),
    escape(step.why),
  ]);
  const head = ["STEP", "ACTION", "OBJECT", "RESULT", ...(timed ? ["TIME"] : []), "WHY"];
  return renderTable(head, rows, (cell, column) =>
    column === 3 ? paintResult(cell, palette) : cell,
  );
}

/** A result in its colour. */
export function paintResult(result: string, palette: Palette): string {
  const calm: readonly Result[] = ["unchanged", "skipped", "planned"];
  if (result === "failed") return palette.bad(result);
  return calm.some((one) => one === result) ? palette.faint(result) : palette.good(result);
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

/** A finding with its cause, its way out and its source. */
export function renderFinding(finding: Finding, palette: Palette): readonly string[] {
  const { severity, code, object, field } = finding;
  const paint = severity === "error" ? palette.bad : palette.warn;
  const where = [object, field].filter((part) => part !== undefined).map(escape);
  return [
    [paint(severity), palette.strong(escape(code)), ...where].join(" "),
    `  Cause:  ${indented(finding.cause)}`,
    `  Fix:    ${indented(finding.fix)}`,
    ...(finding.source === "" ? [] : [`  Source: ${escape(finding.source)}`]),
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

function renderExit(report: Report, palette: Palette): readonly string[] {
  const { code, reason, next } = report.exit;
  const dryRun = report.run?.dryRun ?? "none";
  const head = code === 0 ? palette.good("Done:") : palette.bad(`Ended with exit code ${code}:`);
  return [
    ...(dryRun === "none" ? [] : [`Dry run (${dryRun}): nothing was changed`]),
    `${head} ${indented(reason)}`,
    ...(next === undefined ? [] : [`Next: ${indented(next)}`]),
  ];
}

/** A text of one or more lines below a label. */
function indented(text: string): string {
  return escapeLines(text).replaceAll("\n", "\n          ");
}
