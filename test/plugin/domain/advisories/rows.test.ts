import type { Sourced } from "../../../../plugin/domain/advisories/row";
import {
  mergeAdvisories,
  readAdvisories,
  takeAdvisories,
} from "../../../../plugin/domain/advisories/rows";

const good = {
  code: "SOME-CODE",
  severity: "warning",
  area: "databases",
  concerns: "database",
  title: "It is so",
  cause: "{database.name} is not so",
  fix: "make it so",
  source: "notes of a release",
  examples: { fires: {}, silent: {} },
};

const full = {
  ...good,
  severity: "error",
  id: "some-code-8.4",
  needsTarget: true,
  crosses: { engine: { from: "<8.4", to: ">=8.4" }, kubernetes: { from: ">=1.33" } },
  at: { operator: ">=8.0 <8.2", cluster: "=8.0.2-2 || =8.0.2-6" },
  when: "database.tls",
  whenUnknown: "fires",
  vouched: true,
  forbids: ["upgrade-database"],
  warns: ["upgrade-cluster"],
  field: "ecFields.licenseState",
  supersedes: ["OTHER-CODE"],
  since: "2026-11-30",
  fixedIn: { operator: ">=8.2.0-13" },
  examples: {
    fires: {
      database: { version: "8.2", modules: [{ name: "search" }] },
      nodes: [{ labels: { a: "b" } }],
    },
    silent: { database: 3, nodes: {}, target: null },
    unknown: { cluster: { nodes: "3" } },
  },
};

const file = (...advisories: unknown[]) => ({ apiVersion: "advisories/v1", advisories });

/** What is wrong with a file, each with its path. */
function problemsOf(document: unknown): readonly string[] {
  return readAdvisories(document, "test").problems.map(
    ({ path, says }) => `${path.join(".")}: ${says}`,
  );
}

test.each<[name: string, row: object]>([
  ["with what it needs", good],
  ["with everything", full],
  [
    "with remedies",
    { ...good, fix: undefined, remedies: [{ says: "do", run: ["oc", "get", "{database.name}"] }] },
  ],
])("a row %s is read", (_name, row) => {
  const plain = JSON.parse(JSON.stringify(row)) as object;
  const { rows, problems } = readAdvisories(file(plain), "ours.yaml");
  expect(problems).toEqual([]);
  expect(rows).toEqual([{ id: "some-code", ...plain, origin: "ours.yaml" }]);
});

test("the day and the releases of a file are told", () => {
  const document = {
    ...file(good),
    date: "2026-11-30",
    upTo: { operator: "8.2.0-13", engine: "8.4" },
  };
  expect(readAdvisories(document, "test")).toMatchObject({
    date: "2026-11-30",
    upTo: { operator: "8.2.0-13", engine: "8.4" },
    problems: [],
  });
  expect(readAdvisories(file(good), "test")).not.toHaveProperty("date");
});

test.each<[name: string, document: unknown, rows: number, problems: readonly string[]]>([
  ["no object", [], 0, [": a file of advisories is an object"]],
  ["nothing", undefined, 0, [": a file of advisories is an object"]],
  [
    "an empty object",
    {},
    0,
    [": apiVersion is missing: advisories/v1", ": advisories is missing: a list of rows"],
  ],
  [
    "another apiVersion",
    { ...file(good), apiVersion: "advisories/1" },
    0,
    ['apiVersion: it is "advisories/1", and advisories/v1 is expected'],
  ],
  [
    "a number for apiVersion",
    { ...file(good), apiVersion: 1 },
    0,
    ["apiVersion: it is 1, and advisories/v1 is expected"],
  ],
  [
    "a later apiVersion",
    {
      ...file(good, { ...good, id: "later", when: "database.later" }),
      apiVersion: "advisories/v2",
    },
    1,
    [
      "apiVersion: it is written for advisories/v2, and this tool knows advisories/v1: rows with unknown words are left out",
      "advisories.1.when: database has no later",
    ],
  ],
  ["no list", { ...file(), advisories: {} }, 0, ["advisories: a list is expected"]],
  [
    "too many rows",
    file(...Array.from({ length: 501 }, () => good)),
    0,
    ["advisories: it has 501 rows, and 500 are the most"],
  ],
  [
    "an unknown key",
    { ...file(good), adviseries: [] },
    1,
    ["adviseries: there is no key adviseries (did you mean advisories?)"],
  ],
  [
    "a day that is none",
    { ...file(good), date: "2026-13-01" },
    1,
    ['date: it is "2026-13-01", and a day, such as 2026-11-30, is expected'],
  ],
  [
    "a release that is none",
    { ...file(good), upTo: { operator: "new" } },
    1,
    ["upTo.operator: new is no version"],
  ],
  ["no row", file(good, "row"), 1, ["advisories.1: a row is an object"]],
  [
    "one id twice",
    file(good, good),
    1,
    ["advisories.1.id: another row has the id some-code already"],
  ],
])("a file that has %s", (_name, document, rows, problems) => {
  expect(readAdvisories(document, "test").rows).toHaveLength(rows);
  expect(problemsOf(document)).toEqual(problems);
});

