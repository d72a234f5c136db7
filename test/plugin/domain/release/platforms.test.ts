import {
  parsePlatformVersion,
  type Platform,
  platformLines,
  platformSupport,
  standingOf,
} from "../../../../plugin/domain/release/platforms";

describe("the line of an operator", () => {
  test.each<[string, string | undefined]>([
    ["8.2.0-13", "8.2.0"],
    ["8.0.20-26", "8.0.10"],
    ["v8.0.16-24", "8.0.10"],
    ["8.0.10-21", "8.0.10"],
    ["8.0.6-8", "8.0.6"],
    ["8.0.2-2", "8.0.2"],
    ["7.22.2-1", "7.22.2"],
    ["7.22.0-7", "7.22.0"],
    ["7.22.1-1", undefined],
    ["8.0.21-1", undefined],
    ["7.4.2-2", undefined],
    ["latest", undefined],
  ])("%s begins with %s", (operator, first) => {
    expect(platformSupport(operator)?.first).toBe(first);
  });
});

describe("a platform stands to a line", () => {
  test.each<[string, string, Platform, string]>([
    ["8.0.2-2", "1.32", "kubernetes", "supported"],
    ["8.0.2-2", "1.34", "kubernetes", "supported"],
    ["8.0.2-2", "1.31", "kubernetes", "deprecated"],
    ["8.0.2-2", "1.30", "kubernetes", "edge"],
    ["8.0.2-2", "1.29", "kubernetes", "edge"],
    ["8.0.2-2", "1.28", "kubernetes", "unsupported"],
    ["8.0.2-2", "1.36", "kubernetes", "edge"],
    ["8.0.2-2", "1.37", "kubernetes", "unsupported"],
    ["8.0.2-2", "2.32", "kubernetes", "unsupported"],
    ["8.0.6-8", "1.35", "kubernetes", "edge"],
    ["8.0.10-21", "1.35", "kubernetes", "supported"],
    ["8.0.6-8", "4.22", "openshift", "edge"],
    ["8.0.10-21", "4.22", "openshift", "supported"],
    ["8.0.10-21", "4.18", "openshift", "deprecated"],
    ["7.22.0-7", "1.29", "kubernetes", "edge"],
    ["7.22.0-7", "1.27", "kubernetes", "unsupported"],
    ["7.22.0-7", "4.16", "openshift", "edge"],
  ])("%s on %s of %s: %s", (operator, version, ...[platform, standing]) => {
    const line = platformSupport(operator);
    const parsed = parsePlatformVersion(version);
    if (line === undefined || parsed === undefined) throw new Error("no such line");
    expect(standingOf(line[platform], parsed)).toBe(standing);
  });
});

test("every range of the table can be read, and goes upwards", () => {
  const ranges = platformLines.flatMap(({ kubernetes, openshift }) =>
    [kubernetes, openshift].flatMap(({ supported, deprecated }) => [
      supported,
      ...(deprecated === undefined ? [] : [deprecated]),
    ]),
  );
  for (const [first, last] of ranges) {
    const [from, to] = [parsePlatformVersion(first), parsePlatformVersion(last)];
    expect(from?.major).toBe(to?.major);
    expect(from?.minor).toBeLessThanOrEqual(to?.minor ?? 0);
  }
});

describe("the version that a platform reports", () => {
  test.each<[unknown, string | undefined]>([
    ["v1.33.4+k3s1", "1.33"],
    ["1.33+", "1.33"],
    ["4.20.1", "4.20"],
    ["1.x", undefined],
    ["1.3333333", undefined],
    [1.33, undefined],
    [undefined, undefined],
  ])("%j is %s", (value, version) => {
    const parsed = parsePlatformVersion(value);
    expect(parsed === undefined ? undefined : `${parsed.major}.${parsed.minor}`).toBe(version);
  });
});
