import { explainEdit } from "../../../../plugin/domain/rules/explain";
import { changed, created, found, options } from "./cases";

const versions = ["7.2", "7.4"].map((version) => ({ dbType: "engine", version }));
const lookups = { after: found({ versions }) };

test("a refused edit shows every rule, the EC and the way that would pass", () => {
  const explained = explainEdit(created({ engineVersion: "9.9" }), lookups, options);
  expect(explained).toMatchObject({
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
  const explained = explainEdit(created({ engineVersion: "9.9" }), lookups, { ...options, rules });
  expect(explained).toMatchObject({
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
  expect(explainEdit(edit, lookups, options)).toEqual({
    allowed: true,
    spared,
    rules: [],
    clusters: {},
  });
});
