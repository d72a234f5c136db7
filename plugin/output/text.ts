/** A report as a person reads it on stdout. */
import type {
  NamespaceReport,
  PlannedWrite,
  ProbeReport,
  Report,
  StepReport,
} from "../kernel/report";
import type { Result } from "../domain/kube/planned-write";
import { escape, escapeLines, type Palette, renderTable } from "./escape";
import { type Finding, withPage } from "../domain/base/findings";
import { permissionLine } from "../domain/kube/permissions";
import { type Json, omit } from "../domain/base/values";

/** A result in its color. */
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
  const { code, object, field, location } = finding;
  const { file, line, column } = location ?? {};
  const place = file === undefined ? undefined : `${file}:${line}:${column}`;
  const where = [place, object, field].filter((part) => part !== undefined).map(escape);
  return [
    [paintSeverity(finding, palette), palette.strong(escape(code)), ...where].join(" "),
    `  Cause:  ${indented(finding.cause)}`,
    `  Fix:    ${indented(finding.fix)}`,
    ...(finding.command === undefined ? [] : [`  Run:    ${escape(finding.command)}`]),
    ...(finding.source === "" ? [] : [`  Source: ${escape(withPage(finding.source))}`]),
  ];
}

/** How a run ended, where its findings are shown too: what one of them says is not said again. */
export function describeEnd({
  exit,
  findings = [],
}: Report): Pick<Report["exit"], "reason" | "next"> {
  const told = findings.find(({ object = "", cause }) => exit.reason === `${object}: ${cause}`);
  if (told === undefined) return exit;
  const next = exit.next === told.fix ? undefined : exit.next;
  return { reason: `${told.code}, as shown above`, next };
}

/** A text of one or more lines below a label. */
function indented(text: string): string {
  return escapeLines(text).replaceAll("\n", "\n          ");
}

/** How much is shown, and in which colors. */
export interface TextStyle {
  readonly palette: Palette;
  /** 1 and more add the time of each step, and to a plan what its writes change. */
  readonly verbosity: number;
  /** Columns of the terminal, where there is one. */
  readonly width?: number | undefined;
}

/** The whole report; a part that it does not have leaves no trace. */
export function renderText(report: Report, style: TextStyle): string {
  const blocks = [
    steps(report.steps ?? [], style),
    probes(report.probes ?? []),
    gap(report),
    certificate(report),
    ...renderNamespaces(report.namespaces ?? [], style.palette),
    report.details === undefined
      ? [] // the certificate's part is shown above
      : renderDetails(omit(report.details as Json, ...Object.keys(report.certificate ?? {}))),
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
  const { reason, next } = describeEnd(report);
  const dryRun = report.run?.dryRun ?? "none";
  const head = code === 0 ? palette.good("Done:") : palette.bad(`Ended with exit code ${code}:`);
  return [
    ...(dryRun === "none" ? [] : [`Dry run (${dryRun}): nothing was changed`]),
    `${head} ${indented(byClause(reason))}`,
    ...(next === undefined ? [] : [`Next: ${indented(next)}`]),
  ];
}

/** Lines of any value: groups indent, lists of plain values stand on one line. */
export function renderDetails(value: unknown, indent = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => renderItem(item, indent));
  if (typeof value !== "object" || value === null) return [`${indent}${plain(value)}`];
  return Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .flatMap(([key, inner]) => renderEntry(label(key), inner, indent));
}

function renderEntry(name: string, value: unknown, indent: string): readonly string[] {
  if (Array.isArray(value) && value.every(isPlain)) {
    return [`${indent}${name}: ${value.length === 0 ? "none" : value.map(plain).join(", ")}`];
  }
  if (isPlain(value)) return [`${indent}${name}: ${plain(value)}`];
  return [`${indent}${name}:`, ...renderDetails(value, `${indent}  `)];
}

