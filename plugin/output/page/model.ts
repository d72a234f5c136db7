/** A report as the parts of a page: every fact is the document's own, none is worked out again. */
import { exitMeanings } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { asArray, getOwn, isObject } from "../../domain/base/values";
import type { CheckLine, Report } from "../../kernel/report";
import { palette } from "../escape";
import { renderGap, replicaLines, windowLines } from "../gap";
import { renderStates, withHunks } from "../hunks";
import { groupNamespaces } from "../namespaces";
import { label } from "../text";
import { type Block, type Cell, type Page, renderMs, section, type Tone } from "./blocks";
import { timelineBlocks, chooseTone } from "./timeline";

/** So many rows of one table are for people. */
const mostRows = 2_000;

/** The whole page. */
export function buildPage(report: Report): Page {
  const { kind, run, exit, origin } = report;
  const dryRun = run?.dryRun ?? "none";
  const [stage] = listStages(report);
  const banners = [
    ...(kind === "Rehearsal" ? ["Rehearsal: nothing real was touched"] : []),
    ...(dryRun === "none" ? [] : [`Dry run (${dryRun}): nothing was changed`]),
  ];
  return {
    title: `${label(kind)} report${stage === undefined ? "" : `: ${label(stage.report.kind)}`}`,
    blocks: [
      ...banners.map((text): Block => ({ is: "banner", text })),
      outcome(exit),
      ...section("Run", valueBlocks(runFacts(report))),
      ...buildBody(report),
    ],
    footer: `Written by kubectl engine ${origin?.version ?? ""}`,
  };
}

function outcome({ code, reason, next }: Report["exit"]): Block {
  const [means, leaves] = exitMeanings[code];
  const head = code === 0 ? "Done" : `Ended with exit code ${code}: ${means}`;
  const rows = { Result: reason, "State left": code === 0 ? undefined : leaves, Next: next };
  return { is: "card", tone: code === 0 ? "good" : "bad", head, rows: listFacts(rows) };
}

/** Who, as whom, where, when and with what. */
function runFacts({ run, target, release, origin }: Report): object {
  const { command, identity, user, as, asGroups, context, endedAt, version } = { ...origin };
  const { id, startedAt } = { ...run };
  return {
    ...{ Command: command, User: identity, Credentials: user },
    ...{ Impersonating: as, "Impersonating groups": asGroups?.join(", ") },
    ...target,
    ...{ Context: context, Started: startedAt, Ended: endedAt },
    ...releaseFacts(release),
    ...{ Program: version, Run: id },
  };
}

function releaseFacts(release: Report["release"]): object {
  const { source, sha256 } = { ...release };
  return { Release: source, "Release SHA-256": sha256 };
}

/** Everything but who and when, of a run or of a stage of a rehearsal. */
function buildBody(report: Report): readonly Block[] {
  const { findings = [], certificate, permissions, backups = [] } = report;
  const inAreas = new Set(listChecks(report).map(({ code }) => code));
  const others = findings.filter(({ code }) => !inAreas.has(code));
  return [
    ...timelineBlocks(report),
    ...checkBlocks(report),
    ...section("Findings", others.map(buildCard)),
    ...section("Probes", probeBlocks(report)),
    ...section("Certificate", valueBlocks(certificate)),
    ...namespaceBlocks(report),
    ...detailBlocks(report),
    ...section("Steps", stepTable(report)),
    ...section("Changes", changeBlocks(report)),
    ...section("Saved before the change", listBlocks(backups)),
    ...section("Missing permissions", valueBlocks(permissions)),
  ];
}

function probeBlocks({ probes = [], gap }: Report): readonly Block[] {
  const rows = probes.map(({ phase, accept, deny }) => ({
    phase,
    accepted: `${accept.ok} of ${accept.of}`,
    refused: `${deny.ok} of ${deny.of}`,
    refusedBy: deny.by,
  }));
  const seconds = gap && {
    Unguarded: `${renderGap(gap, "bypass")} (bad edits could pass)`,
    Outage: `${renderGap(gap, "outage")} (good edits were stopped)`,
    ...namedLines("Holes", [...windowLines(gap, "bypass"), ...windowLines(gap, "outage")]),
    Observed: gap.method,
    ...namedLines("Behind it", replicaLines(gap.replicas)),
  };
  return [...listBlocks(rows), ...valueBlocks(seconds)];
}

function namedLines(name: string, lines: readonly string[]): Readonly<Record<string, string>> {
  return lines.length === 0 ? {} : { [name]: lines.map((line) => line.trim()).join("\n") };
}

