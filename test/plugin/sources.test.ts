/** Every source that a person is shown can be looked up: in the specification, or on a page of docs/. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue } from "../../plugin/commands/explain/catalogue";
import { listShipped } from "../../plugin/domain/advisories/shipped";
import { sourceCommand, withPage } from "../../plugin/domain/base/findings";
import { exitMeanings } from "../../plugin/domain/base/errors";
import { typed } from "../support/program-world";

const root = join(__dirname, "../..");
const page = readFileSync(join(root, "docs/specification.md"), "utf8");
const advisories = readFileSync(join(root, "docs/reference/advisories.md"), "utf8");
const numbers = new Set([...page.matchAll(/^\| ([SC]\d+) \|/gmu)].map(([, id]) => id));
const chapters = new Set(
  [
    ...(page.split("# Admission facts\n")[0] ?? "").matchAll(
      /^##+ (?:Facts )?(\d+(?:\.\d+)?)[: ]/gmu,
    ),
  ].map(([, id]) => `Facts ${String(id)}`),
);

/** Documents of others, which rows of advisories name; the page of the advisories has them. */
const documents = new Set(listShipped().map(({ source }) => source));

/** What of a source cannot be looked up; `S24-S30` is a range of statements. */
function unresolved(source: string): readonly string[] {
  if (documents.has(source)) return advisories.includes(` ${source} |\n`) ? [] : [source];
  return source.split(/, |-(?=[SC]\d)/u).filter((part) => {
    const [, code] = /^exit code (\d+)$/u.exec(part) ?? [];
    if (code !== undefined) return !Object.hasOwn(exitMeanings, code);
    if (part.startsWith("docs/")) return !existsSync(join(root, part));
    return !numbers.has(part) && !chapters.has(part);
  });
}

/** Sources in recorded reports, as text and as JSON, each with a file that has it. */
function recorded(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const files = execFileSync("git", ["ls-files", "-z", "test/golden", "test/records/kept"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter(Boolean))
    for (const [, source = ""] of readFileSync(join(root, file), "utf8").matchAll(
      /"fix": ?".*?",\s*(?:"command": ?".*?",\s*)?"source": ?"(.+?)"/gu,
    ))
      found.set(source, file);
  return found;
}

test.each([
  ["domain facts 5", ["domain facts 5"]],
  ["cli contract, exit code 5", ["cli contract"]],
  ["S9, S15-S999", ["S999"]],
  ["exit code 9", ["exit code 9"]],
  ["docs/none.md", ["docs/none.md"]],
  ["Facts 4.3, S24-S30, C7, exit code 5", []],
])("of %s, what cannot be looked up is found", (source, expected) => {
  expect(unresolved(source)).toEqual(expected);
});

test("the source of every finding code can be looked up", () => {
  expect(catalogue.filter(({ source }) => unresolved(source).length > 0)).toEqual([]);
});

test("so can those of recorded reports", () => {
  const all = [...recorded()];
  expect(all.length).toBeGreaterThan(10);
  expect(all.filter(([source]) => unresolved(source).length > 0)).toEqual([]);
});

/** Every number that stands in the program's own texts, steps and plans. */
function inPrograms(): ReadonlySet<string> {
  const files = execFileSync("git", ["ls-files", "-z", "plugin"], { cwd: root, encoding: "utf8" });
  const texts = files
    .split("\0")
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(root, file), "utf8"));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/source: "([^"]+)"/gu)].map(([, s = ""]) => s)),
  );
}

describe("who has only the program looks a source up with the command that is printed beside it", () => {
  const isNumbered = (source: string): boolean => /^(?:[SC]\d|Facts \d|exit code)/u.test(source);
  const isOfProject = (source: string): boolean => isNumbered(source) || source.startsWith("docs/");
  // advisories name documents of others
  const all = new Set([
    ...catalogue.map(({ source }) => source).filter(isOfProject),
    ...[...recorded().keys()].filter(isOfProject),
    ...[...inPrograms()].filter(isNumbered),
  ]);

  test.each([...all])("%s", async (source) => {
    const [, command = ""] = /(?:^|\()kubectl engine ([^)]+)/u.exec(sourceCommand(source)) ?? [];
    const { code, out } = await typed(command.split(" "));
    expect([code, out.length > 20]).toEqual([0, true]);
  });
});

test.each([
  ["S67, S88, C1", "S67, S88, C1 (kubectl engine explain S67,S88,C1)"],
  ["Facts 4.3, S24-S30", "Facts 4.3, S24-S30 (kubectl engine explain Facts-4.3,S24-S30)"],
  ["exit code 5", "exit code 5 (kubectl engine explain exit-5)"],
  ["docs/guides/webhook-swap.md", "kubectl engine explain guides/webhook-swap"],
  ["notes of operator 8.0.2-2, security", "notes of operator 8.0.2-2, security"],
  ["docs/reference/commands/check.md", "kubectl engine check --help"],
  ["docs/reference/environment.md", "kubectl engine options"],
])("%s is printed as %s", (source, shown) => {
  expect(sourceCommand(source)).toBe(shown);
});

test("no guide that the program names is unknown to it", async () => {
  const { code, err } = await typed(["explain", "guides/nosuch"]);
  expect([code, err]).toEqual([2, expect.stringContaining("is not a finding code")]);
  expect((await typed(["explain", "docs/guides/bypass.md"])).code).toBe(0);
});

test.each([
  ["S27", "S27 (docs/specification.md)"],
  ["Facts 4.3", "Facts 4.3 (docs/specification.md)"],
  ["exit code 5", "exit code 5 (docs/reference/exit-codes.md)"],
  ["docs/guides/webhook-swap.md", "docs/guides/webhook-swap.md"],
  ["notes of operator 8.0.2-2, security", "notes of operator 8.0.2-2, security"],
])("%s is shown with its page", (source, shown) => {
  expect(withPage(source)).toBe(shown);
});
