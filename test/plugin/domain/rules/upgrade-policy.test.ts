import { isUnknownPolicy } from "../../../../plugin/domain/rules/upgrade-policy";
import type { ClusterLookup, Edit, RuleOptions } from "../../../../plugin/domain/rules/types";
import {
  type Circumstances,
  allowed,
  ambiguous,
  changed,
  created,
  found,
  judge,
  missing,
  names,
  noCluster,
} from "./cases";

type Outcome = "pass" | "refuse" | "warning";

const major = found({ policy: "major" });
const unknown = "unknown";

/** What a verdict amounts to in the words of the decision's table. */
function outcomeOf(edit: Edit, around: Circumstances): Outcome {
  const { causes, warnings } = judge(edit, around);
  if (causes.length > 0) return "refuse";
  return warnings.length > 0 ? "warning" : "pass";
}

/** An edit from `current` to `target`; absent leaves the field out. */
function raise(current: string, target: string): Edit {
  const spec = (version: string): object =>
    version === unknown || version === "absent" ? {} : { engineVersion: version };
  return changed(spec(current), { ...spec(target), replication: true });
}

const targets = ["7.2", "7.4", "8.0", "8.2", "major", "absent"] as const;
/** The table of C3–C7: a line for each current version; `step` is refused by reading `target` alone. */
const lines: Readonly<Record<string, readonly (Outcome | "step")[]>> = {
  "7.2": ["pass", "refuse", "pass", "step", "pass", "pass"],
  "7.4": ["warning", "pass", "pass", "step", "pass", "pass"],
  "8.0": ["warning", "warning", "pass", "refuse", "pass", "pass"],
  "8.2": ["warning", "warning", "warning", "pass", "pass", "pass"],
  [unknown]: ["warning", "warning", "warning", "warning", "pass", "pass"],
};
const cells = Object.entries(lines).flatMap(([current, line]) =>
  targets.map((target, index) => [current, target, line[index]] as const),
);

test.each(cells)("R2 under policy major, from %s to %s: %s", (current, ...[target, outcome]) => {
  const byTarget = outcome === "step" ? "refuse" : outcome;
  const byStep = outcome === "step" ? "pass" : outcome;
  const edit = raise(current, target);
  const step = { cluster: major, options: { reading: "step" } as const };
  expect([outcomeOf(edit, { cluster: major }), outcomeOf(edit, step)]).toEqual([byTarget, byStep]);
  expect(outcomeOf(edit, { cluster: found() })).not.toBe("refuse");
  const status = current === unknown ? undefined : { version: `${current}.5` };
  const after = target === "absent" ? { replication: true } : { engineVersion: target };
  expect(outcomeOf(changed({}, after, status), { cluster: major })).toBe(byTarget);
});

const flagged = (versions: readonly string[]): ClusterLookup =>
  found({
    policy: "major",
    versions: ["7.2", "7.4", "8.0", "8.2", "8.4"].map((version) => ({
      dbType: "engine",
      version,
      major: versions.includes(version),
    })),
  });
const late = ["7.4", "8.2"].map((version) => ({ dbType: "engine", version }));

test.each<[string, ClusterLookup, Edit, Outcome]>([
  ["a flagged release passes", flagged(["8.2"]), raise("7.2", "8.2"), "pass"],
  [
    "one without the flag, though lowest of its line",
    flagged(["8.2"]),
    raise("7.2", "8.0"),
    "refuse",
  ],
  ["no flag at all: the lowest of a line", flagged([]), raise("7.2", "8.0"), "pass"],
  ["no flag at all: another of the line", flagged([]), raise("7.2", "8.4"), "refuse"],
  [
    "a line that begins late",
    found({ policy: "major", versions: late }),
    raise("7.4", "8.2"),
    "pass",
  ],
])("R2: major releases are those that the EC flags: %s", (_title, ...[cluster, edit, outcome]) => {
  expect(outcomeOf(edit, { cluster })).toBe(outcome);
});

const toMinor = raise("7.2", "7.4");

test.each<[string, unknown, Outcome]>([
  ["major", "major", "refuse"],
  ["latest", "latest", "pass"],
  ["absent", undefined, "pass"],
  ["Major is not major", "Major", "pass"],
  ["an array that prints as major is not major", ["major"], "pass"],
])("R2: the EC's policy: %s", (_title, policy, outcome) => {
  expect(outcomeOf(toMinor, { cluster: found({ policy }) })).toBe(outcome);
});

