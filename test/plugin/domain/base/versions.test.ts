import * as versions from "../../../../plugin/domain/base/versions";
import type { EngineVersion } from "../../../../plugin/domain/base/versions";

const { compareDotted, compareEngineVersions, compareTags, formatEngineVersion } = versions;
const {
  isOlder,
  isSameRelease,
  isSameTag,
  parseLeadingEngineVersion,
  parseEngineVersion,
  parseReleaseTag,
} = versions;

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
  expect([parseEngineVersion(value), parseLeadingEngineVersion(value)]).toEqual([exact, leading]);
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

test.each<[string, unknown, (readonly number[])?, string?]>([
  ["the plain form", "7.22.0-6", [7, 22, 0, 6, 0], ""],
  ["a number after the build", "8.0.18-23.11", [8, 0, 18, 23, 11], ""],
  ["the small image", "8.0.20-44.minimal", [8, 0, 20, 44, 0], ".minimal"],
  ["the small image with a number", "8.0.20-44.23.minimal", [8, 0, 20, 44, 23], ".minimal"],
  ["a platform", "7.4.2-54.rhel8-openshift", [7, 4, 2, 54, 0], ".rhel8-openshift"],
  ["a platform after a number", "8.0.18-23.11.rhel9", [8, 0, 18, 23, 11], ".rhel9"],
  ["a platform with its version", "v6.4.2-61.ubi9.3", [6, 4, 2, 61, 0], ".ubi9.3"],
  ["a leading v", "v7.4.2-2", [7, 4, 2, 2, 0], ""],
  ["no build", "7.4.2"],
  ["two numbers", "7.4-2"],
  ["a capital V", "V7.4.2-2"],
  ["a suffix that begins with a dash", "7.4.2-2-own"],
  ["a suffix without an end", "7.4.2-2.rhel8-"],
  ["a suffix of capitals", "7.4.2-2.RHEL8"],
  ["two numbers after the build", "7.4.2-2.3.4"],
  ["a leading zero", "7.4.02-2"],
  ["spaces", "7.4.2-2 "],
  ["a line end", "7.4.2-2\n"],
  ["a line end behind a suffix", "7.4.2-2.rhel8\n"],
  ["a huge text", `7.4.2-${"2".repeat(1_000_000)}`],
  ["a huge suffix without an end", `7.4.2-2.${"a-".repeat(500_000)}`],
  ["an array", ["7.4.2-2"]],
])(
  "a release tag is N.N.N-N, with optional .N, suffix and v: %s",
  (...[, value, numbers, suffix]) => {
    expect(parseReleaseTag(value)).toEqual(numbers && { numbers, suffix });
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
  ["a platform is no part of the order", "7.4.2-54.rhel8-openshift", "7.4.2-54", 0],
  ["and hides no newer build", "7.4.2-54.rhel8-openshift", "7.4.2-129.rhel7", -1],
  ["what is no tag has no order", "latest", "8.0.2-2", NaN],
])("release tags compare as numbers: %s", (_title, ...[left, right, sign]) => {
  expect(Math.sign(compareTags(left, right))).toBe(sign);
  expect(Math.sign(compareTags(right, left))).toBe(0 - sign);
  expect(isOlder(left, right)).toBe(sign < 0);
});

test.each<[string, string, boolean, boolean]>([
  ["7.22.0-7", "v7.22.0-7", true, true],
  ["8.0.18-11", "8.0.18-11.0", true, true],
  ["7.22.0-7", "7.22.0-17", false, false],
  ["8.0.20-44.23", "8.0.20-44.23.minimal", false, true],
  ["7.4.2-54.rhel8-openshift", "7.4.2-54.rhel9-openshift", false, true],
  ["7.4.2-54.rhel8-openshift", "v7.4.2-54.rhel8-openshift", true, true],
  ["7.4.2-54.rhel8-openshift", "7.4.2-55.rhel8-openshift", false, false],
  ["vlatest", "latest", true, true],
  ["latest", "7.22.0-7", false, false],
])("%s and %s are one image's tag: %s, one release: %s", (...[one, other, same, release]) => {
  expect([isSameTag(one, other), isSameTag(other, one)]).toEqual([same, same]);
  expect([isSameRelease(one, other), isSameRelease(other, one)]).toEqual([release, release]);
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
