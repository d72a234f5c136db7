/**
 * How large the code is: `npm run size`, or `npm run size -- REVISION` for an earlier state.
 *
 * Of each tracked source file: lines, lines that hold more than a comment, comment lines, and
 * TypeScript tokens, which no formatting changes. Of each data file: its bytes. Sums by area.
 */
import { execFileSync } from "node:child_process";
import ts from "typescript";

interface Sum {
  files: number;
  lines: number;
  code: number;
  comments: number;
  tokens: number;
  bytes: number;
}

const nothing = (): Sum => ({ files: 0, lines: 0, code: 0, comments: 0, tokens: 0, bytes: 0 });
const isSource = /\.[cm]?[jt]s$/u;

const git = (...args: string[]): string =>
  execFileSync("git", args, { encoding: "utf8", maxBuffer: 1 << 30 });

/** Tracked files of the four rooms at a revision, with their texts in one stream. */
function filesAt(revision: string): [path: string, text: string][] {
  const paths = git(
    "ls-tree",
    "-r",
    "-z",
    "--name-only",
    revision,
    "plugin",
    "webhook",
    ".ci",
    "test",
  )
    .split("\0")
    .filter((path) => path !== "");
  const out = execFileSync("git", ["cat-file", "--batch"], {
    input: paths.map((path) => `${revision}:${path}\n`).join(""),
    maxBuffer: 1 << 30,
  });
  let at = 0;
  return paths.map((path) => {
    const end = out.indexOf("\n", at);
    const size = Number(out.toString("utf8", at, end).split(" ")[2]);
    const text = out.toString("utf8", end + 1, end + 1 + size);
    at = end + size + 2;
    return [path, text];
  });
}

/** Tokens, and the lines on which one of them lies, of a TypeScript source. */
function measure(path: string, text: string): Sum {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const code = new Set<number>();
  let tokens = 0;
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source);
    if (children.length > 0) {
      children.forEach(visit);
      return;
    }
    const from = node.getStart(source);
    if (node.end <= from || ts.isJSDoc(node)) return;
    tokens += 1;
    for (let line = lineOf(from); line <= lineOf(node.end); line += 1) code.add(line);
  };
  visit(source);
  const lines = text.split("\n").slice(0, -1);
  const blank = lines.filter((line) => line.trim() === "").length;
  const comments = lines.length - blank - code.size;
  return { files: 1, lines: lines.length, code: code.size, comments, tokens, bytes: 0 };
}

function areaOf(path: string): string {
  const [room = "", area = ""] = path.split("/");
  if (room !== "plugin") return room;
  return area.includes(".") ? "plugin (top)" : `plugin/${area}`;
}

function add(sum: Sum, more: Sum): void {
  for (const key of Object.keys(sum) as (keyof Sum)[]) sum[key] += more[key];
}

const revision = process.argv[2] ?? "HEAD";
const areas = new Map<string, Sum>();
const product = nothing();
const tests = nothing();
for (const [path, text] of filesAt(revision)) {
  const size = isSource.test(path)
    ? measure(path, text)
    : { ...nothing(), bytes: Buffer.byteLength(text) };
  const area = areaOf(path);
  const sum = areas.get(area) ?? nothing();
  areas.set(area, sum);
  add(sum, size);
  if (area !== ".ci") add(area === "test" ? tests : product, size);
}

const heads = ["area", "files", "lines", "code", "comments", "tokens", "data bytes"];
const row = (name: string, sum: Sum): string[] => [name, ...Object.values(sum).map(String)];
const rows = [
  heads,
  ...[...areas].sort(([a], [b]) => a.localeCompare(b)).map(([name, sum]) => row(name, sum)),
  row("product", product),
  row("tests", tests),
];
const widths = heads.map((_, i) => Math.max(...rows.map((cells) => (cells[i] ?? "").length)));
const pad = (cell: string, i: number): string =>
  i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
process.stdout.write(git("rev-parse", "--short", revision));
for (const cells of rows) process.stdout.write(`${cells.map(pad).join("  ")}\n`);
