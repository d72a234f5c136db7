import { explainEdit, type FieldChange } from "../../../../plugin/domain/rules/explain";
import { nearestEdit } from "../../../../plugin/domain/rules/explain";
import type { Edit, Lookups } from "../../../../plugin/domain/rules/types";
import { changed, created, eaadb, found, options } from "./cases";

const versions = ["7.2", "7.4", "8.0", "8.2"].map((version) => ({ dbType: "engine", version }));
const older = versions.slice(0, 2);
const lookups = { after: found({ versions: older }) };
const wrong = created({ engineVersion: "9.9" });

test("a refused edit shows every rule, the EC and the way that would pass", () => {
  expect(explainEdit(wrong, lookups, options)).toMatchObject({
    allowed: false,
    rules: [
      { id: "R1", setting: "deny", source: "S61, S126, C1, C2", causes: [{ rule: "R1" }] },
      { id: "R3", causes: [] },
    ],
    clusters: lookups,
    nearest: [{ field: "spec.engineVersion", from: "9.9", to: "7.4" }],
  });
});

test("a change is judged by the rules for changes", () => {
  const edit = changed({ engineVersion: "7.2" }, { engineVersion: "7.4" });
  const explained = explainEdit(edit, lookups, options);
  expect(explained.allowed).toBe(true);
  expect(explained.rules.map(({ id }) => id)).toEqual(["R1", "R2", "R3"]);
  expect(explained).not.toHaveProperty("nearest");
});

test("a list longer than any database has is explained within bounds", () => {
  const moduleList = Array.from({ length: 1_000 }, () => ({ name: "x" }));
  const explained = explainEdit(created({ engineVersion: "9.9", moduleList }), lookups, options);
  expect(explained.rules[1]).toMatchObject({ id: "R3", more: 936 });
  expect(explained.rules[1]?.causes).toHaveLength(64);
  expect(explained).not.toHaveProperty("nearest");
});

test("a rule that only warns shows what it would refuse", () => {
  const rules = { ...options.rules, version: "warn" } as const;
  expect(explainEdit(wrong, lookups, { ...options, rules })).toMatchObject({
    allowed: true,
    rules: [{ setting: "warn", causes: [{}] }, {}],
  });
});

test.each([
  ["being deleted", { deletionTimestamp: "2026-01-01T00:00:00Z" }],
  ["unchanged", {}],
])("no rule is tried on what is %s", (spared, metadata) => {
  const object = { metadata, spec: { engineVersion: "9.9" } };
  const edit = { kind: "edb", before: object, after: object } as const;
  const none = { allowed: true, spared, rules: [], clusters: {} };
  expect(explainEdit(edit, lookups, options)).toEqual(none);
});

const free: Lookups = { after: found({ versions }) };
const major: Lookups = { after: found({ versions, policy: "major" }) };
const majorOnly: Lookups = { after: found({ versions: older, policy: "major" }) };
const own = "spec.engineVersion";
const global = "spec.globalConfigurations.engineVersion";
const version = (from: unknown, to: unknown, field = own): FieldChange => ({ field, from, to });
const list = (from: unknown, to: unknown, name = "moduleList"): FieldChange =>
  version(from, to, `spec.${name}`);
const [mine, search] = [{ name: "mine" }, { name: "search" }];
const activeActive = (after: Edit["after"]): Edit => ({ kind: "eaadb", before: undefined, after });
const both = (engineVersion: string, below: unknown): Edit =>
  activeActive({ spec: { engineVersion, globalConfigurations: { engineVersion: below } } });
const step = (from: string, to: string): Edit =>
  changed({ engineVersion: from }, { engineVersion: to });

test.each<[string, Edit, Lookups, readonly FieldChange[]]>([
  ["an edit that passes needs nothing", created({ engineVersion: "8.0" }), free, []],
  ["an unknown one", created({ engineVersion: "7.3" }), free, [version("7.3", "7.2")]],
  ["one beyond all: the newest", wrong, free, [version("9.9", "8.2")]],
  ["a number: its text", created({ engineVersion: 8 }), free, [version(8, "8.0")]],
  [
    "no version: the newest",
    created({ engineVersion: "newest" }),
    free,
    [version("newest", "8.2")],
  ],
  [
    "under policy major: the nearest that may be",
    step("7.2", "8.2"),
    major,
    [version("8.2", "8.0")],
  ],
  ["with nothing above it: as it was", step("7.2", "7.4"), majorOnly, [version("7.4", "7.2")]],
  [
    "modules that are refused are left out, the others stay",
    created({ moduleList: [mine, search], modulesList: [{ name: "yours" }] }),
    free,
    [list([mine, search], [search]), list([{ name: "yours" }], [], "modulesList")],
  ],
  ["a list that is none goes", created({ moduleList: "search" }), free, [list("search", null)]],
  [
    "version and modules change together",
    created({ engineVersion: "9.9", moduleList: [mine] }),
    free,
    [version("9.9", "8.2"), list([mine], [])],
  ],
  [
    "an EAADB changes below its global configurations",
    activeActive(eaadb({ engineVersion: "9.9" })),
    free,
    [version("9.9", "8.2", global)],
  ],
  [
    "each place on its own",
    both("9.9", 8),
    free,
    [version("9.9", "8.2"), version(8, "8.0", global)],
  ],
  ["one of the two", both("8.0", "9.9"), free, [version("9.9", "8.2", global)]],
  ["no spec", { kind: "edb", before: undefined, after: { spec: "none" } }, free, []],
])("the nearest edit that passes: %s", (_name, ...[edit, around, changes]) => {
  expect(nearestEdit(edit, around, options)).toEqual(changes);
});
