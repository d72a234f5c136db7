/**
 * Text from the cluster, made safe for a terminal: whoever may write an object's name or message
 * must not be able to move the cursor, recolor, hide or reorder what the person reads. The colors and
 * tables of this tool are added here, after that.
 */
import { quote, unsafe } from "../domain/base/quote";
import { publicWords } from "../domain/base/redact";

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** One line that shows every unsafe character as its escape. */
export function escape(text: string): string {
  return text.replaceAll(unsafe, (character) => short[character] ?? escapeCharacter(character));
}

/** As `escape`, but line breaks stay: for texts of several lines. */
export function escapeLines(text: string): string {
  return text.split(/\r?\n/).map(escape).join("\n");
}

/** A JSON text with the characters escaped that JSON itself allows; its meaning is the same. */
export function escapeJson(json: string): string {
  return json.replaceAll(unsafe, (character) => {
    if (character === "\n") return character; // between the parts: inside strings JSON has escaped it
    return [...Array(character.length).keys()]
      .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`)
      .join("");
  });
}

/** Replaces each unsafe character by what `mark` makes of it. */
export function replaceUnsafe(text: string, mark: (code: number) => string): string {
  return text.replaceAll(unsafe, (character) => mark(character.codePointAt(0) ?? 0));
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
}

/** A whole command, without what of it must not be shown. */
export function quoteCommand(words: readonly string[]): string {
  return publicWords(words).map(quote).join(" ");
}

type Paint = (text: string) => string;

/** The few colors in use, where a person sees them; no meaning rests on them: each gives the text back as it is where color is off. */
export interface Palette {
  readonly good: Paint;
  readonly warn: Paint;
  readonly bad: Paint;
  readonly faint: Paint;
  readonly strong: Paint;
}

/** What decides about color. */
interface ColorWish {
  readonly color: "auto" | "always" | "never";
  readonly terminal: boolean;
  readonly env: NodeJS.ProcessEnv;
}

/** Whether to color: a flag decides alone, else a terminal without NO_COLOR (no-color.org). */
export function wantsColor({ color, terminal, env }: ColorWish): boolean {
  if (color !== "auto") return color === "always";
  const refused = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  return terminal && !refused;
}

/** The palette for a stream that does or does not take color. */
export function palette(colored: boolean): Palette {
  const paint = (code: number): Paint =>
    colored ? (text) => `\u001b[${code}m${text}\u001b[0m` : (text) => text;
  return { good: paint(32), warn: paint(33), bad: paint(31), faint: paint(2), strong: paint(1) };
}

/** Whether a stream is a terminal. */
export function isTerminal(stream: unknown): boolean {
  return (
    typeof stream === "object" && stream !== null && "isTTY" in stream && stream.isTTY === true
  );
}

/** How a table is drawn: `paint` colors a cell after its width was taken, `gap` is the space between columns. */
interface TableStyle {
  readonly paint?: (cell: string, column: number) => string;
  readonly gap?: number;
}

/** Lines of a table. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { paint = (cell) => cell, gap: between = 2 }: TableStyle = {},
): readonly string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) =>
    all.reduce((most, row) => Math.max(most, (row[column] ?? "").length), 0),
  );
  const line = (row: readonly string[], inked: (cell: string, column: number) => string): string =>
    row
      .map((cell, column) => {
        const gap = column === row.length - 1 ? 0 : (widths[column] ?? 0) - cell.length + between;
        return `${inked(cell, column)}${" ".repeat(gap)}`;
      })
      .join("")
      .trimEnd();
  return [line(head, (cell) => cell), ...rows.map((row) => line(row, paint))];
}
