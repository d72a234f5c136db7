/** A table as kubectl prints it: capitals on top, columns as wide as their widest cell. */

/** Lines of a table; `paint` colours a cell after its width was taken. */
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