test.each<[string, unknown, unknown, Outcome]>([
  ["major, raised onto a minor release", "major", "7.2.4", "refuse"],
  ["major, at that version already", "major", "7.4.2", "pass"],
  ["major, above it", "major", "8.0.1", "warning"],
  ["major, without a status", "major", undefined, "warning"],
  ["major, with a status that is not a version", "major", "constructor", "warning"],
  ["latest, raised onto a minor release", "latest", "7.2.4", "pass"],
  ["Major is not major", "Major", "7.2.4", "pass"],
  ["a number that cannot be parsed", 7, "7.2.4", "pass"],
  ["a full version counts as its first two numbers", "7.4.1", "7.2.4", "pass"],
])("R2: the database's old value: %s", (_title, ...[engineVersion, version, outcome]) => {
  const edit = changed({ engineVersion }, { engineVersion: "7.4" }, { version });
  expect(outcomeOf(edit, { cluster: found() })).toBe(outcome);
});

const old = found({ name: "old", policy: "major" });
const versions = [{ dbType: "engine", version: "7.4" }];

test.each<[string, ClusterLookup, ClusterLookup, Outcome]>([
  ["the new one alone", major, found({ name: "old" }), "refuse"],
  ["the old one alone", found(), old, "refuse"],
  ["neither", found(), found({ name: "old" }), "pass"],
  ["an old one that is gone", found(), missing, "warning"],
  ["several that may have been the old one", found(), ambiguous, "warning"],
  ["a new one that is missing", missing, major, "warning"],
  ["the new one, which decides on versions", found({ policy: "major", versions }), major, "pass"],
])("R2: the reference changes too, major in %s", (_title, ...[cluster, oldCluster, outcome]) => {
  expect(outcomeOf(toMinor, { cluster, oldCluster })).toBe(outcome);
});

test.each<[unknown, boolean]>([
  [undefined, false],
  ["major", false],
  ["latest", false],
  ["Major", true],
  [null, true],
])("R2: a policy %j is worth a log line: %s", (policy, expected) => {
  expect(isUnknownPolicy(policy, names)).toBe(expected);
});

const ofEc = `EC engine/ec sets spec.engineUpgradePolicy "major"`;
const ecOut = "set another spec.engineUpgradePolicy in EC engine/ec";
const oldOut = "set another spec.engineUpgradePolicy in EC engine/old";
const clear = "first clear spec.engineVersion in an edit of its own";
const had = `the database had spec.engineVersion "major"`;
const channel = changed({ engineVersion: "major" }, { engineVersion: "7.4" }, { version: "7.2.4" });
const byStep = { cluster: major, options: { reading: "step" } } as const;
const latest = { cluster: major, options: { allowLatest: true } };
const latestByStep = { ...latest, options: { ...latest.options, reading: "step" } } as const;

/** What is refused, who sets the policy, and both ways out. */
test.each<[string, Edit, Circumstances, readonly [string, string, string, string, string]]>([
  [
    "the EC's policy",
    toMinor,
    { cluster: major },
    [`"7.4" is a minor release`, `"7.2"`, ofEc, `"8.0", "major"`, ecOut],
  ],
  [
    "no later major release yet: the channel is left",
    raise("8.0", "8.2"),
    { cluster: major },
    [`"8.2" is a minor release`, `"8.0"`, ofEc, `"major"`, ecOut],
  ],
  [
    "the database's old value",
    channel,
    { cluster: found() },
    [
      `"7.4" is a minor release`,
      `"7.2"`,
      `${had} (database of EC engine/ec)`,
      `"8.0", "major"`,
      clear,
    ],
  ],
  [
    "both sides",
    channel,
    { cluster: major },
    [
      `"7.4" is a minor release`,
      `"7.2"`,
      `${ofEc} and ${had}`,
      `"8.0", "major"`,
      `${ecOut} and ${clear}`,
    ],
  ],
  [
    "the EC that the database leaves",
    toMinor,
    { cluster: found(), oldCluster: old },
    [
      `"7.4" is a minor release`,
      `"7.2"`,
      `EC engine/old sets spec.engineUpgradePolicy "major" (database of EC engine/ec)`,
      `"8.0", "major"`,
      oldOut,
    ],
  ],
  [
    "the same EC under two references is named once",
    toMinor,
    { cluster: major, oldCluster: major },
    [`"7.4" is a minor release`, `"7.2"`, ofEc, `"8.0", "major"`, ecOut],
  ],
  [
    "the size of the step",
    raise("8.0", "8.2"),
    byStep,
    [`"8.2" is a minor step`, `"8.0"`, ofEc, `"major"`, ecOut],
  ],
  [
    "latest, where it is allowed",
    raise("7.2", "latest"),
    latest,
    [`"latest" may be a minor release`, `"7.2"`, ofEc, `"8.0", "major"`, ecOut],
  ],
  [
    "latest from an unknown version",
    raise(unknown, "latest"),
    latestByStep,
    [`"latest" may be a minor release`, "an unknown version", ofEc, `"7.2", "8.0", "major"`, ecOut],
  ],
])(
  "R2: a refusal names versions, EC, side and ways out: %s",
  (_title, ...[edit, around, parts]) => {
    const [what, from, by, choices, out] = parts;
    const cause = {
      rule: "R2",
      reason: "FieldValueForbidden",
      field: "spec.engineVersion",
      message: `Forbidden: ${what}, refused as an upgrade from ${from} under policy "major": ${by}; choose a major release (${choices}), or ${out} [R2]`,
    };
    expect(judge(edit, around)).toEqual({ causes: [cause], warnings: [], dependsOnCluster: true });
  },
);

