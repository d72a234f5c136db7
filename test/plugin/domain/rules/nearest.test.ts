import { type FieldChange, nearestEdit } from "../../../../plugin/domain/rules/explain";
import type { Edit, Lookups } from "../../../../plugin/domain/rules/types";
import { changed, created, eaadb, found, options } from "./cases";

const versions = ["7.2", "7.4", "8.0", "8.2"].map((version) => ({ dbType: "engine", version }));
const free: Lookups = { after: found({ versions }) };
const major: Lookups = { after: found({ versions, policy: "major" }) };

const version = (from: unknown, to: unknown): FieldChange => ({
  field: "spec.engineVersion",
  from,
  to,
});

test.each<[string, Edit, Lookups, readonly FieldChange[]]>([
  ["an edit that passes needs nothing", created({ engineVersion: "8.0" }), free, []],
  [
    "an unknown version gives way to the nearest",
    created({ engineVersion: "7.3" }),
    free,
    [version("7.3", "7.2")],
  ],
  [
    "one beyond all gives way to the newest",
    created({ engineVersion: "9.9" }),
    free,
    [version("9.9", "8.2")],
  ],
  ["a number gives way to its text", created({ engineVersion: 8 }), free, [version(8, "8.0")]],
  [
    "what is not a version gives way to the newest",
    created({ engineVersion: "newest" }),
    free,
    [version("newest", "8.2")],
  ],
  [
    "under policy major a minor release gives way to the nearest that may be",
    changed({ engineVersion: "7.2" }, { engineVersion: "8.2" }),
    major,
    [version("8.2", "8.0")],
  ],
  [
    "modules that are refused are left out, the others stay",
    created({
      moduleList: [{ name: "mine" }, { name: "search" }],
      modulesList: [{ name: "yours" }],
    }),
    free,
    [
      {
        field: "spec.moduleList",
        from: [{ name: "mine" }, { name: "search" }],
        to: [{ name: "search" }],
      },
      { field: "spec.modulesList", from: [{ name: "yours" }], to: [] },
    ],
  ],
  [
    "a list that is none goes",
    created({ moduleList: "search" }),
    free,
    [{ field: "spec.moduleList", from: "search", to: null }],
  ],
  [
    "version and modules change together",
    created({ engineVersion: "9.9", moduleList: [{ name: "mine" }] }),
    free,
    [version("9.9", "8.2"), { field: "spec.moduleList", from: [{ name: "mine" }], to: [] }],
  ],
  [
    "an EAADB changes below its global configurations",
    { kind: "eaadb", before: undefined, after: eaadb({ engineVersion: "9.9" }) },
    free,
    [{ field: "spec.globalConfigurations.engineVersion", from: "9.9", to: "8.2" }],
  ],
])("%s", (_name, ...[edit, lookups, changes]) => {
  expect(nearestEdit(edit, lookups, options)).toEqual(changes);
});

test("under policy major with nothing above it, the version stays as it was", () => {
  const only = found({ versions: versions.slice(0, 2), policy: "major" });
  const edit = changed({ engineVersion: "7.2" }, { engineVersion: "7.4" });
  const changes = nearestEdit(edit, { after: only }, options);
  expect(changes).toEqual([version("7.4", "7.2")]);
});

test("an object without a spec is asked for nothing but what it holds", () => {
  const edit: Edit = { kind: "edb", before: undefined, after: { spec: "none" } };
  expect(nearestEdit(edit, free, options)).toEqual([]);
});
