import { dump } from "js-yaml";
import { defaultNames, type Names } from "../../../../plugin/domain/names/names";
import {
  matchConditionsPatch,
  rulesInSchema,
  schemaPatch,
} from "../../../../plugin/commands/policy/patches";
import { policies, type PolicyWish } from "../../../../plugin/commands/policy/policies";
import { rulesInPolicy } from "../../../../plugin/commands/policy/rules";
import { has, member, nameVariable } from "../../../../plugin/commands/policy/cel";
import { changeRules, createRules } from "../../../../plugin/domain/rules/order";
import { everyRule } from "../../../../plugin/domain/rules/settings";
import type { RuleOptions } from "../../../../plugin/domain/rules/types";
import { expectGoldenText } from "../../../support/golden";

const options: RuleOptions = {
  names: defaultNames,
  rules: everyRule,
  reading: "target",
  allowLatest: undefined,
};
const wish: PolicyWish = { options, mode: "deny", operatorNamespace: "engine" };

interface Policy {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly matchConditions: readonly { readonly expression: string }[];
    readonly variables: readonly { readonly name: string; readonly expression: string }[];
    readonly validations: readonly {
      readonly expression: string;
      readonly message: string;
      readonly messageExpression?: string;
    }[];
    readonly validationActions?: readonly string[];
  };
}

function made(changes: Partial<RuleOptions> = {}, mode: PolicyWish["mode"] = "deny") {
  const objects = policies({ ...wish, mode, options: { ...options, ...changes } });
  const all = objects as unknown as readonly Policy[];
  return {
    policies: all.filter(({ kind }) => kind === "ValidatingAdmissionPolicy"),
    bindings: all.filter(({ kind }) => kind !== "ValidatingAdmissionPolicy"),
  };
}

const expressionsOf = ({ spec }: Policy): readonly string[] => [
  ...[...spec.matchConditions, ...spec.variables].map(({ expression }) => expression),
  ...spec.validations.flatMap(({ expression, messageExpression = "" }) => [
    expression,
    messageExpression,
  ]),
];

test.each(["edb", "eaadb"] as const)("the policies of an %s", (kind) => {
  const own = policies(wish).filter(({ metadata }) => String(metadata.name).includes(`-${kind}-`));
  expectGoldenText(`policy/${kind}.yaml`, own.map((each) => dump(each)).join("---\n"));
});

test("every rule of the webhook is in the policies and in the schema, or says why not", () => {
  const rules = [...createRules, ...changeRules].map(({ id }) => id);
  for (const table of [rulesInPolicy, rulesInSchema]) {
    expect(Object.keys(table).sort()).toEqual([...new Set(rules)].sort());
  }
  for (const { id, setting } of [...createRules, ...changeRules]) {
    expect(rulesInPolicy[id].setting).toBe(setting);
  }
  const told = made().policies.flatMap(({ spec }) => spec.validations.map((each) => each.message));
  for (const id of rules) expect(told.join("\n")).toContain(`[${id}]`);
});

test("the values are those of the rules", () => {
  const text = JSON.stringify(made());
  const { engineVersions, bundledModules, majorChannel, latestChannel } = defaultNames;
  for (const value of [...engineVersions, ...bundledModules, majorChannel, latestChannel]) {
    expect(text).toContain(`\\"${value}\\"`);
  }
  const names: Names = { ...defaultNames, engineVersions: ["9.1"], bundledModules: ["vector"] };
  const other = JSON.stringify(made({ names }));
  expect(other).toContain('\\"9.1\\"');
  expect(other).toContain('[\\"vector\\"]');
  expect(other).not.toContain('\\"ReJSON\\"');
});

/** The functions and macros of the language's definition, of those that are used. */
const core = ["all", "exists", "filter", "map", "matches", "startsWith", "size", "string", "type"];

