import {
  databasesOf,
  undefinedModules,
  usedModules,
} from "../../../../plugin/domain/cluster/causes";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { aDatabase, anEc, factsOf } from "./scene";

const labels = (edbs: readonly KubeObject[], ecs = [anEc()]): readonly string[] =>
  databasesOf(factsOf({ ecs, edbs }), anEc()).map(({ label }) => label);

const other = anEc({}, {}, { name: "other" });

test("databases belong by reference, else to the only EC", () => {
  const edbs = [
    aDatabase("mine", { engineEnterpriseCluster: { name: "ec" } }),
    aDatabase("theirs", { engineEnterpriseCluster: { name: "other" } }),
    aDatabase("nobodys", { engineEnterpriseCluster: { name: "gone" } }),
    aDatabase("silent"),
  ];
  const kind = "EngineEnterpriseDatabase/engine";
  expect(labels(edbs, [anEc(), other])).toEqual([`${kind}/mine`]);
  expect(labels(edbs)).toEqual([`${kind}/mine`, `${kind}/silent`]);
});

test("an EC of the same name elsewhere is another one", () => {
  const there = anEc({}, {}, { namespace: "shop" });
  const edb = aDatabase("mine", { engineEnterpriseCluster: { name: "ec" } });
  const moved: KubeObject = { ...edb, metadata: { name: "mine", namespace: "shop" } };
  const cluster: KubeObject = { ...edb, metadata: { name: "mine" } };
  expect(labels([moved], [anEc(), there])).toEqual([]);
  expect(labels([cluster], [anEc(), { ...there, metadata: {} }])).toEqual([
    "EngineEnterpriseDatabase/mine",
  ]);
});

test("databases of another type are left out", () => {
  expect(labels([aDatabase("cache", { type: "memcached" })])).toEqual([]);
  expect(labels([aDatabase("data", { type: "engine" })])).toHaveLength(1);
});

type Fields = Readonly<Record<string, unknown>>;

test.each<[string, Fields, Fields, Fields | undefined]>([
  ["from the spec", { engineVersion: "7.2" }, { version: "7.4.2" }, { major: 7, minor: 2 }],
  [
    "from the status, where the spec has a channel",
    { engineVersion: "major" },
    { version: "7.4.2" },
    { major: 7, minor: 4 },
  ],
  ["from nowhere", { engineVersion: undefined }, {}, undefined],
])("the version is read %s", (_title, ...[spec, status, version]) => {
  const edbs = [aDatabase("orders", spec, status)];
  expect(databasesOf(factsOf({ ecs: [anEc()], edbs }), anEc())).toMatchObject([{ version }]);
});

test.each<[string, Fields]>([
  ["their global configurations", { globalConfigurations: { engineVersion: "6.2" } }],
  ["their spec", { engineVersion: "6.2", globalConfigurations: {} }],
])("active-active databases count by the version of %s", (_title, spec) => {
  const eaadb: KubeObject = {
    apiVersion: "app.engine.com/v1alpha1",
    kind: "EngineEnterpriseActiveActiveDatabase",
    metadata: { name: "carts", namespace: "engine" },
    spec: {
      ...spec,
      globalConfigurations: {
        ...(spec["globalConfigurations"] as Fields),
        moduleList: [{ name: "search" }],
      },
    },
  };
  expect(databasesOf(factsOf({ ecs: [anEc()], eaadbs: [eaadb] }), anEc())).toEqual([
    {
      label: "EngineEnterpriseActiveActiveDatabase/engine/carts",
      version: { major: 6, minor: 2 },
      modules: ["search"],
    },
  ]);
});

test("user-defined modules are told apart by where they are defined", () => {
  const ec = anEc(
    { userDefinedModules: [{ name: "rg" }, { name: "EngineBloom" }] },
    {
      modules: [
        { name: "graph", displayName: "EngineGraph" },
        { name: "bloom", displayName: "EngineBloom" },
        { name: "search", displayName: "EngineSearch" },
      ],
    },
  );
  const modules = ["search", "EngineSearch", "rg", "bloom", "EngineGraph", "mine", undefined].map(
    (name) => ({ name }),
  );
  const edbs = [aDatabase("a", { modulesList: modules }), aDatabase("b", { moduleList: modules })];
  const facts = factsOf({ ecs: [ec], edbs });
  const databases = ["EngineEnterpriseDatabase/engine/a", "EngineEnterpriseDatabase/engine/b"];
  expect(usedModules(facts, ec)).toEqual([
    { module: "rg", databases, standing: "defined" },
    { module: "bloom", databases, standing: "defined" },
    { module: "EngineGraph", databases, standing: "installed" },
    { module: "mine", databases, standing: "unknown" },
  ]);
  const both = databases.join(", ");
  expect(undefinedModules(facts, ec).map(({ says }) => says)).toEqual([
    `module EngineGraph of ${both} is installed but not defined in the EC`,
    `module mine of ${both} is neither bundled nor defined in the EC`,
  ]);
});

test("what is no EC has no modules of its own", () => {
  const edbs = [aDatabase("a", { moduleList: [{ name: "mine" }] })];
  const used = usedModules(factsOf({ ecs: [anEc()], edbs }), { ...anEc(), metadata: {} });
  expect(used).toEqual([]);
});
