/** The plots, the tables and the results themselves under docs/. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../control-plane/pins";
import { table } from "../admission/table";
import { plotOf, shortNumber } from "./plot";
import { growthOf, measuredFile, type Metric, type Point, readPoints, textOf } from "./points";
import { linesOf, metricTitles, type Subject, subjects } from "./subjects";

const pageFile = "docs/explanation/scale.md";
const folder = "docs/explanation/scale";
const resultsFile = `${folder}/results.json`;

/** Beyond this part of the machine others have disturbed a measurement. */
const mostOthers = 0.1;

/** What the page says of clusters that were not measured. */
const expected = { namespaces: 10_000, databases: 50_000 };

/** A path from the root, and what stands there. */
export type Page = readonly [path: string, text: string];

/** The results of all runs so far become those of the page. */
export function writePages(): void {
  writePagesOf(readPoints(measuredFile));
}

/** Writes what these points show. */
export function writePagesOf(points: readonly Point[]): void {
  mkdirSync(join(repositoryRoot, folder), { recursive: true });
  for (const [path, text] of pagesOf(points)) {
    writeFileSync(join(repositoryRoot, path), text);
  }
}

/** What the page was made of. */
export function shownPoints(): readonly Point[] {
  return readPoints(join(repositoryRoot, resultsFile));
}

/** The same for the same points; the rest of the page is as it is. */
export function pagesOf(points: readonly Point[]): readonly Page[] {
  const page = readFileSync(join(repositoryRoot, pageFile), "utf8");
  const shown = subjects.filter((subject) => linesOf(subject, points).size > 0);
  const tables = new Map<string, string>([
    ...shown.map((subject) => [subject.name, tableOf(subject, points)] as const),
    ["expected", expectedTable(points)],
    ["disturbance", disturbanceOf(points)],
  ]);
  return [
    [resultsFile, textOf(points)],
    [pageFile, filled(page, tables)],
    ...shown
      .filter((subject) => isOfSizes(subject, points))
      .map((subject): Page => [`${folder}/${subject.name}.svg`, plotOf(subject, points)]),
  ];
}

/** Of one size there is nothing to draw. */
function isOfSizes(subject: Subject, points: readonly Point[]): boolean {
  return [...linesOf(subject, points).values()].some((own) => own.length > 1);
}

/** What stands between the comments of each name is written anew. */
function filled(page: string, tables: ReadonlyMap<string, string>): string {
  return page.replaceAll(
    /(<!-- measured (\S+) -->\n)[\s\S]*?<!-- end -->/g,
    (whole: string, begin: string, name: string) => {
      const text = tables.get(name);
      return text === undefined ? whole : `${begin}\n${text}\n\n<!-- end -->`;
    },
  );
}

/** A row for each size, and the slopes below where there are several. */
function tableOf(subject: Subject, points: readonly Point[]): string {
  const { metrics, axis } = subject;
  const heads = ["", axis, ...metrics.map((metric) => metricTitles[metric])];
  const rows = [...linesOf(subject, points)].flatMap(([line, own]) => [
    ...own.map(({ size, values }) => [
      line,
      shortNumber(size),
      ...metrics.map((metric) => shortNumber(values[metric] ?? NaN)),
    ]),
    ...(own.length > 1
      ? [[line, "**slope**", ...metrics.map((metric) => `**${slopeOf(own, metric)}**`)]]
      : []),
  ]);
  return table(heads, rows);
}

function slopeOf(points: readonly Point[], metric: Metric): string {
  return growthOf(points, metric).slope.toFixed(2);
}

/** What is expected where nothing was measured: linear growth at least. */
function expectedAt(points: readonly Point[], metric: Metric, size: number): number {
  const { fixed, slope } = growthOf(points, metric);
  const last = points.at(-1);
  if (last === undefined || slope === 0) return fixed;
  const grown = (last.values[metric] ?? NaN) - fixed;
  return fixed + grown * (size / last.size) ** Math.max(1, slope);
}

function expectedTable(points: readonly Point[]): string {
  const [subject] = subjects;
  if (subject === undefined) return "";
  const { namespaces, databases } = expected;
  const told = subject.metrics.filter((metric) => metric !== "seconds");
  const rows = [...linesOf(subject, points)].map(([line, own]) => {
    const isRoles = line.startsWith("reapply-rbac");
    const [size, of] = isRoles ? [namespaces, "namespaces"] : [databases, "databases"];
    const costs = told.map((metric) => shortTwo(expectedAt(own, metric, size)));
    return [line, `${shortNumber(size)} ${of}`, ...costs];
  });
  return table(["", "for", ...told.map((metric) => metricTitles[metric])], rows);
}

/** What is not measured is told in two digits. */
function shortTwo(value: number): string {
  return shortNumber(Number(value.toPrecision(2)));
}

function disturbanceOf(points: readonly Point[]): string {
  const shares = points.map(({ others }) => others);
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  const [from, to] = [least, most].map((share) => (100 * share).toFixed(0));
  const said = `Other processes took ${String(from)} to ${String(to)} % of the machine during a measurement`;
  return most <= mostOthers
    ? `${said}.`
    : `${said}: **seconds and their\nslopes say little here**; processor seconds, requests and memory hold.`;
}
