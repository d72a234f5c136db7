/** Which cluster an operator manages, and what that cluster bundles (domain facts 7, 8). */
import { clusterVersionFor } from "../../domain/release/pairs";
import { compareReleaseTags, parseReleaseTag } from "../../domain/versions";

/** Pairs of operator and cluster releases beside the published ones. */
export type ReleaseTable = Readonly<Record<string, string>>;

/** The one cluster release that an operator release manages; undefined where no pair is known. */
export function releaseOf(table: ReleaseTable, operator: string): string | undefined {
  return table[operator] ?? clusterVersionFor(operator);
}

/** Published lists of bundled versions, newest cluster first. */
const bundles: readonly (readonly [string, readonly string[]])[] = [
  ["8.0.18-0", ["6.2", "7.2", "7.4", "8.0", "8.2", "8.4", "8.6"]],
  ["8.0.10-0", ["6.2", "7.2", "7.4", "8.0", "8.2", "8.4"]],
  ["8.0.2-0", ["6.2", "7.2", "7.4", "8.0", "8.2"]],
  ["7.8.0-0", ["6.2", "7.2", "7.4"]],
];
const oldest = ["6.0", "6.2", "7.2"];

/** The versions of databases that a cluster release bundles. */
export function bundledBy(clusterTag: string): readonly string[] {
  const found = bundles.find(([from]) => isAtLeast(clusterTag, from));
  return found?.[1] ?? oldest;
}

/** True for a release, and for what is newer; false for what is no tag. */
export function isAtLeast(tag: string, from: string): boolean {
  const [one, other] = [parseReleaseTag(tag), parseReleaseTag(from)];
  return one !== undefined && other !== undefined && compareReleaseTags(one, other) >= 0;
}

/** True when two tags are the same release: the small image counts as the usual one. */
export function isSameRelease(tag: string | undefined, other: string | undefined): boolean {
  if (tag === other) return true;
  const [left, right] = [parseReleaseTag(tag), parseReleaseTag(other)];
  return left !== undefined && right !== undefined && compareReleaseTags(left, right) === 0;
}
