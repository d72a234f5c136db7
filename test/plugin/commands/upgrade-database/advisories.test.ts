/** Rows of a person's own before databases are upgraded: what they refuse, and what is not told beside them. */
import type { Row, Sourced } from "../../../../plugin/domain/advisories/row";
import { aScene, codesOf, edbLabel, patchLine } from "./scene";

const aRow = (code: string, parts: Partial<Row>): Sourced => ({
  ...{ code, id: code.toLowerCase(), severity: "error", area: "databases" },
  ...{ concerns: "database", title: "It is so", cause: "it is so", fix: "see to it" },
  ...{ source: "notes", examples: { fires: {}, silent: {} }, origin: "test" },
  ...parts,
});
const refused = aRow("ROW-OTHER", { forbids: ["upgrade-database"] });
const forbids = { forbids: ["upgrade-database"], supersedes: ["ROW-OTHER"] } as const;
const warns = { warns: ["upgrade-database"], supersedes: ["ROW-OTHER"] } as const;
const elsewhere = "database.name == 'somewhere'";
const unknown = "database.backup == 'nowhere'";

test.each<[string, Partial<Row>, readonly string[]]>([
  ["that refuses as well takes its words", forbids, ["ROW-BETTER"]],
  ["that only warns takes nothing", { ...warns, severity: "warning" }, ["ROW-OTHER", "ROW-BETTER"]],
  ["whose error does not refuse the act takes nothing", warns, ["ROW-OTHER", "ROW-BETTER"]],
  ["of another object takes nothing", { ...forbids, when: elsewhere }, ["ROW-OTHER"]],
  ["that is not known takes nothing", { ...forbids, when: unknown }, ["ROW-OTHER", "ROW-BETTER"]],
])("what a row refuses stays refused, and one %s", async (_title, parts, told) => {
  const scene = await aScene();
  const advised = [refused, aRow("ROW-BETTER", parts)];
  for (const dryRun of ["client", "server", "none"] as const) {
    const report = await scene.run({ dryRun, advised });
    expect([report.exit.code, new Set(codesOf(report))]).toEqual([3, new Set(told)]);
  }
  expect(scene.sent).toEqual([]);
});

test("a warning is not told beside one that supersedes it, and the upgrade is made", async () => {
  const scene = await aScene();
  const advised = [
    aRow("ROW-OTHER", { severity: "warning", warns: ["upgrade-database"] }),
    aRow("ROW-BETTER", { ...warns, severity: "warning" }),
  ];
  const report = await scene.run({ advised });
  expect([report.exit.code, codesOf(report)]).toEqual([0, ["ROW-BETTER"]]);
  expect(scene.sent).toEqual([patchLine("sessions")]);
});

test("where the one is accepted the other refuses by itself", async () => {
  const scene = await aScene();
  const advised = [refused, aRow("ROW-BETTER", forbids)];
  const skip = [{ code: "ROW-BETTER" }];
  const report = await scene.run({ advised, skip });
  expect(report.exit.code).toBe(3);
  expect(report.findings).toContainEqual(
    expect.objectContaining({ code: "ROW-OTHER", severity: "error", object: edbLabel("sessions") }),
  );
  expect(scene.sent).toEqual([]);
});
