/** A document of kind Check as a person reads it: by area, what is ok counted, what is not in full. */
import type { Finding } from "../../domain/base/findings";
import { isObject, asArray, getOwn } from "../../domain/base/values";
import type { CheckLine, Report } from "../../kernel/report";
import { escape, renderTable } from "../../output/escape";
import { findingBlocks } from "../../output/findings";
import { renderText, type TextStyle } from "../../output/text";
import { type Injection, renderInjection } from "../../domain/admission/injector";

/** Hundreds of databases may fail one check, each for a cause of its own: so many are told. */
const mostCauses = 3;

/** The checks by area, then what the common text has to say. */
export function checkText(report: Report, style: TextStyle): string {
  const lines = readLines(report);
  if (lines.every(({ verdict }) => verdict === undefined)) return listText(report, lines, style);
  const { findings = [] } = report;
  const known = new Set(lines.map(({ code }) => code));
  const areas = [...new Set(lines.map(({ area }) => area))];
  const blocks = closeUp(
    areas.map((area) =>
      areaBlocks(
        area,
        lines.filter((line) => line.area === area),
        { findings, style, facts: area === "webhook" ? listInjected(report) : [] },
      ),
    ),
  );
  const others = findings.filter(({ code }) => !known.has(code));
  const end = renderText({ ...report, details: undefined, steps: [], findings: others }, style);
  return `${blocks.map((lines_) => lines_.join("\n")).join("\n\n")}\n\n${end}`;
}

function readLines({ details }: Report): readonly CheckLine[] {
  return asArray(getOwn(details, "checks")).filter(isObject) as unknown as readonly CheckLine[];
}

/** Without a cluster: what is checked. */
function listText(report: Report, lines: readonly CheckLine[], style: TextStyle): string {
  if (lines.length === 0) return renderText(report, style);
  const isFull = style.verbosity > 0 || style.wide === true;
  const rows = lines.map(({ area, code, severity, title, source }) => [
    ...[area, code, severity],
    ...(isFull ? [source] : []),
    title,
  ]);
  const head = ["AREA", "CODE", "SEVERITY", ...(isFull ? ["SOURCE"] : []), "HOLDS WHEN"];
  const table = renderTable(head, rows);
  return `${table.join("\n")}\n`;
}

type Block = readonly string[];

/** Areas without findings stand below each other, without a line between them. */
function closeUp(areas: readonly (readonly Block[])[]): readonly Block[] {
  const blocks: Block[] = [];
  let open = false;
  for (const [head = [], ...findings] of areas) {
    const above = open ? (blocks.pop() ?? []) : [];
    blocks.push([...above, ...head], ...findings);
    open = findings.length === 0;
  }
  return blocks;
}

/** What is as it should be, and has to be known. */
function listInjected({ details }: Report): readonly string[] {
  const injected = asArray(getOwn(details, "injected")) as readonly Injection[];
  return injected.map((one) =>
    escape(`  ValidatingWebhookConfiguration/${one.configuration}: ${renderInjection(one)}`),
  );
}

interface Shown {
  readonly findings: readonly Finding[];
  readonly style: TextStyle;
  /** Lines below the area's own. */
  readonly facts: readonly string[];
}

function areaBlocks(
  area: string,
  lines: readonly CheckLine[],
  { findings, style, facts }: Shown,
): readonly Block[] {
  const { palette, verbosity } = style;
  const counts = (["ok", "failed", "unjudged", "skipped"] as const).flatMap((verdict) => {
    const count = lines.filter((line) => line.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict === "unjudged" ? "not checked" : verdict}`];
  });
  const reasons = [...new Set(lines.flatMap(({ because }) => because ?? []))].map(escape);
  const why = reasons.length === 0 || verbosity > 0 ? "" : ` (${reasons.join("; ")})`;
  const each = verbosity > 0 ? lines.map((line) => lineText(line, style)) : [];
  const failed = lines.map(({ code }) => findings.filter((finding) => finding.code === code));
  return [
    [`${palette.strong(area)}: ${counts.join(", ")}${why}`, ...facts, ...each],
    ...failed.flatMap((alike) => findingBlocks(alike, style, mostCauses)),
  ];
}

function lineText(line: CheckLine, { palette }: TextStyle): string {
  const { code, title, verdict = "skipped", because } = line;
  const paints = {
    ok: palette.good,
    failed: palette.bad,
    unjudged: palette.warn,
    skipped: palette.faint,
  };
  const word = paints[verdict](verdict.padEnd(8));
  return `  ${word} ${code}: ${title}${because === undefined ? "" : ` (${escape(because)})`}`;
}
