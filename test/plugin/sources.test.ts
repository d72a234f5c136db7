/** Every source that a person is shown can be looked up: in the specification, or on a page of docs/. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue } from "../../plugin/commands/explain/catalogue";
import { withPage } from "../../plugin/domain/base/findings";
import { exitMeanings } from "../../plugin/domain/base/errors";

const root = join(__dirname, "../..");
const page = readFileSync(join(root, "docs/specification.md"), "utf8");
const numbers = new Set([...page.matchAll(/^\| ([SC]\d+) \|/gmu)].map(([, id]) => id));
const chapters = new Set(
  [
    ...(page.split("# Admission facts\n")[0] ?? "").matchAll(
      /^##+ (?:Facts )?(\d+(?:\.\d+)?)[: ]/gmu,
    ),
  ].map(([, id]) => `Facts ${String(id)}`),
);

/** What of a source cannot be looked up; `S24-S30` is a range of statements. */
function unresolved(source: string): readonly string[] {
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

test.each([
  ["S27", "S27 (docs/specification.md)"],
  ["Facts 4.3", "Facts 4.3 (docs/specification.md)"],
  ["exit code 5", "exit code 5 (docs/reference/exit-codes.md)"],
  ["docs/guides/webhook-swap.md", "docs/guides/webhook-swap.md"],
])("%s is shown with its page", (source, shown) => {
  expect(withPage(source)).toBe(shown);
});
