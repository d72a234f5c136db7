/** The database versions that cluster releases bundle, as they are published (domain facts 7). */
import { compareReleaseTags, parseReleaseTag, type ReleaseTag } from "../versions";

const from = (major: number, minor: number, patch: number): ReleaseTag => ({
  numbers: [major, minor, patch, 0, 0],
  minimal: false,
});

/** From a release on, newest first. */
const published: readonly (readonly [from: ReleaseTag, versions: readonly string[]])[] = [
  [from(8, 0, 18), ["6.2", "7.2", "7.4", "8.0", "8.2", "8.4", "8.6"]],
  [from(8, 0, 10), ["6.2", "7.2", "7.4", "8.0", "8.2", "8.4"]],
  [from(8, 0, 2), ["6.2", "7.2", "7.4", "8.0", "8.2"]],
  [from(7, 8, 0), ["6.2", "7.2", "7.4"]],
  [from(7, 2, 4), ["6.0", "6.2", "7.2"]],
];

/** What a release bundles; undefined where nothing is published of it, as of the newest it may be more. */
export function bundledVersions(tag: string | undefined): readonly string[] | undefined {
  const wanted = parseReleaseTag(tag);
  if (wanted === undefined) return undefined;
  return published.find(([first]) => compareReleaseTags(wanted, first) >= 0)?.[1];
}
