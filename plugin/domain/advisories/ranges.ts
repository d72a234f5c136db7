/**
 * Versions as rows of advisories compare them, and ranges of them: `<7.4.2-2`, `>=8.0 <8.2`,
 * `=8.0.2-2 || =8.0.2-6`. Missing numbers are zero, and a suffix is no part.
 */
import { parsePlatformVersion } from "../release/platforms";
import type { Dimension } from "./row";

/** Major, minor, patch, build, and what follows the build; of a platform the first two. */
export type Numbers = readonly number[];

/** Reads a version of one kind; undefined where it is none. */
export type ReadNumbers = (text: string) => Numbers | undefined;

const number = "(0|[1-9][0-9]{0,8})";
const version = new RegExp(
  `^v?${number}(?:[.]${number})?(?:[.]${number})?(?:-${number}(?:[.]${number})?)?([.][a-z][a-z0-9]*(?:[.-][a-z0-9]+)*)?$`,
);

/** An engine version ("7.4", "7.4.2") or the tag of a release ("8.0.18-23.11.minimal"). */
export const readNumbers: ReadNumbers = (text) =>
  version
    .exec(text)
    ?.slice(1, 6)
    .map((digits: string | undefined) => Number(digits ?? 0));

/** What an API server or OpenShift tells of itself: patches and builds are no part. */
export const readPlatform: ReadNumbers = (text) => {
  const found = parsePlatformVersion(text);
  return found && [found.major, found.minor];
};

/** How versions of a dimension are read. */
export function chooseReader(dimension: Dimension): ReadNumbers {
  return dimension === "kubernetes" || dimension === "openshift" ? readPlatform : readNumbers;
}

/** Below zero when the left is older; as many numbers count as both have. */
export function compareNumbers(left: Numbers, right: Numbers): number {
  const differences = left.slice(0, right.length).map((part, index) => part - Number(right[index]));
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** A range that was read. */
export interface Range {
  readonly text: string;
  /** Undefined where the version is none. */
  readonly holds: (version: string) => boolean | undefined;
  /** The same of a version that was read. */
  readonly includes: (numbers: Numbers) => boolean;
  /** Versions within it, the lowest one of each of its parts among them. */
  readonly samples: readonly Numbers[];
}

/** What each sign asks of a comparison with its version. */
const signs: ReadonlyMap<string, (compared: number) => boolean> = new Map([
  ["<", (compared) => compared < 0],
  ["<=", (compared) => compared <= 0],
  [">", (compared) => compared > 0],
  [">=", (compared) => compared >= 0],
  ["=", (compared) => compared === 0],
]);

interface Bound {
  readonly holds: (version: Numbers) => boolean;
  /** The version that it names. */
  readonly at: Numbers;
}

/** So many versions of one range are remembered; the rest is worked out again. */
const remembered = 1000;

/** The range that a text says, else what is wrong with it. */
export function parseRange(text: string, dimension?: Dimension): Range | string {
  const read = dimension === undefined ? readNumbers : chooseReader(dimension);
  const ways: Bound[][] = [];
  const samples: Numbers[] = [];
  for (const way of text.split("||")) {
    const bounds = parseBounds(way, read);
    if (typeof bounds === "string") return bounds;
    const inside = listSamples(bounds);
    if (inside.length === 0) return `no version is ${way.trim()}`;
    ways.push(bounds);
    samples.push(...inside);
  }
  const includes = (numbers: Numbers): boolean =>
    ways.some((bounds) => bounds.every(({ holds }) => holds(numbers)));
  const holds = remember((asked) => {
    const numbers = read(asked);
    return numbers && includes(numbers);
  });
  return { text, holds, includes, samples };
}

/** Whether a step from a version of the first range to a later one of the second exists. */
export function leadsTo(from: Range, to: Range): boolean {
  return from.samples.some((start) =>
    [...to.samples, makeNext(start)].some(
      (end) => to.includes(end) && compareNumbers(end, start) > 0,
    ),
  );
}

/** The lowest version that fits is one that a bound names, the one right after it, or the first of all. */
function listSamples(bounds: readonly Bound[]): readonly Numbers[] {
  const named = bounds.flatMap(({ at }) => [at, makeNext(at), at.map(() => 0)]);
  return named.filter((numbers) => bounds.every(({ holds }) => holds(numbers)));
}

function makeNext(numbers: Numbers): Numbers {
  return [...numbers.slice(0, -1), Number(numbers.at(-1)) + 1];
}

/** Whether a version is within a range; undefined where it is no version. */
export function isWithin(range: Range, asked: string): boolean | undefined {
  return range.holds(asked);
}

const bound = /\s*([<>=!~^]*)\s*([^\s<>=!~^]+)\s*/y;

/** The bounds between two `||`. */
function parseBounds(text: string, read: ReadNumbers): Bound[] | string {
  const bounds: Bound[] = [];
  if (text.trim() === "") return "a part of the range is empty";
  for (let at = 0; at < text.length; at = bound.lastIndex) {
    bound.lastIndex = at;
    const [, sign = "", version = ""] = bound.exec(text) ?? [];
    if (version === "") return `after ${text.slice(at).trim()} a version is missing`;
    const parsed = parseBound(sign, version, read);
    if (typeof parsed === "string") return parsed;
    bounds.push(parsed);
  }
  return bounds;
}

function parseBound(sign: string, text: string, read: ReadNumbers): Bound | string {
  const holds = signs.get(sign);
  const numbers = read(text);
  if (/,/.test(text)) return `${text} has a comma: a space is "and", || is "or"`;
  if (sign === "" && numbers !== undefined)
    return `before ${text} a sign is missing: <, <=, >, >= or =`;
  if (sign !== "" && holds === undefined)
    return `${sign} is no sign of a range: write <, <=, >, >= or =`;
  if (numbers === undefined || holds === undefined)
    return `${text} is no version: write a sign and a version, such as <8.4`;
  if (/[a-z+]/i.test(text)) return `${text} has a suffix, which is no part of a range`;
  return { at: numbers, holds: (asked) => holds(compareNumbers(asked, numbers)) };
}

function remember<V>(work: (text: string) => V): (text: string) => V {
  const known = new Map<string, V>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const value = work(text);
    if (known.size < remembered) known.set(text, value);
    return value;
  };
}
