/** Which cluster release belongs to which operator release (domain facts 8): data, to be added to. */
import { compareTags } from "../versions";

/** Operator, cluster: build numbers of the two are unrelated. */
export const releasePairs: readonly (readonly [operator: string, cluster: string])[] = [
  ["7.22.0-7", "7.22.0-28"],
  ["8.0.2-2", "8.0.2-17"],
  ["8.0.6-8", "8.0.6-54"],
  ["8.0.10-21", "8.0.10-64"],
  ["8.0.16-24", "8.0.16-29"],
  ["8.0.18-11", "8.0.18-23.11"],
  ["8.0.20-23", "8.0.20-44.23"],
  ["8.2.0-12", "8.2.0-25.12"],
  ["8.2.0-13", "8.2.0-46.13"],
];

/** The cluster release that an operator release manages; undefined for one that is not listed. */
export function clusterVersionFor(operatorVersion: string): string | undefined {
  return releasePairs.find(([operator]) => compareTags(operator, operatorVersion) === 0)?.[1];
}
