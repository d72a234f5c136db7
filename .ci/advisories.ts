/**
 * The advisories that the tool ships: plugin/advisories/*.yaml, checked and put into one file of JSON, which the
 * program reads without a parser of YAML. `npm run docs` writes it, and so does running this file.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parsePlaced } from "../plugin/adapters/advisories/text";
import { testExamples } from "../plugin/domain/advisories/examples";
import type { AdvisoryFile, Row, Sourced } from "../plugin/domain/advisories/row";
import { readAdvisories } from "../plugin/domain/advisories/rows";
import { omit } from "../plugin/domain/base/values";

const folder = join(__dirname, "../plugin/advisories");

/** The file that the program reads. */
export const shippedFile = join(folder, "shipped.json");

/** All rows in the order of their ids; an error with every problem of the files. */
export function makeShipped(): AdvisoryFile {
  const files = readdirSync(folder).filter(
    (name) => name.endsWith(".yaml") && name !== "tables.yaml",
  );
  const read = files.sort().map(readFile);
  const problems = [...read.flatMap((one) => one.problems), ...listTwice(read)];
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const dates = read.flatMap(({ date }) => date ?? []);
  return {
    apiVersion: "advisories/v1",
    date: dates.sort()[0] ?? "",
    upTo: Object.fromEntries(
      read.flatMap(({ upTo }) => Object.entries(upTo ?? {})).sort(byVersion),
    ),
    advisories: read.flatMap(({ rows }) => rows.map(withoutOrigin)).sort(byId),
  };
}

/** The text of the file. */
export function renderShipped(): string {
  return `${JSON.stringify(makeShipped(), null, 1)}\n`;
}

/** The file with the tables, which the program reads at its start, and its text. */
export const tablesFile = join(folder, "tables.json");

export function renderTables(): string {
  const { value } = parsePlaced(readFileSync(join(folder, "tables.yaml"), "utf8"), "tables.yaml");
  return `${JSON.stringify(value, null, 1)}\n`;
}

function readFile(name: string) {
  const { value, placeOf } = parsePlaced(readFileSync(join(folder, name), "utf8"), name);
  const { rows, problems, date, upTo } = readAdvisories(value, name);
  const failed = rows.flatMap((row) =>
    testExamples(row).map(({ says }) => `${name}: ${row.id}: ${says}`),
  );
  const broken = problems.map(({ path, says, row = "" }) => {
    const { line, column } = placeOf(path);
    return `${name}:${String(line)}:${String(column)}: ${row} ${says}`;
  });
  return { name, rows, date, upTo, problems: [...broken, ...failed] };
}

function listTwice(read: readonly { readonly rows: readonly Sourced[] }[]): readonly string[] {
  const ids = read.flatMap(({ rows }) => rows.map(({ id }) => id));
  return ids
    .filter((id, at) => ids.indexOf(id) < at)
    .map((id) => `${id}: several rows have this id`);
}

const withoutOrigin = (row: Sourced): Row => omit(row, "origin");

const byId = (one: Row, other: Row): number => (one.id < other.id ? -1 : 1);

/** Of two versions of one thing the higher one is the last, and counts. */
function byVersion([, one]: [string, string], [, other]: [string, string]): number {
  return one.localeCompare(other, "en", { numeric: true });
}

if (require.main === module) {
  writeFileSync(shippedFile, renderShipped());
  writeFileSync(tablesFile, renderTables());
}
