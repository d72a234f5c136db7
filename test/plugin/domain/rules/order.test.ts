import { readReference } from "../../../../plugin/domain/rules/clusters";
import {
  changeRules,
  createRules,
  isExempt,
  needsCluster,
  needsOldCluster,
} from "../../../../plugin/domain/rules/order";
import type { Edit, RuleOptions } from "../../../../plugin/domain/rules/types";
import { allowed, changed, created, eaadb, found, json, judge, judgedPart, names } from "./cases";

const unknownModule = { moduleList: [{ name: "x" }] };
const timestamp = "2026-01-01T00:00:00Z";
const major = found({ policy: "major" });

test("creation is checked by R1 and R3, a change by R2 too, and each has a source", () => {
  expect(createRules.map(({ id }) => id)).toEqual(["R1", "R3"]);
  expect(changeRules.map(({ id }) => id)).toEqual(["R1", "R2", "R3"]);
  expect(changeRules.map(({ source }) => source)).not.toContain("");
});

const deleting = { metadata: { deletionTimestamp: timestamp } };

test.each<[string, Edit["before"], object, boolean]>([
  ["deleted on change", { metadata: {} }, deleting, true],
  ["deleted before", deleting, { metadata: {} }, true],
  ["deleted as created", undefined, deleting, true],
  ["no metadata", {}, {}, false],
  ["a timestamp of null", {}, { metadata: { deletionTimestamp: null } }, false],
  ["a timestamp that is a number", {}, { metadata: { deletionTimestamp: 1 } }, false],
  ["an own __proto__", {}, { metadata: json(`{"__proto__":{"deletionTimestamp":"x"}}`) }, false],
])("what is being deleted always passes: %s", (_title, before, ...[after, exempt]) => {
  const spec = { engineVersion: "9.9", ...unknownModule };
  const wrong: Edit = { kind: "edb", before, after: { ...after, spec } };
  expect(isExempt(wrong)).toBe(exempt);
  expect(needsCluster(wrong, names)).toBe(!exempt);
  expect(judge(wrong).causes.length > 0).toBe(!exempt);
});

const old = { engineVersion: "6.0", ...unknownModule };
const referring = { ...old, engineEnterpriseCluster: { name: "b" } };
const aa = (before: Edit["before"], after: Edit["after"]): Edit => ({
  kind: "eaadb",
  before,
  after,
});

test.each<[string, Edit, boolean]>([
  ["a new object without version and modules", created({}), false],
  ["a new object with a version", created({ engineVersion: "7.2" }), true],
  ["a new object with a bundled module", created({ moduleList: [{ name: "search" }] }), false],
  ["a new object with another module", created(unknownModule), true],
  ["a malformed module", created({ moduleList: [{ name: null }] }), true],
  ["nothing changed", changed(old, old), false],
  ["another field changed", changed(old, { ...old, replication: true }), false],
  ["the reference alone changed", changed(old, referring), false],
  ["the version changed", changed(old, { ...old, engineVersion: "8.0" }), true],
  ["the version became a channel", changed(old, { ...old, engineVersion: "major" }), true],
  ["the version removed, modules to check again", changed(old, unknownModule), true],
  ["the version removed, nothing left to check", changed({ engineVersion: "6.0" }, {}), false],
  ["a module added", changed({}, unknownModule), true],
  ["hostile values that stay", changed(json(`{"__proto__":1}`), json(`{"__proto__":1}`)), false],
  ["no spec in either", aa({}, {}), false],
  ["an EAADB's version", aa(eaadb({}), eaadb({ engineVersion: "8.0" })), true],
])("an EC is needed only when something checked rests on it: %s", (_title, edit, needed) => {
  expect(needsCluster(edit, names)).toBe(needed);
  if (!needed) expect(judge(edit)).toEqual(allowed);
});

const at = (name: string, engineVersion: string): object => ({
  engineEnterpriseCluster: { name },
  engineVersion,
});

test.each<[string, Edit, boolean]>([
  ["reference and version changed", changed(at("a", "7.2"), at("b", "8.0")), true],
  ["a reference added with the version", changed({}, at("b", "8.0")), true],
  ["the version alone changed", changed(at("a", "7.2"), at("a", "8.0")), false],
  ["the reference alone changed", changed(at("a", "7.2"), at("b", "7.2")), false],
  ["a new object", created(at("a", "7.2")), false],
  ["deleted", { kind: "edb", before: deleting, after: { spec: at("a", "7.2") } }, false],
])("the old object's EC is needed too: %s", (_title, edit, needed) => {
  expect(needsOldCluster(edit, names)).toBe(needed);
});

