/**
 * How large the code is: `npm run size`, or `npm run size -- REVISION` for an earlier state.
 *
 * Of each tracked source file: lines, lines that hold more than a comment, comment lines, and
 * TypeScript tokens, which no formatting changes. Of each data file: its bytes. Sums by area. Then, of
 * each command, the lines that it loads, and of them those of the import that loads most by itself.
 */
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import ts from "typescript";
import { importsIn, targetOf } from "./import-graph.mjs";

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

/** What each file loads with it, by absolute path; an import of types or at run time loads nothing. */
function readLoads(texts: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const files = new Set(texts.keys());
  const read = (path: string, text: string): readonly string[] =>
    importsIn(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
      .filter(({ loads }) => loads)
      .flatMap(({ specifier }) => targetOf(path, specifier, files) ?? []);
  return new Map([...texts].map(([path, text]) => [path, read(path, text)]));
}

/** The files that these load, themselves included, without one import. */
function loadedBy(
  starts: readonly string[],
  loads: ReadonlyMap<string, readonly string[]>,
  without: readonly string[] = [],
): ReadonlySet<string> {
  const seen = new Set<string>();
  const todo = [...starts];
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const [from, to] = without;
    todo.push(...(loads.get(file) ?? []).filter((other) => file !== from || other !== to));
  }
  return seen;
}

/** Of each command: its lines, and the import that alone is the reason for most of them. */
function measureCommands(all: readonly [path: string, text: string][]): readonly string[][] {
  const sources = all.filter(([path]) => path.startsWith("plugin/") && path.endsWith(".ts"));
  const texts = new Map(sources.map(([path, text]) => [resolve(path), text]));
  const lines = new Map([...texts].map(([path, text]) => [path, text.split("\n").length - 1]));
  const loads = readLoads(texts);
  const count = (files: ReadonlySet<string>): number =>
    [...files].reduce((sum, file) => sum + (lines.get(file) ?? 0), 0);
  const short = (path: string): string => path.slice(resolve("plugin").length + 1);
  const commands = new Map<string, readonly string[]>();
  for (const path of texts.keys()) {
    const room = /^commands\/([^/]+)\/(?:.+-)?command\.ts$/u.exec(short(path))?.[1];
    if (room !== undefined) commands.set(room, [...(commands.get(room) ?? []), path]);
  }
  return [...commands].map(([room, starts]) => {
    const loaded = loadedBy(starts, loads);
    const pulls = [...loaded]
      .filter((from) => !short(from).startsWith(`commands/${room}/`))
      .flatMap((from) => (loads.get(from) ?? []).map((to) => ({ from, to })))
      .map((pull) => ({
        ...pull,
        lines: count(loaded) - count(loadedBy(starts, loads, [pull.from, pull.to])),
      }))
      .sort((a, b) => b.lines - a.lines);
    const [most] = pulls;
    return [
      room,
      String(count(loaded)),
      ...(most === undefined
        ? []
        : [String(most.lines), `${short(most.from)} > ${short(most.to)}`]),
    ];
  });
}

/** A table: what comes first to the left, numbers to the right, what is named last as it is. */
function print(rows: readonly (readonly string[])[], numbers: number): void {
  const widths = (rows[0] ?? []).map((_, i) =>
    Math.max(...rows.map((cells) => (cells[i] ?? "").length)),
  );
  const pad = (cell: string, i: number): string =>
    i === 0 ? cell.padEnd(widths[i] ?? 0) : i > numbers ? cell : cell.padStart(widths[i] ?? 0);
  for (const cells of rows) process.stdout.write(`${cells.map(pad).join("  ")}\n`);
}

const revision = process.argv[2] ?? "HEAD";
const areas = new Map<string, Sum>();
const product = nothing();
const tests = nothing();
const all = filesAt(revision);
for (const [path, text] of all) {
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
process.stdout.write(git("rev-parse", "--short", revision));
print(rows, heads.length);
process.stdout.write("\n");
print([["command", "loads", "most by", "import"], ...measureCommands(all)], 2);
