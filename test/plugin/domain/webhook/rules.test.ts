import { defaultNames } from "../../../../plugin/domain/names";
import {
  guardedResources,
  lostRules,
  matchesResource,
  wideRules,
} from "../../../../plugin/domain/webhook/configuration";
import { hostile } from "./hostile";

const { group } = defaultNames;

/** An entry of one rule, of the kinds `edbs` and `roles` unless told otherwise. */
function entryOf(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    rules: [
      {
        apiGroups: [group],
        apiVersions: ["v1alpha1"],
        operations: ["CREATE", "UPDATE"],
        resources: ["edbs", "roles"],
        ...changes,
      },
    ],
  };
}

const rulesOf = (...entries: readonly Record<string, unknown>[]) => ({
  rules: entries.flatMap(({ rules }) => rules as readonly unknown[]),
});

describe("what an apply would remove", () => {
  test.each<[string, unknown, unknown, readonly string[]]>([
    ["nothing, where both are alike", entryOf(), entryOf(), []],
    ["nothing, where no entry is live", undefined, entryOf(), []],
    [
      "a resource",
      entryOf(),
      entryOf({ resources: ["edbs"] }),
      [`roles.${group} (CREATE, UPDATE)`],
    ],
    [
      "an operation",
      entryOf({ operations: ["CREATE", "DELETE"] }),
      entryOf(),
      [`edbs.${group} (DELETE)`, `roles.${group} (DELETE)`],
    ],
    [
      "every operation",
      entryOf({ operations: ["*"], resources: ["edbs"] }),
      entryOf(),
      [`edbs.${group} (DELETE, CONNECT)`],
    ],
    [
      "a group",
      rulesOf(entryOf(), entryOf({ apiGroups: [""], resources: ["secrets"] })),
      entryOf(),
      ["secrets (CREATE, UPDATE)"],
    ],
    [
      "every group",
      entryOf({ apiGroups: ["*"], resources: ["edbs"] }),
      entryOf(),
      ["edbs.* (CREATE, UPDATE)"],
    ],
    ["every resource", entryOf({ resources: ["*"] }), entryOf(), [`*.${group} (CREATE, UPDATE)`]],
    [
      "a subresource",
      entryOf({ resources: ["edbs", "edbs/status"] }),
      entryOf(),
      [`edbs/status.${group} (CREATE, UPDATE)`],
    ],
    [
      "nothing by an apply that adds",
      entryOf(),
      entryOf({ resources: ["edbs", "roles", "x"] }),
      [],
    ],
    ["nothing by a wildcard", entryOf(), entryOf({ apiGroups: ["*"], resources: ["*/*"] }), []],
    [
      "nothing by the same in other rules",
      entryOf(),
      rulesOf(entryOf({ resources: ["roles"] }), entryOf({ resources: ["edbs"] })),
      [],
    ],
    ["nothing by other versions", entryOf(), entryOf({ apiVersions: ["v1"] }), []],
  ])("%s", (_title, ...[live, wanted, lost]) => {
    expect(lostRules(live, wanted)).toEqual(lost);
  });
});

describe("a rule's resource covers what the API server lets it cover", () => {
  test.each<[string, string, boolean]>([
    ["edbs", "edbs", true],
    ["*", "edbs", true],
    ["*/*", "edbs", true],
    ["edbs/*", "edbs", true],
    ["edbs/*", "edbs/status", true],
    ["*/status", "edbs/status", true],
    ["*", "edbs/status", false],
    ["edbs", "edbs/status", false],
    ["*/status", "edbs", false],
    ["roles", "edbs", false],
  ])("%s, %s: %s", (rule, ...[plural, matches]) => {
    const entry = entryOf({ resources: [rule] });
    expect(matchesResource(entry, { group, plural, operation: "CREATE" })).toBe(matches);
  });
});

test("the resources of a group that are guarded, each once", () => {
  const other = entryOf({ apiGroups: ["apps"], resources: ["deployments"] });
  expect(guardedResources(rulesOf(entryOf(), entryOf(), other), group)).toEqual(["edbs", "roles"]);
});

describe("a template's rules are too wide", () => {
  test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
    ["not with more kinds of the group", { resources: ["edbs", "roles", "acls"] }, []],
    ["not with DELETE", { operations: ["CREATE", "UPDATE", "DELETE"] }, []],
    ["with every group", { apiGroups: ["*"] }, ["apiGroups=*"]],
    ["with another group", { apiGroups: [group, "apps"] }, ["apiGroups=apps"]],
    ["with the core group", { apiGroups: [""] }, ["apiGroups="]],
    ["with every resource", { resources: ["*"] }, ["resources=*"]],
    [
      "with every subresource",
      { resources: ["*/*", "edbs/*"] },
      ["resources=*/*", "resources=edbs/*"],
    ],
    ["with every operation", { operations: ["*"] }, ["operations=*"]],
    ["with CONNECT", { operations: ["CREATE", "CONNECT"] }, ["operations=CONNECT"]],
    [
      "in several ways",
      { apiGroups: ["*"], resources: ["*"], operations: ["*"] },
      ["apiGroups=*", "resources=*", "operations=*"],
    ],
  ])("%s", (_title, changes, wide) => {
    expect(wideRules(rulesOf(entryOf(changes), entryOf(changes)), defaultNames)).toEqual(wide);
  });
});

test.each(hostile)("an entry that is %s reaches nothing, and nothing throws", (_title, value) => {
  for (const entry of [
    value,
    { rules: value },
    { rules: [value] },
    entryOf({ resources: value }),
  ]) {
    expect(lostRules(entry, undefined).length).toBe(0);
    expect(wideRules(entry, defaultNames)).toEqual([]);
  }
});
