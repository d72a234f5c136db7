/** A status as a person reads it: one screen, 100 columns wide (S57). */
import { columnTitles, type ClusterColumns, type ClusterStatus } from "../domain/status/clusters";
import type { DatabasesStatus } from "../domain/status/databases";
import type { Summary } from "../domain/status/status";
import { escape } from "../output/escape";
import type { Palette } from "../output/style";
import { renderTable } from "../output/table";
import type { StatusDetails } from "./status-details";

/** How it is drawn. */
export interface ScreenStyle {
  readonly palette: Palette;
  /** Columns of the terminal, at most those of the screen. */
  readonly width?: number;
}

/** The width that everything fits but a long name or a command to copy. */
export const screenWidth = 100;

/** All lines of the screen. */
export function statusLines(details: StatusDetails, style: ScreenStyle): readonly string[] {
  const width = Math.min(screenWidth, style.width ?? screenWidth);
  const sized = { ...style, width };
  const blocks = [
    head(details, sized),
    components(details.summary, sized),
    columns(details.clusters.items, sized),
    databases(details),
    findings(details, sized),
    next(details, sized),
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

type Sized = Required<ScreenStyle>;

function head(details: StatusDetails, { palette, width }: Sized): readonly string[] {
  const { namespace, server, apiServer, readAt, old } = details;
  const told = apiServer === undefined ? "" : `, Kubernetes ${apiServer}`;
  const line = `Namespace ${namespace} on ${server}${told}, read at ${readAt}`;
  if (old === undefined) return wrap(line, { width });
  const gone = `OLD: the API server does not answer since ${old.since}: ${old.because}`;
  return [...wrap(gone, { width }).map(palette.warn), ...wrap(line, { width })];
}

function components(all: readonly Summary[], { palette, width }: Sized): readonly string[] {
  const first = Math.max("COMPONENT".length, ...all.map(({ title }) => escape(title).length)) + 2;
  const second = "VERDICT".length + 2;
  const indent = first + second;
  return [
    `${"COMPONENT".padEnd(first)}${"VERDICT".padEnd(second)}DETAILS`,
    ...all.flatMap((one) => {
      const title = escape(one.title).padEnd(first);
      const verdict = `${paint(one.is, palette)}${" ".repeat(second - one.is.length)}`;
      return detailLines(one, width - indent).map((line, at) =>
        at === 0 ? `${title}${verdict}${line}` : `${" ".repeat(indent)}${line}`,
      );
    }),
  ];
}

function detailLines(one: Summary, width: number): readonly string[] {
  return [
    ...(one.facts === "" ? [] : wrap(one.facts, { width })),
    ...(one.says === "" ? [] : wrap(sayingOf(one), { width, hang: 2 })),
    ...(one.fix === undefined ? [] : wrap(`Fix: ${one.fix}`, { width, hang: 2 })),
  ];
}

function sayingOf({ is, says }: Summary): string {
  return is === "stalled" ? `Cause: ${says}` : says;
}

function paint(is: Summary["is"], palette: Palette): string {
  const paints = {
    fine: palette.good,
    absent: palette.faint,
    moving: palette.warn,
    stalled: palette.bad,
    unknown: palette.faint,
  };
  return paints[is](is);
}

const keys = Object.keys(columnTitles) as readonly (keyof ClusterColumns)[];

/** The columns of the listing; a row that is too wide becomes a list of names and values (S57). */
function columns(clusters: readonly ClusterStatus[], { width }: Sized): readonly string[] {
  if (clusters.length === 0) return [];
  const rows = clusters.map((cluster) => keys.map((key) => escape(cluster[key])));
  // headings of two words stand on two lines: on one they alone are 100 columns wide
  const headings = keys.map((key) => /^(?:(\S+) )?(.+)$/.exec(columnTitles[key]));
  const [above, below] = [1, 2].map((part) => headings.map((heading) => heading?.[part] ?? ""));
  const table = renderTable(above ?? [], [below ?? [], ...rows]);
  if (table.every((line) => line.length <= width)) return table;
  const longest = Math.max(...keys.map((key) => columnTitles[key].length));
  return clusters.flatMap((cluster, at) => [
    ...(at === 0 ? [] : [""]),
    ...keys.map((key) => `${columnTitles[key].padEnd(longest)}  ${escape(cluster[key])}`),
  ]);
}

function databases({ databases: edb, activeActive, terms }: StatusDetails): readonly string[] {
  const rowsOf = (kind: string, { versions }: DatabasesStatus): readonly (readonly string[])[] =>
    versions.map(({ wanted = "<none>", running = "unknown", count }) => [
      kind,
      escape(wanted),
      escape(running),
      String(count),
    ]);
  const rows = [...rowsOf(terms.edb, edb), ...rowsOf(terms.eaadb, activeActive)];
  return rows.length === 0 ? [] : renderTable(["KIND", "WANTED", "RUNNING", "COUNT"], rows);
}

function findings(
  { findings: found }: StatusDetails,
  { palette, width }: Sized,
): readonly string[] {
  const { errors, warnings, first, command } = found;
  if (errors + warnings === 0) return ["Findings: none"];
  const count = (number: number, word: string): string =>
    `${number} ${word}${number === 1 ? "" : "s"}`;
  return [
    `Findings: ${count(errors, "error")}, ${count(warnings, "warning")}; all of them with:`,
    `  ${command}`,
    ...first.flatMap(({ code, object, cause }) => {
      const where = object === undefined ? "" : ` ${object}`;
      const shown = escape(code);
      return wrap(`${code}${where}: ${cause}`, { width, hang: 4, indent: 2 }).map((line, at) =>
        at === 0 ? line.replace(shown, () => palette.bad(shown)) : line,
      );
    }),
  ];
}

function next({ next: step }: StatusDetails, { palette, width }: Sized): readonly string[] {
  if (step === undefined) return [];
  const lines = wrap(`Next: ${step.says}`, { width, hang: 6 });
  return [...lines, ...(step.command === undefined ? [] : [`  ${palette.strong(step.command)}`])];
}

interface Wrapping {
  readonly width: number;
  /** Spaces before every line. */
  readonly indent?: number;
  /** Spaces before every line but the first. */
  readonly hang?: number;
}

/** A text in lines, escaped; a word that is longer than a line stays whole. */
function wrap(text: string, { width, indent = 0, hang = indent }: Wrapping): readonly string[] {
  const lines: string[] = [];
  let line = " ".repeat(indent);
  let empty = true;
  for (const word of escape(text).split(" ")) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = " ".repeat(hang);
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}
