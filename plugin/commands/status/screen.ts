/** Shows a status again and again: a screen on a terminal, a line or a document per change elsewhere. */
import { countNoun } from "../../domain/base/values";
import {
  escape,
  isTerminal,
  palette,
  type Palette,
  renderTable,
  wantsColor,
} from "../../output/escape";
import { fitText, readWidth } from "../../domain/base/fit";
import { renderLine } from "../../output/reporter";
import type { Report } from "../../kernel/report";
import { type Names, renderTerm } from "../../domain/names/names";
import { type FindingsStatus, joinParts, type Status, type Summary, summarize } from "./status";
import type { StatusView } from "./read";
import type { CommandContext, GlobalOptions } from "../../cmdutil/context";
import { engineCommand } from "../../cmdutil/kubectl-command";
import { type ClusterColumns, columnTitles, wideColumns } from "../upgrade-cluster/next";
import { listVersionRows, versionTitles } from "../upgrade-database/next";

/** Told of every look. */
export type Show = (details: StatusDetails, report: () => Report) => void;

/** What fits the stream and the form of the result; of one document there is none before the end. */
export function screenFor(context: CommandContext): Show {
  const { streams, options } = context;
  if (options.output === "text") {
    return isTerminal(streams.out) ? redrawn(context) : changes(streams.out);
  }
  if (options.output !== "jsonl") return () => undefined;
  return onChange((_, report) => {
    streams.out.write(renderLine(report()));
  });
}

/** What would be the same at another time of day: the moment of reading and the ages are no change. */
function fingerprint(details: StatusDetails): string {
  const passing = ["readAt", "age"];
  return JSON.stringify(details, (key, value: unknown) => {
    if (passing.includes(key)) return undefined;
    return typeof value === "string" ? withoutAge(value) : value;
  });
}

