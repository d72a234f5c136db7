/** Engine versions ("7.2") and release tags ("8.0.20-44.23"), compared as numbers, never as text. */

/** True for two spellings of one image's tag: a leading v means nothing, a suffix is another image. */
export function isSameTag(one: string, other: string): boolean {
  const [left, right] = [one, other].map((tag) => parseReleaseTag(tag)?.suffix);
  return isSameRelease(one, other) && left === right;
}

/** True for two tags of one release, whatever the platform or the size that a suffix names. */
export function isSameRelease(one: string | undefined, other: string | undefined): boolean {
  const [left, right] = [parseReleaseTag(one), parseReleaseTag(other)];
  if (left === undefined || right === undefined) return bare(one) === bare(other);
  return compareReleaseTags(left, right) === 0;
}

function bare(tag: string | undefined): string | undefined {
  return tag?.replace(/^v/, "");
}

/** A number of a version: no leading zero, short enough to be exact. */
const number = "(0|[1-9][0-9]{0,8})";
/** An engine version and nothing else; as Kubernetes' regular expressions read it, too. */
export const engineVersion = new RegExp(`^${number}[.]${number}$`);
/** A text that begins with an engine version. */
export const fullVersion = new RegExp(`^${number}[.]${number}(?:[.-]|$)`);
const releaseTag = new RegExp(
  `^v?${number}\\.${number}\\.${number}-${number}(?:\\.${number})?(\\.[a-z][a-z0-9]*(?:[.-][a-z0-9]+)*)?$`,
);

/** A database version, major.minor (S61). */
export interface EngineVersion {
  readonly major: number;
  readonly minor: number;
}

/** The engine version that a text says exactly, as "7.2"; undefined for anything else (S61). */
export function parseEngineVersion(value: unknown): EngineVersion | undefined {
  return firstTwo(engineVersion, value);
}

/** The engine version that a full version begins with: 7.4 of "7.4.2" or "7.4" (domain facts 7). */
export function parseLeadingEngineVersion(value: unknown): EngineVersion | undefined {
  return firstTwo(fullVersion, value);
}

function firstTwo(pattern: RegExp, value: unknown): EngineVersion | undefined {
  const match = typeof value === "string" ? pattern.exec(value) : null;
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) };
}

/** Below zero when the left is older, above when newer, zero when they are the same (S61). */
export function compareEngineVersions(left: EngineVersion, right: EngineVersion): number {
  return left.major - right.major || left.minor - right.minor;
}

/** An engine version as the specification writes it, "7.2" (S61). */
export function formatEngineVersion({ major, minor }: EngineVersion): string {
  return `${major}.${minor}`;
}

/** A release of the operator or the cluster (domain facts 8, tag grammar). */
export interface ReleaseTag {
  /** Major, minor, patch, build, and what follows the build (0 when nothing does). */
  readonly numbers: readonly [number, number, number, number, number];
  /** Another image of the same release, `.minimal` or `.rhel8-openshift`: no part of the order; empty where there is none. */
  readonly suffix: string;
}

/** Reads N.N.N-N, optional .N, optional suffix of letters, optional leading v (domain facts 8). */
export function parseReleaseTag(value: unknown): ReleaseTag | undefined {
  const match = typeof value === "string" ? releaseTag.exec(value) : null;
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  return {
    numbers: [part(1), part(2), part(3), part(4), part(5)],
    suffix: match[6] ?? "",
  };
}

/** Below zero when the left is older, above when newer; builds are numbers (S31, S66). */
export function compareReleaseTags(left: ReleaseTag, right: ReleaseTag): number {
  const differences = left.numbers.map((part, index) => part - Number(right.numbers[index]));
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** The same for tags as they are written: NaN where one is none, so that no comparison holds. */
export function compareTags(left: string | undefined, right: string | undefined): number {
  const [one, other] = [parseReleaseTag(left), parseReleaseTag(right)];
  return one === undefined || other === undefined ? NaN : compareReleaseTags(one, other);
}

/** True where both are releases and the first is older. */
export function isOlder(one: string | undefined, other: string | undefined): boolean {
  return compareTags(one, other) < 0;
}

/** Below zero when the left is older: dotted numbers of any count, as modules have; NaN for other texts. */
export function compareDotted(left: string, right: string): number {
  const [one, other] = [left.split(/[.-]/).map(Number), right.split(/[.-]/).map(Number)] as const;
  const differences = Array.from(
    { length: Math.max(one.length, other.length) },
    (_, index) => (one[index] ?? 0) - (other[index] ?? 0),
  );
  return differences.find((difference) => difference !== 0) ?? 0;
}
