import { defaultNames } from "../../../../plugin/domain/names";
import { referenceOf } from "../../../../plugin/domain/clusters";
import type { Edit } from "../../../../plugin/domain/rules/types";
import { allowed, changed, created, found, judge } from "./cases";
import { judgedPart } from "../../../../plugin/domain/rules/fields";

const names = defaultNames;
const { bypass } = names.annotations;

test("what is judged stays where it is, everything else is left behind", () => {
  const edb = {
    apiVersion: "app.engine.com/v1alpha1",
    metadata: {
      name: "db",
      deletionTimestamp: "2026-01-01T00:00:00Z",
      annotations: { a: "b", [bypass]: "why" },
    },
    spec: {
      engineVersion: "7.4",
      memorySize: "1GB",
      modulesList: [{ name: "search" }],
      moduleList: [{ name: "bf" }],
      engineEnterpriseCluster: { name: "ec", namespace: "engine" },
    },
    status: { large: "x", version: "7.2.4" },
  };
  expect(judgedPart(edb, names)).toEqual({
    metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", annotations: { [bypass]: "why" } },
    spec: {
      engineVersion: "7.4",
      modulesList: [{ name: "search" }],
      moduleList: [{ name: "bf" }],
      engineEnterpriseCluster: { name: "ec" },
    },
    status: { version: "7.2.4" },
  });
});

test("an EAADB keeps what is below its global configurations", () => {
  const spec = { globalConfigurations: { engineVersion: "8.0", modulesList: [], memory: 1 } };
  expect(judgedPart({ spec }, names)).toEqual({
    spec: { globalConfigurations: { engineVersion: "8.0", modulesList: [] } },
  });
});

test.each<[string, unknown, unknown]>([
  ["nothing", undefined, undefined],
  ["null", null, undefined],
  ["a list", [], undefined],
  ["a text", "x", undefined],
  ["an empty object", {}, {}],
  [
    "a value of the wrong type",
    { spec: { engineVersion: { deep: [1] } } },
    { spec: { engineVersion: { deep: [1] } } },
  ],
  ["a null", { spec: { engineVersion: null } }, { spec: { engineVersion: null } }],
  ["a key that is only data", JSON.parse('{"spec":{"__proto__":{"engineVersion":"9.9"}}}'), {}],
])("of %s", (_name, object, part) => {
  expect(judgedPart(object, names)).toEqual(part);
});

test("the object itself is not changed", () => {
  const frozen = Object.freeze({ spec: Object.freeze({ engineVersion: "7.4", x: 1 }) });
  expect(judgedPart(frozen, names)).toEqual({ spec: { engineVersion: "7.4" } });
});

describe("a verdict over the part is the verdict over the whole", () => {
  const major = found({ policy: "major" });
  test.each<[string, Edit]>([
    ["a new version", created({ engineVersion: "9.9", memorySize: "1GB" })],
    [
      "a raise from a channel, judged by the version in the status",
      changed({ engineVersion: "major" }, { engineVersion: "7.4" }, { version: "7.2.1", x: 1 }),
    ],
    ["a spec that is a list", created([])],
    ["a reference that is a text", created({ engineEnterpriseCluster: "ec", x: 1 })],
    ["a reference by a list", created({ engineEnterpriseCluster: { name: ["ec"] } })],
    ["a raise from no version", changed({}, { engineVersion: "8.2" }, { version: "8.0" })],
    ["a module", created({ moduleList: [{ name: "mine", version: "1" }], other: [] })],
    [
      "another cluster",
      changed(
        { engineVersion: "7.2", engineEnterpriseCluster: { name: "old" } },
        { engineVersion: "7.4", engineEnterpriseCluster: { name: "ec" } },
      ),
    ],
  ])("%s", (_name, edit) => {
    const part: Edit = {
      kind: edit.kind,
      before: judgedPart(edit.before, names),
      after: judgedPart(edit.after, names) ?? {},
    };
    const whole = judge(edit, { cluster: major });
    expect(whole).not.toEqual(allowed);
    expect(judge(part, { cluster: major })).toEqual(whole);
    expect(referenceOf(part.before, "edb", names)).toBe(referenceOf(edit.before, "edb", names));
  });
});