/** "(for 3h, since 2026-08-01T07:15:30Z)", "2.9 s ago": that time passes does not tell two looks apart. */
function withoutAge(text: string): string {
  return text
    .replaceAll(/\(for \w+, since /g, "(since ")
    .replaceAll(/\b\d[\w.]*(?: s)? ago\b/g, "ago");
}

function onChange(show: Show): Show {
  let before = "";
  return (details, report) => {
    const now = fingerprint(details);
    if (now !== before) show(details, report);
    before = now;
  };
}

const home = "\u001b[H";
const clearAll = "\u001b[2J";
const clearRight = "\u001b[K";
const clearBelow = "\u001b[J";

/** Written over in place: nothing is cleared before it is written again, so nothing flickers. */
function redrawn({ streams: { out }, options, env }: CommandContext): Show {
  const ink = palette(wantsColor({ color: options.color, env, terminal: true }));
  let first = true;
  return (details) => {
    // a line as wide as the terminal would begin another one
    const width = (readWidth(out) ?? Infinity) - 1;
    const style = { palette: ink, width, wide: options.wide };
    const screen = fitText(statusLines(details, style).join("\n"), width);
    const shown = fitting(screen.split("\n"), heightOf(out));
    const text = shown.map((line) => `${line}${clearRight}\n`).join("");
    out.write(`${first ? clearAll : ""}${home}${text}${clearBelow}`);
    first = false;
  };
}

/** A screen that scrolls cannot be written over: what does not fit is said to be there. */
function fitting(lines: readonly string[], rows = Infinity): readonly string[] {
  if (lines.length < rows) return lines;
  const kept = Math.max(1, rows - 2);
  return [...lines.slice(0, kept), `… ${lines.length - kept} more lines: enlarge the window`];
}

function heightOf(out: NodeJS.WritableStream): number | undefined {
  const rows: unknown = "rows" in out ? out.rows : undefined;
  return typeof rows === "number" && rows > 0 ? rows : undefined;
}

/** One line for each component that has changed. */
function changes(out: NodeJS.WritableStream): Show {
  const before = new Map<string, string>();
  return ({ readAt, old, summary, next }) => {
    const lines = new Map([
      ["API server", old === undefined ? "answers" : `does not answer: ${old.because}`],
      ...summary.map((one) => [one.title, lineOf(one)] as const),
      ["Next", next === undefined ? "nothing" : (next.command ?? next.says)],
    ]);
    for (const [title, line] of lines) {
      const same = before.get(title) === withoutAge(line);
      if (!same) out.write(`${readAt} ${escape(title)}: ${escape(line)}\n`);
      before.set(title, withoutAge(line));
    }
    for (const title of before.keys()) {
      if (lines.has(title)) continue;
      out.write(`${readAt} ${escape(title)}: gone\n`);
      before.delete(title);
    }
  };
}

function lineOf({ is, facts, says, fix }: Summary): string {
  return `${health[is].word}: ${joinParts(facts, says, fix && `fix: ${fix}`)}`;
}

/** How it is drawn. */
interface ScreenStyle {
  readonly palette: Palette;
  /** Columns of the terminal, where there is one. */
  readonly width?: number | undefined;
  /** Every column of the listings. */
  readonly wide?: boolean | undefined;
}

type Row = readonly string[];

/** Of one namespace or of all: then one table has the rows of each, with its name in front. */
type Table = (
  head: Row,
  rowsOf: (one: StatusDetails) => readonly Row[],
  draw?: (head: Row, rows: readonly Row[]) => readonly string[],
) => readonly string[];

/** All lines of the screen; none where there is no namespace to show. */
export function statusLines(
  details: StatusDetails | StatusOverview,
  style: ScreenStyle,
): readonly string[] {
  const { palette } = style;
  const everywhere = "namespaces" in details;
  const all = everywhere ? details.namespaces : [details];
  const table: Table = (titles, rowsOf, draw = renderTable) => {
    const rows = all.flatMap((one) => {
      const place = escape(one.namespace);
      return rowsOf(one).map((row) => (everywhere ? [row[0] === "" ? "" : place, ...row] : row));
    });
    return rows.length === 0 ? [] : draw(everywhere ? ["NAMESPACE", ...titles] : titles, rows);
  };
  const blocks = [
    all.flatMap((one) => head(one, palette)),
    components(table, palette),
    columns(table, style),
    databases(table, style),
    ...all.flatMap((one) => {
      const [found, then] = [findings(one, palette), next(one, palette)];
      return everywhere ? [[`${escape(one.namespace)}:`, ...found, ...then]] : [found, then];
    }),
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function head(details: StatusDetails, palette: Palette): readonly string[] {
  const { namespace, server, apiServer, readAt, old } = details;
  const told = apiServer === undefined ? "" : `, Kubernetes ${apiServer}`;
  const line = escape(`Namespace ${namespace} on ${server}${told}, read at ${readAt}`);
  if (old === undefined) return [line];
  const gone = `OLD: the API server does not answer since ${old.since}: ${old.because}`;
  return [palette.warn(escape(gone)), line];
}

function components(table: Table, palette: Palette): readonly string[] {
  const rowsOf = ({ summary }: StatusDetails): readonly Row[] =>
    summary.flatMap((one) =>
      detailLines(one).map((line, at) =>
        at === 0 ? [escape(one.title), health[one.is].word, line] : ["", "", line],
      ),
    );
  const inkOf = new Map<string, Palette["good"]>(
    Object.values(health).map(({ word, ink }) => [word, palette[ink]]),
  );
  return table(["COMPONENT", "STATUS", "DETAILS"], rowsOf, (titles, rows) =>
    renderTable(titles, rows, {
      paint: (cell, column) =>
        column === titles.length - 2 ? (inkOf.get(cell)?.(cell) ?? cell) : cell,
    }),
  );
}

function detailLines({ is, facts, says, fix }: Summary): readonly string[] {
  const saying = is === "stalled" ? `Cause: ${says}` : says;
  const lines = is === "fine" ? [joinParts(facts, saying)] : [facts, saying];
  return [...lines, fix === undefined ? "" : `Fix: ${fix}`]
    .filter((line) => line !== "")
    .map(escape);
}

/** The verdicts as a person reads them; documents keep their own words. */
const health = {
  fine: { word: "Healthy", ink: "good", reason: undefined },
  moving: { word: "Progressing", ink: "warn", reason: "progressing" },
  stalled: { word: "Stalled", ink: "bad", reason: "stalled" },
  unknown: { word: "Unknown", ink: "faint", reason: "not all could be read" },
  absent: { word: "Absent", ink: "faint", reason: undefined },
} as const;

const keys = Object.keys(columnTitles) as readonly (keyof ClusterColumns)[];

/** The columns of the listing; a row that is too wide becomes a list of names and values (S57). */
function columns(table: Table, { width = Infinity, wide }: ScreenStyle): readonly string[] {
  const more = wide === true ? wideColumns : [];
  const rowsOf = ({ clusters: { items } }: StatusDetails): readonly Row[] =>
    items.map((cluster) =>
      [...keys.map((key) => cluster[key]), ...more.map(({ cell }) => cell(cluster))].map(escape),
    );
  const titles = [...keys.map((key) => columnTitles[key]), ...more.map(({ title }) => title)];
  return table(titles, rowsOf, (head, rows) => {
    // headings of two words stand on two lines: on one they alone are 100 columns wide
    const headings = head.map((title) => /^(?:(\S+) )?(.+)$/.exec(title));
    const [above, below] = [1, 2].map((part) => headings.map((heading) => heading?.[part] ?? ""));
    const lines = renderTable(above ?? [], [below ?? [], ...rows]);
    if (lines.every((line) => line.length <= width)) return lines;
    const longest = Math.max(...head.map(({ length }) => length));
    return rows.flatMap((row, at) => [
      ...(at === 0 ? [] : [""]),
      ...head.map((title, column) => `${title.padEnd(longest)}  ${row[column] ?? ""}`),
    ]);
  });
}

function databases(table: Table, { wide }: ScreenStyle): readonly string[] {
  const shown = (row: Row): Row => (wide === true ? row : row.slice(0, -1)).map(escape);
  return table(shown(versionTitles), ({ databases: edb, activeActive, terms }) =>
    [...listVersionRows(terms.edb, edb), ...listVersionRows(terms.eaadb, activeActive)].map(shown),
  );
}

function findings({ findings: sum, summary }: StatusDetails, palette: Palette): readonly string[] {
  const { errors, warnings, first, command, complete } = sum;
  const unjudged = summary.filter(({ is }) => is === "unknown").map(({ title }) => title);
  const none = errors + warnings === 0;
  const found = joinParts(
    none ? "none" : `${countNoun(errors, "error")}, ${countNoun(warnings, "warning")}`,
    complete ? "" : `not judged: ${unjudged.join(", ") || "what could not be read"}`,
  );
  return [
    escape(`Findings: ${found}; run every check with:`),
    `  ${command}`,
    ...first.map(({ code, object, cause }) => {
      const where = object === undefined ? "" : ` ${object}`;
      return `  ${palette.bad(escape(code))}${escape(`${where}: ${cause}`)}`;
    }),
  ];
}

function next({ next: step }: StatusDetails, palette: Palette): readonly string[] {
  if (step === undefined) return [];
  return [
    escape(`Next: ${step.says}`),
    ...(step.command === undefined ? [] : [`  ${palette.strong(step.command)}`]),
  ];
}

/** `details` of the document. */
export interface StatusDetails extends Omit<Status, "next" | "findings"> {
  readonly server: string;
  /** What messages call the kinds of databases. */
  readonly terms: { readonly edb: string; readonly eaadb: string };
  readonly summary: readonly Summary[];
  readonly findings: FindingsStatus & { readonly command: string };
  readonly next?: { readonly says: string; readonly command?: string };
  /** The API server does not answer: this is the last state that was read. */
  readonly old?: NonNullable<StatusView["old"]>;
}

/** `details` of the document of all namespaces. */
export interface StatusOverview {
  readonly server: string;
  /** Those that have an operator, sorted. */
  readonly namespaces: readonly StatusDetails[];
}

/** Who prints the commands, and in which words. */
interface DetailsContext {
  readonly names: Names;
  readonly options: Pick<GlobalOptions, "prefix" | "contextArgs" | "namesFile">;
  readonly server: string;
}

/** A look with its words and its commands, ready to be copied. */
export function makeDetails({ status, old }: StatusView, context: DetailsContext): StatusDetails {
  const { names, server } = context;
  const { next, findings, ...rest } = status;
  return {
    server,
    ...rest,
    terms: { edb: renderTerm(names.edb), eaadb: renderTerm(names.eaadb) },
    summary: summarize(status, names),
    findings: { ...findings, command: engineCommand(context.options)(["check"]) },
    next: next && {
      says: next.says,
      command: next.words && engineCommand(context.options)(next.words),
    },
    old,
  };
}

/** One sentence on the whole. */
export function renderReason({ verdict, summary }: StatusDetails): string {
  const { reason } = health[verdict];
  if (reason === undefined) return "everything is healthy";
  const named = summary.filter(({ is }) => is === verdict).map(({ title }) => title);
  return `${reason}: ${named.join(", ")}`;
}
