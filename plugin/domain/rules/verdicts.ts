/** What several judgements of one rule come to. */
import type { Verdict } from "./types";

const pass: Verdict = { causes: [], warnings: [], dependsOnCluster: false };

/** One verdict of several: all that they say, in their order. */
export function joined(verdicts: readonly Verdict[]): Verdict {
  const [first, ...others] = verdicts;
  if (first === undefined) return pass;
  if (others.length === 0) return first;
  return {
    causes: verdicts.flatMap(({ causes }) => causes),
    warnings: verdicts.flatMap(({ warnings }) => warnings),
    dependsOnCluster: verdicts.some(({ dependsOnCluster }) => dependsOnCluster),
  };
}
