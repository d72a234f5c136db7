import { listVersionRows } from "../../../../plugin/commands/upgrade-database/next";

test("the rows of the listing name each pair of versions, and say where there is none", () => {
  const versions = [{ wanted: "8.0", running: "7.4", count: 2 }, { count: 1 }];
  expect(listVersionRows("EDB", { versions })).toEqual([
    { kind: "EDB", wanted: "8.0", running: "7.4", count: "2" },
    { kind: "EDB", wanted: "<none>", running: "unknown", count: "1" },
  ]);
});