test("nothing but the core of the language is used", () => {
  for (const policy of made().policies) {
    const code = expressionsOf(policy)
      .join("\n")
      .replaceAll(/"(\\.|[^"\\])*"|'"'/g, '""');
    const called = [...code.matchAll(/([A-Za-z_]\w*)\(/g)].map(([, name]) => name);
    expect([...core, "has", "dyn"]).toEqual(expect.arrayContaining([...new Set(called)]));
    expect(code).not.toMatch(/\.\?|\[\?/);
  }
});

test("a variable uses those before it alone, and each is used", () => {
  for (const { metadata, spec } of made().policies) {
    const known = new Set<string>();
    const used = new Set<string>();
    const use = (expression: string): void => {
      for (const [, name = ""] of expression.matchAll(/variables\.(\w+)/g)) {
        expect([metadata.name, [...known]]).toEqual([
          metadata.name,
          expect.arrayContaining([name]),
        ]);
        used.add(name);
      }
    };
    for (const { name, expression } of spec.variables) {
      use(expression);
      expect([...known]).not.toContain(name);
      known.add(name);
    }
    for (const { expression, messageExpression = "" } of spec.validations) {
      use(expression);
      use(messageExpression);
    }
    expect([...used].sort()).toEqual([...known].sort());
  }
});

test.each<[PolicyWish["mode"], Partial<RuleOptions>, readonly (readonly [string, string])[]]>([
  [
    "deny",
    {},
    [
      ["edb-form", "Deny"],
      ["edb-cluster", "Deny"],
    ],
  ],
  [
    "warn",
    {},
    [
      ["edb-form", "Warn"],
      ["edb-cluster", "Warn"],
    ],
  ],
  [
    "audit",
    {},
    [
      ["edb-form", "Audit"],
      ["edb-cluster", "Audit"],
    ],
  ],
  [
    "deny",
    { rules: { version: "deny", policy: "warn", modules: "off" } },
    [
      ["edb-form", "Deny"],
      ["edb-cluster", "Deny"],
      ["edb-cluster-warn", "Warn"],
    ],
  ],
  [
    "audit",
    { rules: { ...everyRule, policy: "warn" } },
    [
      ["edb-form", "Audit"],
      ["edb-cluster", "Audit"],
      ["edb-cluster-warn", "Audit"],
    ],
  ],
  ["deny", { rules: { version: "off", policy: "off", modules: "off" } }, []],
])("mode %s with %j acts so", (mode, changes, expected) => {
  const { policies: all, bindings } = made(changes, mode);
  const prefix = "engine-enterprise-admission-";
  const edb = all.map(({ metadata }) => metadata.name).filter((name) => name.includes("-edb-"));
  expect(edb).toEqual(expected.map(([name]) => `${prefix}${name}`));
  for (const [name, action] of expected) {
    const own = bindings.filter(({ spec }) => JSON.stringify(spec).includes(`"${prefix}${name}"`));
    expect(own.length).toBeGreaterThan(0);
    for (const { spec } of own) expect(spec.validationActions).toEqual([action]);
  }
});

test.each([
  [true, [true, false]],
  [false, [false, false]],
  [undefined, [true, true]],
] as const)("latest allowed: %s, and whether it and the EC's policy of it are read", (...row) => {
  const [allowLatest, read] = row;
  const text = made({ allowLatest }).policies.flatMap(expressionsOf).join("\n");
  const asked = ['"latest"', 'ecEngineUpgradePolicy == "latest"'];
  expect(asked.map((each) => text.includes(each))).toEqual(read);
});

test("by the step, the size of it is checked", () => {
  const text = made({ reading: "step" }).policies.flatMap(expressionsOf).join("\n");
  expect(text).not.toContain("majorReleases");
});

test("the patches", () => {
  expectGoldenText(
    "policy/patches.yaml",
    [schemaPatch("edb", options), schemaPatch("eaadb", options), matchConditionsPatch(options)]
      .map((each) => dump(each))
      .join("---\n"),
  );
});

test.each(["warn", "off"] as const)("the schema refuses nothing where the rule is at %s", (to) => {
  expect(schemaPatch("edb", { ...options, rules: { ...everyRule, version: to } })).toEqual([]);
});

test.each([
  ["plain", "o.plain", "has(o.plain)"],
  ["with-dash", 'o["with-dash"]', '"with-dash" in o'],
  ["in", 'o["in"]', '"in" in o'],
])("a field named %s is written so that it can be read", (key, read, asked) => {
  expect([member("o", key), has("o", key)]).toEqual([read, asked]);
});

test("a variable is named after its path", () => {
  expect(nameVariable(["spec", "a-b", "c"])).toBe("a_bC");
  expect(nameVariable(["status", "version"], "old")).toBe("oldStatusVersion");
  expect(nameVariable(["spec"])).toBe("spec");
});
