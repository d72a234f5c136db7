/** README and the pages behind it: short, found by links, and true to the program. */
import { readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { scripts } from "../package.json";
import { catalogue } from "../plugin/domain/catalogue";
import type { Explained } from "../plugin/domain/findings";
import { exitCodes } from "../plugin/domain/errors";
import { limits } from "../plugin/rehearsal/limits";
import type { ArgumentSpec } from "../plugin/commands/spec";
import { entries } from "../plugin/program/commands";
import { pagePaths, readPage } from "./support/pages";

/** First cells of the table rows below a heading, backticks taken off. */
function firstCells(page: string, heading: string): readonly string[] {
  const section =
    readPage(page)
      .split(/^#+ /m)
      .find((part) => part.startsWith(`${heading}\n`)) ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) => (line.split("|")[1] ?? "").trim().replaceAll("`", ""));
}

test("README is read in one go", () => {
  expect(Buffer.byteLength(readPage("README.md"))).toBeLessThanOrEqual(8192);
});

test("README begins with the two commands that need nothing but Node", () => {
  const lines = readPage("README.md").split("\n");
  expect(lines.filter((line) => line.startsWith("$ npm ci && "))).toEqual([
    expect.stringMatching(/^\$ npm ci && npm start /),
    expect.stringMatching(/^\$ npm ci && npm test /),
  ]);
});

test("every npm script that a page names is one", () => {
  const named = pagePaths().flatMap((path) =>
    [...readPage(path).matchAll(/\bnpm run (?:--silent )?([a-z][a-z:-]*[a-z])/g)].map(
      ([, script = ""]) => script,
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((script) => !(script in scripts))).toEqual([]);
});

/** The pages that a page links to. */
function linked(path: string): readonly string[] {
  return [...readPage(path).matchAll(/\]\(([^()\s#:]+\.md)(?:#[^)]*)?\)/g)].map(([, to = ""]) =>
    posix.join(posix.dirname(path), to),
  );
}

test("every page is within two links of README", () => {
  const first = linked("README.md");
  const reached = new Set([...first, ...first.flatMap(linked)]);
  const pages = pagePaths().filter((path) => path.startsWith("docs/"));
  expect(pages.length).toBeGreaterThan(20);
  // the page of one command is behind the list of commands
  const own = pages.filter((path) => !path.startsWith("docs/reference/commands/"));
  expect(own.filter((path) => !reached.has(path))).toEqual([]);
});

test("the exit-code table names every code of the program and no other", () => {
  const codes = firstCells("docs/README.md", "Exit codes").flatMap((cell) =>
    cell.split(",").map(Number),
  );
  expect(codes).toEqual(Object.values(exitCodes));
});

test("the page of findings is written from the catalogue", () => {
  const path = join(__dirname, "../docs/reference/findings.md");
  const page = pageOf(catalogue);
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, page);
  expect(readFileSync(path, "utf8")).toBe(page);
});

/** One heading a code, so that each has an anchor of its own. */
function pageOf(codes: readonly Explained[]): string {
  const sections = codes.map(({ code, severity, cause, fix, source }) =>
    [`## ${code}`, `${severity}: ${cause}`, `Fix: ${fix}`, `Source: ${source}`].join("\n\n"),
  );
  const intro = "`kubectl engine explain CODE` says the same as this page, offline.";
  return `${["# Findings", intro, ...sections].join("\n\n")}\n`;
}

test("the command table names every command and no other", () => {
  const found = firstCells("docs/README.md", "Commands");
  const written = ({ name, optional }: ArgumentSpec): string => (optional ? `[${name}]` : name);
  const named = entries.map(({ path, argument }) =>
    [path, ...(argument === undefined ? [] : [written(argument)])].join(" "),
  );
  expect([...found].sort()).toEqual([...named].sort());
});

test("the settings table names every variable that the webhook reads and no other", () => {
  const source = readFileSync(join(__dirname, "../webhook/config.ts"), "utf8");
  const read = new Set(source.match(/(?<=")(?:ENGINE|LOG)_[A-Z_]*[A-Z](?=")/g));
  const written = firstCells("docs/guides/webhook-in-production.md", "Settings");
  expect([...written].sort()).toEqual([...read].sort());
});

test("the limits of a rehearsal are those that it prints", () => {
  const written = readPage("docs/explanation/rehearsal-limits.md")
    .split("\n")
    .flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
  expect(written).toEqual(limits.map(({ cannot }) => cannot));
});
