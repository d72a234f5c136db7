import { judgeTexts } from "../../../../plugin/domain/advisories/lint";
import { describeReach } from "../../../../plugin/domain/advisories/reach";
import type { Row } from "../../../../plugin/domain/advisories/row";

const row: Row = {
  code: "DATABASE-FLASH",
  id: "database-flash",
  severity: "warning",
  area: "databases",
  concerns: "database",
  title: "No data is on flash",
  cause: "a part of its data is on flash",
  fix: "look at it by day",
  source: "rules of our house",
  examples: { fires: {}, silent: {} },
};

test.each<[string, Partial<Row>, readonly string[]]>([
  ["nothing", {}, []],
  ["a step", { crosses: { engine: { from: "<8.4", to: ">=8.4" } } }, ["engine from <8.4 to >=8.4"]],
  ["a step to a release", { crosses: { operator: { to: "=8.0.2-2" } } }, ["operator to =8.0.2-2"]],
  ["a step from anywhere to anywhere", { crosses: { operator: {} } }, []],
  ["what will be in force", { at: { cluster: ">=8.0" } }, ["cluster at >=8.0"]],
  [
    "what ends it, behind the others",
    { fixedIn: { operator: ">=8.2" }, at: { engine: "<8" } },
    ["engine at <8", "fixed in operator >=8.2"],
  ],
])("the reach of a row with %s", (_title, more, lines) => {
  expect(describeReach({ ...row, ...more })).toEqual(lines);
});

test.each<[string, Partial<Row>, readonly (readonly (string | number)[])[]]>([
  ["texts that say something", {}, []],
  ["a fix of braces alone", { fix: "{database.name}" }, [["fix"]]],
  ["one word beside braces", { cause: "broken: {database.name}" }, [["cause"]]],
  [
    "a remedy that says nothing",
    { fix: undefined, remedies: [{ says: "look by day" }, { says: "-" }] },
    [["remedies", 1, "says"]],
  ],
  ["an empty title and source", { title: "", source: "8.4" }, [["title"], ["source"]]],
])("%s", (_title, more, paths) => {
  const problems = judgeTexts({ ...row, ...more });
  expect(problems.map(({ path }) => path)).toEqual(paths);
  for (const { says } of problems)
    expect(says).toMatch(/ says nothing without what is in its braces: "/);
});

test.each<[string, Partial<Row>, readonly string[]]>([
  [
    "one that is asked for before it is compared",
    { when: "has(cluster.licenseDays) && cluster.licenseDays < 45" },
    [
      "where cluster.licenseDays is absent, has() makes the row silent, and the act is not refused: without has() it is not checked",
    ],
  ],
  ["the target", { when: "has(target.engine) && target.engine >= '8.4'" }, []],
  ["none, without a condition", {}, []],
  ["one whose absence decides", { when: "!has(p.port)" }, []],
  ["one that is asked for beside another", { when: "has(p.port) && p.name == 'a'" }, []],
  [
    "one of a row that forbids nothing",
    { forbids: undefined, when: "has(database.port) && database.port > 1" },
    [],
  ],
])("a word that may be absent: %s", (_title, more, says) => {
  const judged = judgeTexts({ ...row, severity: "error", forbids: ["upgrade-cluster"], ...more });
  expect(judged).toEqual(says.map((one) => ({ path: ["when"], says: one })));
});
