/** Findings as a person reads them: those that share a way out stand in one block. */
import { boundList, countNoun, groupBy, omit } from "../domain/base/values";
import { distinct, type Finding, findingKey, sourceCommand } from "../domain/base/findings";
import type { Report } from "../kernel/report";
import { escape, escapeLines, type Palette } from "./escape";

/** How much of findings is shown, and in which colors. */
export interface FindingStyle {
  readonly palette: Palette;
  /** 1 and more show every step, the probes of each phase, the certificate and all sources. */
  readonly verbosity: number;
  /** Keys of findings that stand above it on the same terminal: they are counted, and not shown again. */
  readonly above?: ReadonlySet<string>;
}

/** How grave a finding is, `accepted` where a person lives with it; in its color. */
export function paintSeverity({ severity, accepted }: Finding, palette: Palette): string {
  if (accepted === true) return palette.faint("accepted");
  return severity === "error" ? palette.bad(severity) : palette.warn(severity);
}

/** So many objects are named of findings that are alike but for the object. */
const mostAlike = 8;

/** A finding with its cause and its way out, and with -v its source. */
export function renderFinding(finding: Finding, style: FindingStyle): readonly string[] {
  return [...renderCause(finding, [], style), ...renderWayOut(finding, style)];
}

/** What was found, on which object; `others` share all of it but the object. */
function renderCause(
  finding: Finding,
  others: readonly Finding[],
  { palette }: FindingStyle,
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
  { verbosity }: FindingStyle,
): readonly string[] {
  return [
    `  Fix:    ${indent(fix)}`,
    ...(command === undefined ? [] : [`  Run:    ${escape(command)}`]),
    ...(verbosity > 0 && source !== "" ? [`  Source: ${escape(sourceCommand(source))}`] : []),
  ];
}

/** Their objects, as many as fit. */
export function listObjects(findings: readonly Finding[]): string {
  return boundList(
    findings.map(({ object = "" }) => escape(object)),
    mostAlike,
  );
}

/**
 * A block for each way out: findings that share it stand above it, and those that differ in nothing
 * but their object are one. `most` causes of one way out are told, and no more.
 */
export function findingBlocks(
  all: readonly Finding[],
  style: FindingStyle,
  most = Infinity,
): readonly (readonly string[])[] {
  return foldFindings(freshFindings(all, style), style, most).map(({ lines }) => lines);
}

/** A block, and the findings whose causes it has. */
interface FindingBlock {
  readonly lines: readonly string[];
  readonly shown: readonly Finding[];
}

/** The same, with what each block has of them. */
export function foldFindings(
  all: readonly Finding[],
  style: FindingStyle,
  most: number,
): readonly FindingBlock[] {
  const sameWayOut = groupBy(all, ({ code, severity, accepted, fix, command, source, ...rest }) => {
    const isAlone = rest.location !== undefined || rest.object === undefined;
    return JSON.stringify([code, severity, accepted, fix, command, source, isAlone && rest]);
  });
  return [...sameWayOut.values()].map((findings) => renderSharedWayOut(findings, { style, most }));
}

function renderSharedWayOut(
  findings: readonly Finding[],
  { style, most }: { readonly style: FindingStyle; readonly most: number },
): FindingBlock {
  const sameCause = [
    ...groupBy(findings, ({ cause, field }) => `${field ?? ""} ${cause}`).values(),
  ];
  const shown = sameCause.slice(0, most);
  const told = shown.flatMap(([first, ...others]) => {
    return first === undefined ? [] : renderCause(first, others, style);
  });
  const untold = sameCause.slice(most).flat();
  const rest = untold.length === 0 ? [] : [`and ${untold.length} more: ${listObjects(untold)}`];
  const wayOut = findings.slice(0, 1).flatMap((one) => renderWayOut(one, style));
  return { lines: [...told, ...rest, ...wayOut], shown: shown.flat() };
}

/** Those that were not shown above. */
export function freshFindings(all: readonly Finding[], style: FindingStyle): readonly Finding[] {
  return all.filter((one) => !isAbove(one, style));
}

function isAbove(finding: Finding, { above }: FindingStyle): boolean {
  return above?.has(contentKey(finding)) === true;
}

/** The same for findings that say the same; the line that fixes one is added later, and follows from it. */
export function contentKey(finding: Finding): string {
  return findingKey(omit(finding, "command"));
}

/** How many findings were shown above the question, and are not shown again. */
export function aboveLines(
  { findings = [], namespaces = [] }: Pick<Report, "findings" | "namespaces">,
  style: FindingStyle,
): readonly string[] {
  const inNamespaces = namespaces.flatMap((one) => one.findings ?? []);
  const all = distinct([...findings, ...inNamespaces]).filter((one) => isAbove(one, style));
  if (all.length === 0) return [];
  const kinds = groupBy(all, ({ severity, accepted }) =>
    accepted === true ? "accepted error" : severity,
  );
  return [
    `${[...kinds].map(([kind, { length }]) => countNoun(length, kind)).join(", ")}, shown above`,
  ];
}

/** A text of one or more lines below a label. */
export function indent(text: string): string {
  return escapeLines(text).replaceAll("\n", "\n          ");
}
