/**
 * Which rows of a long table a run tries. That is every row, unless ENGINE_SAMPLE is N: then it is one row in N,
 * beginning at a row that ENGINE_SAMPLE_SEED chooses. `.ci/run` sets both and prints them.
 */
import process from "node:process";

const step = Math.max(1, Number(process.env["ENGINE_SAMPLE"] ?? 1));
const seed = Number(process.env["ENGINE_SAMPLE_SEED"] ?? 0);

/** One row in N, and at least one of a table that has any. Tests that share a table take other rows by `shift`. */
export function sampled<T>(rows: readonly T[], shift = 0): readonly T[] {
  const from = (seed + shift) % Math.min(step, Math.max(rows.length, 1));
  return rows.filter((_, index) => index % step === from);
}
