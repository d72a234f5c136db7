/** Which rows apply to a cluster, whatever release it goes to. */
import { type Applying, listApplying } from "../../../../plugin/domain/advisories/applying";
import type { Row, Sourced } from "../../../../plugin/domain/advisories/row";
import { edb, ec } from "../checks/labels";
import { fitWorld, type World } from "../checks/world";

const aRow = (parts: Partial<Row>): Sourced => ({
  ...{ code: "SOME-ROW", id: "some-row", severity: "warning", area: "cluster" },
  ...{ concerns: "cluster", title: "It is so", cause: "it is so", fix: "see to it" },
  ...{ source: "notes", examples: { fires: {}, silent: {} }, origin: "test" },
  ...parts,
});

const release = {
  is: "unknown",
  because: expect.stringContaining("it depends on the release that is asked for") as string,
} as const;

test.each<[string, Partial<Row>, Applying]>([
  ["no condition", {}, { is: "applies", objects: [ec] }],
  ["what runs", { at: { cluster: ">=8.0" } }, { is: "applies", objects: [ec] }],
  ["a step from another release", { crosses: { cluster: { from: "<7.0" } } }, { is: "silent" }],
  ["a condition that does not hold", { when: "cluster.nodes > 99" }, { is: "silent" }],
  [
    "a step that is taken as made",
    { crosses: { cluster: { to: ">=9" } } },
    { is: "applies", objects: [ec] },
  ],
  ["a release that is asked for", { when: "has(target.cluster)" }, release],
  ["a release that is needed", { needsTarget: true, at: { cluster: ">=9" } }, release],
  [
    "a release that is needed, of others",
    { needsTarget: true, when: "cluster.nodes > 99" },
    { is: "silent" },
  ],
  ["what would be in force", { at: { cluster: ">=9" } }, release],
  [
    "a condition that counts as holding",
    { whenUnknown: "fires", when: "has(target.cluster) && target.cluster > '9'" },
    { is: "unknown", because: expect.stringContaining("release") as string },
  ],
  [
    "a list that was not read",
    { when: "cluster.eligible.size() > 0" },
    { is: "unknown", because: "Node could not be read (forbidden)" },
  ],
  [
    "one of several objects",
    { concerns: "database", when: "database.name == 'orders'" },
    { is: "applies", objects: [edb] },
  ],
])("by %s", async (_title, row, applying) => {
  const world: World = await fitWorld();
  world.unread.set("nodes", "forbidden");
  const scene = { facts: await world.facts(), wanted: {} };
  expect(listApplying([aRow(row)], scene)).toEqual([applying]);
});

test("rows of one code are judged each by itself", async () => {
  const facts = await (await fitWorld()).facts();
  const rows = [aRow({ id: "a" }), aRow({ id: "b", when: "cluster.nodes > 99" })];
  const told = listApplying(rows, { facts, wanted: {} });
  expect(told.map(({ is }) => is)).toEqual(["applies", "silent"]);
});