test("a file for a later release has a problem of its own kind, and wrong values of it are not told", () => {
  const later = { ...file(), apiVersion: "advisories/v2", date: "soon", upTo: [] };
  const { problems, ...rest } = readAdvisories(later, "test");
  expect(problems.find(({ kind }) => kind === "newer")?.path).toEqual(["apiVersion"]);
  expect(rest).toEqual({ rows: [] });
});

test.each<[name: string, change: object, problems: readonly string[]]>([
  ["an unknown key", { wen: "true" }, ["wen: there is no key wen (did you mean when?)"]],
  [
    "a code in small letters",
    { code: "some-code" },
    ['code: it is "some-code", and capital letters with dashes, such as SOME-CODE, is expected'],
  ],
  [
    "a code that is none",
    { code: 3 },
    ["code: it is 3, and capital letters with dashes, such as SOME-CODE, is expected"],
  ],
  [
    "an id in capitals",
    { id: "SOME" },
    ['id: it is "SOME", and small letters with dashes, such as some-code-8.4, is expected'],
  ],
  [
    "a severity that is none",
    { severity: "fatal" },
    ['severity: "fatal" is none of error, warning'],
  ],
  [
    "a list for a word",
    { severity: ["error"] },
    ["severity: it is a list, and one of error, warning is expected"],
  ],
  [
    "an area that is none",
    { area: "database" },
    [
      expect.stringMatching(
        /^area: "database" is none of deletion, .* \(did you mean databases\?\)$/,
      ),
    ],
  ],
  [
    "a concern that is none",
    { concerns: "databases" },
    [expect.stringMatching(/^concerns: .* \(did you mean database\?\)$/)],
  ],
  ["a text that is empty", { title: " " }, ['title: it is " ", and a text is expected']],
  ["an object for a text", { source: {} }, ["source: it is an object, and a text is expected"]],
  ["a very long text", { source: "x".repeat(2001) }, ["source: it has more than 2000 characters"]],
  [
    "a word for a flag",
    { vouched: "yes" },
    ['vouched: it is "yes", and true or false is expected'],
  ],
  [
    "an act that is none",
    { severity: "error", forbids: ["upgrade"] },
    [expect.stringMatching(/^forbids\.0: "upgrade" is none of upgrade-operator, /)],
  ],
  ["no act", { warns: [] }, ["warns: it is empty"]],
  ["a word for a list", { warns: "cert" }, ['warns: it is "cert", and a list is expected']],
  [
    "very many codes",
    { supersedes: Array.from({ length: 51 }, () => "A") },
    ["supersedes: it has 51 elements, and 50 are the most"],
  ],
  [
    "a field that is none",
    { field: "spec[0]" },
    ['field: it is "spec[0]", and a path, such as ecFields.licenseState, is expected'],
  ],
  [
    "a day that is none",
    { since: "today" },
    ['since: it is "today", and a day, such as 2026-11-30, is expected'],
  ],
  [
    "a range that is none",
    { at: { engine: "8.4" } },
    ["at.engine: before 8.4 a sign is missing: <, <=, >, >= or ="],
  ],
  [
    "a number for a range",
    { at: { engine: 8.4 } },
    ['at.engine: write a sign and quotes, such as ">=8.4": it is a range'],
  ],
  [
    "a list for a range",
    { at: { engine: ["<8.4"] } },
    ["at.engine: it is a list, and a text is expected"],
  ],
  [
    "a warning that forbids",
    { forbids: ["upgrade-cluster"] },
    ["forbids: a warning forbids nothing: write severity: error, or warns"],
  ],
  [
    "a step that leads down",
    { crosses: { engine: { from: ">=8.2", to: "<8.2 || =8.2" } } },
    ["crosses.engine: no upgrade leads from >=8.2 to <8.2 || =8.2"],
  ],
  [
    "values of other types in an example that is judged",
    {
      examples: {
        fires: { cluster: { licenseDays: "45", name: 7, storage: "yes" } },
        silent: { cluster: { nodes: 3.5 } },
        unknown: { cluster: { licenseDays: "45" } },
      },
    },
    [
      'examples.fires.cluster.licenseDays: it is "45", and int is expected',
      "examples.fires.cluster.name: it is 7, and string is expected",
      'examples.fires.cluster.storage: it is "yes", and bool is expected',
      "examples.silent.cluster.nodes: it is 3.5, and int is expected",
    ],
  ],
  ["a text for ranges", { at: "<8" }, ['at: it is "<8", and an object is expected']],
  [
    "a dimension that is none",
    { fixedIn: { engin: "<8" } },
    ["fixedIn.engin: there is no key engin (did you mean engine?)"],
  ],
  [
    "a step without ranges",
    { crosses: { engine: {} } },
    ["crosses.engine: a step has a range from, a range to, or both"],
  ],
  [
    "a text for a step",
    { crosses: { engine: "<8" } },
    ['crosses.engine: it is "<8", and an object is expected'],
  ],
  ["a text for steps", { crosses: "<8" }, ['crosses: it is "<8", and an object is expected']],
  [
    "a step of a platform to somewhere",
    { crosses: { kubernetes: { to: ">=1.33" } } },
    [
      "crosses.kubernetes: from is missing: range of what runs",
      "crosses.kubernetes.to: there is no key to",
    ],
  ],
  [
    "a condition that is none",
    { when: "database.tsl" },
    ["when: database has no tsl (did you mean tls?)"],
  ],
  ["a condition that is no text", { when: true }, ["when: it is true, and a text is expected"]],
  [
    "a condition that gives a text",
    { when: "database.name" },
    ["when: it gives string, and bool is expected"],
  ],
  [
    "no condition for whenUnknown",
    { whenUnknown: "fires" },
    ["whenUnknown: there is no condition that it could be about"],
  ],
  [
    "whenUnknown of another word",
    { when: "true", whenUnknown: "silent" },
    ['whenUnknown: "silent" is none of fires'],
  ],
  [
    "a cause with an unknown word",
    { cause: "{database.nam}" },
    ["cause: {database.nam}: database has no nam (did you mean name?)"],
  ],
  ["a cause with one brace", { cause: "a {" }, ["cause: the brace at { has no other"]],
  [
    "a fix with an unknown word",
    { fix: "go to {target.engin}" },
    ["fix: {target.engin}: target has no engin (did you mean engine?)"],
  ],
  [
    "a fix of values alone",
    { fix: "{target.engine}!" },
    ["fix: it says nothing beside its values"],
  ],
  [
    "a title with a value",
    { title: "{database.name} is so" },
    ["title: a title has no {…}: it is told where nothing is found"],
  ],
  ["no way out", { fix: undefined }, [": what to do is missing: a fix, or remedies"]],
  [
    "two ways out",
    { remedies: [{ says: "do" }] },
    ["fix: a row has a fix or remedies, and not both"],
  ],
  ["no remedies", { fix: undefined, remedies: [] }, ["remedies: it is empty"]],
  [
    "a text for remedies",
    { fix: undefined, remedies: "do" },
    ['remedies: it is "do", and a list is expected'],
  ],
  [
    "a text for a remedy",
    { fix: undefined, remedies: ["do"] },
    ['remedies.0: it is "do", and an object is expected'],
  ],
  [
    "a remedy with mistakes",
    {
      fix: undefined,
      remedies: [{ says: "{x}", run: ["rm", "{y}"], see: ["oc", "get", 3], run2: [] }],
    },
    [
      "remedies.0.see.2: it is 3, and a text is expected",
      "remedies.0.run2: there is no key run2 (did you mean run?)",
      "remedies.0.says: {x}: there is no variable x",
      "remedies.0.run.0: its first word is one of kubectl, oc, helm, engine",
      "remedies.0.run.1: {y}: there is no variable y",
    ],
  ],
  [
    "a remedy without words",
    { fix: undefined, remedies: [{ run: ["oc", "whoami"] }] },
    ["remedies.0: says is missing: what to do, as an imperative"],
  ],
  [
    "no source",
    { source: undefined },
    [": source is missing: which document of which release says so"],
  ],
  ["no examples", { examples: undefined }, [": examples is missing: values to try it with"]],
  [
    "no silent example",
    { examples: { fires: {} } },
    ["examples: silent is missing: values with which it is silent"],
  ],
  [
    "an example that is none",
    { examples: { fires: {}, silent: 3 } },
    ["examples.silent: an object of variables is expected"],
  ],
  [
    "unknown words in examples",
    { examples: { fires: { databse: {} }, silent: { database: { modules: [{ nam: "a" }] } } } },
    [
      "examples.fires.databse: there is no key databse (did you mean database?)",
      "examples.silent.database.modules.0.nam: there is no key nam (did you mean name?)",
    ],
  ],
  [
    "numbers for versions in examples",
    {
      examples: { fires: { database: { version: 8.4 } }, silent: { cluster: { offered: [7.4] } } },
    },
    [
      "examples.fires.database.version: write 8.4 in quotes: it is a version",
      "examples.silent.cluster.offered.0: write 7.4 in quotes: it is a version",
    ],
  ],
  [
    "a version of what it does not concern",
    { concerns: "operator", cause: "it is", at: { engine: "<8" }, fixedIn: { cluster: "<8" } },
    [
      "at.engine: a row that concerns operator has no database, whose version this would be",
      "fixedIn.cluster: a row that concerns operator has no cluster, whose version this would be",
    ],
  ],
  [
    "a word of what it does not concern",
    { concerns: "cluster" },
    ["cause: {database.name}: there is no database in a row that concerns cluster"],
  ],
])("a row that has %s is left out, and the others stay", (_name, change, problems) => {
  const row = JSON.parse(JSON.stringify({ ...good, ...change })) as object;
  const other = { ...good, code: "OTHER" };
  const read = readAdvisories(file(row, other), "test");
  const told = read.problems.map(({ path, says }) => `${path.slice(2).join(".")}: ${says}`);
  expect(told).toEqual(problems);
  expect(read.problems.map(({ path }) => path.slice(0, 2))).toEqual(
    problems.map(() => ["advisories", 0]),
  );
  expect(read.rows.map(({ id }) => id)).toEqual(["other"]);
});