function renderItem(item: unknown, indent: string): readonly string[] {
  const [first = "", ...rest] = renderDetails(item, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function plain(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return escape(value);
  return value === null ? "none" : JSON.stringify(value);
}

/** Keys that would not read well as they are. */
const labels: Readonly<Record<string, string>> = {
  ca: "Is a CA",
  is: "State",
  ms: "Took",
  notAfter: "Valid until",
  san: "Names",
  sha256: "SHA-256",
  ReapplyRbac: "Reapply RBAC",
  UnbindScc: "Unbind SCC",
};

/** `dryRun` as "Dry run", escaped. */
export function label(key: string): string {
  if (Object.hasOwn(labels, key)) return labels[key] ?? key;
  const words = escape(key).replaceAll(/([a-z])([A-Z])/g, (_, end: string, start: string) => {
    return `${end} ${start.toLowerCase()}`;
  });
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** So many names are shown of namespaces that fared alike. */
const mostNames = 8;

/** Blocks of lines: one for each way in which namespaces fared, one for each failed namespace. */
export function renderNamespaces(
  all: readonly NamespaceReport[],
  palette: Palette,
): readonly (readonly string[])[] {
  const failed = all.filter(({ findings = [] }) => findings.length > 0);
  return [
    ...groupNamespaces(all).map((group) => renderGroup(group, palette)),
    ...failed.flatMap(({ findings = [] }) =>
      findings.map((finding) => renderFinding(finding, palette)),
    ),
  ];
}

/** Namespaces that fared alike, each way once. */
export function groupNamespaces(
  all: readonly NamespaceReport[],
): readonly (readonly NamespaceReport[])[] {
  const alike = new Map<string, NamespaceReport[]>();
  for (const one of all) {
    const { result, rules, subjects } = one;
    const key = JSON.stringify([result, rules, subjects]);
    const group = alike.get(key);
    if (group === undefined) alike.set(key, [one]);
    else group.push(one);
  }
  return [...alike.values()];
}

function renderGroup(group: readonly NamespaceReport[], palette: Palette): readonly string[] {
  const [first] = group;
  const { result, rules, subjects } = first ?? { result: "skipped" as Result };
  const names = group.slice(0, mostNames).map(({ name }) => escape(name));
  const more = group.length - names.length;
  const shown = `${names.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
  const count = group.length === 1 ? "1 namespace" : `${group.length} namespaces`;
  const lines = (sign: string, some: readonly string[] = []): readonly string[] =>
    some.map((line) => `  ${sign} ${escape(line)}`);
  return [
    `${count} ${paintResult(result, palette)}: ${shown}`,
    ...lines("+", rules?.gained),
    ...lines("-", rules?.lost),
    ...lines("+", subjects?.gained),
    ...lines("-", subjects?.lost),
  ];
}

/** Writes of one part under its heading. */
export function renderPlanPart(
  title: string,
  steps: readonly StepReport[],
  palette: Palette,
): readonly string[] {
  return [palette.strong(title), ...steps.flatMap((step) => renderStep(step))];
}

function renderStep({ action, object, why, write }: StepReport): readonly string[] {
  const head = `  ${action} ${escape(object)}: ${escape(why)}`;
  return write === undefined
    ? [head]
    : [head, ...renderWrite(write).map((line) => `      ${line}`)];
}

function renderWrite(write: PlannedWrite): readonly string[] {
  const { verb, target, changes = [], risk, reverse, command } = write;
  const { group, resource, namespace, name } = target;
  const permission = permissionLine({ verb, group, resource, name, namespace, why });
  const images = changes
    .filter(({ from }) => from !== undefined)
    .map(({ from, to }) => `image    ${escape(`${String(from)} -> ${String(to)}`)}`);
  return [
    ...new Set(images),
    `needs    ${escape(permission)}`,
    `risk     ${escape(risk)}`,
    `reverse  ${escape(reverse)}`,
    `same as  ${escape(command)}`,
  ];
}

/** The permission's own reason is the step's, shown above. */
const why = "";
