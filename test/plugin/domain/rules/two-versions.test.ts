/** An EAADB may have its engineVersion at two places (S61, C8): both are judged. */
import { nearestEdit } from "../../../../plugin/domain/rules/explain";
import type { Edit } from "../../../../plugin/domain/rules/types";
import { aCluster, found, judge, names, options } from "./cases";
import { judgedPart } from "../../../../plugin/domain/rules/fields";

const own = "spec.engineVersion";
const global = "spec.globalConfigurations.engineVersion";
const major = found({ policy: "major" });

/** The version directly below spec, and that of the global configurations. */
function at(direct: unknown, below: unknown, more: object = {}): object {
  return {
    spec: { engineVersion: direct, globalConfigurations: { engineVersion: below }, ...more },
  };
}

function edit(before: object | undefined, after: object): Edit {
  return { kind: "eaadb", before: before as Edit["before"], after: after as Edit["after"] };
}

test.each<[string, Edit, readonly string[]]>([
  ["created with a wrong one below spec", edit(undefined, at("9.9", undefined)), [`R1 ${own}`]],
  [
    "created with a wrong one in the global configurations",
    edit(undefined, at(undefined, "9.9")),
    [`R1 ${global}`],
  ],
  ["created with two wrong ones", edit(undefined, at("9.9", 8)), [`R1 ${own}`, `R1 ${global}`]],
  ["created with two right ones", edit(undefined, at("7.4", "8.0")), []],
  [
    "raised below spec onto a minor release",
    edit(at("7.2", undefined), at("7.4", undefined)),
    [`R2 ${own}`],
  ],
  [
    "raised in the global configurations",
    edit(at(undefined, "7.2"), at(undefined, "7.4")),
    [`R2 ${global}`],
  ],
  ["raised at both", edit(at("7.2", "7.2"), at("7.4", "7.4")), [`R2 ${own}`, `R2 ${global}`]],
  ["raised at one, the other stays", edit(at("7.2", "7.4"), at("8.0", "7.4")), []],
  ["moved to the other place", edit(at(undefined, "7.4"), at("7.4", undefined)), []],
  ["moved and raised", edit(at(undefined, "7.2"), at("7.4", undefined)), [`R2 ${own}`]],
  ["a wrong one that stays", edit(at("9.9", "7.2"), at("9.9", "8.0")), []],
  [
    "the modules too are judged when the version below spec changes",
    edit(
      at("7.2", undefined, { globalConfigurations: { modulesList: [{ name: "x" }] } }),
      at("8.0", undefined, { globalConfigurations: { modulesList: [{ name: "x" }] } }),
    ),
    ["R3 spec.globalConfigurations.modulesList[0].name"],
  ],
])("under policy major, %s", (_title, asked, expected) => {
  const { causes } = judge(asked, { cluster: major });
  expect(causes.map(({ rule, field }) => `${rule} ${field}`)).toEqual(expected);
});

test("the channel major at either place is the policy of the database", () => {
  const asked = edit(at("7.2", "major"), at("7.4", "major"));
  const { causes } = judge(asked, { cluster: found() });
  expect(causes).toMatchObject([
    {
      field: own,
      message: expect.stringContaining(`the database had ${global} "major"`) as string,
    },
  ]);
});

test("a raise from what the other place had is told with that version", () => {
  const asked = edit(at(undefined, "7.2"), at("7.4", "7.2"));
  const { causes } = judge(asked, { cluster: major });
  expect(causes).toMatchObject([
    { field: own, message: expect.stringContaining('an upgrade from "7.2"') as string },
  ]);
});

test("the nearest edit that passes changes each place on its own", () => {
  const lookups = { after: { is: "found", cluster: aCluster() } } as const;
  const asked = edit(undefined, at("9.9", 8));
  expect(nearestEdit(asked, lookups, options)).toEqual([
    { field: own, from: "9.9", to: "8.2" },
    { field: global, from: 8, to: "8.0" },
  ]);
  expect(nearestEdit(edit(undefined, at("8.0", "9.9")), lookups, options)).toEqual([
    { field: global, from: "9.9", to: "8.2" },
  ]);
});

test("both places travel with a large object", () => {
  expect(judgedPart(at("7.2", "7.4", { memory: 1 }), names)).toEqual(at("7.2", "7.4"));
});
