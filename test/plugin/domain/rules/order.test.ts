import {
  changeRules,
  createRules,
  isExempt,
  needsCluster,
  needsOldCluster,
} from "../../../../plugin/domain/rules/order";
import type { Edit, RuleOptions } from "../../../../plugin/domain/rules/types";
import { allowed, changed, created, eaadb, found, json, judge, names } from "./cases";

const unknownModule = { moduleList: [{ name: "x" }] };

describe("the lists of rules", () => {
  test("creation is judged by R1 and R3, a change by R2 too", () => {
    expect(createRules.map(({ id }) => id)).toEqual(["R1", "R3"]);
    expect(changeRules.map(({ id }) => id)).toEqual(["R1", "R2", "R3"]);
  });

  test.each(changeRules.map((rule) => [rule.id, rule] as const))("%s has a source", (_id, rule) => {
    expect(rule.source).not.toBe("");
  });
});

describe("an object that is being deleted always passes", () => {
  const deleting = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  test.each<[string, Edit, boolean]>([
    ["deleted on change", edit({ metadata: {} }, { metadata: deleting }), true],
    ["deleted before", edit({ metadata: deleting }, { metadata: {} }), true],
    ["deleted as created", edit(undefined, { metadata: deleting }), true],
    ["not deleted", edit({ metadata: {} }, { metadata: {} }), false],
    ["no metadata", edit({}, {}), false],
    ["a timestamp of null", edit({}, { metadata: { deletionTimestamp: null } }), false],
    ["a timestamp that is a number", edit({}, { metadata: { deletionTimestamp: 1 } }), false],
    [
      "an own __proto__",
      edit({}, { metadata: json(`{"__proto__":{"deletionTimestamp":"x"}}`) }),
      false,
    ],
  ])("%s", (_title, wrong, exempt) => {
    expect(isExempt(wrong)).toBe(exempt);
    expect(needsCluster(wrong, names)).toBe(!exempt);
    expect(judge(wrong).causes.length > 0).toBe(!exempt);
  });

  function edit(before: object | undefined, after: object): Edit {
    const spec = { engineVersion: "9.9", ...unknownModule };
    return {
      kind: "edb",
      before: before === undefined ? undefined : { ...before },
      after: { ...after, spec },
    };
  }
});

describe("an EC is needed only when something judged rests on it", () => {
  const old = { engineVersion: "6.0", ...unknownModule };
  test.each<[string, Edit, boolean]>([
    ["a new object without version and modules", created({}), false],
    ["a new object with a version", created({ engineVersion: "7.2" }), true],
    ["a new object with a bundled module", created({ moduleList: [{ name: "search" }] }), false],
    ["a new object with another module", created(unknownModule), true],
    ["a malformed module", created({ moduleList: [{ name: null }] }), true],
    ["nothing changed", changed(old, old), false],
    ["another field changed", changed(old, { ...old, replication: true }), false],
    [
      "the reference alone changed",
      changed(old, { ...old, engineEnterpriseCluster: { name: "b" } }),
      false,
    ],
    [
      "the status changed",
      { kind: "edb", before: { spec: old }, after: { spec: old, status: { a: 1 } } },
      false,
    ],
    ["the version changed", changed(old, { ...old, engineVersion: "8.0" }), true],
    ["the version became a channel", changed(old, { ...old, engineVersion: "major" }), true],
    ["the version removed, modules to judge again", changed(old, unknownModule), true],
    ["the version removed, nothing left to judge", changed({ engineVersion: "6.0" }, {}), false],
    ["a module added", changed({}, unknownModule), true],
    ["hostile values that stay", changed(json(`{"__proto__":1}`), json(`{"__proto__":1}`)), false],
    ["no spec in either", { kind: "eaadb", before: {}, after: {} }, false],
    [
      "an EAADB's version",
      { kind: "eaadb", before: eaadb({}), after: eaadb({ engineVersion: "8.0" }) },
      true,
    ],
  ])("%s", (_title, edit, needed) => {
    expect(needsCluster(edit, names)).toBe(needed);
    if (!needed) expect(judge(edit)).toEqual(allowed);
  });

  test.each<[string, Edit, boolean]>([
    ["reference and version changed", changed(at("a", "7.2"), at("b", "8.0")), true],
    ["a reference added with the version", changed({}, at("b", "8.0")), true],
    ["the version alone changed", changed(at("a", "7.2"), at("a", "8.0")), false],
    ["the reference alone changed", changed(at("a", "7.2"), at("b", "7.2")), false],
    ["a new object", created(at("a", "7.2")), false],
    [
      "an object that is being deleted",
      {
        kind: "edb",
        before: { metadata: { deletionTimestamp: "x" } },
        after: { spec: at("a", "7.2") },
      },
      false,
    ],
  ])("the old object's EC too: %s", (_title, edit, needed) => {
    expect(needsOldCluster(edit, names)).toBe(needed);
  });

  function at(name: string, engineVersion: string): object {
    return { engineEnterpriseCluster: { name }, engineVersion };
  }
});

