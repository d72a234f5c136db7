/** "Did you mean": the nearest known word, when one is near enough. */

/** Characters; nobody mistypes a longer name, and the comparison takes their square. */
const longest = 64;

/** The candidate with the fewest edits, undefined when even that one is too far away. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length * 0.4));
  if (word.length > longest) return undefined;
  const ranked = candidates
    .filter((candidate) => Math.abs(candidate.length - word.length) <= limit)
    .map((candidate) => ({ candidate, edits: editsBetween(word, candidate) }))
    .filter(({ edits }) => edits <= limit)
    .sort((one, other) => one.edits - other.edits);
  return ranked[0]?.candidate;
}

/** ` (did you mean …?)`, or nothing. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const found = nearest(word, candidates);
  return found === undefined ? "" : ` (did you mean ${found}?)`;
}

/** Insertions, deletions, replacements and swaps of neighbors that lead from one to the other. */
function editsBetween(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const cell = (row: number, column: number): number =>
    Math.min(...rows.slice(row, row + 1).flatMap((cells) => cells.slice(column, column + 1)));
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = cell(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const best = Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, replaced);
      row[j] = swapped ? Math.min(best, cell(i - 2, j - 2) + 1) : best;
    }
  }
  return cell(from.length, to.length);
}
