/** Which cluster an operator manages, and what that cluster bundles (domain facts 7, 8). */
import { bundledVersions } from "../../domain/release/bundled";
import { clusterVersionFor } from "../../domain/release/pairs";
import { compareReleaseTags, parseReleaseTag } from "../../domain/versions";

/** Pairs of operator and cluster releases beside the published ones. */
export type ReleaseTable = Readonly<Record<string, string>>;

/** The one cluster release that an operator release manages; undefined where no pair is known. */
export function releaseOf(table: ReleaseTable, operator: string): string | undefined {
  return table[operator] ?? clusterVersionFor(operator);
}

/** The versions of databases that a cluster release bundles; of one before the published, those of the first. */
export function bundledBy(clusterTag: string): readonly string[] {
  return bundledVersions(clusterTag) ?? ["6.0", "6.2", "7.2"];
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