const notApplied = `upgrade policy not applied to "7.4":`;
const missed = `EC "ec" not found in namespaces "apps", "engine"`;
const several = "several ECs found: engine/ec1, engine/ec2";
const lowered = `engineVersion is lowered from "8.0" to "7.4"`;

test.each<[string, Edit, Circumstances, readonly string[]]>([
  ["lowering, under any policy", raise("8.0", "7.4"), { cluster: found() }, [`${lowered} [R2]`]],
  [
    "an unknown current version",
    raise(unknown, "7.4"),
    { cluster: major },
    [`${notApplied} current engine version unknown [R2]`],
  ],
  ["an EC that does not exist", toMinor, { cluster: missing }, [`${notApplied} ${missed} [R2]`]],
  [
    "no EC at all",
    toMinor,
    { cluster: noCluster },
    [`${notApplied} no EC found in namespace "engine" [R2]`],
  ],
  [
    "though the database's own value was major",
    channel,
    { cluster: missing },
    [`${notApplied} ${missed} [R2]`],
  ],
  ["lowering without an EC", raise("8.0", "7.4"), { cluster: missing }, [`${lowered} [R2]`]],
  [
    "an old EC that is gone",
    toMinor,
    { cluster: found(), oldCluster: missing },
    [`upgrade policy of the old EC not applied: ${missed} [R2]`],
  ],
  ["several ECs", toMinor, { cluster: ambiguous }, [several, `${notApplied} ${several} [R2]`]],
])("R2 passes with a warning: %s", (_title, ...[edit, around, warnings]) => {
  expect(judge(edit, around)).toEqual({ ...allowed, warnings });
});

test.each<[string, Edit]>([
  ["creation is no upgrade", created({ engineVersion: "7.4" })],
  ["an unchanged version", changed({ engineVersion: "7.4" }, { engineVersion: "7.4" })],
])("R2 leaves alone: %s", (_title, edit) => {
  expect(judge(edit, { cluster: major })).toEqual(allowed);
});

type Setting = RuleOptions["rules"]["version"];
const rulesOf = (around: Circumstances, edit: Edit) =>
  judge(edit, around).causes.map(({ rule }) => rule);

test.each<[string, unknown, Setting, readonly string[]]>([
  ["what R1 refuses is not refused twice", "8.6", "deny", ["R1"]],
  ["nor a number", 7.4, "deny", ["R1"]],
  ["nor what is huge", "7".repeat(1_000_000), "deny", ["R1"]],
  ["off: a minor release of a known line", "8.6", "off", ["R2"]],
  ["warn: a minor release of a known line", "8.6", "warn", ["R2"]],
  ["off: the first release of a new line passes", "9.0", "off", []],
  ["off: no version at all passes", "constructor", "off", []],
])("R2 beside R1: %s", (_title, ...[engineVersion, version, expected]) => {
  const rules = { version, policy: "deny", modules: "deny" } as const;
  const edit = changed({ engineVersion: "8.0" }, { engineVersion });
  expect(rulesOf({ cluster: major, options: { rules } }, edit)).toEqual(expected);
});

test.each<[string, ClusterLookup, boolean | undefined, Edit, readonly string[]]>([
  ["allowed, without policy major", found(), true, raise("7.2", "latest"), []],
  ["by a policy that is major: R1 alone", major, undefined, raise("7.2", "latest"), ["R1"]],
  ["not allowed: R1 alone", major, false, raise("7.2", "latest"), ["R1"]],
  [
    "the channel of the database counts",
    found({ policy: "latest" }),
    undefined,
    raise("major", "latest"),
    ["R2"],
  ],
])("R2: latest, %s", (_title, ...[cluster, allowLatest, edit, expected]) => {
  expect(rulesOf({ cluster, options: { allowLatest } }, edit)).toEqual(expected);
});

test.each<["warn" | "off", readonly string[]]>([
  [
    "warn",
    [
      `would be denied: spec.engineVersion: Forbidden: "7.4" is a minor release, refused as an upgrade from "7.2" under... [R2]`,
    ],
  ],
  ["off", []],
])("R2: its setting of %s", (policy, warnings) => {
  const rules: RuleOptions["rules"] = { version: "deny", policy, modules: "deny" };
  const { wouldDeny, ...verdict } = judge(toMinor, { cluster: major, options: { rules } });
  expect(verdict).toEqual({ ...allowed, warnings });
  expect(wouldDeny?.map(({ rule }) => rule)).toEqual(policy === "warn" ? ["R2"] : undefined);
});
