/** Pieces that several renderings share: a result, a finding, a text below a label. */
import type { Finding } from "../domain/findings";
import type { Report, Result } from "../run/report";
import { escape, escapeLines } from "./escape";
import type { Palette } from "./style";

/** A result in its colour. */
export function paintResult(result: string, palette: Palette): string {
  const calm: readonly Result[] = ["unchanged", "skipped", "planned"];
  if (result === "failed") return palette.bad(result);
  return calm.some((one) => one === result) ? palette.faint(result) : palette.good(result);
}

/** How grave a finding is, `accepted` where a person lives with it; in its color. */
export function paintSeverity({ severity, accepted }: Finding, palette: Palette): string {
  if (accepted === true) return palette.faint("accepted");
  return severity === "error" ? palette.bad(severity) : palette.warn(severity);
}

/** A finding with its cause, its way out and its source. */
export function renderFinding(finding: Finding, palette: Palette): readonly string[] {
  const { code, object, field } = finding;
  const where = [object, field].filter((part) => part !== undefined).map(escape);
  return [
    [paintSeverity(finding, palette), palette.strong(escape(code)), ...where].join(" "),
    `  Cause:  ${indented(finding.cause)}`,
    `  Fix:    ${indented(finding.fix)}`,
    ...(finding.command === undefined ? [] : [`  Run:    ${escape(finding.command)}`]),
    ...(finding.source === "" ? [] : [`  Source: ${escape(finding.source)}`]),
  ];
}

/** How a run ended, where its findings are shown too: what one of them says is not said again. */
export function endOf({ exit, findings = [] }: Report): Pick<Report["exit"], "reason" | "next"> {
  const told = findings.find(({ object = "", cause }) => exit.reason === `${object}: ${cause}`);
  if (told === undefined) return exit;
  const next = exit.next === told.fix ? undefined : exit.next;
  return { reason: `${told.code}, as shown above`, ...(next !== undefined && { next }) };
}

/** A text of one or more lines below a label. */
export function indented(text: string): string {
  return escapeLines(text).replaceAll("\n", "\n          ");
}
