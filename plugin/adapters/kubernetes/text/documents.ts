/**
 * Texts into documents: YAML and JSON as kubectl writes and reads them, several in one text. No message
 * quotes the text: it may hold Secrets.
 */
import { type EventType, type State, YAMLException } from "js-yaml";
import { parseMarked } from "../../../domain/names/judge";
import { isObject, asArray, asString, getOwn, shapeProblem } from "../../../domain/base/values";
import { loadDialect, MergeError } from "./dialect";
import { findEncodingProblem } from "./encoding";

/** A place in a text, both from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Why a text cannot be read, and where in it. */
export interface TextProblem {
  readonly what: string;
  readonly at?: TextPlace;
  /** It may have been cut off. */
  readonly cut?: true;
}

/** What was written for a value: enough to find its parts again. */
interface Source {
  readonly text: string;
  /** The line that the text begins on; to be asked for before the next document is. */
  readonly line: () => number;
  /** Which one of the text's documents. */
  readonly index: number;
}

/** One document that holds something, or everything that stands against reading it. */
export type Document = { readonly number: number } & (
  | { readonly value: unknown; readonly source: Source }
  | { readonly problems: readonly TextProblem[] }
);

/** A part of the text, and the number of the line that it begins on. */
interface Piece {
  readonly text: string;
  readonly line: () => number;
}

type ParsedDocument =
  | { readonly value: unknown; readonly source: Source }
  | { readonly problems: readonly TextProblem[] };

/**
 * What a key is that is there twice: a problem, in YAML or in JSON as well; the last one, as in a
 * kubeconfig; or a key that its judge knows by `twiceKey`.
 */
export type TwiceManner = "refused" | "refused in YAML" | "last wins" | "marked";

/** The documents of a text in order; empty ones are passed over. */
export function* splitDocuments(text: string, twice: TwiceManner): Generator<Document> {
  let number = 0;
  for (const piece of splitPieces(text)) {
    for (const read of readPiece(piece, twice)) yield { number: (number += 1), ...read };
  }
}

/**
 * The document that kubectl takes for a kubeconfig: the first one, an empty one too, and of two keys of
 * one name the last; what follows it is not looked at. Undefined where it holds nothing.
 */
export function firstDocument(text: string): Document | undefined {
  const pieces = splitPieces(text);
  const lead = pieces.next();
  const next = lead.done === true || hasContent(lead.value.text) ? lead : pieces.next();
  if (next.done === true) return undefined;
  const [own = ""] = next.value.text.split(/^\.\.\.(?=\s|$)/m);
  for (const read of readPiece({ ...next.value, text: own }, "last wins")) {
    return { number: 1, ...read };
  }
  return undefined;
}

/** Three dashes at the beginning of a line end a document wherever they stand. */
function* splitPieces(text: string): Generator<Piece> {
  let from = 0;
  const lineAt = lineCounter(text);
  const until = (end: number): Piece => {
    const lead = /^\uFEFF?(?:[ \t]*\r?\n)*/.exec(text.slice(from, end))?.[0].length ?? 0;
    const start = from + lead;
    return { text: text.slice(start, end), line: () => lineAt(start) };
  };
  for (const { index, 0: marker } of text.matchAll(/^\uFEFF?---(?=\s|$)/gm)) {
    yield until(index);
    from = index + marker.length;
  }
  yield until(text.length);
}