const wrong = changed(
  { engineVersion: "7.2" },
  { engineVersion: "7.4", modulesList: [{ name: "y" }], moduleList: [{ name: "x" }, { name: 5 }] },
);
const warnModules: RuleOptions["rules"] = { version: "deny", policy: "deny", modules: "warn" };
const told = (edit: Edit, around?: Parameters<typeof judge>[1]) =>
  judge(edit, around).causes.map(({ rule, field }) => `${rule} ${field}`);

test("the verdict holds all failures at once, by field path, and changes nothing", () => {
  const copy = structuredClone(wrong);
  expect(told(wrong, { cluster: major })).toEqual([
    "R2 spec.engineVersion",
    "R3 spec.moduleList[0].name",
    "R3 spec.moduleList[1].name",
    "R3 spec.modulesList[0].name",
  ]);
  expect(wrong).toEqual(copy);
});

test("the same cause and the same warning are told once", () => {
  const doubled = { ...names, fields: { ...names.fields, moduleLists: ["list", "list"] } };
  const options = { names: doubled };
  const edit = created({ list: [{ name: "x" }] });
  expect(judge(edit, { options }).causes).toHaveLength(1);
  expect(judge(edit, { options: { ...options, rules: warnModules } }).warnings).toHaveLength(1);
});

test("an index comes before a longer path, and a list before its entries", () => {
  const moduleLists = ["b", "a", "a.b", "0"];
  const edit = created({ b: [{ name: "x" }], a: "wrong", "a.b": "wrong", 0: "wrong" });
  for (const lists of [moduleLists, moduleLists.toReversed()]) {
    const fields = { ...names.fields, moduleLists: lists };
    expect(told(edit, { options: { names: { ...names, fields } } })).toEqual(
      ["0", "a", "a.b", "b[0].name"].map((field) => `R3 spec.${field}`),
    );
  }
});

test("more than 32 warnings are cut, and counted", () => {
  const moduleList = Array.from({ length: 100 }, (_, index) => ({ name: `m${index}` }));
  const { causes, warnings } = judge(created({ moduleList }), { options: { rules: warnModules } });
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
  const cluster = { is: "ambiguous", candidates: [evil, evil] } as const;
  const other = judge(changed({ engineVersion: "7.2" }, { engineVersion: "8.0" }), { cluster });
  const texts = [...verdict.causes.map(({ message }) => message), ...other.warnings];
  expect(texts).toHaveLength(5);
  for (const text of texts) expect(text).toMatch(/^[\x20-\x7e]+$/);
});

/** An EAADB's version directly below spec, and that of the global configurations (S61, C8). */
function places(engineVersion: unknown, below: unknown, more: object = {}) {
  return { spec: { engineVersion, globalConfigurations: { engineVersion: below, ...more } } };
}

const none = undefined;
const own = "spec.engineVersion";
const global = "spec.globalConfigurations.engineVersion";
const withModule = { modulesList: [{ name: "x" }] };

test.each<[string, Edit, readonly string[]]>([
  ["created with a wrong one below spec", aa(none, places("9.9", none)), [`R1 ${own}`]],
  ["created with a wrong one in the global ones", aa(none, places(none, "9.9")), [`R1 ${global}`]],
  ["created with two wrong ones", aa(none, places("9.9", 8)), [`R1 ${own}`, `R1 ${global}`]],
  ["created with two right ones", aa(none, places("7.4", "8.0")), []],
  ["raised below spec", aa(places("7.2", none), places("7.4", none)), [`R2 ${own}`]],
  ["raised in the global ones", aa(places(none, "7.2"), places(none, "7.4")), [`R2 ${global}`]],
  ["raised at both", aa(places("7.2", "7.2"), places("7.4", "7.4")), [`R2 ${own}`, `R2 ${global}`]],
  ["raised at one, the other stays", aa(places("7.2", "7.4"), places("8.0", "7.4")), []],
  ["moved to the other place", aa(places(none, "7.4"), places("7.4", none)), []],
  ["moved and raised", aa(places(none, "7.2"), places("7.4", none)), [`R2 ${own}`]],
  ["a wrong one that stays", aa(places("9.9", "7.2"), places("9.9", "8.0")), []],
  [
    "the modules too are checked when the version below spec changes",
    aa(places("7.2", none, withModule), places("8.0", none, withModule)),
    ["R3 spec.globalConfigurations.modulesList[0].name"],
  ],
])("an EAADB's two versions under policy major: %s", (_title, asked, expected) => {
  expect(told(asked, { cluster: major })).toEqual(expected);
});

