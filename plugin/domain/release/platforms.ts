/**
 * What releases bundle, which of them belong together, and which platform versions an operator line supports
 * (S121; domain facts 8). The tables are in plugin/advisories/tables.yaml.
 */
import { compareTags, parseReleaseTag } from "../base/versions";
import { type PlatformLine, type PlatformRange, type PlatformSupport, tables } from "./tables";

const { bundled, pairs, platforms: lines } = tables;

/** From a release on, newest first. */
const published = bundled.map(({ from, versions }) => [`${from}-0`, versions] as const);

/** What a release bundles; undefined where nothing is published of it, as of the newest it may be more. */
export function listBundledVersions(tag: string | undefined): readonly string[] | undefined {
  return published.find(([first]) => compareTags(tag, first) >= 0)?.[1];
}

/** Operator, cluster: build numbers of the two are unrelated. */
export const releasePairs: readonly (readonly [operator: string, cluster: string])[] = pairs.map(
  ({ operator, cluster }) => [operator, cluster],
);

/** The operator releases that a person may want, those that were recalled left out. */
export const offeredReleases: readonly string[] = pairs
  .filter(({ recalled }) => recalled !== true)
  .map(({ operator }) => operator);

/** The cluster release that an operator release manages; undefined for one that is not listed. */
export function clusterVersionFor(operatorVersion: string): string | undefined {
  return releasePairs.find(([operator]) => compareTags(operator, operatorVersion) === 0)?.[1];
}

/** The platforms that operators run on. */
export const platforms = ["kubernetes", "openshift"] as const;
export type Platform = (typeof platforms)[number];

/** A minor version of a platform. */
interface PlatformVersion {
  readonly major: number;
  readonly minor: number;
}

/** Newest first. */
export const platformLines = lines;

/** The line of an operator's release; undefined for one that no line covers. */
export function platformSupport(operatorVersion: string): PlatformLine | undefined {
  const numbers = parseReleaseTag(operatorVersion)?.numbers.slice(0, 3);
  if (numbers === undefined) return undefined;
  const within = ({ first, last }: PlatformLine): boolean =>
    compare(numbers, splitVersion(first)) >= 0 && compare(numbers, splitVersion(last)) <= 0;
  return platformLines.find(within);
}

/** How a platform's version stands to a line; `edge` is at most two minor versions outside it. */
export type Standing = "supported" | "deprecated" | "edge" | "unsupported";

/** Copies of the table disagree by so many minor versions. */
const edge = 2;

/** Where a version stands; a major version beside the line's is outside in any case. */
export function findStanding(
  { supported, deprecated }: PlatformSupport,
  { major, minor }: PlatformVersion,
): Standing {
  const within = ([first, last]: PlatformRange, slack: number): boolean => {
    const [lowest, highest] = [splitVersion(first), splitVersion(last)];
    const inside = minor >= Number(lowest[1]) - slack && minor <= Number(highest[1]) + slack;
    return major === lowest[0] && inside;
  };
  if (within(supported, 0)) return "supported";
  if (deprecated === undefined) return within(supported, edge) ? "edge" : "unsupported";
  if (within(deprecated, 0)) return "deprecated";
  return within([deprecated[0], supported[1]], edge) ? "edge" : "unsupported";
}

/** The minor version that a platform reports: `v1.33.4+k3s1`, `1.33+` or `4.20.1`. */
export function parsePlatformVersion(value: unknown): PlatformVersion | undefined {
  const match = typeof value === "string" ? /^v?(\d{1,6})\.(\d{1,6})(?!\d)/.exec(value) : null;
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) };
}

function splitVersion(version: string): readonly number[] {
  return version.split(".").map(Number);
}

function compare(left: readonly number[], right: readonly number[]): number {
  const differences = left.map((part, index) => part - Number(right[index]));
  return differences.find((difference) => difference !== 0) ?? 0;
}
