/**
 * Which platform versions an operator line supports (S121; domain facts 8): data, to be edited.
 * Published copies disagree by a minor version or two: near an edge it is a warning, never a block.
 */
import {
  compareReleaseTags,
  compareTags,
  parseReleaseTag,
  type ReleaseTag,
} from "../base/versions";

const from = (major: number, minor: number, patch: number): ReleaseTag => ({
  numbers: [major, minor, patch, 0, 0],
  suffix: "",
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
export function listBundledVersions(tag: string | undefined): readonly string[] | undefined {
  const wanted = parseReleaseTag(tag);
  if (wanted === undefined) return undefined;
  return published.find(([first]) => compareReleaseTags(wanted, first) >= 0)?.[1];
}

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

/** The platforms that operators run on. */
export const platforms = ["kubernetes", "openshift"] as const;
export type Platform = (typeof platforms)[number];

/** A minor version of a platform. */
interface PlatformVersion {
  readonly major: number;
  readonly minor: number;
}

/** First and last, as published. */
type PlatformRange = readonly [first: string, last: string];

/** What a line says of one platform. */
interface PlatformSupport {
  readonly supported: PlatformRange;
  /** Absent where none is listed. */
  readonly deprecated?: PlatformRange;
}

/** One line of the table, for every operator from `first` to `last` (major.minor.patch). */
interface PlatformLine {
  readonly first: string;
  readonly last: string;
  readonly kubernetes: PlatformSupport;
  readonly openshift: PlatformSupport;
}

/** Newest first. */
export const platformLines: readonly PlatformLine[] = [
  {
    first: "8.2.0",
    last: "8.2.0",
    kubernetes: { supported: ["1.33", "1.36"], deprecated: ["1.32", "1.32"] },
    openshift: { supported: ["4.20", "4.22"], deprecated: ["4.19", "4.19"] },
  },
  {
    first: "8.0.10",
    last: "8.0.20",
    kubernetes: { supported: ["1.33", "1.35"], deprecated: ["1.31", "1.32"] },
    openshift: { supported: ["4.20", "4.22"], deprecated: ["4.18", "4.19"] },
  },
  {
    first: "8.0.6",
    last: "8.0.6",
    kubernetes: { supported: ["1.33", "1.34"], deprecated: ["1.31", "1.32"] },
    openshift: { supported: ["4.20", "4.21"], deprecated: ["4.18", "4.19"] },
  },
  {
    first: "8.0.2",
    last: "8.0.2",
    kubernetes: { supported: ["1.32", "1.34"], deprecated: ["1.31", "1.31"] },
    openshift: { supported: ["4.19", "4.21"], deprecated: ["4.18", "4.18"] },
  },
  {
    first: "7.22.2",
    last: "7.22.2",
    kubernetes: { supported: ["1.31", "1.33"], deprecated: ["1.30", "1.30"] },
    openshift: { supported: ["4.18", "4.20"], deprecated: ["4.17", "4.17"] },
  },
  {
    first: "7.22.0",
    last: "7.22.0",
    kubernetes: { supported: ["1.30", "1.32"] },
    openshift: { supported: ["4.17", "4.19"] },
  },
];

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
