import { listVersionRows } from "../../../../plugin/commands/upgrade-database/next";

test("the rows of the listing name each pair of versions, and say where there is none", () => {
  const versions = [
    { wanted: "8.0", running: "7.4", count: 5, first: ["a/one", "a/two", "b/one"] },
    { count: 1, first: ["b/two"] },
  ];
  expect(listVersionRows("EDB", { versions })).toEqual([
    {
      kind: "EDB",
      wanted: "8.0",
      running: "7.4",
      count: "5",
      names: "a/one,a/two,b/one and 2 more",
    },
    { kind: "EDB", wanted: "<none>", running: "unknown", count: "1", names: "b/two" },
  ]);
});
