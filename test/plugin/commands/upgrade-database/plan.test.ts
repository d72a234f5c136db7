/** The plan of several databases as a value. */
import { groupFindings, planDatabases } from "../../../../plugin/commands/upgrade-database/plan";
import type { Finding } from "../../../../plugin/domain/base/findings";
import { anEdb, sceneOf } from "../../domain/database/scene";

const options = {
  databases: ["orders"],
  everywhere: false,
  skip: [],
  wait: false,
  via: "resource",
  version: "8.0",
} as const;

test("a database whose cluster is not found stands against the plan", () => {
  const facts = sceneOf({ ecs: [], edbs: [anEdb("orders")] });
  const { blocks } = planDatabases({ facts, participants: [], chosen: undefined }, options);
  expect(blocks.map(({ code }) => code)).toContain("DATABASE-CLUSTER-UNKNOWN");
});

const finding = { code: "X", severity: "error", cause: "c", fix: "f", source: "S1" } as const;

test.each<[string, readonly (string | undefined)[], readonly (string | undefined)[]]>([
  ["two objects are named in one", ["a", "b"], ["a, b"]],
  ["an object is named once", ["a", "a"], ["a"]],
  ["none is named", [undefined], [undefined]],
])("findings that say the same: %s", (_title, objects, named) => {
  const findings = objects.map((object): Finding => ({
    ...finding,
    ...(object !== undefined && { object }),
  }));
  expect(groupFindings(findings).map(({ object }) => object)).toEqual(named);
});
