/** A report as a person reads it on stdout. */
import type { NamespaceReport, ProbeReport, Report } from "../kernel/report";
import { escape, escapeLines, renderTable } from "./escape";
import { renderAsked, renderGap, replicaLines, windowLines } from "./gap";
import { groupNamespaces, renderNamespaceGroup } from "./namespaces";
import { narrowest, stepLines, stepTable } from "./steps";
import {
  aboveLines,
  findingBlocks,
  type FindingStyle,
  freshFindings,
  indent,
  renderFinding,
} from "./findings";
import { groupBy, type Json, omit } from "../domain/base/values";

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

/** How much is shown, and in which colors. */
export interface TextStyle extends FindingStyle {
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
    aboveLines(report, style),
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
  return all.map((probe, at) => {
    const phase = escape(probe.phase.padEnd(widest));
    return `${at === 0 ? "Probes:   " : "          "} ${phase} ${renderAnswers(probe)}`;
  });
}

/** `12/12 accepted, 11/11 refused by …`. */
export function renderAnswers({ accept, deny }: Pick<ProbeReport, "accept" | "deny">): string {
  const by = deny.by === "" ? "" : ` by ${escape(deny.by)}`;
  return `${accept.ok}/${accept.of} accepted, ${deny.ok}/${deny.of} refused${by}`;
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
    .map((one) => escape(`Behind it: ${renderAsked(one)}`));
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
  const fresh = freshFindings(
    all.flatMap(({ findings = [] }) => findings),
    style,
  );
  return [
    ...groupNamespaces(all).map((group) => renderNamespaceGroup(group, style.palette)),
    ...fresh.map((finding) => renderFinding(finding, style)),
  ];
}
