import type { KubeObject } from "../../../../plugin/domain/objects";
import { type ApiFacts, databasesOfCluster } from "../../../../plugin/domain/recovery/databases";
import { fits, modulesApart, outOfLine } from "../../../../plugin/domain/recovery/line";
import { aBdb, aFrozenEc, aModule, anApi, anEdb, frozenFacts } from "./scene";

function lineOf(edbs: readonly KubeObject[], api?: ApiFacts, eaadbs: readonly KubeObject[] = []) {
  const ec = aFrozenEc();
  const facts = frozenFacts({ edbs, eaadbs }, ec);
  return outOfLine(facts, databasesOfCluster(facts, ec, api), api);
}

const editsOf = (edb: KubeObject, api?: ApiFacts) =>
  lineOf([edb], api).apart.flatMap(({ edits }) =>
    edits.map(({ path, to }) => [path.join("."), to]),
  );

test.each<[string, object, string | undefined, readonly unknown[]]>([
  ["a lower number follows", { engineVersion: "6.2" }, "7.2.4", [["spec.engineVersion", "7.2"]]],
  ["the same number stays", { engineVersion: "7.2" }, "7.2.4", []],
  ["a higher one is still to be reached", { engineVersion: "7.4" }, "7.2.4", []],
  ["a channel stays", { engineVersion: "major" }, "7.2.4", []],
  ["an absent one stays", { engineVersion: undefined }, "7.2.4", []],
  ["what runs is not known", { engineVersion: "6.2" }, undefined, []],
])("the version: %s", (...[, spec, version, edits]) => {
  const api = anApi({ databases: [aBdb({ version, engineVersion: undefined })] });
  expect(editsOf(anEdb("orders", spec as never), api)).toEqual(edits);
  expect(editsOf(anEdb("orders", spec as never, { version }))).toEqual(edits);
});

describe("the numbers of modules", () => {
  const used = (version?: string) => aBdb({ modules: [{ name: "rg", version }] });
  const listing = (entry: unknown) => anEdb("orders", { modulesList: [entry, "odd", {}] });
  const build = (version: string | undefined, made?: string) =>
    aModule("rg", { version, compatibleEngineVersion: made, uid: version });

  test.each<[string, unknown, ApiFacts, unknown]>([
    [
      "of an installed build stays",
      { name: "rg", version: "1" },
      anApi({ databases: [used("1")], modules: [build("1")] }),
      undefined,
    ],
    [
      "of none follows what the database uses",
      { name: "rg", version: "0" },
      anApi({ databases: [used("1")], modules: [build("1"), build("2")] }),
      "1",
    ],
    [
      "of none follows the newest that fits",
      { name: "rg", version: "0" },
      anApi({ databases: [used()], modules: [build("9"), build("10"), build("11", "8.0")] }),
      "10",
    ],
    [
      "of none stays where nothing fits",
      { name: "rg", version: "0" },
      anApi({ databases: [used()], modules: [build("11", "8.0")] }),
      undefined,
    ],
    [
      "stays where no build is installed",
      { name: "rg", version: "0" },
      anApi({ databases: [used()] }),
      undefined,
    ],
    [
      "stays where builds tell no version",
      { name: "rg", version: "0" },
      anApi({ databases: [used()], modules: [build(undefined)] }),
      undefined,
    ],
    [
      "that is absent stays absent",
      { name: "rg" },
      anApi({ databases: [used()], modules: [build("2")] }),
      undefined,
    ],
    [
      "of a bundled one is left alone",
      { name: "search", version: "0" },
      anApi({ databases: [used()], modules: [aModule("search", { version: "2" })] }),
      undefined,
    ],
  ])("%s", (...[, entry, api, version]) => {
    const expected =
      version === undefined
        ? []
        : [["spec.modulesList", [{ ...(entry as object), version }, "odd", {}]]];
    expect(editsOf(listing(entry), api)).toEqual(expected);
  });
});