test.each([
  [
    "the channel major at either place",
    found(),
    places("7.2", "major"),
    places("7.4", "major"),
    `the database had ${global} "major"`,
  ],
  [
    "what the other place had",
    major,
    places(none, "7.2"),
    places("7.4", "7.2"),
    'an upgrade from "7.2"',
  ],
])("an EAADB is refused by %s", (_title, cluster, ...[before, after, text]) => {
  const message: unknown = expect.stringContaining(text);
  expect(judge(aa(before, after), { cluster }).causes).toMatchObject([{ field: own, message }]);
});

const { bypass, bypassUntil } = names.annotations;
const judged = {
  engineVersion: "7.4",
  modulesList: [{ name: "search" }],
  moduleList: [{ name: "bf" }],
};
const annotated = (more: object) => ({
  deletionTimestamp: timestamp,
  annotations: { [bypass]: "why", [bypassUntil]: timestamp, ...more },
});

test.each<[string, unknown, unknown]>([
  [
    "a database",
    {
      apiVersion: "app.engine.com/v1alpha1",
      metadata: { name: "db", ...annotated({ a: "b" }) },
      spec: { ...judged, memorySize: "1GB", engineEnterpriseCluster: { name: "ec", x: "engine" } },
      status: { large: "x", version: "7.2.4" },
    },
    {
      metadata: annotated({}),
      spec: { ...judged, engineEnterpriseCluster: { name: "ec" } },
      status: { version: "7.2.4" },
    },
  ],
  [
    "an EAADB",
    places("7.2", "8.0", { modulesList: [], memory: 1 }),
    places("7.2", "8.0", { modulesList: [] }),
  ],
  ["null", null, null],
  ["a list", [], []],
  ["an empty object", {}, {}],
  ["a wrong type", { spec: { engineVersion: [1], x: 1 } }, { spec: { engineVersion: [1] } }],
  ["a null", { spec: { engineVersion: null } }, { spec: { engineVersion: null } }],
  ["a key that is only data", json('{"spec":{"__proto__":{"engineVersion":"9.9"}}}'), { spec: {} }],
])("the checked part of %s", (_name, object, part) => {
  const copy = structuredClone(object);
  expect(judgedPart(object)).toEqual(part);
  expect(object).toEqual(copy);
});

test.each<[unknown, string, string, string]>([
  [[], "R1", "spec", "[...]: must be an object"],
  [
    { engineEnterpriseCluster: "ec" },
    "REF",
    "spec.engineEnterpriseCluster",
    `"ec": must be an object`,
  ],
])("what holds a checked field has to be an object: %j", (spec, rule, ...[field, text]) => {
  const message = `Invalid value: ${text} [${rule}]`;
  const cause = { rule, reason: "FieldValueTypeInvalid", field, message };
  const verdict = { causes: [cause], warnings: [], dependsOnCluster: false };
  expect(judge(created(spec), { cluster: major })).toEqual(verdict);
});

test.each<[string, Edit]>([
  ["a new version", created({ engineVersion: "9.9", memorySize: "1GB" })],
  [
    "a raise from a channel, checked by the version in the status",
    changed({ engineVersion: "major" }, { engineVersion: "7.4" }, { version: "7.2.1", x: 1 }),
  ],
  ["a spec that is a list", created([])],
  ["a reference that is a text", created({ engineEnterpriseCluster: "ec", x: 1 })],
  ["a reference by a list", created({ engineEnterpriseCluster: { name: ["ec"] } })],
  ["a raise from no version", changed({}, { engineVersion: "8.2" }, { version: "8.0" })],
  ["a module", created({ moduleList: [{ name: "mine", version: "1" }], other: [] })],
  ["another cluster", changed(at("old", "7.2"), at("ec", "7.4"))],
])("a verdict over the part is the verdict over the whole: %s", (_name, edit) => {
  expect(judge(edit, { cluster: major })).not.toEqual(allowed); // which judges the part as well
  const before = readReference(edit.before, "edb", names);
  expect(readReference(judgedPart(edit.before), "edb", names)).toBe(before);
});
