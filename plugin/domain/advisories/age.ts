/** Up to which releases notes were read, and what is asked for beyond them. */
import { chooseReader, compareNumbers, type Numbers } from "./ranges";
import { type Dimension, dimensions } from "./row";

/** The newest releases whose notes were read. */
export type UpTo = Readonly<Partial<Record<Dimension, string>>>;

/** Of each kind the newest that any of the files knows. */
export function joinUpTo(all: readonly UpTo[]): UpTo {
  const newest = dimensions.flatMap((what) => {
    const known = all.flatMap((one) => one[what] ?? []);
    const [last] = known.toSorted((one, other) => (isBeyond(what, one, other) ? -1 : 1));
    return last === undefined ? [] : [[what, last] as const];
  });
  return Object.fromEntries(newest);
}

/** What is said where notes of a release that is asked for were not read; undefined where all were. */
export function tellBeyond(
  asked: Readonly<Partial<Record<"operator" | "cluster", string | undefined>>>,
  upTo: UpTo,
): string | undefined {
  const beyond = (["operator", "cluster"] as const).flatMap((what) => {
    const [release, known] = [asked[what], upTo[what]];
    if (release === undefined || known === undefined || !isBeyond(what, release, known)) return [];
    return [`${what} ${release} (they go up to ${known})`];
  });
  if (beyond.length === 0) return undefined;
  const what = beyond.join(" and ");
  return `no advisory is from the release notes of ${what}, so what is new in them is not checked: give a newer file with --advisories`;
}

/** False where one of the two is no version. */
function isBeyond(what: Dimension, one: string, other: string): boolean {
  const read = chooseReader(what);
  const [left, right] = [read(one), read(other)];
  return left !== undefined && right !== undefined && compareNumbers(left, written(right)) > 0;
}

/** A release has images with one more number, and they are of it. */
function written(numbers: Numbers): Numbers {
  return numbers[4] === 0 ? numbers.slice(0, 4) : numbers;
}