test("every problem of a row is told with its id", () => {
  const row = { id: "mine", code: "x", severity: "y", concerns: "z", when: 3 };
  const { problems } = readAdvisories(file(row), "test");
  expect(problems).toHaveLength(10);
  expect(problems.map((problem) => problem.row)).toEqual(problems.map(() => "mine"));
  const [unnamed] = readAdvisories(file({ code: 3 }), "test").problems;
  expect(unnamed).not.toHaveProperty("row");
});

test("a row that switches one off needs its code alone", () => {
  const off = { code: "SOME-CODE", disabled: true };
  const { rows, problems } = readAdvisories(file(off, { ...off, id: "other" }), "test");
  expect(problems).toEqual([]);
  expect(rows).toMatchObject([
    { id: "some-code", disabled: true, origin: "test" },
    { id: "other", disabled: true },
  ]);
  expect(problemsOf(file({ disabled: true, id: "x" }))).toEqual([
    "advisories.0: code is missing: the code, which several rows may share",
  ]);
});

test("rows that were checked before are taken as they are", () => {
  const document = { ...file(good, full), date: "2026-11-30" } as unknown as Parameters<
    typeof takeAdvisories
  >[0];
  expect(takeAdvisories(document, "shipped").map(({ id, origin }) => [id, origin])).toEqual([
    ["some-code", "shipped"],
    ["some-code-8.4", "shipped"],
  ]);
});

