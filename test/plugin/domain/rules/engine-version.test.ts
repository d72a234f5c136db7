import { defaultNames } from "../../../../plugin/domain/names/names";
import { findReleases } from "../../../../plugin/domain/rules/engine-version";
import type { ClusterLookup, Edit } from "../../../../plugin/domain/rules/types";
import {
  type Circumstances,
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
const latest: Circumstances = { options: { allowLatest: true } };
const on: Circumstances = { cluster: published };
const set = (engineVersion: unknown): Edit => created({ engineVersion });
const rules = (version: "warn" | "off") =>
  ({ options: { rules: { version, policy: "deny", modules: "deny" } } }) as const;

test.each<[string, Edit, Circumstances?]>([
  ["a version of the specification", set("8.2")],
  ["the channel major", set("major")],
  ["latest, where an option allows it", set("latest"), latest],
  ["absent", created({})],
  ["null, which the API server prunes", set(null)],
  ["no spec at all", { kind: "edb", before: undefined, after: {} }],
  ["one that the EC bundles and the four have not", set("8.4"), on],
  ["a number of two digits that the EC bundles", set("10.0"), on],
  ["no EC: the four", set("8.2"), { cluster: missing }],
  ["removed on change", changed({ engineVersion: "7.2" }, {})],
  [
    "an unsupported old value that stays",
    changed({ engineVersion: "6.0" }, { engineVersion: "6.0" }),
  ],
  [
    "an old object that stays",
    changed({ engineVersion: { a: [1] } }, { engineVersion: { a: [1] }, replication: true }),
  ],
  ["an old value of null that is removed", changed({ engineVersion: null }, {})],
  ["a setting of off", set("9.9"), rules("off")],
])("R1 passes: %s", (_title, ...[edit, around]) => {
  expect(judge(edit, around)).toEqual(allowed);
});

test("R1: an old value that cannot be parsed does not block its repair", () => {
  expect(judge(changed({ engineVersion: 8 }, { engineVersion: "8.0" })).causes).toEqual([]);
});

const quoted = (text: string) => `must be a string, quote it in YAML: "${text}"`;
const oneOf = `must be a string, one of ${four}`;

test.each<[string, unknown, string]>([
  ["8.0 arrives as 8", 8, `8: ${quoted("8.0")} (an unquoted 8.0 arrives as 8)`],
  ["7.2", 7.2, `7.2: ${quoted("7.2")}`],
  ["a negative number", -1, `-1: ${oneOf}`],
  ["a boolean", true, `true: ${oneOf}`],
  ["an array", ["7.2"], `[...]: ${oneOf}`],
  ["hostile keys", json(`{"__proto__": "7.2", "toString": "7.2"}`), `{...}: ${oneOf}`],
  ["very deep", json(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`), `{...}: ${oneOf}`],
])("R1 refuses what is no string, with a hint to quote it: %s", (_title, value, text) => {
  const message = `Invalid value: ${text} [R1]`;
  const cause = { rule: "R1", reason: "FieldValueTypeInvalid", field, message };
  const verdict = { causes: [cause], warnings: [], dependsOnCluster: false };
  expect(judge(set(value))).toEqual(verdict);
});

const unsupported = (shown: string, advice: string, versions = four) =>
  `Unsupported value: ${shown}: supported values: ${versions}; ${advice} [R1]`;

test.each<[string, string, boolean?, string?]>([
  ["9.9", "set one of these", true],
  ["6.2", "set one of these", true],
  ["7.4.2", 'write "7.4"'],
  ["9.9.1", "set one of these"],
  ["v8.0", 'write "8.0"'],
  [" 8.2 ", 'write "8.2"'],
  ["Major", 'write "major"'],
  ["latest", "set one of these"],
  ["", "set one of these"],
  ["8", "set one of these"],
  ["7.02", "set one of these"],
  ["__proto__", "set one of these"],
  ["8.0\u001b[31m\n", "set one of these", false, String.raw`"8.0\u001b[31m\n"`],
  ["8".repeat(3_000_000), "set one of these", false, `"${"8".repeat(61)}..."`],
])("R1 refuses what is not supported (%#)", (engineVersion, ...[advice, byCluster, shown]) => {
  const message = unsupported(shown ?? `"${engineVersion}"`, advice);
  const cause = { rule: "R1", reason: "FieldValueNotSupported", field, message };
  const verdict = { causes: [cause], warnings: [], dependsOnCluster: byCluster ?? false };
  expect(judge(set(engineVersion))).toEqual(verdict);
  expect(judge(changed({ engineVersion: "7.2" }, { engineVersion })).causes).toEqual([cause]);
});

const ofEc = "set one of these (the versions of EC engine/ec)";
const own = `"7.2", "8.4", "10.0", "major"`;

test.each<[string, string, Circumstances, string]>([
  ["the EC's published versions decide", "8.2", on, unsupported(`"8.2"`, ofEc, own)],
  ["though the EC bundles it", "6.2", on, unsupported(`"6.2"`, ofEc, own)],
  [
    "latest is listed where it is allowed",
    "Latest",
    latest,
    unsupported(`"Latest"`, 'write "latest"', `${four}, "latest"`),
  ],
  ["without an EC", "8.4", { cluster: noCluster }, unsupported(`"8.4"`, "set one of these")],
  ["with several ECs", "8.4", { cluster: ambiguous }, unsupported(`"8.4"`, "set one of these")],
])("R1 names the versions: %s", (_title, ...[engineVersion, around, message]) => {
  expect(judge(set(engineVersion), around).causes).toMatchObject([{ message }]);
});

test("R1: a setting of warn lets it pass and says so", () => {
  expect(judge(set("9.9"), rules("warn"))).toMatchObject({
    ...allowed,
    warnings: [
      `would be denied: spec.engineVersion: Unsupported value: "9.9": supported values: "7.2", "7.4", "8.0", "8.2", "ma... [R1]`,
    ],
    wouldDeny: [{ rule: "R1", field: "spec.engineVersion" }],
  });
});