function* readPiece(piece: Piece, twice: TwiceManner): Generator<ParsedDocument> {
  const { text } = piece;
  if (!hasContent(text)) return;
  const values = /^\s*[{[]/.test(text) ? json(piece, twice) : undefined;
  for (const read of values ?? yaml(piece, twice)) {
    const what = "value" in read ? shapeProblem(read.value, text.length) : undefined;
    yield what === undefined ? read : { problems: [{ what }] };
  }
}

/** A line that is neither empty nor a comment nor a directive. */
function hasContent(text: string): boolean {
  return /^(?![ \t]*(?:[#%]|\r?$))/m.test(text);
}

/** Undefined where it is no JSON: YAML may begin with a brace, too. */
function json(piece: Piece, twice: TwiceManner): readonly ParsedDocument[] | undefined {
  const only = parsePiece(piece, twice);
  if (only !== undefined) return [only];
  const { pieces, rest } = jsonPieces(piece.text);
  const lineAt = lineCounter(piece.text);
  const values = pieces.map(({ text, from }) => {
    const line = lineAt(from) - 1;
    return parsePiece({ text, line: () => piece.line() + line }, twice);
  });
  if (values.every((value) => value === undefined)) return undefined;
  const last = { none: [], cut: [cutOff], other: [notJson] }[rest];
  return [...values.map((value) => value ?? notJson), ...last];
}

const notJson: ParsedDocument = { problems: [{ what: "it is no JSON", cut: true }] };
const cutOff: ParsedDocument = {
  problems: [{ what: "the JSON ends before it is complete (cut off?)", cut: true }],
};

function parsePiece(piece: Piece, twice: TwiceManner): ParsedDocument | undefined {
  const { text, line } = piece;
  try {
    const value = JSON.parse(text) as unknown;
    const takesLast = twice === "last wins" || twice === "refused in YAML";
    return takesLast
      ? { value, source: { text, line, index: 0 } }
      : requireSingleKeys(value, piece, twice);
  } catch {
    return undefined;
  }
}

/** JSON takes the last one of two keys of one name, without a word. */
function requireSingleKeys(value: unknown, piece: Piece, twice: TwiceManner): ParsedDocument {
  const { text, line } = piece;
  const [first] = yaml(piece, twice);
  if (first !== undefined && twice === "marked") return first;
  const problems = first !== undefined && "problems" in first ? first.problems : [];
  const isTwice = problems.some(({ what }) => what === duplicate);
  return isTwice ? { problems } : { value, source: { text, line, index: 0 } };
}

function yaml({ text, line }: Piece, twice: TwiceManner): readonly ParsedDocument[] {
  const what = findEncodingProblem(text);
  if (what !== undefined) return [{ problems: [{ what }] }];
  const problems: TextProblem[] = [];
  const read = (marked: string): readonly unknown[] => {
    try {
      return loadDialect(marked, { json: twice === "last wins" });
    } catch (error) {
      problems.push(yamlProblem(error, { text: marked, line }));
      throw error;
    }
  };
  try {
    const values = parseMarked(text, read);
    if (problems.length > 0 && twice !== "marked") return [{ problems }];
    return values
      .map((value, index) => ({ value, source: { text, line, index } }))
      .filter(({ value }) => value !== null && value !== undefined);
  } catch {
    return [{ problems }];
  }
}

const duplicate = "duplicated mapping key";

/** What js-yaml puts in quotes comes from the text. */
function yamlProblem(error: unknown, { text, line }: Piece): TextProblem {
  if (error instanceof MergeError) return { what: error.message };
  if (!(error instanceof YAMLException)) {
    return { what: "it cannot be read as YAML: nested too deeply" };
  }
  const what = error.reason.replaceAll(/ ?"[^"]*"| ?'[^']*'| ?!?<[^>]*>/g, "");
  // marks of earlier keys stand on the same line, where they make it longer
  const { position, column } = error.mark;
  const before = text.slice(position - column, position);
  const marks = before.match(/twice~+/g)?.join("").length ?? 0;
  return { what, at: { line: line() + error.mark.line, column: column - marks + 1 } };
}

/** Numbers of lines, for positions that never go back: very many problems take one pass, too. */
function lineCounter(text: string): (position: number) => number {
  let [line, at] = [1, text.indexOf("\n")];
  return (position) => {
    for (; at !== -1 && at < position; at = text.indexOf("\n", at + 1)) line += 1;
    return line;
  };
}

/** Complete values as text, and what comes after the last of them. */
interface JsonPieces {
  readonly pieces: readonly { readonly text: string; readonly from: number }[];
  /** "cut": a value begins and does not end; "other": text that is no JSON object or array. */
  readonly rest: "none" | "cut" | "other";
}

/** Splits by brackets alone, in one pass; whether a piece is JSON is for the parser to say. */
function jsonPieces(text: string): JsonPieces {
  const pieces: { readonly text: string; readonly from: number }[] = [];
  let [from, depth] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') at = endOfString(text, at);
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) {
        pieces.push({ text: text.slice(from, at + 1), from });
        from = at + 1;
      }
    }
  }
  return { pieces, rest: readRest(text.slice(from), depth) };
}

function readRest(text: string, depth: number): JsonPieces["rest"] {
  if (text.trim() === "") return "none";
  return depth > 0 ? "cut" : "other";
}

/** Where the string that begins here ends: its closing quote, else the text's end. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) return at;
  }
  return text.length;
}

/** An odd number of backslashes before a quote. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charAt(before - 1) === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

/** A value of a list or of none, and the way to it from the document. */
export interface Opened {
  readonly value: unknown;
  readonly path: readonly (string | number)[];
}

/** A list's items, lists among them opened again; anything else as it is. */
export function* openItems({ value, path }: Opened): Generator<Opened> {
  const items = listItems(value);
  if (!isObject(value) || items === undefined) {
    yield { value, path };
    return;
  }
  for (const [index, item] of items.entries()) {
    yield* openItems({ value: inherit(item, value), path: [...path, "items", index] });
  }
}

/** Undefined for what is not a list. An own kind may end in "List" as well, but has no items then. */
function listItems(value: unknown): readonly unknown[] | undefined {
  const kind = asString(getOwn(value, "kind"));
  const items = getOwn(value, "items");
  if (kind === "List" && (items === undefined || items === null)) return [];
  return kind?.endsWith("List") === true && Array.isArray(items) ? asArray(items) : undefined;
}

/** Items of a typed list may leave out what the list says for all of them. */
function inherit(item: unknown, parent: object): unknown {
  const kind = String(getOwn(parent, "kind")).replace(/List$/, "");
  if (!isObject(item) || kind === "") return item;
  const { apiVersion = getOwn(parent, "apiVersion"), kind: own = kind, ...rest } = item;
  return { apiVersion, kind: own, ...rest };
}

/** A node as the reader met it: where, and what is in it. */
interface Node {
  readonly at: number;
  readonly inner: Node[];
  kind?: string;
  result?: unknown;
}

/** Finds the value at a path, or the nearest one around it, in what was read. */
export function placesIn({
  text,
  line: lineOf,
  index,
}: Source): (path: readonly (string | number)[]) => TextPlace {
  const first = lineOf();
  let root: Node | undefined;
  let ends: readonly number[] | undefined;
  return (path) => {
    root ??= parseNodes(text)[index] ?? { at: 0, inner: [] };
    let node = root;
    for (const key of path) {
      const next = findInner(node, key);
      if (next === undefined) break;
      node = next;
    }
    ends ??= findLineEnds(text);
    const at = findStart(text, node.at);
    const before = countBelow(ends, at);
    return { line: first + before, column: at - (ends[before - 1] ?? -1) };
  };
}

/** Where the lines of a text end: found once, since a long list asks for very many places. */
function findLineEnds(text: string): readonly number[] {
  const ends: number[] = [];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) ends.push(at);
  return ends;
}

/** How many of the ascending numbers are below one. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The roots of a text that can be read, each with all that is in it. */
function parseNodes(text: string): readonly Node[] {
  const roots: Node[] = [];
  const open: Node[] = [];
  const listener = (event: EventType, { position, kind, result }: State): void => {
    if (event === "open") {
      const node: Node = { at: position, inner: [] };
      (open.at(-1)?.inner ?? roots).push(node);
      open.push(node);
      return;
    }
    const node = open.pop();
    if (node !== undefined) Object.assign(node, { kind, result: result as unknown });
  };
  loadDialect(text, { json: true, listener });
  return roots;
}

/** In a map, keys and values take turns. */
function findInner(node: Node, key: string | number): Node | undefined {
  const { kind, inner } = unwrap(node);
  if (kind === "sequence") return typeof key === "number" ? inner[key] : undefined;
  const at = inner.findIndex(({ result }, which) => which % 2 === 0 && result === key);
  return kind === "mapping" && at !== -1 ? inner[at + 1] : undefined;
}

/** What might have been the key of a map, and was none, is met as a node within the node. */
function unwrap(node: Node): Node {
  const [only] = node.inner;
  if (only === undefined || node.inner.length > 1) return node;
  return only.kind === node.kind && only.result === node.result ? unwrap(only) : node;
}

/** Behind the blanks, line ends and comments before a value. */
function findStart(text: string, from: number): number {
  const lead = /(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*/y;
  lead.lastIndex = from;
  return from + (lead.exec(text)?.[0].length ?? 0);
}
