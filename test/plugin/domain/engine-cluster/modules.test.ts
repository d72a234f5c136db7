import {
  fits,
  judgeModules,
  type ModuleFacts,
  moduleFindings,
  type ModuleTarget,
  moduleUses,
} from "../../../../plugin/domain/engine-cluster/modules";
import {
  type ApiDatabase,
  type InstalledModule,
  parseDatabase,
  parseNodes,
} from "../../../../plugin/domain/rest-api/records";
import { parseModule } from "../../../../plugin/domain/rest-api/modules";
import { clusterFindings } from "../../../../plugin/domain/engine-cluster/findings";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { anApiEc } from "../../../support/cluster-api-client";

const rg = (more: object = {}) => ({
  module_name: "rg",
  display_name: "EngineGears",
  semantic_version: "1.2.5",
  is_bundled: false,
  ...more,
});
const search = (engine: string) => ({
  module_name: "search",
  semantic_version: `${engine}.0`,
  compatible_engine_version: engine,
  is_bundled: true,
});
const uses = (name: string, version?: string) => ({
  module_name: name,
  ...(version !== undefined && { semantic_version: version }),
});

interface Wish {
  readonly databases?: readonly (readonly object[])[];
  readonly modules?: readonly object[];
  readonly defined?: readonly string[];
  readonly supported?: readonly string[];
}

function parsed<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a test has what is none");
  return value;
}

function factsOf({ databases = [], modules = [], defined = [], supported }: Wish): ModuleFacts {
  return {
    ec: anApiEc({ userDefinedModules: defined.map((name) => ({ name })) }),
    names,
    databases: databases.map((list, at): ApiDatabase =>
      parsed(parseDatabase({ uid: at + 1, name: `db${at + 1}`, module_list: list }, names)),
    ),
    modules: modules.map((one): InstalledModule => parsed(parseModule(one, names))),
    nodes: supported && parseNodes([{ supported_database_versions: supported }, {}], names),
  };
}

const fine: Wish = {
  databases: [[uses("rg", "1.2.5"), uses("search", "7.2.0")]],
  modules: [rg({ compatible_engine_version: "7.2", platforms: { rhel8: {} } }), search("7.2")],
  defined: ["EngineGears"],
};
const to = (minor: number): ModuleTarget => ({ engine: { major: 7, minor } });

test.each<{
  readonly name: string;
  readonly wish: Wish;
  readonly target?: ModuleTarget;
  readonly codes: readonly string[];
}>([
  { name: "all is well", wish: fine, codes: [] },
  {
    name: "not installed at all",
    wish: { ...fine, modules: [search("7.2")], defined: ["rg"] },
    codes: [moduleFindings.absent.code, "MODULE-NAME"],
  },
  {
    name: "installed in another version",
    wish: { ...fine, modules: [rg({ semantic_version: "1.3.0" }), search("7.2")] },
    codes: [moduleFindings.absent.code],
  },
  {
    name: "a version that the server does not report",
    wish: { ...fine, databases: [[uses("rg")]] },
    codes: [],
  },
  {
    name: "not defined",
    wish: { ...fine, defined: [] },
    codes: [clusterFindings.moduleUndefined.code],
  },
  {
    name: "a bundled one without the flag, by its name",
    wish: {
      databases: [[uses("bf", "1")]],
      modules: [{ module_name: "bf", semantic_version: "1" }],
    },
    codes: [],
  },
  {
    name: "one at the end of its life, which no database uses",
    wish: { modules: [{ module_name: "mine", display_name: "EngineGraph" }] },
    codes: [clusterFindings.moduleRetired.code],
  },
  {
    name: "no build for the target",
    wish: fine,
    target: to(4),
    codes: [moduleFindings.target.code],
  },
  {
    name: "bundled ones of a version that the nodes run",
    wish: { ...fine, modules: [rg(), search("7.2")], supported: ["7.2", "7.4.1"] },
    target: to(4),
    codes: [moduleFindings.target.code],
  },
  {
    name: "bundled ones of a version that comes with the next release",
    wish: { ...fine, modules: [rg(), search("7.2")], supported: ["7.2", "later"] },
    target: to(4),
    codes: [moduleFindings.engineUnknown.code],
  },
  {
    name: "nodes that tell nothing",
    wish: { ...fine, modules: [rg(), search("7.2")], supported: [] },
    target: to(4),
    codes: [],
  },
  { name: "the right platform", wish: fine, target: { platform: "rhel8" }, codes: [] },
  {
    name: "another platform",
    wish: fine,
    target: { platform: "rhel9" },
    codes: [moduleFindings.platform.code],
  },
  {
    name: "no platform at all",
    wish: { ...fine, modules: [rg({ platforms: {} }), search("7.2")] },
    target: { platform: "rhel9" },
    codes: [moduleFindings.platform.code],
  },
  {
    name: "platforms that are not told",
    wish: { ...fine, modules: [rg(), search("7.2")] },
    target: { platform: "rhel9" },
    codes: [moduleFindings.platformUnknown.code],
  },
])("$name", ({ wish, target = {}, codes }) => {
  const findings = judgeModules(factsOf(wish), target);
  expect(findings.map(({ code }) => code)).toEqual(codes);
  expect(findings.every(({ object }) => object?.endsWith("/engine/ec"))).toBe(true);
});

