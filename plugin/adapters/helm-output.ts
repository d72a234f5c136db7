/** What helm prints on stdout: the JSON that was asked for stands among lines of other kinds. */
import { getOwn } from "../domain/base/values";
import { LastWords } from "./child";

/** The last JSON value in the text that fits; undefined where there is none. It begins at the start of a line. */
export function findPrinted(text: string, fits: (value: unknown) => boolean): unknown {
  const start = /^[ \t]*(?=[[{]|null[ \t\r]*$)/gm;
  let found: unknown;
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    const from = start.lastIndex;
    const end = findEnd(text, from);
    const value = parse(text.slice(from, end));
    start.lastIndex = value === undefined ? from + 1 : end;
    if (value !== undefined && fits(value)) found = value;
  }
  return found;
}

/** A release as `helm upgrade` prints it; a line of a log may be JSON, too. */
export function isReleaseDocument(value: unknown): boolean {
  return ["name", "manifest", "hooks"].some((key) => getOwn(value, key) !== undefined);
}

/** What a message quotes of an output that was not understood; JSON is never quoted, since it may hold Secrets. */
export function quoteFirstLine(text: string): string {
  const line = text.split(/[\r\n]+/).find((one) => one.trim() !== "");
  if (line === undefined) return ": it printed nothing";
  if (/^\s*[[{]/.test(line)) return ": what it printed is cut off, or of another form";
  const words = new LastWords();
  words.add(Buffer.from(line));
  const said = words.describe();
  return `; its output begins with: ${said.length > longest ? `${said.slice(0, longest)}…` : said}`;
}

const longest = 200;

/** Behind the brackets that begin at `from`; a null has none. */
function findEnd(text: string, from: number): number {
  if (text.startsWith("null", from)) return from + "null".length;
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') at = findQuote(text, at + 1);
    else if ("[{".includes(char)) depth += 1;
    else if ("]}".includes(char)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** Where the string ends whose content begins at `from`. */
function findQuote(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1;
  return at;
}

/** Undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
