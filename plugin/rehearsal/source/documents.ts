/**
 * Texts into documents: YAML and JSON as kubectl writes them, several in one text. No message
 * quotes the text: it may hold Secrets.
 */
import { CORE_SCHEMA, loadAll, Type, YAMLException } from "js-yaml";
import {
  isObject,
  type Json,
  asArray,
  getOwn,
  shapeProblem,
  asString,
  textProblem,
} from "../../domain/values";
import type { KubeObject } from "../../domain/objects";

/** One document that holds something, or why it cannot be read. */
type Document =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly problem: string };

/** A part of the text, and the number of the line that it begins on. */
interface Piece {
  readonly text: string;
  readonly line: () => number;
}

type ParsedDocument = { readonly value: unknown } | { readonly problem: string };

/** No manifest is nested deeper; other code may then walk an object by recursion. */
const deepest = 250;

const merge = new Type("tag:yaml.org,2002:merge", {
  kind: "scalar",
  resolve: (key: unknown) => key === "<<",
});
/** Dates stay text, as in the Kubernetes API. */
const schema = CORE_SCHEMA.extend({ implicit: [merge] });
const yamlOptions = { schema, maxDepth: deepest } as object;

/** The documents of a text in order; empty ones are passed over. */
export function* documentsOf(text: string): Generator<Document> {
  let number = 0;
  for (const piece of piecesOf(text)) {
    for (const read of readPiece(piece)) yield { number: (number += 1), ...read };
  }
}

/** Three dashes at the beginning of a line end a document wherever they stand. */
function* piecesOf(whole: string): Generator<Piece> {
  let from = 0;
  const lineAt = lineCounter(whole);
  const until = (end: number): Piece => {
    const untrimmed = whole.slice(from, end);
    const text = untrimmed.trimStart();
    const start = from + untrimmed.length - text.length;
    return { text, line: () => lineAt(start) };
  };
  for (const { index, 0: marker } of whole.matchAll(/^\uFEFF?---(?=\s|$)/gm)) {
    yield until(index);
    from = index + marker.length;
  }
  yield until(whole.length);
}

