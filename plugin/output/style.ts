/** Color, where a person sees it; no meaning rests on it. */

type Paint = (text: string) => string;

/** The few colors in use; each gives the text back as it is where color is off. */
export interface Palette {
  readonly good: Paint;
  readonly warn: Paint;
  readonly bad: Paint;
  readonly faint: Paint;
  readonly strong: Paint;
}

/** What decides about color. */
export interface ColorWish {
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

/** Lines of a table; `paint` colors a cell after its width was taken. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  paint: (cell: string, column: number) => string = (cell) => cell,
): readonly string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[], inked: (cell: string, column: number) => string): string =>
    row
      .map((cell, column) => {
        const gap = column === row.length - 1 ? 0 : (widths[column] ?? 0) - cell.length + 2;
        return `${inked(cell, column)}${" ".repeat(gap)}`;
      })
      .join("")
      .trimEnd();
  return [line(head, (cell) => cell), ...rows.map((row) => line(row, paint))];
}
