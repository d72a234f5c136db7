/** The pages of the project: every Markdown file, as it lies in the working copy. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(__dirname, "../..");

/** Paths from the root, in alphabetical order. */
export function pagePaths(): readonly string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8" });
  return [...new Set(listed.split("\0").filter(Boolean))].sort();
}

/** The text of a page. */
export function readPage(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The words of a printed line, quotes taken off; comments, pipes and redirections end it. */
export function wordsOf(line: string): readonly string[] {
  const [own = ""] = line.split(/ [|>#;]| 2>| &&/);
  const words = own.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.map((word) => word.replaceAll(/^['"]|['"]$/g, ""));
}

/** A fenced block under a mark such as `<!-- test -->`. */
export interface MarkedBlock {
  /** The words of the mark: `test`, `file`, and what follows. */
  readonly mark: readonly string[];
  /** Its lines without the fences, and without the indentation that they share with them. */
  readonly lines: readonly string[];
  /** Where those lines begin and end in the page, the end excluded. */
  readonly from: number;
  readonly to: number;
  readonly indent: string;
}

/** The marked blocks of a page in their order; a mark without a block is an error. */
export function markedBlocks(path: string, page: string): readonly MarkedBlock[] {
  const lines = page.split("\n");
  return lines.flatMap((line, at) => {
    const [, words = ""] = /^\s*<!-- ((?:test|file)\b.*?) -->$/.exec(line) ?? [];
    if (words === "") return [];
    const opened = lines.findIndex((text, index) => index > at && text.trim() !== "");
    const [, indent = "", fence = ""] = /^(\s*)(```+)\w/.exec(lines[opened] ?? "") ?? [];
    const from = opened + 1;
    const to = lines.indexOf(`${indent}${fence}`, from);
    if (fence === "" || to < 0) throw new Error(`${path}:${String(at + 1)}: no block follows`);
    const inside = lines.slice(from, to).map((text) => text.slice(indent.length));
    return [{ mark: words.split(" "), lines: inside, from, to, indent }];
  });
}

/**
 * Every console block of a page in its order, with the mark before it where it has one. One under
 * `<!-- not typed: WHY -->` is left out.
 */
export function consoleBlocks(path: string, page: string): readonly MarkedBlock[] {
  const lines = page.split("\n");
  return lines.flatMap((line, at) => {
    const [, indent = "", fence = ""] = /^(\s*)(```+)console$/.exec(line) ?? [];
    if (fence === "") return [];
    const from = at + 1;
    const to = lines.indexOf(`${indent}${fence}`, from);
    if (to < 0) throw new Error(`${path}:${String(from)}: the block does not end`);
    const [, words = ""] = /^\s*<!-- (.+) -->$/.exec(lines[at - 1] ?? "") ?? [];
    if (words.startsWith("not typed: ")) return [];
    const inside = lines.slice(from, to).map((text) => text.slice(indent.length));
    return [{ mark: words.split(" "), lines: inside, from, to, indent }];
  });
}
