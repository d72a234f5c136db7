/** A report as a person reads it on stdout. */
import type { NamespaceReport, ProbeReport, Report } from "../kernel/report";
import { escape, escapeLines, type Palette, renderTable } from "./escape";
import { renderGap, replicaLines, windowLines } from "./gap";
import { groupNamespaces, renderNamespaceGroup } from "./namespaces";
import { narrowest, stepLines, stepTable } from "./steps";
import { type Finding, sourceCommand } from "../domain/base/findings";
import { groupBy, type Json, omit } from "../domain/base/values";

/** How grave a finding is, `accepted` where a person lives with it; in its color. */
export function paintSeverity({ severity, accepted }: Finding, palette: Palette): string {
  if (accepted === true) return palette.faint("accepted");
  return severity === "error" ? palette.bad(severity) : palette.warn(severity);
}

/** So many objects are named of findings that are alike but for the object. */
const mostAlike = 8;

/** A finding with its cause and its way out, and with -v its source. */
export function renderFinding(finding: Finding, style: TextStyle): readonly string[] {
  return [...renderCause(finding, [], style), ...renderWayOut(finding, style)];
}

/** What was found, on which object; `others` share all of it but the object. */
function renderCause(
  finding: Finding,
  others: readonly Finding[],
  { palette }: TextStyle,
): readonly string[] {
  const { code, object, field, location } = finding;
  const { file, line, column } = location ?? {};
  const place = file === undefined ? undefined : `${file}:${line}:${column}`;
  const where = [place, object, field].filter((part) => part !== undefined).map(escape);
  return [
    [paintSeverity(finding, palette), palette.strong(escape(code)), ...where].join(" "),
    ...(others.length === 0 ? [] : [`  Also:   ${listObjects(others)}`]),
    `  Cause:  ${indent(finding.cause)}`,
  ];
}

function renderWayOut(
  { fix, command, source }: Finding,
  { verbosity }: TextStyle,
): readonly string[] {
  return [
    `  Fix:    ${indent(fix)}`,
    ...(command === undefined ? [] : [`  Run:    ${escape(command)}`]),
    ...(verbosity > 0 && source !== "" ? [`  Source: ${escape(sourceCommand(source))}`] : []),
  ];
}

