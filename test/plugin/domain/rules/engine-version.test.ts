import { defaultNames } from "../../../../plugin/domain/names";
import { releasesOf } from "../../../../plugin/domain/rules/releases";
import type { ClusterLookup, Edit } from "../../../../plugin/domain/rules/types";
import type { Circumstances } from "./cases";
import {
  aCluster,
  allowed,
  ambiguous,
  changed,
  created,
  four,
  found,
  json,
  judge,
  missing,
  noCluster,
} from "./cases";

const field = "spec.engineVersion";
const published = found({
  versions: ["6.2", "7.2", "8.4", "10.0"].map((version) => ({ dbType: "engine", version })),
});

describe("R1: a supported engine version passes", () => {
  test.each<[string, Edit, Circumstances?]>([
    ...["7.2", "7.4", "8.0", "8.2"].map((version): [string, Edit] => [
      `the specification's ${version}`,
      created({ engineVersion: version }),
    ]),
    ["the channel major", created({ engineVersion: "major" })],
    ["latest, where an option allows it", created({ engineVersion: "latest" }), latest()],
    ["absent", created({})],
    ["null, which the API server prunes", created({ engineVersion: null })],
    ["no spec at all", { kind: "edb", before: undefined, after: {} }],
    ["one that the EC bundles and the four have not", created({ engineVersion: "8.4" }), on()],
    ["a number of two digits that the EC bundles", created({ engineVersion: "10.0" }), on()],
    ["an EC that publishes nothing: the four", created({ engineVersion: "8.2" })],
    ["no EC: the four", created({ engineVersion: "8.2" }), { cluster: missing }],
    ["removed on change", changed({ engineVersion: "7.2" }, {})],
    [
      "an unsupported old value that stays",
      changed({ engineVersion: "6.0" }, { engineVersion: "6.0" }),
    ],
    ["an old number that stays", changed({ engineVersion: 8 }, { engineVersion: 8 })],
    [
      "an old object that stays",
      changed({ engineVersion: { a: [1] } }, { engineVersion: { a: [1] }, replication: true }),
    ],
    ["an old value of null that is removed", changed({ engineVersion: null }, {})],
    ["a setting of off", created({ engineVersion: "9.9" }), { options: { rules: rules("off") } }],
  ])("%s", (_title, ...[edit, around]) => {
    expect(judge(edit, around)).toEqual(allowed);
  });

  test("an old value that cannot be parsed does not block its repair", () => {
    expect(judge(changed({ engineVersion: 8 }, { engineVersion: "8.0" })).causes).toEqual([]);
    expect(judge(changed({ engineVersion: "eight" }, { engineVersion: "8.0" })).causes).toEqual([]);
  });
});

