/**
 * Texts into documents: YAML and JSON as kubectl writes them, several in one text. No message
 * quotes the text: it may hold Secrets.
 */
import { CORE_SCHEMA, loadAll, Type, YAMLException } from "js-yaml";
import { shapeProblem, textProblem } from "../../domain/values";
import { jsonPieces } from "./json-pieces";

/** One document that holds something, or why it cannot be read. */
export type Document =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly problem: string };

/** A part of the text, and the number of the line that it begins on. */
interface Piece {
  readonly text: string;
  readonly line: () => number;
}

type Read = { readonly value: unknown } | { readonly problem: string };

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

function* readPiece({ text, line }: Piece): Generator<Read> {
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
function json(text: string): readonly Read[] | undefined {
  const whole = parsed(text);
  if (whole !== undefined) return [whole];
  const { pieces, rest } = jsonPieces(text);
  const values = pieces.map(parsed);
  if (values.every((value) => value === undefined)) return undefined;
  const last = { none: [], cut: [cutOff], other: [notJson] }[rest];
  return [...values.map((value) => value ?? notJson), ...last];
}

const notJson: Read = { problem: "it is no JSON: write the dump again" };
const cutOff: Read = {
  problem: "the JSON ends before it is complete (cut off?): write the dump again",
};

function parsed(text: string): Read | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function yaml(text: string, line: Piece["line"]): readonly Read[] {
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