test("a cause names the module, its users, and what is there", () => {
  const many = Array.from({ length: 7 }, () => [uses("rg", "1.2.5")]);
  const modules = [
    rg({ compatible_engine_version: "7.2" }),
    rg({ semantic_version: "1.3", min_engine_version: "8.0" }),
  ];
  const [finding] = judgeModules(factsOf({ ...fine, databases: many, modules }), to(4));
  expect(finding?.cause).toBe(
    "rg, used by db1 (uid 1), db2 (uid 2), db3 (uid 3), db4 (uid 4), db5 (uid 5) and 2 more, has no build for 7.4: installed are rg 1.2.5 (for 7.2), rg 1.3 (from 8.0 on)",
  );
});

test("a near name is proposed", () => {
  const findings = judgeModules(factsOf({ ...fine, defined: ["EngineGears", "EngineGeers"] }), {});
  expect(findings.map(({ cause }) => cause)).toEqual([
    "EngineGeers is defined, and no installed module is named so (did you mean EngineGears?)",
  ]);
});

test.each([
  { only: "7.2", from: undefined, to: [true, false] },
  { only: undefined, from: "7.2", to: [true, true] },
  { only: undefined, from: "7.4", to: [false, true] },
  { only: undefined, from: undefined, to: [true, true] },
  { only: "a word", from: "another", to: [true, true] },
])("a build for $only, from $from on, fits 7.2 and 7.4: $to", ({ only, from, to: answers }) => {
  const engines = { compatible_engine_version: only, min_engine_version: from };
  const build = parsed(parseModule(rg(engines), names));
  expect([2, 4].map((minor) => fits(build, { major: 7, minor }))).toEqual(answers);
});

test("uses are by name and version, with all databases of each", () => {
  const facts = factsOf({
    ...fine,
    databases: [[uses("rg", "1.2.5")], [uses("rg", "1.2.5"), uses("bf", "9")], [uses("rg", "1")]],
  });
  const nameless = { ...parsed(facts.databases[0]), name: undefined };
  const all = moduleUses({ ...facts, databases: [nameless, ...facts.databases.slice(1)] });
  expect(
    all.map(({ name, version, databases, installed, bundled, defined }) => [
      ...[name, version, installed, bundled, defined],
      ...databases,
    ]),
  ).toEqual([
    ["bf", "9", false, true, false, "db2 (uid 2)"],
    ["rg", "1", false, false, true, "db3 (uid 3)"],
    ["rg", "1.2.5", true, false, true, "uid 1", "db2 (uid 2)"],
  ]);
});

test("an EC without a name defines nothing", () => {
  const facts = factsOf(fine);
  const ec = { ...facts.ec, metadata: {} };
  const codes = judgeModules({ ...facts, ec }, {}).map(({ code }) => code);
  expect(codes).toEqual([clusterFindings.moduleUndefined.code]);
});