function listObjects(findings: readonly Finding[]): string {
  const more = findings.length - mostAlike;
  const named = findings.slice(0, mostAlike).map(({ object = "" }) => escape(object));
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/**
 * A block for each way out: findings that share it stand above it, and those that differ in nothing
 * but their object are one. `most` causes of one way out are told, and no more.
 */
export function findingBlocks(
  all: readonly Finding[],
  style: TextStyle,
  most = Infinity,
): readonly (readonly string[])[] {
  const sameWayOut = groupBy(all, ({ code, severity, accepted, fix, command, source, ...rest }) => {
    const isAlone = rest.location !== undefined || rest.object === undefined;
    return JSON.stringify([code, severity, accepted, fix, command, source, isAlone && rest]);
  });
  return [...sameWayOut.values()].map((findings) => renderSharedWayOut(findings, { style, most }));
}

function renderSharedWayOut(
  findings: readonly Finding[],
  { style, most }: { readonly style: TextStyle; readonly most: number },
): readonly string[] {
  const sameCause = [
    ...groupBy(findings, ({ cause, field }) => `${field ?? ""} ${cause}`).values(),
  ];
  const told = sameCause.slice(0, most).flatMap(([first, ...others]) => {
    return first === undefined ? [] : renderCause(first, others, style);
  });
  const untold = sameCause.slice(most).flat();
  const rest = untold.length === 0 ? [] : [`and ${untold.length} more: ${listObjects(untold)}`];
  return [...told, ...rest, ...findings.slice(0, 1).flatMap((one) => renderWayOut(one, style))];
}

/** How the end of a diff begins that found some. */
export const differencesExist = "differences exist";

/** Whether a diff ended with what it is for: hunks, or none because nothing differs. */
export function isDiff({ kind, exit: { code, reason } }: Report): boolean {
  return kind === "Diff" && (code === 0 || (code === 1 && reason.startsWith(differencesExist)));
}

/** How a run ended, where its findings are shown too: what one of them says is not said again. */
export function describeEnd({
  exit,
  findings = [],
  kind,
  permissions: lacks,
}: Report): Pick<Report["exit"], "reason" | "next"> {
  const isShown = lacks !== undefined || kind === "Rehearsal";
  const [missing] = (isShown ? /^.*\bpermissions are missing(?=: )/.exec(exit.reason) : null) ?? [];
  if (missing !== undefined) return { ...exit, reason: `${missing}, as shown above` };
  const told = findings.find(({ object = "", cause }) => exit.reason === `${object}: ${cause}`);
  if (told === undefined) return exit;
  const next = exit.next === told.fix ? undefined : exit.next;
  return { reason: `${told.code}, as shown above`, next };
}

/** A text of one or more lines below a label. */
function indent(text: string): string {
  return escapeLines(text).replaceAll("\n", "\n          ");
}

/** How much is shown, and in which colors. */
export interface TextStyle {
  readonly palette: Palette;
  /** 1 and more show every step, the probes of each phase, the certificate and all sources. */
  readonly verbosity: number;
  /** Tables have every column. */
  readonly wide?: boolean | undefined;
  /** Columns of the terminal, where there is one. */
  readonly width?: number | undefined;
}

/** The whole report; a part that it does not have leaves no trace. */
export function renderText(report: Report, style: TextStyle): string {
  const isFull = style.verbosity > 0;
  const end = [...backups(report), ...renderExit(report, style)];
  const { steps = [], findings = [] } = report;
  const blocks = [
    ...(isFull ? fullRun(report, style) : shortRun(report, style)),
    ...renderNamespaces(report.namespaces ?? [], style),
    details(report),
    ...findingBlocks(findings, style),
    permissions(report, style),
    isFull ? end : [...shortProof(report), ...end],
  ];
  const filled = closeUp(
    blocks.filter((lines) => lines.length > 0),
    isFull ? 0 : steps.length,
  );
  return `${filled.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** A warning stands right below the objects that were written, as in kubectl's output. */
function closeUp([first = [], second = [], ...rest]: Blocks, steps: number): Blocks {
  const isFinding = second.some((line) => line.startsWith("  Cause:  "));
  const both = steps > 0 && isFinding ? [[...first, ...second]] : [first, second];
  return [...both, ...rest].filter((lines) => lines.length > 0);
}

type Blocks = readonly (readonly string[])[];

function shortRun(report: Report, { palette }: TextStyle): Blocks {
  const lines = stepLines(report.steps ?? [], palette);
  return [lines, isOfCertificate(report) ? certificate(report) : []];
}

function fullRun(report: Report, { palette }: TextStyle): Blocks {
  return [stepTable(report.steps ?? [], palette), ...fullProof(report), certificate(report)];
}

/** What a certificate is told by is told as one. */
function details({ details: told, certificate: shown }: Report): readonly string[] {
  return told === undefined ? [] : renderDetails(omit(told as Json, ...Object.keys(shown ?? {})));
}

/** Where the certificate is what was asked for. */
function isOfCertificate({ kind }: Report): boolean {
  return ["CertCreate", "CertInspect"].includes(kind);
}

/** How long edits were let through or stopped, and what answered: in every report that has it. */
function shortProof(report: Report): readonly string[] {
  return [...gapLines(report), ...probeLines(report.probes ?? []), ...unwellLines(report)];
}

function fullProof(report: Report): Blocks {
  const { gap } = report;
  const observed =
    gap === undefined
      ? []
      : [
          `Observed:  ${gap.method}`,
          ...replicaLines(gap.replicas).map((line, n) => (n === 0 ? `Behind it: ${line}` : line)),
        ];
  return [probeTable(report.probes ?? []), [...gapLines(report), ...observed.map(escape)]];
}

/** A line for each phase: `new 12/12 accepted, 11/11 refused by …`. */
function probeLines(all: readonly ProbeReport[]): readonly string[] {
  const widest = Math.max(0, ...all.map(({ phase }) => phase.length));
  return all.map(({ phase, accept, deny }, at) => {
    const by = deny.by === "" ? "" : ` by ${escape(deny.by)}`;
    const answers = `${accept.ok}/${accept.of} accepted, ${deny.ok}/${deny.of} refused${by}`;
    return `${at === 0 ? "Probes:   " : "          "} ${escape(phase.padEnd(widest))} ${answers}`;
  });
}

function probeTable(all: readonly ProbeReport[]): readonly string[] {
  if (all.length === 0) return [];
  const rows = all.map(({ phase, accept, deny }) => [
    escape(phase),
    `${accept.ok}/${accept.of}`,
    `${deny.ok}/${deny.of}`,
    escape(deny.by),
  ]);
  return renderTable(["PROBE", "ACCEPTED", "REFUSED", "REFUSED BY"], rows);
}

function gapLines({ gap }: Report): readonly string[] {
  if (gap === undefined) return [];
  const unguarded = `${renderGap(gap, "bypass")} (bad edits could pass)`;
  const outage = `${renderGap(gap, "outage")} (good edits were stopped)`;
  const inOne = `Unguarded: ${unguarded}, outage: ${outage}`;
  const windows = [windowLines(gap, "bypass"), windowLines(gap, "outage")] as const;
  if (windows.flat().length === 0 && inOne.length <= narrowest) return [escape(inOne)];
  return [
    ...[`Unguarded: ${unguarded}`, ...windows[0]],
    ...[`Outage:    ${outage}`, ...windows[1]],
  ].map(escape);
}

/** Pods behind the webhook's Service that did not answer as they should. */
function unwellLines({ gap }: Report): readonly string[] {
  const asked = gap?.replicas?.asked ?? [];
  return asked
    .filter(({ is }) => is !== "answers")
    .map(({ pod, is, because }) => {
      return escape(`Behind it: ${pod} ${is}${because === undefined ? "" : `: ${because}`}`);
    });
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

function permissions(report: Report, { verbosity }: TextStyle): readonly string[] {
  if (report.permissions === undefined) return [];
  const { missing, manifest, nothingHeld = false } = report.permissions;
  // whoever lacks everything would read the same list twice
  if (nothingHeld && verbosity === 0) {
    return ["All permissions are missing; ask for:", escapeLines(manifest.trimEnd())];
  }
  const told = verbosity > 0 ? missing : joinVerbs(missing);
  return [
    "Missing permissions:",
    ...told.map((one) => `  ${escape(one)}`),
    "",
    "Ask for:",
    escapeLines(manifest.trimEnd()),
  ];
}

/** `get, list pods in namespace engine`; what each is needed for comes with -v. */
function joinVerbs(missing: readonly string[]): readonly string[] {
  const split = missing.map((one) => /^(\S+) (.*?)(?:: .*)?$/s.exec(one) ?? ["", one, ""]);
  const alike = groupBy(split, ([, , object = ""]) => object);
  return [...alike].map(([object, all]) => {
    return `${all.map(([, verb = ""]) => verb).join(", ")} ${object}`.trimEnd();
  });
}

/** What was saved, and the line that puts it back while its condition holds. */
function backups(report: Report): readonly string[] {
  return (report.backups ?? []).map(({ object, file, command, holds, lost = "" }) => {
    if (command === undefined) {
      return `Saved ${escape(object)} in ${escape(file)}, for reference: ${escape(lost)}`;
    }
    const condition = holds === undefined ? "" : ` ${escape(holds)}`;
    return `Saved ${escape(object)}; put it back${condition}: ${escape(command)}`;
  });
}

/** What fits into a line stays one; a longer sum of reasons has a line for each. */
const widest = 120;

function byClause(reason: string): string {
  return reason.length <= widest ? reason : reason.replaceAll("; ", ";\n");
}

function renderExit(report: Report, { palette, verbosity }: TextStyle): readonly string[] {
  const { code } = report.exit;
  const { reason, next } = describeEnd(report);
  const dryRun = report.run?.dryRun ?? "none";
  const isTold = verbosity === 0 && reason.includes("nothing was changed");
  const head = code === 0 ? palette.good("Done:") : palette.bad(`Ended with exit code ${code}:`);
  return [
    ...(dryRun === "none" || isTold ? [] : [`Dry run (${dryRun}): nothing was changed`]),
    `${head} ${indent(byClause(reason))}`,
    ...(next === undefined ? [] : [`Next: ${indent(next)}`]),
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

/** Blocks of lines: one for each way in which namespaces fared, one for each failed namespace. */
export function renderNamespaces(
  all: readonly NamespaceReport[],
  style: TextStyle,
): readonly (readonly string[])[] {
  const failed = all.filter(({ findings = [] }) => findings.length > 0);
  return [
    ...groupNamespaces(all).map((group) => renderNamespaceGroup(group, style.palette)),
    ...failed.flatMap(({ findings = [] }) =>
      findings.map((finding) => renderFinding(finding, style)),
    ),
  ];
}
