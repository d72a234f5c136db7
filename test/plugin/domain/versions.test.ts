import * as versions from "../../../plugin/domain/versions";
import type { EngineVersion } from "../../../plugin/domain/versions";

const { compareDotted, compareEngineVersions, compareTags, formatEngineVersion } = versions;
const { isOlder, isSameTag, leadingEngineVersion, parseEngineVersion, parseReleaseTag } = versions;

const v = (major: number, minor: number): EngineVersion => ({ major, minor });

test.each<[string, unknown, EngineVersion?, EngineVersion?]>([
  ["the specification's form", "7.2", v(7, 2), v(7, 2)],
  ["numbers of two digits", "10.12", v(10, 12), v(10, 12)],
  ["a full version begins with one", "7.4.2", undefined, v(7, 4)],
  ["a full version with a build begins with one", "7.4-54", undefined, v(7, 4)],
  ["a single number is none", "7"],
  ["a leading zero is none", "07.2"],
  ["a trailing zero in front is none", "7.02"],
  ["a leading v is none", "v7.2"],
  ["spaces are none", " 7.2"],
  ["a line end is none", "7.2\n"],
  ["letters behind are none", "7.2x"],
  ["a number too long to be exact is none", "7.1234567890"],
  ["a huge text is none", "7".repeat(1_000_000)],
  ["a channel is none", "major"],
  ["a number is none", 7.2],
  ["an array is none", ["7.2"]],
])("an engine version is major.minor: %s", (...[, value, exact, leading]) => {
  expect([parseEngineVersion(value), leadingEngineVersion(value)]).toEqual([exact, leading]);
});

test.each([
  ["the same", "7.2", "7.2", 0],
  ["a later minor is newer", "7.4", "7.2", 1],
  ["10.0 is newer than 7.2, other than as text", "10.0", "7.2", 1],
  ["7.10 is newer than 7.9", "7.10", "7.9", 1],
  ["an earlier major is older whatever its minor", "7.9", "8.0", -1],
])("engine versions compare as numbers: %s", (_title, ...[left, right, sign]) => {
  const [one, other] = [left, right].map((text) => parseEngineVersion(text) ?? v(0, 0)) as [
    EngineVersion,
    EngineVersion,
  ];
  expect(Math.sign(compareEngineVersions(one, other))).toBe(sign);
  expect(Math.sign(compareEngineVersions(other, one))).toBe(0 - sign);
  expect(formatEngineVersion(one)).toBe(left);
});

test.each<[string, unknown, (readonly number[])?, boolean?]>([
  ["the plain form", "7.22.0-6", [7, 22, 0, 6, 0], false],
  ["a number after the build", "8.0.18-23.11", [8, 0, 18, 23, 11], false],
  ["the small image", "8.0.20-44.minimal", [8, 0, 20, 44, 0], true],
  ["the small image with a number", "8.0.20-44.23.minimal", [8, 0, 20, 44, 23], true],
  ["a leading v", "v7.4.2-2", [7, 4, 2, 2, 0], false],
  ["no build", "7.4.2"],
  ["two numbers", "7.4-2"],
  ["a capital V", "V7.4.2-2"],
  ["another suffix", "7.4.2-2.alpine"],
  ["two numbers after the build", "7.4.2-2.3.4"],
  ["a leading zero", "7.4.02-2"],
  ["spaces", "7.4.2-2 "],
  ["a line end", "7.4.2-2\n"],
  ["a huge text", `7.4.2-${"2".repeat(1_000_000)}`],
  ["an array", ["7.4.2-2"]],
])(
  "a release tag is N.N.N-N, with optional .N, .minimal and v: %s",
  (...[, value, numbers, minimal]) => {
    expect(parseReleaseTag(value)).toEqual(numbers && { numbers, minimal });
  },
);

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
  ["what is no tag has no order", "latest", "8.0.2-2", NaN],
])("release tags compare as numbers: %s", (_title, ...[left, right, sign]) => {
  expect(Math.sign(compareTags(left, right))).toBe(sign);
  expect(Math.sign(compareTags(right, left))).toBe(0 - sign);
  expect(isOlder(left, right)).toBe(sign < 0);
});

test.each<[string, string, boolean]>([
  ["7.22.0-7", "v7.22.0-7", true],
  ["8.0.18-11", "8.0.18-11.0", true],
  ["7.22.0-7", "7.22.0-17", false],
  ["8.0.20-44.23", "8.0.20-44.23.minimal", false],
  ["vlatest", "latest", true],
  ["latest", "7.22.0-7", false],
])("%s and %s name one release: %s", (one, other, same) => {
  expect([isSameTag(one, other), isSameTag(other, one)]).toEqual([same, same]);
});

test.each<[string, string, string, number]>([
  ["fewer numbers, the rest being zero", "7.2", "7.2.0", 0],
  ["more numbers, the rest being zero", "7.2.0", "7.2", 0],
  ["numbers, not texts", "2.6.9", "2.6.10", -1],
  ["after a dash too", "7.2.0-4", "7.2.0-3", 1],
  ["what is not a number has no order", "7.x", "7.2", NaN],
])("dotted numbers of any count: %s", (_title, ...[left, right, expected]) => {
  expect(compareDotted(left, right)).toBe(expected);
});