function buildCard(finding: Finding): Block {
  const { code, severity, accepted, object, field, cause, fix, command: run, source } = finding;
  const tone: Tone = severity === "error" ? "bad" : "warn";
  const rows = listFacts({ object, field, cause, fix, run, source });
  if (accepted === true) return { is: "card", tone: "calm", head: `accepted: ${code}`, rows };
  return { is: "card", tone, head: `${severity}: ${code}`, rows };
}

function listChecks({ kind, details }: Report): readonly CheckLine[] {
  return kind === "Check" ? (asArray(getOwn(details, "checks")) as readonly CheckLine[]) : [];
}

/** The areas with their findings, each with its checks. */
function checkBlocks(report: Report): readonly Block[] {
  const lines = listChecks(report);
  const areas = [...new Set(lines.map(({ area }) => area))].map((area) => {
    const own = lines.filter((line) => line.area === area);
    const codes = new Set(own.map(({ code }) => code));
    const found = (report.findings ?? []).filter(({ code }) => codes.has(code));
    return { area, own, found };
  });
  const counted = areas.map(({ area, own, found }) => {
    const count = (is: CheckLine["verdict"]) => own.filter(({ verdict }) => verdict === is).length;
    const [ok, failed] = [count("ok"), count("failed")];
    const [notJudged, skipped] = [count("unjudged"), count("skipped")];
    return { area, checks: own.length, ok, failed, notJudged, skipped, findings: found.length };
  });
  const inAreas = areas.flatMap(({ area, own, found }) => {
    const rows = own.map(({ verdict: result, code: check, title, because, source }) => {
      return { result, check, holdsWhen: title, because, source };
    });
    return section(area, [...found.map(buildCard), ...listBlocks(rows)]);
  });
  return section("Findings by area", [...listBlocks(counted), ...inAreas]);
}

function stepTable({ steps = [] }: Report): readonly Block[] {
  return listBlocks(
    steps.map(({ n: step, action, object, result, at, ms, why, write }) => {
      const { risk, reverse: wayBack } = write ?? {};
      const time = write === undefined ? { at, ms } : {};
      return { step, action, object, result, ...time, why, risk, wayBack };
    }),
  );
}

/** What planned writes change, field by field; where their states are told, as `diff -u`. */
function changeBlocks(report: Report): readonly Block[] {
  const { steps = [] } = report;
  if (renderStates(steps).length > 0) {
    const plainStyle = { palette: palette(false), verbosity: 0 };
    return [{ is: "code", text: withHunks(() => "")(report, plainStyle) }];
  }
  return listBlocks(
    steps.flatMap(({ object, write }) =>
      (write?.changes ?? []).map(({ path: field, from, to }) => ({ object, field, from, to })),
    ),
  );
}

/** Each namespace by what became of it, and what those that fared alike gained and lost. */
function namespaceBlocks({ namespaces = [] }: Report): readonly Block[] {
  const cells = namespaces
    .slice(0, mostRows)
    .map(({ name, result }) => [name, { text: result, tone: chooseTone(result) }] as const);
  const rights = groupNamespaces(namespaces).flatMap((group) => {
    const { rules, subjects, result = "" } = { ...group[0] };
    const names = group.map(({ name }) => name);
    const some = names.length > 8 ? [...names.slice(0, 8), `${names.length - 8} more`] : names;
    const line = (right: string, tone: Tone, all: readonly string[] = []) =>
      all.map((text): readonly Cell[] => [{ text: right, tone }, text]);
    const rows = [
      ...line("gained", "good", rules?.gained),
      ...line("bound", "good", subjects?.gained),
      ...line("lost", "bad", rules?.lost),
      ...line("unbound", "bad", subjects?.lost),
    ];
    const head = ["Right", "Rule or subject"];
    const title = `${result}: ${some.join(", ")}`;
    return section(title, rows.length === 0 ? [] : [{ is: "table", head, rows }]);
  });
  const findings = namespaces.flatMap(({ findings: own = [] }) => own.map(buildCard));
  const grid: readonly Block[] = cells.length === 0 ? [] : [{ is: "grid", cells }];
  return section("Namespaces", [...grid, ...findings, ...rights]);
}

/** One stage of a rehearsal, as far as a page tells it. */
interface Stage {
  readonly title: string;
  readonly command: string;
  readonly report: Report;
  readonly asked?: readonly string[];
  readonly saved?: readonly string[];
  readonly edits?: readonly { readonly command: string; readonly answer: string }[];
}