const byPolicy = (policy: string) => found({ policy });

test.each<[string, ClusterLookup, boolean | undefined, "passes" | "refused", boolean]>([
  ["unset, policy latest", byPolicy("latest"), undefined, "passes", false],
  ["unset, policy major", byPolicy("major"), undefined, "refused", true],
  ["unset, a policy of another case", byPolicy("Latest"), undefined, "refused", true],
  ["unset, no policy", found(), undefined, "refused", true],
  ["unset, an EC that is missing", missing, undefined, "refused", true],
  ["unset, several ECs", ambiguous, undefined, "refused", true],
  ["true, no policy", found(), true, "passes", false],
  ["true, an EC that is missing", missing, true, "passes", false],
  ["false, policy latest", byPolicy("latest"), false, "refused", false],
])("R1: latest, the option is %s", (...[, cluster, allowLatest, is, dependsOnCluster]) => {
  const verdict = judge(set("latest"), { cluster, options: { allowLatest } });
  expect(verdict.causes.map(({ rule }) => rule)).toEqual(is === "passes" ? [] : ["R1"]);
  expect(verdict.dependsOnCluster).toBe(dependsOnCluster);
});

test("names and facts that hold no version are left out", () => {
  const names = { ...defaultNames, engineVersions: ["8.0", "newest", "7.2"] };
  expect(findReleases(found(), names).valid.map((release) => release.text)).toEqual(["7.2", "8.0"]);
  const cluster = { ...aCluster(), versions: [{ version: "?", major: false }] };
  const releases = findReleases({ is: "found", cluster }, defaultNames);
  expect(releases.publisher).toBeUndefined();
  expect(releases.valid.map((release) => release.text)).toEqual(defaultNames.engineVersions);
});