describe("the verdict", () => {
  const wrong = changed(
    { engineVersion: "7.2" },
    {
      engineVersion: "7.4",
      modulesList: [{ name: "y" }],
      moduleList: [{ name: "x" }, { name: 5 }],
    },
  );
  const cluster = found({ policy: "major" });

  test("it holds all failures at once, by field path", () => {
    expect(judge(wrong, { cluster }).causes.map(({ rule, field }) => `${rule} ${field}`)).toEqual([
      "R2 spec.engineVersion",
      "R3 spec.moduleList[0].name",
      "R3 spec.moduleList[1].name",
      "R3 spec.modulesList[0].name",
    ]);
  });

  test("the same input gives the same bytes", () => {
    const once = JSON.stringify(judge(wrong, { cluster }));
    expect(JSON.stringify(judge(wrong, { cluster }))).toBe(once);
  });

  test("it changes nothing that it was given", () => {
    const copy = structuredClone(wrong);
    judge(wrong, { cluster });
    expect(wrong).toEqual(copy);
  });

  test("causes of one field keep the order of the rules", () => {
    const rules: RuleOptions["rules"] = { version: "deny", policy: "deny", modules: "warn" };
    const doubled = { ...names, fields: { ...names.fields, moduleLists: ["list", "list"] } };
    const edit = created({ list: [{ name: "x" }] });
    expect(judge(edit, { options: { names: doubled } }).causes).toHaveLength(1);
    expect(judge(edit, { options: { names: doubled, rules } }).warnings).toHaveLength(1);
  });

  test("an index comes before a longer path, and a list before its entries", () => {
    const fields = { ...names.fields, moduleLists: ["b", "a", "a.b", "0"] };
    const edit = created({ b: [{ name: "x" }], a: "wrong", "a.b": "wrong", 0: "wrong" });
    const verdict = judge(edit, { options: { names: { ...names, fields } } });
    const sorted = ["spec.0", "spec.a", "spec.a.b", "spec.b[0].name"];
    expect(verdict.causes.map(({ field }) => field)).toEqual(sorted);
    const reversed = { ...fields, moduleLists: fields.moduleLists.toReversed() };
    const other = judge(edit, { options: { names: { ...names, fields: reversed } } });
    expect(other.causes.map(({ field }) => field)).toEqual(sorted);
  });

  test("more than 32 warnings are cut, and counted", () => {
    const rules: RuleOptions["rules"] = { version: "deny", policy: "deny", modules: "warn" };
    const moduleList = Array.from({ length: 100 }, (_, index) => ({ name: `m${index}` }));
    const { causes, warnings } = judge(created({ moduleList }), { options: { rules } });
    expect(causes).toEqual([]);
    expect(warnings).toHaveLength(32);
    expect(warnings.at(-1)).toBe("69 more warnings are not shown");
    expect(warnings.every((warning) => warning.length <= 120)).toBe(true);
  });

  test("nothing in it holds a control character, whatever the names hold", () => {
    const evil = "\u001b]0;\u0007\n\r\u2028\u202e";
    const verdict = judge(
      changed({ engineVersion: "7.2" }, { engineVersion: evil, moduleList: [{ name: evil }] }),
      { cluster: { is: "missing", name: evil, lookedIn: [evil] } },
    );
    const around = { is: "ambiguous", candidates: [evil, evil] } as const;
    const other = judge(changed({ engineVersion: "7.2" }, { engineVersion: "8.0" }), {
      cluster: around,
    });
    const texts = [
      ...verdict.causes.map(({ message }) => message),
      ...verdict.warnings,
      ...other.warnings,
    ];
    expect(texts).toHaveLength(5);
    for (const text of texts) expect(text).toMatch(/^[\x20-\x7e]+$/);
  });
});