function* readPiece({ text, line }: Piece): Generator<ParsedDocument> {
  if (!hasContent(text)) return;
  const values = /^[{[]/.test(text) ? json(text) : undefined;
  for (const read of values ?? yaml(text, line)) {
    const problem = "value" in read ? shapeProblem(read.value, text.length) : undefined;
    yield problem === undefined ? read : { problem };
  }
}

/** A line that is neither empty nor a comment nor a directive. */
function hasContent(text: string): boolean {
  return /^(?![ \t]*(?:[#%]|\r?$))/m.test(text);
}

/** Undefined where it is no JSON: YAML may begin with a brace, too. */
function json(text: string): readonly ParsedDocument[] | undefined {
  const whole = parsed(text);
  if (whole !== undefined) return [whole];
  const { pieces, rest } = jsonPieces(text);
  const values = pieces.map(parsed);
  if (values.every((value) => value === undefined)) return undefined;
  const last = { none: [], cut: [cutOff], other: [notJson] }[rest];
  return [...values.map((value) => value ?? notJson), ...last];
}

const notJson: ParsedDocument = { problem: "it is no JSON: write the dump again" };
const cutOff: ParsedDocument = {
  problem: "the JSON ends before it is complete (cut off?): write the dump again",
};

function parsed(text: string): ParsedDocument | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function yaml(text: string, line: Piece["line"]): readonly ParsedDocument[] {
  const problem = textProblem(text);
  if (problem !== undefined) return [{ problem }];
  try {
    const values = loadAll(text, null, yamlOptions);
    return values
      .filter((value) => value !== null && value !== undefined)
      .map((value) => ({ value }));
  } catch (error) {
    return [{ problem: yamlProblem(error, line) }];
  }
}

/** What js-yaml puts in quotes comes from the text. */
function yamlProblem(error: unknown, line: Piece["line"]): string {
  if (!(error instanceof YAMLException)) return "it cannot be read as YAML: nested too deeply";
  const where = `in line ${line() + error.mark.line}`;
  const why = error.reason.replaceAll(/ ?"[^"]*"| ?'[^']*'| ?!?<[^>]*>/g, "");
  return `it is neither YAML nor JSON, ${where}: ${why} (cut off? then write the dump again)`;
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
  readonly pieces: readonly string[];
  /** "cut": a value begins and does not end; "other": text that is no JSON object or array. */
  readonly rest: "none" | "cut" | "other";
}

/** Splits by brackets alone, in one pass; whether a piece is JSON is for the parser to say. */
function jsonPieces(text: string): JsonPieces {
  const pieces: string[] = [];
  let [from, depth] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') at = endOfString(text, at);
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) {
        pieces.push(text.slice(from, at + 1));
        from = at + 1;
      }
    }
  }
  return { pieces, rest: restOf(text.slice(from), depth) };
}

function restOf(text: string, depth: number): JsonPieces["rest"] {
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

/** Where a value stands, for problems: "file a.yaml, document 2, item 7". */
interface LocatedValue {
  readonly value: unknown;
  readonly where: string;
}

/** The objects of one text; every problem is told with the place and the name that it has. */
export function objectsOf(
  content: string,
  name: string,
  problem: (text: string) => void,
): readonly KubeObject[] {
  const objects: KubeObject[] = [];
  for (const document of documentsOf(content)) {
    const where = `${name}, document ${document.number}`;
    if ("problem" in document) {
      problem(`${where}: ${document.problem}`);
      continue;
    }
    for (const found of opened({ value: document.value, where })) {
      const wrong = problemsOf(found.value);
      for (const what of wrong) problem(`${found.where}${naming(found.value)}: ${what}`);
      if (wrong.length === 0) objects.push(found.value as KubeObject);
    }
  }
  return objects;
}

/** A list's items, lists among them opened again; anything else as it is. */
function* opened({ value, where }: LocatedValue): Generator<LocatedValue> {
  const items = itemsOf(value);
  if (!isObject(value) || items === undefined) {
    yield { value, where };
    return;
  }
  for (const [index, item] of items.entries()) {
    yield* opened({ value: inherited(item, value), where: `${where}, item ${index + 1}` });
  }
}

/** Undefined for what is not a list. An own kind may end in "List" as well, but has no items then. */
function itemsOf(value: unknown): readonly unknown[] | undefined {
  const kind = asString(getOwn(value, "kind"));
  const items = getOwn(value, "items");
  if (kind === "List" && (items === undefined || items === null)) return [];
  return kind?.endsWith("List") === true && Array.isArray(items) ? asArray(items) : undefined;
}

/** Items of a typed list may leave out what the list says for all of them. */
function inherited(item: unknown, parent: Json): unknown {
  const kind = String(parent["kind"]).replace(/List$/, "");
  if (!isObject(item) || kind === "") return item;
  const { apiVersion = parent["apiVersion"], kind: own = kind, ...rest } = item;
  return { apiVersion, kind: own, ...rest };
}

/** The object's own words, as far as it has them. */
function naming(value: unknown): string {
  const metadata = getOwn(value, "metadata");
  const name = asString(getOwn(metadata, "name"));
  const namespace = asString(getOwn(metadata, "namespace"));
  const kind = asString(getOwn(value, "kind"));
  if (kind === undefined && name === undefined) return "";
  const path = [namespace, name].filter((part) => part !== undefined).join("/");
  return `, ${kind ?? "an object"}${path === "" ? "" : ` ${path}`}`;
}

function problemsOf(value: unknown): readonly string[] {
  if (!isObject(value)) return ["it is not an object: remove it, or write the dump again"];
  if (Array.isArray(getOwn(value, "items")) && asString(getOwn(value, "kind")) === undefined) {
    return ["it is a list without its end (cut off?): write the dump again"];
  }
  const metadata = getOwn(value, "metadata");
  const missing = [
    ...(asString(getOwn(value, "apiVersion")) === undefined ? ["apiVersion"] : []),
    ...(asString(getOwn(value, "kind")) === undefined ? ["kind"] : []),
    ...(asString(getOwn(metadata, "name")) === undefined ? ["metadata.name"] : []),
  ];
  return missing.length > 0
    ? [`it has no ${missing.join(", no ")} (cut off?): complete it, or write the dump again`]
    : metadataProblems(metadata);
}

const texts = ["namespace", "uid", "resourceVersion", "deletionTimestamp"];
const maps = ["labels", "annotations"];
const lists = ["managedFields", "ownerReferences", "finalizers"];

/** What other code takes for granted of an object that was stored. */
function metadataProblems(metadata: unknown): readonly string[] {
  const values = (names: readonly string[]): readonly [string, unknown][] =>
    names
      .map((name): [string, unknown] => [name, getOwn(metadata, name)])
      .filter(([, value]) => value !== undefined && value !== null);
  return [
    ...values(texts).flatMap(([name, value]) => notText(name, value)),
    ...values(maps).flatMap(([name, value]) =>
      isObject(value)
        ? Object.entries(value).flatMap(([key, one]) => notText(`${name}.${key}`, one))
        : [`metadata.${name} is no map`],
    ),
    ...values(lists).flatMap(([name, value]) =>
      Array.isArray(value) ? [] : [`metadata.${name} is not a list`],
    ),
  ];
}

function notText(name: string, value: unknown): readonly string[] {
  return typeof value === "string" ? [] : [`metadata.${name} is not a text: put it in quotes`];
}