function listStages({ kind, details }: Report): readonly Stage[] {
  return kind === "Rehearsal" ? (asArray(getOwn(details, "stages")) as readonly Stage[]) : [];
}

function stageBlocks({ command, report, asked = [], saved = [], edits }: Stage): readonly Block[] {
  return [
    outcome(report.exit),
    ...(edits === undefined ? [{ is: "code", text: `$ ${command}` } as const] : listBlocks(edits)),
    ...valueBlocks(releaseFacts(report.release)),
    ...buildBody(report),
    ...section("Questions that a real run asks", listBlocks(asked)),
    ...section("Would be saved first", listBlocks(saved)),
  ];
}

/** Details that have no form of their own elsewhere, as they are. */
function detailBlocks(report: Report): readonly Block[] {
  const { kind, details } = report;
  if (!isObject(details)) return [];
  const { checks, stages, unknown, ...rest } = details;
  const own = { ...rest, ...(kind === "Check" ? {} : { checks }) };
  if (kind !== "Rehearsal") return section("Details", valueBlocks({ ...own, stages, unknown }));
  return [
    ...section("Rehearsed on", valueBlocks(own)),
    ...listStages(report).flatMap((stage, index) =>
      section(`${index + 1}. ${stage.title}`, stageBlocks(stage)),
    ),
    ...section("What a rehearsal cannot know", listBlocks(asArray(unknown))),
  ];
}

function listFacts(object: object): readonly (readonly [name: string, value: string])[] {
  return Object.entries(object).flatMap(([key, inner]) =>
    inner === undefined || inner === "" ? [] : [[label(key), plain(key, inner)] as const],
  );
}

/** Any value: plain ones as facts, lists of objects as tables, texts of several lines as they are. */
function valueBlocks(value: unknown): readonly Block[] {
  if (typeof value === "string") return [{ is: "code", text: value }];
  if (Array.isArray(value)) return listBlocks(value);
  if (!isObject(value)) return [];
  const rows = listFacts(
    Object.fromEntries(Object.entries(value).filter(([, one]) => isFact(one))),
  );
  const others = Object.entries(value).filter(([, one]) => !isFact(one));
  return [
    ...(rows.length === 0 ? [] : [{ is: "facts", rows } as const]),
    ...others.flatMap(([key, inner]) => section(label(key), valueBlocks(inner))),
  ];
}

function isFact(value: unknown): boolean {
  if (typeof value === "string") return !value.includes("\n");
  return Array.isArray(value) ? value.length === 0 : typeof value !== "object" || value === null;
}

/** Rows that have the same columns, as a table; a column that no row fills is left out. */
function listBlocks(all: readonly unknown[]): readonly Block[] {
  const shown = all.slice(0, mostRows);
  const more = all.length - shown.length;
  const rest = more === 0 ? [] : [`and ${more} more, all of them with -o json`];
  const objects = shown.filter(isObject);
  if (objects.length < shown.length || shown.length === 0) {
    const items = [...shown.map((one) => plain("", one)), ...rest];
    return items.length === 0 ? [] : [{ is: "list", items }];
  }
  const isKnown = (one: unknown): boolean => one !== undefined && one !== "";
  const keys = [...new Set(objects.flatMap((one) => Object.keys(one)))].filter((key) =>
    objects.some((one) => isKnown(getOwn(one, key))),
  );
  const rows = objects.map((one) => keys.map((key) => buildCell(key, getOwn(one, key))));
  const table: Block = { is: "table", head: keys.map(label), rows };
  return rest.length === 0 ? [table] : [table, { is: "list", items: rest }];
}

function buildCell(key: string, value: unknown): Cell {
  const text = value === undefined ? "" : plain(key, value);
  return key === "result" && text !== "" ? { text, tone: chooseTone(text) } : text;
}

/** Times of the document are milliseconds, at `at` and `ms`, and RFC 3339. */
function plain(key: string, value: unknown): string {
  if (typeof value === "number") return key === "at" || key === "ms" ? renderMs(value) : `${value}`;
  if (typeof value === "string")
    return value.replace(/^(\d{4}-\d\d-\d\d)T([\d:]{8})(\.\d+)?Z$/, "$1 $2 UTC");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((one) => plain("", one)).join(", ") || "none";
  if (!isObject(value)) return "none";
  const parts = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return parts.map(([name, inner]) => `${label(name)}: ${plain(name, inner)}`).join("; ");
}