describe("merged", () => {
  const [first] = takeAdvisories(
    file(good) as unknown as Parameters<typeof takeAdvisories>[0],
    "shipped",
  );
  const row = (code: string, id: string, rest: Partial<Sourced> = {}): Sourced =>
    ({ ...first, code, id, origin: "shipped", ...rest }) as Sourced;
  const ours = [row("A", "a-1"), row("A", "a-2"), row("B", "b")];
  const theirs = { origin: "theirs" };
  const off = { ...theirs, disabled: true };

  test.each<[name: string, more: readonly (readonly Sourced[])[], merged: readonly string[]]>([
    ["alone", [], ["a-1 shipped", "a-2 shipped", "b shipped"]],
    [
      "with a row of its own",
      [[row("C", "c", theirs)]],
      ["a-1 shipped", "a-2 shipped", "b shipped", "c theirs"],
    ],
    [
      "with a row of the same id",
      [[row("B", "b", theirs)]],
      ["a-1 shipped", "a-2 shipped", "b theirs"],
    ],
    [
      "with a row of the same id and another code",
      [[row("X", "a-1", theirs)]],
      ["a-1 theirs", "a-2 shipped", "b shipped"],
    ],
    ["with a row of the same code", [[row("A", "a-9", theirs)]], ["b shipped", "a-9 theirs"]],
    ["with one switched off", [[row("A", "a-1", off)]], ["a-2 shipped", "b shipped"]],
    [
      "with one switched off that is not there",
      [[row("D", "d", off)]],
      ["a-1 shipped", "a-2 shipped", "b shipped"],
    ],
    [
      "with two files of one code",
      [[row("A", "x", theirs)], [row("A", "y", theirs)]],
      ["b shipped", "x theirs", "y theirs"],
    ],
    [
      "with a later file that switches off",
      [[row("C", "c", theirs)], [row("C", "c", off)]],
      ["a-1 shipped", "a-2 shipped", "b shipped"],
    ],
  ])("%s", (_name, more, merged) => {
    expect(mergeAdvisories(ours, ...more).map(({ id, origin }) => `${id} ${origin}`)).toEqual(
      merged,
    );
  });
});
