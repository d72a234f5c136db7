import { isUnknownPolicy } from "../../../../plugin/domain/rules/upgrade-policy";
import type { ClusterLookup, Edit, RuleOptions } from "../../../../plugin/domain/rules/types";
import type { Circumstances } from "./cases";
import {
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

/** The table of cells of C3–C7, line by line: target, by reading, and by reading `step`. */
const lines: readonly (readonly [string, string, Outcome, Outcome?])[] = [
  ["7.2", "7.2", "pass"],
  ["7.2", "7.4", "refuse"],
  ["7.2", "8.0", "pass"],
  ["7.2", "8.2", "refuse", "pass"],
  ["7.2", "major", "pass"],
  ["7.2", "absent", "pass"],
  ["7.4", "7.2", "warning"],
  ["7.4", "7.4", "pass"],
  ["7.4", "8.0", "pass"],
  ["7.4", "8.2", "refuse", "pass"],
  ["7.4", "major", "pass"],
  ["7.4", "absent", "pass"],
  ["8.0", "7.2", "warning"],
  ["8.0", "7.4", "warning"],
  ["8.0", "8.0", "pass"],
  ["8.0", "8.2", "refuse"],
  ["8.0", "major", "pass"],
  ["8.0", "absent", "pass"],
  ["8.2", "7.2", "warning"],
  ["8.2", "7.4", "warning"],
  ["8.2", "8.0", "warning"],
  ["8.2", "8.2", "pass"],
  ["8.2", "major", "pass"],
  ["8.2", "absent", "pass"],
  [unknown, "7.2", "warning"],
  [unknown, "7.4", "warning"],
  [unknown, "8.0", "warning"],
  [unknown, "8.2", "warning"],
  [unknown, "major", "pass"],
  [unknown, "absent", "pass"],
];
const cells = lines.map(
  ([current, target, outcome, byStep = outcome]): [string, string, Outcome, Outcome] => [
    current,
    target,
    outcome,
    byStep,
  ],
);

describe("R2: the table of cells under policy major", () => {
  test.each(cells)("from %s to %s: %s", (current, ...[target, outcome]) => {
    expect(outcomeOf(raise(current, target), { cluster: major })).toBe(outcome);
  });

  test.each(cells)("by reading step, from %s to %s: %s becomes %s", (current, ...rest) => {
    const [target, , byStep] = rest;
    const around = { cluster: major, options: { reading: "step" } as const };
    expect(outcomeOf(raise(current, target), around)).toBe(byStep);
  });

  test.each(cells)("without that policy nothing is refused: from %s to %s", (current, target) => {
    expect(outcomeOf(raise(current, target), { cluster: found() })).not.toBe("refuse");
  });

  test.each(cells)("with a current version from the status: %s to %s: %s", (current, ...rest) => {
    const [target, outcome] = rest;
    const status = current === unknown ? undefined : { version: `${current}.5` };
    const after = target === "absent" ? { replication: true } : { engineVersion: target };
    const edit = changed({}, after, status);
    expect(outcomeOf(edit, { cluster: major })).toBe(outcome);
  });
});

describe("R2: major releases are those that the EC flags", () => {
  const flagged = (versions: readonly string[]): ClusterLookup =>
    found({
      policy: "major",
      versions: ["7.2", "7.4", "8.0", "8.2", "8.4"].map((version) => ({
        dbType: "engine",
        version,
        major: versions.includes(version),
      })),
    });

  test.each<[string, readonly string[], string, Outcome]>([
    ["a flagged release passes", ["8.2"], "8.2", "pass"],
    ["one without the flag is refused, though lowest of its line", ["8.2"], "8.0", "refuse"],
    ["no flag at all: the lowest of a line passes", [], "8.0", "pass"],
    ["no flag at all: another of the line is refused", [], "8.4", "refuse"],
  ])("%s", (_title, ...[majors, target, outcome]) => {
    expect(outcomeOf(raise("7.2", target), { cluster: flagged(majors) })).toBe(outcome);
  });

  test("of a line that begins late the lowest published version is the major one", () => {
    const versions = ["7.4", "8.2"].map((version) => ({ dbType: "engine", version }));
    const cluster = found({ policy: "major", versions });
    expect(outcomeOf(raise("7.4", "8.2"), { cluster })).toBe("pass");
  });
});

describe("R2: who sets policy major", () => {
  const toMinor = raise("7.2", "7.4");
  test.each<[string, unknown, Outcome]>([
    ["major", "major", "refuse"],
    ["latest", "latest", "pass"],
    ["absent", undefined, "pass"],
    ["Major is not major", "Major", "pass"],
    ["null is not major", null, "pass"],
    ["a number is not major", 1, "pass"],
    ["an array that prints as major is not major", ["major"], "pass"],
    ["an object is not major", { toString: "major" }, "pass"],
  ])("the EC's policy: %s", (_title, policy, outcome) => {
    expect(outcomeOf(toMinor, { cluster: found({ policy }) })).toBe(outcome);
  });

  test.each<[string, unknown, unknown, Outcome]>([
    ["major, raised onto a minor release", "major", "7.2.4", "refuse"],
    ["major, at that version already", "major", "7.4.2", "pass"],
    ["major, above it", "major", "8.0.1", "warning"],
    ["major, without a status", "major", undefined, "warning"],
    ["major, with a status that is not a version", "major", "constructor", "warning"],
    ["major, with a status that is a number", "major", 7.2, "warning"],
    ["latest, raised onto a minor release", "latest", "7.2.4", "pass"],
    ["Major is not major", "Major", "7.2.4", "pass"],
    ["a number that cannot be parsed", 7, "7.2.4", "pass"],
    ["a full version counts as its first two numbers", "7.4.1", "7.2.4", "pass"],
  ])("the database's old value: %s", (_title, ...[engineVersion, version, outcome]) => {
    const edit = changed({ engineVersion }, { engineVersion: "7.4" }, { version });
    expect(outcomeOf(edit, { cluster: found() })).toBe(outcome);
  });

  test.each<[string, ClusterLookup, ClusterLookup | undefined, Outcome]>([
    ["the new one alone", found({ policy: "major" }), found({ name: "old" }), "refuse"],
    ["the old one alone", found(), found({ name: "old", policy: "major" }), "refuse"],
    ["both", major, found({ name: "old", policy: "major" }), "refuse"],
    ["neither", found(), found({ name: "old" }), "pass"],
    ["an old one that is gone", found(), missing, "warning"],
    ["several that may have been the old one", found(), ambiguous, "warning"],
    ["a new one that is missing", missing, major, "warning"],
  ])("the reference changes too, major in %s", (_title, ...[cluster, old, outcome]) => {
    const around = { cluster, ...(old === undefined ? {} : { oldCluster: old }) };
    expect(outcomeOf(toMinor, around)).toBe(outcome);
  });

  test("the new EC decides which versions there are", () => {
    const versions = [{ dbType: "engine", version: "7.4" }];
    const around = { cluster: found({ policy: "major", versions }), oldCluster: major };
    expect(outcomeOf(toMinor, around)).toBe("pass");
  });

  test.each<[string, unknown, boolean]>([
    ["absent", undefined, false],
    ["major", "major", false],
    ["latest", "latest", false],
    ["Major", "Major", true],
    ["null", null, true],
    ["a number", 7, true],
  ])("a policy worth a log line: %s", (_title, policy, expected) => {
    expect(isUnknownPolicy(policy, names)).toBe(expected);
  });
});

describe("R2: a refusal names versions, EC, side and both ways out", () => {
  const ofEc = `EC engine/ec sets spec.engineUpgradePolicy "major"`;
  const ecOut = "set another spec.engineUpgradePolicy in EC engine/ec";
  const refused = (target: string, current: string, size = "is a minor release"): string =>
    `Forbidden: "${target}" ${size}, refused as an upgrade from ${current} under policy "major"`;

  test.each<[string, Edit, Circumstances, string]>([
    [
      "the EC's policy",
      raise("7.2", "7.4"),
      { cluster: major },
      `${refused("7.4", `"7.2"`)}: ${ofEc}; choose a major release ("8.0", "major"), or ${ecOut} [R2]`,
    ],
    [
      "no later major release yet: the channel is left",
      raise("8.0", "8.2"),
      { cluster: major },
      `${refused("8.2", `"8.0"`)}: ${ofEc}; choose a major release ("major"), or ${ecOut} [R2]`,
    ],
    [
      "the database's old value",
      changed({ engineVersion: "major" }, { engineVersion: "7.4" }, { version: "7.2.4" }),
      { cluster: found() },
      `${refused("7.4", `"7.2"`)}: the database had spec.engineVersion "major" (database of EC engine/ec); ` +
        `choose a major release ("8.0", "major"), or first clear spec.engineVersion in an edit of its own [R2]`,
    ],
    [
      "both sides",
      changed({ engineVersion: "major" }, { engineVersion: "7.4" }, { version: "7.2.4" }),
      { cluster: major },
      `${refused("7.4", `"7.2"`)}: ${ofEc} and the database had spec.engineVersion "major"; ` +
        `choose a major release ("8.0", "major"), or ${ecOut} and first clear spec.engineVersion in an edit of its own [R2]`,
    ],
    [
      "the EC that the database leaves",
      raise("7.2", "7.4"),
      { cluster: found(), oldCluster: found({ name: "old", policy: "major" }) },
      `${refused("7.4", `"7.2"`)}: EC engine/old sets spec.engineUpgradePolicy "major" (database of EC engine/ec); ` +
        `choose a major release ("8.0", "major"), or set another spec.engineUpgradePolicy in EC engine/old [R2]`,
    ],
    [
      "the same EC under two references is named once",
      raise("7.2", "7.4"),
      { cluster: major, oldCluster: major },
      `${refused("7.4", `"7.2"`)}: ${ofEc}; choose a major release ("8.0", "major"), or ${ecOut} [R2]`,
    ],
    [
      "the size of the step",
      raise("8.0", "8.2"),
      { cluster: major, options: { reading: "step" } },
      `${refused("8.2", `"8.0"`, "is a minor step")}: ${ofEc}; choose a major release ("major"), or ${ecOut} [R2]`,
    ],
    [
      "latest, where it is allowed",
      raise("7.2", "latest"),
      { cluster: major, options: { allowLatest: true } },
      `${refused("latest", `"7.2"`, "may be a minor release")}: ${ofEc}; choose a major release ("8.0", "major"), or ${ecOut} [R2]`,
    ],
    [
      "latest from an unknown version",
      raise(unknown, "latest"),
      { cluster: major, options: { allowLatest: true, reading: "step" } },
      `${refused("latest", "an unknown version", "may be a minor release")}: ${ofEc}; choose a major release ("7.2", "8.0", "major"), or ${ecOut} [R2]`,
    ],
  ])("%s", (_title, ...[edit, around, message]) => {
    const cause = {
      rule: "R2",
      reason: "FieldValueForbidden",
      field: "spec.engineVersion",
      message,
    };
    expect(judge(edit, around)).toEqual({ causes: [cause], warnings: [], dependsOnCluster: true });
  });
});

describe("R2: latest", () => {
  test.each<[string, ClusterLookup, boolean | undefined, readonly string[]]>([
    ["allowed, without policy major", found(), true, []],
    ["allowed by the EC's policy", found({ policy: "latest" }), undefined, []],
    ["by the EC's policy, which is major: R1 alone refuses it", major, undefined, ["R1"]],
    ["allowed, under policy major", major, true, ["R2"]],
    ["not allowed: R1 alone refuses it", major, false, ["R1"]],
  ])("%s", (_title, ...[cluster, allowLatest, rules]) => {
    const verdict = judge(raise("7.2", "latest"), { cluster, options: { allowLatest } });
    expect(verdict.causes.map(({ rule }) => rule)).toEqual(rules);
  });

  test("the channel of the database counts where the EC's policy allows it", () => {
    const cluster = found({ policy: "latest" });
    const verdict = judge(raise("major", "latest"), {
      cluster,
      options: { allowLatest: undefined },
    });
    expect(verdict.causes.map(({ rule }) => rule)).toEqual(["R2"]);
  });
});

describe("R2: what passes with a warning", () => {
  test.each<[string, Edit, Circumstances, string]>([
    [
      "lowering, under any policy",
      raise("8.0", "7.4"),
      { cluster: found() },
      `engineVersion is lowered from "8.0" to "7.4" [R2]`,
    ],
    [
      "an unknown current version",
      raise(unknown, "7.4"),
      { cluster: major },
      `upgrade policy not applied to "7.4": current engine version unknown [R2]`,
    ],
    [
      "an EC that does not exist",
      raise("7.2", "7.4"),
      { cluster: missing },
      `upgrade policy not applied to "7.4": EC "ec" not found in namespaces "apps", "engine" [R2]`,
    ],
    [
      "no EC at all",
      raise("7.2", "7.4"),
      { cluster: noCluster },
      `upgrade policy not applied to "7.4": no EC found in namespace "engine" [R2]`,
    ],
    [
      "an EC that does not exist, though the database's own value was major",
      changed({ engineVersion: "major" }, { engineVersion: "7.4" }, { version: "7.2.4" }),
      { cluster: missing },
      `upgrade policy not applied to "7.4": EC "ec" not found in namespaces "apps", "engine" [R2]`,
    ],
    [
      "lowering without an EC",
      raise("8.0", "7.4"),
      { cluster: missing },
      `engineVersion is lowered from "8.0" to "7.4" [R2]`,
    ],
    [
      "an old EC that is gone",
      raise("7.2", "7.4"),
      { cluster: found(), oldCluster: missing },
      `upgrade policy of the old EC not applied: EC "ec" not found in namespaces "apps", "engine" [R2]`,
    ],
  ])("%s", (_title, ...[edit, around, warning]) => {
    expect(judge(edit, around)).toEqual({ ...allowed, warnings: [warning] });
  });

  test("several ECs: they are named", () => {
    expect(judge(raise("7.2", "7.4"), { cluster: ambiguous })).toEqual({
      ...allowed,
      warnings: [
        "several ECs found: engine/ec1, engine/ec2",
        `upgrade policy not applied to "7.4": several ECs found: engine/ec1, engine/ec2 [R2]`,
      ],
    });
  });
});

describe("R2: what it leaves alone", () => {
  test.each<[string, Edit]>([
    ["creation is no upgrade", created({ engineVersion: "7.4" })],
    ["an unchanged version", changed({ engineVersion: "7.4" }, { engineVersion: "7.4" })],
    ["an old version of null and no new one", changed({ engineVersion: null }, {})],
  ])("%s", (_title, edit) => {
    expect(judge(edit, { cluster: major })).toEqual(allowed);
  });

  test.each<[string, unknown]>([
    ["outside the valid set", "8.6"],
    ["a number", 7.4],
    ["hostile", "__proto__"],
    ["huge", "7".repeat(1_000_000)],
  ])("a value that R1 refuses is not refused twice: %s", (_title, engineVersion) => {
    const edit = changed({ engineVersion: "8.0" }, { engineVersion });
    expect(judge(edit, { cluster: major }).causes.map(({ rule }) => rule)).toEqual(["R1"]);
  });

  test.each<[string, string, "warn" | "off", readonly string[]]>([
    ["off: a minor release of a known line is refused", "8.6", "off", ["R2"]],
    ["warn: a minor release of a known line is refused", "8.6", "warn", ["R2"]],
    ["off: the first release of a new line passes", "9.0", "off", []],
    ["off: no version at all passes", "constructor", "off", []],
  ])("with R1 on %s", (_title, ...[engineVersion, version, expected]) => {
    const rules: RuleOptions["rules"] = { version, policy: "deny", modules: "deny" };
    const edit = changed({ engineVersion: "8.0" }, { engineVersion });
    const verdict = judge(edit, { cluster: major, options: { rules } });
    expect(verdict.causes.map(({ rule }) => rule)).toEqual(expected);
  });

  test.each<["warn" | "off", readonly string[]]>([
    [
      "warn",
      [
        `would be denied: spec.engineVersion: Forbidden: "7.4" is a minor release, refused as an upgrade from "7.2" under... [R2]`,
      ],
    ],
    ["off", []],
  ])("its setting of %s", (policy, warnings) => {
    const rules: RuleOptions["rules"] = { version: "deny", policy, modules: "deny" };
    const verdict = judge(raise("7.2", "7.4"), { cluster: major, options: { rules } });
    const wouldDeny = policy === "warn" && { wouldDeny: ["R2"] };
    expect(verdict).toEqual({ ...allowed, warnings, ...wouldDeny });
  });
});
