/** What a page is made of, whatever form it is written in. All texts are as they came: the writers escape them. */
import { escape, escapeLines } from "../escape";

/** How something stands; a word always says the same. */
export type Tone = "good" | "warn" | "bad" | "calm";

/** A text of a table, with how it stands where that is its meaning. */
export type Cell = string | { readonly text: string; readonly tone: Tone };

type Facts = readonly (readonly [name: string, value: string])[];

/** A stretch of a row, from the beginning of the run on. */
export interface Bar {
  readonly at: number;
  readonly ms: number;
  readonly tone: Tone;
  readonly says: string;
}

/** A row over the axis; rows of a group stand together, under its name. */
export interface Lane {
  readonly group: string;
  readonly name: string;
  readonly says: string;
  readonly bars: readonly Bar[];
}

/** Each part of a page by its form; a chart's axis has four stretches of `tick` milliseconds. */
interface Forms {
  readonly banner: { readonly text: string };
  readonly card: { readonly tone: Tone; readonly head: string; readonly rows: Facts };
  readonly code: { readonly text: string };
  readonly list: { readonly items: readonly string[] };
  readonly facts: { readonly rows: Facts };
  readonly table: { readonly head: readonly string[]; readonly rows: readonly (readonly Cell[])[] };
  readonly grid: { readonly cells: readonly (readonly [name: string, result: Cell])[] };
  readonly chart: { readonly lanes: readonly Lane[]; readonly tick: number };
  readonly section: { readonly title: string; readonly blocks: readonly Block[] };
}

/** A part of a page. */
export type Block = { [F in keyof Forms]: { readonly is: F } & Forms[F] }[keyof Forms];

/** A way to write every part; `depth` is that of its headings. */
export type Writer = { readonly [F in keyof Forms]: (block: Forms[F], depth: number) => string };

/** A part as a writer writes it. */
export function writeBlock(writer: Writer, block: Block, depth: number): string {
  // the key and the part are of one form, which an index does not tell the compiler
  return (writer[block.is] as (block: Block, depth: number) => string)(block, depth);
}

/** A whole page. */
export interface Page {
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly footer: string;
}

/** A section, or nothing where there is nothing to say in it. */
export function section(title: string, blocks: readonly Block[]): readonly Block[] {
  return blocks.length === 0 ? [] : [{ is: "section", title, blocks }];
}

/** A page is read by people: so much of one text, and of a listing, is all that it takes. */
const mostText = 2_000;
const mostCode = 100_000;

/** A text of a cell, with what could hide or reorder the rest made visible. */
export function showText(text: string): string {
  return escapeLines(cut(text, mostText));
}

/** The same on one line. */
export function showLine(text: string): string {
  return escape(cut(text, mostText).replaceAll(/\r?\n/g, " "));
}

/** A listing, such as YAML. */
export function showCode(text: string): string {
  return escapeLines(cut(text.trimEnd(), mostCode));
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters in all)`;
}

/** The words of a cell. */
export function renderCell(cell: Cell | undefined): string {
  return typeof cell === "object" ? cell.text : (cell ?? "");
}

/** A stretch of time: `0.42s`, `9.5s`, `3m20s`. */
export function renderMs(ms: number): string {
  if (ms < 10_000) return `${Number((ms / 1_000).toFixed(ms < 1_000 ? 2 : 1))}s`;
  const seconds = Math.round(ms / 1_000);
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return `${minutes === 0 ? "" : `${minutes}m`}${rest === 0 && minutes > 0 ? "" : `${rest}s`}`;
}
