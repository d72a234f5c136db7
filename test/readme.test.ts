import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue } from "../plugin/domain/catalogue";
import type { Explained } from "../plugin/domain/findings";
import { exitCodes } from "../plugin/domain/errors";
import { limits } from "../plugin/rehearsal/limits";
import type { ArgumentSpec } from "../plugin/commands/spec";
import { entries } from "../plugin/program/commands";

const readme = readFileSync(join(__dirname, "../README.md"), "utf8");

/** First cells of the table rows below a heading, backticks taken off. */
function firstCells(heading: string): readonly string[] {
  const section = readme.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) => (line.split("|")[1] ?? "").trim().replaceAll("`", ""));
}

test("the exit-code table names every code of the program and no other", () => {
  const codes = firstCells("Exit codes").flatMap((cell) => cell.split(",").map(Number));
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
  const found = firstCells("Commands");
  const written = ({ name, optional }: ArgumentSpec): string => (optional ? `[${name}]` : name);
  const named = entries.map(({ path, argument }) =>
    [path, ...(argument === undefined ? [] : [written(argument)])].join(" "),
  );
  expect([...found].sort()).toEqual([...named].sort());
});

test("the settings table names every variable that the webhook reads and no other", () => {
  const source = readFileSync(join(__dirname, "../webhook/config.ts"), "utf8");
  const read = new Set(source.match(/(?<=")(?:ENGINE|LOG)_[A-Z_]*[A-Z](?=")/g));
  expect(
    firstCells("The companion webhook")
      .filter((cell) => /^[A-Z_]{3,}$/.test(cell))
      .sort(),
  ).toEqual([...read].sort());
});

test("the limits of a rehearsal are those that it prints", () => {
  const section = readme.split("### What a rehearsal cannot know\n")[1]?.split("\n## ")[0] ?? "";
  const written = section
    .split("\n")
    .flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
  expect(written).toEqual(limits.map(({ cannot }) => cannot));
});
