/** What users read is in the field's own words and in American spelling. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const root = join(__dirname, "..");

/** What may not be written, and what takes its place. */
const refused: readonly (readonly [RegExp, string])[] = [
  [/\bjudges? (?:manifests|changes|databases|edits)\b/i, "check"],
  [/, as (?=\d[\w.:-]|`?[a-z]+=|https?:)/, "for example, or such as"],
  [/\b(?:it|leaves it) alone\b/, "as it is"],
  [/\bmend(s|ed|ing)?\b/i, "fix"],
  [/\banew\b/i, "recreate, or again"],
  [/\b(?:some|any)body\b/i, "someone, anyone"],
  [/\bgo(?:es|ing)? on\b/i, "continue"],
  [/\bstands? still\b/i, "is stalled"],
  [/\b(?:come|comes|came) to the new version\b/i, "is upgraded"],
  [/\bof (?:one|the user)['’]s own\b/i, "user-defined"],
  [/\bmake up your mind\b/i, "accept the data loss"],
  [/\bmakes? room\b/i, "free capacity, or free disk space"],
  [/\b(?:take|takes|taken|taking) away\b/i, "remove"],
  [/\bas wanted\b/i, "up to date"],
  [/\bthe way out\b/i, "the fix, or the recovery"],
  [/\bForm of the result\b/, "Output format"],
  [/\blicence/i, "license"],
  [/\b(?:colour|behaviour|neighbour|favour|honour|centre|grey)/i, "American spelling"],
  [/\b(?:judgement|labelled|travelled)\b/i, "American spelling"],
  [/\b(?:recogni|organi|normali|initiali|seriali|summari|authori)s(?:e|ed|es|ing)\b/i, "-ize"],
  [/\b(?:roll-out|roll-back|left-over)s?\b/, "rollout, rollback, leftover"],
];

function tracked(...patterns: readonly string[]): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "-z", ...patterns], { cwd: root });
  return listed.toString("utf8").split("\0").filter(Boolean);
}

/** The texts of a source file; comments and names are no texts. */
function textsOf(path: string): readonly string[] {
  const source = readFileSync(join(root, path), "utf8");
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) texts.push(node.text);
    if (ts.isTemplateMiddleOrTemplateTail(node)) texts.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, source, ts.ScriptTarget.Latest));
  return texts;
}

const programs = tracked("plugin/*.ts", "webhook/*.ts").map((path) => ({
  path,
  texts: textsOf(path),
}));

function refusedIn(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) =>
    refused.flatMap(([word, instead]) => {
      const found = word.exec(text);
      if (found === null) return [];
      const about = text.slice(Math.max(0, found.index - 40), found.index + 60);
      return [`"${found[0]}" (write: ${instead}) in: ${about}`];
    }),
  );
}

test("no text of the programs has a word that is refused", () => {
  expect(programs.length).toBeGreaterThan(100);
  expect(
    programs.flatMap(({ path, texts }) => refusedIn(texts).map((line) => `${path}: ${line}`)),
  ).toEqual([]);
});

/** The glossary itself names the words that it avoids. */
const isGlossary = (line: string): boolean => /^\| [^|]+ \| `[^|]+ \|/.test(line);

function pageLines(path: string): readonly string[] {
  const lines = readFileSync(join(root, path), "utf8").split("\n");
  return path === "CONTRIBUTING.md" ? lines.filter((line) => !isGlossary(line)) : lines;
}

test("no page and no recorded output has a word that is refused", () => {
  const pages = tracked("*.md", "docs/*", "manifests/*", "test/golden/*");
  expect(pages.length).toBeGreaterThan(10);
  expect(
    pages.flatMap((path) => refusedIn(pageLines(path)).map((line) => `${path}: ${line}`)),
  ).toEqual([]);
});

const glossary = readFileSync(join(root, "CONTRIBUTING.md"), "utf8")
  .split("\n## ")
  .filter((section) => section.startsWith("Words\n"))
  .flatMap((section) => [...section.matchAll(/^\| [^|]+ \| ([^|]+) \|/gm)])
  .flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word));

/** How often each word of the glossary's middle column stands in a text of the programs. */
function countAvoided(): Readonly<Record<string, number>> {
  const texts = programs.flatMap(({ texts: some }) => some).join("\n");
  const counts = glossary.map((word) => {
    const found = texts.match(new RegExp(`\\b${word}\\b`, "gi"))?.length ?? 0;
    return [word, found] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

test("no text is written with a word that the glossary of CONTRIBUTING.md avoids", () => {
  expect(glossary.length).toBeGreaterThan(60);
  const file = join(__dirname, "words-left.json");
  const before = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, number>>;
  const now = countAvoided();
  const risen = Object.entries(now).filter(([word, count]) => count > (before[word] ?? 0));
  expect(risen.map(([word, count]) => `${word}: ${before[word] ?? 0} -> ${count}`)).toEqual([]);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`);
  } else {
    // a count that has fallen is written down, so that it cannot rise again
    expect(now).toEqual(before);
  }
});
