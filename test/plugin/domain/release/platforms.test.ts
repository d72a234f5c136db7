import * as platforms from "../../../../plugin/domain/release/platforms";
import type { Platform } from "../../../../plugin/domain/release/platforms";
import { compareTags, parseReleaseTag } from "../../../../plugin/domain/base/versions";

const { listBundledVersions, clusterVersionFor, parsePlatformVersion, platformLines } = platforms;
const { offeredReleases, platformSupport, releasePairs, findStanding } = platforms;

test.each<[string | undefined, string | undefined]>([
  ["8.0.20-44.23", "8.6"],
  ["8.0.10-64", "8.4"],
  ["8.0.6-54", "8.2"],
  ["7.22.0-28", "7.4"],
  ["7.4.2-1", "7.2"],
  ["6.4.2-8", undefined],
  ["own", undefined],
  [undefined, undefined],
])("the newest version that %s bundles is %s", (tag, newest) => {
  expect(listBundledVersions(tag)?.at(-1)).toBe(newest);
});

test("every pair is of tags, and no operator is there twice", () => {
  expect(releasePairs.flat().filter((tag) => parseReleaseTag(tag) === undefined)).toEqual([]);
  const operators = releasePairs.map(([operator]) => operator);
  expect(new Set(operators).size).toBe(operators.length);
});

test("pairs go upwards: the last one is of the newest operator", () => {
  const operators = releasePairs.map(([operator]) => operator);
  expect([...operators].sort(compareTags)).toEqual(operators);
});

test("a release that was recalled has its cluster, and is not offered", () => {
  expect(clusterVersionFor("8.0.20-21")).toBe("8.0.20-19.21");
  expect(offeredReleases).not.toContain("8.0.20-21");
  expect(offeredReleases).toContain("8.0.20-23");
});

test.each<[string, string | undefined]>([
  ["7.22.0-7", "7.22.0-28"],
  ["7.4.6-7", undefined],
  ["7.8.6-1", undefined],
  ["v8.0.2-2", "8.0.2-17"],
  ["8.0.2-3", undefined],
  ["8.0.2", undefined],
])("operator %s has cluster %s", (operator, cluster) => {
  expect(clusterVersionFor(operator)).toBe(cluster);
});

test.each<[string, string | undefined]>([
  ["8.2.0-13", "8.2.0"],
  ["8.0.20-26", "8.0.10"],
  ["v8.0.16-24", "8.0.10"],
  ["8.0.10-21", "8.0.10"],
  ["7.22.0-7", "7.22.0"],
  ["7.22.1-1", undefined],
  ["8.0.21-1", undefined],
  ["latest", undefined],
])("the line of operator %s begins with %s", (operator, first) => {
  expect(platformSupport(operator)?.first).toBe(first);
});

test.each<[string, string, Platform, string]>([
  ["8.0.2-2", "1.32", "kubernetes", "supported"],
  ["8.0.2-2", "1.34", "kubernetes", "supported"],
  ["8.0.2-2", "1.31", "kubernetes", "deprecated"],
  ["8.0.2-2", "1.29", "kubernetes", "edge"],
  ["8.0.2-2", "1.28", "kubernetes", "unsupported"],
  ["8.0.2-2", "1.36", "kubernetes", "edge"],
  ["8.0.2-2", "1.37", "kubernetes", "unsupported"],
  ["8.0.2-2", "2.32", "kubernetes", "unsupported"],
  ["8.0.6-8", "1.35", "kubernetes", "edge"],
  ["8.0.10-21", "4.22", "openshift", "supported"],
  ["8.0.10-21", "4.18", "openshift", "deprecated"],
  ["7.22.0-7", "1.29", "kubernetes", "edge"],
  ["7.22.0-7", "1.27", "kubernetes", "unsupported"],
])("%s on %s of %s: %s", (operator, version, ...[platform, standing]) => {
  const line = platformSupport(operator);
  const parsed = parsePlatformVersion(version);
  if (line === undefined || parsed === undefined) throw new Error("no such line");
  expect(findStanding(line[platform], parsed)).toBe(standing);
});

test("every range of the table can be read, and goes upwards", () => {
  const ranges = platformLines.flatMap(({ kubernetes, openshift }) =>
    [kubernetes, openshift].flatMap(({ supported, deprecated = supported }) => [
      supported,
      deprecated,
    ]),
  );
  for (const [first, last] of ranges) {
    const [from, to] = [parsePlatformVersion(first), parsePlatformVersion(last)];
    expect(from?.major).toBe(to?.major);
    expect(from?.minor).toBeLessThanOrEqual(to?.minor ?? 0);
  }
});

test.each<[unknown, object | undefined]>([
  ["v1.33.4+k3s1", { major: 1, minor: 33 }],
  ["1.33+", { major: 1, minor: 33 }],
  ["1.x", undefined],
  ["1.3333333", undefined],
  [1.33, undefined],
])("a platform that reports %j is of %j", (value, version) => {
  expect(parsePlatformVersion(value)).toEqual(version);
});
