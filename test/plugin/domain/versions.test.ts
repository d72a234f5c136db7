import type { EngineVersion, ReleaseTag } from "../../../plugin/domain/versions";
import {
  compareDotted,
  compareEngineVersions,
  compareReleaseTags,
  formatEngineVersion,
  isOlder,
  leadingEngineVersion,
  parseEngineVersion,
  parseReleaseTag,
} from "../../../plugin/domain/versions";

const v = (major: number, minor: number): EngineVersion => ({ major, minor });

describe("an engine version is major.minor", () => {
  test.each<[string, unknown, EngineVersion | undefined, EngineVersion | undefined]>([
    ["the specification's form", "7.2", v(7, 2), v(7, 2)],
    ["numbers of two digits", "10.12", v(10, 12), v(10, 12)],
    ["a zero", "8.0", v(8, 0), v(8, 0)],
    ["a full version begins with one", "7.4.2", undefined, v(7, 4)],
    ["a full version with a build begins with one", "7.4-54", undefined, v(7, 4)],
    ["a single number is none", "7", undefined, undefined],
    ["a leading zero is none", "07.2", undefined, undefined],
    ["a trailing zero in front is none", "7.02", undefined, undefined],
    ["a leading v is none", "v7.2", undefined, undefined],
    ["spaces are none", " 7.2", undefined, undefined],
    ["a line end is none", "7.2\n", undefined, undefined],
    ["letters behind are none", "7.2x", undefined, undefined],
    ["a number too long to be exact is none", "7.1234567890", undefined, undefined],
    ["a huge text is none", "7".repeat(1_000_000), undefined, undefined],
    ["the empty text is none", "", undefined, undefined],
    ["a channel is none", "major", undefined, undefined],
    ["constructor is none", "constructor", undefined, undefined],
    ["__proto__ is none", "__proto__", undefined, undefined],
    ["a number is none", 7.2, undefined, undefined],
    ["null is none", null, undefined, undefined],
    ["undefined is none", undefined, undefined, undefined],
    ["an array is none", ["7.2"], undefined, undefined],
    ["an object is none", { major: 7, minor: 2 }, undefined, undefined],
  ])("%s", (_title, ...[value, exact, leading]) => {
    expect(parseEngineVersion(value)).toEqual(exact);
    expect(leadingEngineVersion(value)).toEqual(leading);
  });

  test("it is written as it was read", () => {
    expect(formatEngineVersion(v(10, 2))).toBe("10.2");
  });
});

describe("engine versions compare as numbers", () => {
  test.each([
    ["the same", v(7, 2), v(7, 2), 0],
    ["a later minor is newer", v(7, 4), v(7, 2), 1],
    ["10.0 is newer than 7.2, other than as text", v(10, 0), v(7, 2), 1],
    ["7.10 is newer than 7.9", v(7, 10), v(7, 9), 1],
    ["an earlier major is older whatever its minor", v(7, 9), v(8, 0), -1],
  ])("%s", (_title, ...[left, right, sign]) => {
    expect(Math.sign(compareEngineVersions(left, right))).toBe(sign);
    expect(Math.sign(compareEngineVersions(right, left))).toBe(0 - sign);
  });
});

describe("a release tag is N.N.N-N, with optional .N, .minimal and v", () => {
  test.each<[string, unknown, readonly number[] | undefined, boolean?]>([
    ["the plain form", "7.22.0-6", [7, 22, 0, 6, 0], false],
    ["a number after the build", "8.0.18-23.11", [8, 0, 18, 23, 11], false],
    ["the small image", "8.0.20-44.minimal", [8, 0, 20, 44, 0], true],
    ["the small image with a number", "8.0.20-44.23.minimal", [8, 0, 20, 44, 23], true],
    ["a leading v", "v7.4.2-2", [7, 4, 2, 2, 0], false],
    ["no build", "7.4.2", undefined],
    ["two numbers", "7.4-2", undefined],
    ["a capital V", "V7.4.2-2", undefined],
    ["another suffix", "7.4.2-2.alpine", undefined],
    ["two numbers after the build", "7.4.2-2.3.4", undefined],
    ["a leading zero", "7.4.02-2", undefined],
    ["a digest", `sha256:${"a".repeat(64)}`, undefined],
    ["spaces", "7.4.2-2 ", undefined],
    ["a line end", "7.4.2-2\n", undefined],
    ["a huge text", `7.4.2-${"2".repeat(1_000_000)}`, undefined],
    ["the empty text", "", undefined],
    ["constructor", "constructor", undefined],
    ["a number", 7.4, undefined],
    ["null", null, undefined],
    ["an array", ["7.4.2-2"], undefined],
  ])("%s", (_title, ...[value, numbers, minimal]) => {
    expect(parseReleaseTag(value)).toEqual(numbers && { numbers, minimal });
  });
});

describe("release tags compare as numbers", () => {
  const tag = (value: string): ReleaseTag => {
    const parsed = parseReleaseTag(value);
    if (parsed === undefined) throw new Error(`no tag: ${value}`);
    return parsed;
  };
  test.each([
    ["the same", "7.22.0-6", "7.22.0-6", 0],
    ["a later build is newer, by number", "7.22.0-10", "7.22.0-9", 1],
    ["a later minor is newer, by number", "7.22.0-6", "7.8.6-99", 1],
    ["a later patch is newer", "7.4.10-1", "7.4.2-2", 1],
    ["a later major is newer", "8.0.2-2", "7.22.2-43", 1],
    ["the number after the build counts last", "8.0.18-23.11", "8.0.18-23.9", 1],
    ["none after the build is the oldest", "8.0.18-23", "8.0.18-23.1", -1],
    ["the leading v is not a part of it", "v8.0.2-2", "8.0.2-2", 0],
    ["the small image is the same release", "8.0.20-44.23.minimal", "8.0.20-44.23", 0],
  ])("%s", (_title, ...[left, right, sign]) => {
    expect(Math.sign(compareReleaseTags(tag(left), tag(right)))).toBe(sign);
    expect(Math.sign(compareReleaseTags(tag(right), tag(left)))).toBe(0 - sign);
  });
});

test.each<[string, string, string, number]>([
  ["the same", "7.2.0", "7.2.0", 0],
  ["fewer numbers, the rest being zero", "7.2", "7.2.0", 0],
  ["more numbers, the rest being zero", "7.2.0", "7.2", 0],
  ["numbers, not texts", "2.6.9", "2.6.10", -1],
  ["after a dash too", "7.2.0-4", "7.2.0-3", 1],
])("dotted numbers of any count: %s", (_title, ...[left, right, expected]) => {
  expect(compareDotted(left, right)).toBe(expected);
});

test("what is not a number has no order", () => {
  expect(compareDotted("7.x", "7.2")).toBe(Number.NaN);
});

test.each([
  ["7.22.0-7", "8.0.2-2", true],
  ["8.0.2-10", "8.0.2-2", false],
  ["latest", "8.0.2-2", false],
])("%s is older than %s: %s", (one, other, is) => {
  expect(isOlder(one, other)).toBe(is);
});