describe("R1: a value that is no string is refused with a hint to quote it", () => {
  test.each<[string, unknown, string]>([
    [
      "8.0 arrives as 8",
      8,
      `Invalid value: 8: must be a string, quote it in YAML: "8.0" (an unquoted 8.0 arrives as 8) [R1]`,
    ],
    ["7.2", 7.2, `Invalid value: 7.2: must be a string, quote it in YAML: "7.2" [R1]`],
    ["a negative number", -1, `Invalid value: -1: must be a string, one of ${four} [R1]`],
    [
      "a number beyond all",
      Infinity,
      `Invalid value: Infinity: must be a string, one of ${four} [R1]`,
    ],
    ["a boolean", true, `Invalid value: true: must be a string, one of ${four} [R1]`],
    ["an array", ["7.2"], `Invalid value: [...]: must be a string, one of ${four} [R1]`],
    ["an object", { a: 1 }, `Invalid value: {...}: must be a string, one of ${four} [R1]`],
    [
      "an object with hostile keys",
      json(`{"__proto__": "7.2", "toString": "7.2"}`),
      `Invalid value: {...}: must be a string, one of ${four} [R1]`,
    ],
    [
      "a very deep object",
      json(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`),
      `Invalid value: {...}: must be a string, one of ${four} [R1]`,
    ],
  ])("%s", (_title, engineVersion, message) => {
    const cause = { rule: "R1", reason: "FieldValueTypeInvalid", field, message };
    const verdict = { causes: [cause], warnings: [], dependsOnCluster: false };
    expect(judge(created({ engineVersion }))).toEqual(verdict);
  });
});

describe("R1: a version that is not supported is refused with those that are", () => {
  test.each<[string, string, string, boolean]>([
    ["unknown", "9.9", `"9.9": supported values: ${four}; set one of these`, true],
    ["too old", "6.2", `"6.2": supported values: ${four}; set one of these`, true],
    ["full", "7.4.2", `"7.4.2": supported values: ${four}; write "7.4"`, false],
    ["full and unknown", "9.9.1", `"9.9.1": supported values: ${four}; set one of these`, false],
    ["with a v", "v8.0", `"v8.0": supported values: ${four}; write "8.0"`, false],
    ["with spaces", " 8.2 ", `" 8.2 ": supported values: ${four}; write "8.2"`, false],
    ["in capitals", "Major", `"Major": supported values: ${four}; write "major"`, false],
    ["latest", "latest", `"latest": supported values: ${four}; set one of these`, false],
    ["empty", "", `"": supported values: ${four}; set one of these`, false],
    ["one number", "8", `"8": supported values: ${four}; set one of these`, false],
    ["padded", "7.02", `"7.02": supported values: ${four}; set one of these`, false],
    [
      "constructor",
      "constructor",
      `"constructor": supported values: ${four}; set one of these`,
      false,
    ],
    ["__proto__", "__proto__", `"__proto__": supported values: ${four}; set one of these`, false],
    [
      "with a terminal escape",
      "8.0\u001b[31m\n",
      String.raw`"8.0\u001b[31m\n": supported values: ${four}; set one of these`,
      false,
    ],
    [
      "huge",
      "8".repeat(3_000_000),
      `"${"8".repeat(61)}...": supported values: ${four}; set one of these`,
      false,
    ],
  ])("%s", (_title, ...[engineVersion, text, dependsOnCluster]) => {
    const message = `Unsupported value: ${text} [R1]`;
    const cause = { rule: "R1", reason: "FieldValueNotSupported", field, message };
    const verdict = { causes: [cause], warnings: [], dependsOnCluster };
    expect(judge(created({ engineVersion }))).toEqual(verdict);
    expect(judge(changed({ engineVersion: "7.2" }, { engineVersion })).causes).toEqual([cause]);
  });

  test.each<[string, string, Circumstances, string]>([
    [
      "the EC's published versions decide, and the EC is named",
      "8.2",
      { cluster: published },
      `Unsupported value: "8.2": supported values: "7.2", "8.4", "10.0", "major"; set one of these (the versions of EC engine/ec) [R1]`,
    ],
    [
      "6.2 is refused though the EC bundles it",
      "6.2",
      { cluster: published },
      `Unsupported value: "6.2": supported values: "7.2", "8.4", "10.0", "major"; set one of these (the versions of EC engine/ec) [R1]`,
    ],
    [
      "latest is listed where it is allowed",
      "Latest",
      latest(),
      `Unsupported value: "Latest": supported values: ${four}, "latest"; write "latest" [R1]`,
    ],
    [
      "without an EC the four decide",
      "8.4",
      { cluster: noCluster },
      `Unsupported value: "8.4": supported values: ${four}; set one of these [R1]`,
    ],
    [
      "with several ECs the four decide",
      "8.4",
      { cluster: ambiguous },
      `Unsupported value: "8.4": supported values: ${four}; set one of these [R1]`,
    ],
  ])("%s", (_title, ...[engineVersion, around, message]) => {
    expect(judge(created({ engineVersion }), around).causes.map((cause) => cause.message)).toEqual([
      message,
    ]);
  });

  test("a setting of warn lets it pass and says so", () => {
    const around = { options: { rules: rules("warn") } };
    expect(judge(created({ engineVersion: "9.9" }), around)).toEqual({
      causes: [],
      warnings: [
        `would be denied: spec.engineVersion: Unsupported value: "9.9": supported values: "7.2", "7.4", "8.0", "8.2", "ma... [R1]`,
      ],
      dependsOnCluster: false,
      wouldDeny: ["R1"],
    });
  });
});

describe("R1: latest", () => {
  const byPolicy = (policy?: string) => found(policy === undefined ? {} : { policy });

  test.each<[string, ClusterLookup, boolean | undefined, "passes" | "refused", boolean]>([
    ["unset, policy latest", byPolicy("latest"), undefined, "passes", false],
    ["unset, policy major", byPolicy("major"), undefined, "refused", true],
    ["unset, a policy of another case", byPolicy("Latest"), undefined, "refused", true],
    ["unset, no policy", byPolicy(), undefined, "refused", true],
    ["unset, an EC that is missing", missing, undefined, "refused", true],
    ["unset, several ECs", ambiguous, undefined, "refused", true],
    ["true, no policy", byPolicy(), true, "passes", false],
    ["true, an EC that is missing", missing, true, "passes", false],
    ["false, policy latest", byPolicy("latest"), false, "refused", false],
  ])("the option is %s", (...[, cluster, allowLatest, is, dependsOnCluster]) => {
    const verdict = judge(created({ engineVersion: "latest" }), {
      cluster,
      options: { allowLatest },
    });
    expect(verdict.causes.map(({ rule }) => rule)).toEqual(is === "passes" ? [] : ["R1"]);
    expect(verdict.dependsOnCluster).toBe(dependsOnCluster);
  });
});

describe("releasesOf", () => {
  test("names that hold no version are left out", () => {
    const names = { ...defaultNames, engineVersions: ["8.0", "newest", "7.2"] };
    expect(releasesOf(found(), names).valid.map((release) => release.text)).toEqual(["7.2", "8.0"]);
  });

  test("facts that hold no readable version count as not published", () => {
    const cluster = { ...aCluster(), versions: [{ version: "?", major: false }] };
    const releases = releasesOf({ is: "found", cluster }, defaultNames);
    expect(releases.publisher).toBeUndefined();
    expect(releases.valid.map((release) => release.text)).toEqual(defaultNames.engineVersions);
  });
});

function on(): Circumstances {
  return { cluster: published };
}

function latest(): Circumstances {
  return { options: { allowLatest: true } };
}

function rules(version: "warn" | "off") {
  return { version, policy: "deny", modules: "deny" } as const;
}
