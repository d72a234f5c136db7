import { clusterVersionFor, releasePairs } from "../../../../plugin/domain/release/platforms";
import { isSameTag, parseReleaseTag } from "../../../../plugin/domain/versions";

test("every pair is of tags, and no operator is there twice", () => {
  expect(releasePairs.flat().filter((tag) => parseReleaseTag(tag) === undefined)).toEqual([]);
  const operators = releasePairs.map(([operator]) => operator);
  expect(new Set(operators).size).toBe(operators.length);
});

describe("the cluster release of an operator release", () => {
  test.each([
    ["7.22.0-7", "7.22.0-28"],
    ["v8.0.2-2", "8.0.2-17"],
    ["8.0.20-23", "8.0.20-44.23"],
    ["8.2.0-13", "8.2.0-46.13"],
  ])("%s has %s", (operator, cluster) => {
    expect(clusterVersionFor(operator)).toBe(cluster);
  });

  test.each(["7.4.2-2", "8.0.2-3", "8.0.2", "latest", ""])("%j has none that is known", (tag) => {
    expect(clusterVersionFor(tag)).toBeUndefined();
  });
});

describe("two tags", () => {
  test.each<[string, string, boolean]>([
    ["7.22.0-7", "v7.22.0-7", true],
    ["8.0.18-11", "8.0.18-11.0", true],
    ["7.22.0-7", "7.22.0-17", false],
    ["8.0.20-44.23", "8.0.20-44.23.minimal", false],
    ["vlatest", "latest", true],
    ["latest", "7.22.0-7", false],
  ])("%s and %s name one release: %s", (one, other, same) => {
    expect(isSameTag(one, other)).toBe(same);
    expect(isSameTag(other, one)).toBe(same);
  });
});
