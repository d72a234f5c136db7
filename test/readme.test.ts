/** README and the pages behind it: short, found by links, and true to the program. */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { scripts } from "../package.json";
import { limits } from "../plugin/rehearsal/limits";
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