test("a build that tells no version is passed over", () => {
  const api = anApi({
    databases: [aBdb({ modules: [] })],
    modules: [aModule("rg", { version: undefined }), aModule("rg", { version: "2" })],
  });
  const edb = anEdb("orders", { moduleList: [{ name: "rg", version: "0" }] });
  expect(editsOf(edb, api)).toEqual([["spec.moduleList", [{ name: "rg", version: "2" }]]]);
});

test("an instance of an active-active database is told, not edited", () => {
  const eaadb: KubeObject = {
    apiVersion: "app.engine.com/v1alpha1",
    kind: "EngineEnterpriseActiveActiveDatabase",
    metadata: { name: "carts", namespace: "engine" },
    status: { linkedEdbs: ["orders"] },
  };
  const edb = anEdb("orders", { engineVersion: "6.2" }, { version: "7.2.4" });
  const { apart, warnings } = lineOf([edb], undefined, [eaadb]);
  expect(apart).toEqual([]);
  expect(warnings).toMatchObject([
    {
      code: "FREEZE-DATABASE-APART",
      cause: expect.stringContaining("EngineEnterpriseActiveActiveDatabase/engine/carts") as string,
    },
  ]);
});

test("what the REST API alone knows has no resource to edit", () => {
  expect(lineOf([], anApi({ databases: [aBdb()] })).apart).toEqual([]);
});

test.each([
  ["any where none is told", undefined, "7.2", true],
  ["its own", "7.2", "7.2", true],
  ["no other", "7.2", "7.4", false],
  ["one that is not known", "7.2", undefined, true],
] as const)("a build fits %s", (...[, compatibleEngineVersion, runs, expected]) => {
  const [major = 0, minor = 0] = (runs ?? "").split(".").map(Number);
  const engine = runs === undefined ? undefined : { major, minor };
  expect(fits({ compatibleEngineVersion }, engine)).toBe(expected);
});

describe("what a database uses beside what its resource lists", () => {
  const installed = [
    aModule("rg", { displayName: "EngineGears", version: "1.2.6" }),
    aModule("graph", { bundled: true, version: "2.0.0" }),
  ];
  const apart = (listed: readonly object[], modules: ApiFacts["databases"][number]["modules"]) => {
    const edb = anEdb("orders", { modulesList: listed });
    const ec = aFrozenEc();
    const facts = frozenFacts({ edbs: [edb] }, ec);
    const api = anApi({ databases: [aBdb({ modules })], modules: installed });
    const databases = databasesOfCluster(facts, ec, api);
    return modulesApart(facts, databases, api).map(({ code, object, cause }) => {
      expect([code, object]).toEqual([
        "FREEZE-MODULES-APART",
        "EngineEnterpriseDatabase/engine/orders",
      ]);
      return cause;
    });
  };
  const rg = (version?: string) => ({ name: "rg", version });

  test.each([
    ["the same build", [rg("1.2.6")], [rg("1.2.6")], []],
    [
      "the same by the display name",
      [{ name: "EngineGears", version: "1.2.6" }],
      [rg("1.2.6")],
      [],
    ],
    ["no number in the list", [{ name: "rg" }], [rg("1.2.6")], []],
    ["no number of the database", [rg("1.2.6")], [rg()], []],
    ["bundled ones", [{ name: "search", version: "1" }], [{ name: "graph", version: "2" }], []],
    [
      "another build",
      [rg("1.2.5")],
      [rg("1.2.6")],
      ["it lists rg 1.2.5, and the database uses rg 1.2.6"],
    ],
    ["one that is only listed", [rg()], [], ["it lists rg, which the database does not use"]],
    [
      "one that is not listed",
      [],
      [rg("1.2.6")],
      ["the database uses rg 1.2.6, which it does not list"],
    ],
  ])("%s", (...[, listed, used, says]) => {
    expect(apart(listed, used)).toEqual(says);
  });

  test("a database without a resource is nobody's to bring in line", () => {
    const ec = aFrozenEc();
    const facts = frozenFacts({}, ec);
    const api = anApi({ databases: [aBdb({ modules: [rg("1")] })], modules: installed });
    expect(modulesApart(facts, databasesOfCluster(facts, ec, api), api)).toEqual([]);
  });
});
