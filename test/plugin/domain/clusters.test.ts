import type { ClusterQuestion } from "../../../plugin/domain/clusters";
import {
  clusterKey,
  lookUpCluster,
  projectCluster,
  referenceOf,
} from "../../../plugin/domain/clusters";
import { defaultNames } from "../../../plugin/domain/names";
import type { ClusterFacts, ClusterLookup } from "../../../plugin/domain/rules/types";
import type { Json } from "../../../plugin/domain/values";

const names = defaultNames;
const metadata = { namespace: "engine", name: "ec" };
const bare: ClusterFacts = {
  namespace: "engine",
  name: "ec",
  uid: "",
  resourceVersion: "",
  policy: undefined,
  versions: [],
  installedModules: [],
  userModules: [],
};

describe("projectCluster", () => {
  test("an EC keeps what the rules need and nothing else", () => {
    const object = {
      metadata: { ...metadata, uid: "u-1", resourceVersion: "42", labels: { a: "b" } },
      spec: {
        nodes: 3,
        engineUpgradePolicy: "major",
        userDefinedModules: [{ name: "rg", source: {} }, { name: "graph" }],
      },
      status: {
        state: "Running",
        bundledDatabaseVersions: [
          { dbType: "engine", version: "8.0", major: true },
          { dbType: "engine", version: "7.2", major: false },
          { dbType: "memcached", version: "9.9" },
        ],
        modules: [
          { name: "search", displayName: "EngineSearch", versions: ["8.2"] },
          { displayName: "X" },
        ],
      },
    };
    expect(projectCluster(object, names)).toEqual({
      namespace: "engine",
      name: "ec",
      uid: "u-1",
      resourceVersion: "42",
      policy: "major",
      versions: [
        { version: "7.2", major: false },
        { version: "8.0", major: true },
      ],
      installedModules: [{ name: "search", displayName: "EngineSearch" }, { displayName: "X" }],
      userModules: ["rg", "graph"],
    });
  });

  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["a text", "ec"],
    ["an array", [metadata]],
    ["no metadata", {}],
    ["no namespace", { metadata: { name: "ec" } }],
    ["an empty name", { metadata: { namespace: "engine", name: "" } }],
    ["a name that is a number", { metadata: { namespace: "engine", name: 5 } }],
    ["names that are inherited", { metadata: Object.create(metadata) as unknown }],
  ])("%s is no EC", (_title, object) => {
    expect(projectCluster(object, names)).toBeUndefined();
  });

  test.each<[string, unknown, Partial<ClusterFacts>]>([
    ["nothing but a name", { metadata }, {}],
    ["spec and status of the wrong type", { metadata, spec: 5, status: "x" }, {}],
    ["a spec that is an array", { metadata, spec: [{ engineUpgradePolicy: "major" }] }, {}],
    ["a policy of null", { metadata, spec: { engineUpgradePolicy: null } }, { policy: null }],
    ["a policy that is a number", { metadata, spec: { engineUpgradePolicy: 1 } }, { policy: 1 }],
    [
      "lists that are objects",
      { metadata, spec: { userDefinedModules: { 0: { name: "x" } } }, status: { modules: {} } },
      {},
    ],
    [
      "module entries of every wrong type",
      {
        metadata,
        spec: { userDefinedModules: [null, 5, "rg", [], { name: 7 }, { name: "" }] },
        status: { modules: [null, { name: null, displayName: ["x"] }] },
      },
      {},
    ],
    [
      "a module twice",
      { metadata, spec: { userDefinedModules: [{ name: "rg" }, { name: "rg" }] } },
      { userModules: ["rg"] },
    ],
    [
      "modules named like built-in properties",
      JSON.parse(
        `{"metadata":{"namespace":"engine","name":"ec"},"spec":{"userDefinedModules":[{"name":"constructor"},{"__proto__":{"name":"x"}}]}}`,
      ),
      { userModules: ["constructor"] },
    ],
  ])("%s", (_title, object, facts) => {
    expect(projectCluster(object, names)).toEqual({ ...bare, ...facts });
  });

  test.each<[string, unknown, ClusterFacts["versions"]]>([
    ["absent", undefined, []],
    ["an empty list", [], []],
    ["no list", { dbType: "engine", version: "7.4" }, []],
    ["entries of another type", [{ dbType: "memcached", version: "8.0" }], []],
    ["entries without a type", [{ version: "8.0" }], []],
    ["entries below 7.2", ["6.0", "6.2", "7.0"].map((version) => engine(version)), []],
    ["a version that is a number", [{ dbType: "engine", version: 8.2 }], []],
    ["a version that is none", [engine("latest"), engine("constructor"), null, 5, "8.2"], []],
    [
      "oldest first, by number",
      ["10.0", "8.2", "7.2"].map((version) => engine(version)),
      [minor("7.2"), minor("8.2"), minor("10.0")],
    ],
    ["a full version counts as its first two numbers", [engine("7.4.2")], [minor("7.4")]],
    [
      "a version twice is one, with the flag of either",
      [engine("8.0.1", true), engine("8.0.3"), engine("8.2"), engine("8.2.1", true)],
      [
        { version: "8.0", major: true },
        { version: "8.2", major: true },
      ],
    ],
    [
      "a flag that is not the boolean true is none",
      [engine("8.0", "true"), engine("8.2", 1)],
      [minor("8.0"), minor("8.2")],
    ],
  ])("published versions: %s", (_title, bundledDatabaseVersions, versions) => {
    const facts = projectCluster({ metadata, status: { bundledDatabaseVersions } }, names);
    expect(facts?.versions).toEqual(versions);
  });

  function engine(version: string, major?: unknown): Json {
    return { dbType: "engine", version, major };
  }

  function minor(version: string): { version: string; major: boolean } {
    return { version, major: false };
  }
});

describe("referenceOf", () => {
  const spec = { engineEnterpriseCluster: { name: "ec" } };
  test.each<[string, unknown, string | undefined]>([
    ["a name", { spec }, "ec"],
    ["absent", { spec: {} }, undefined],
    ["no spec", {}, undefined],
    ["no object", undefined, undefined],
    ["an empty name", { spec: { engineEnterpriseCluster: { name: "" } } }, undefined],
    ["a number", { spec: { engineEnterpriseCluster: { name: 5 } } }, undefined],
    ["a text in place of the object", { spec: { engineEnterpriseCluster: "ec" } }, undefined],
    ["null", { spec: { engineEnterpriseCluster: null } }, undefined],
    ["below the global configurations", { spec: { globalConfigurations: spec } }, undefined],
  ])("%s, for EDB and EAADB alike", (_title, object, expected) => {
    expect(referenceOf(object, "edb", names)).toBe(expected);
    expect(referenceOf(object, "eaadb", names)).toBe(expected);
  });
});

describe("lookUpCluster", () => {
  const ec = (namespace: string, name: string): ClusterFacts => ({ ...bare, namespace, name });
  const all = [ec("other", "ec"), ec("engine", "ec"), ec("apps", "ec"), ec("engine", "big")];
  const ask = (question: Partial<ClusterQuestion>): ClusterLookup =>
    lookUpCluster({
      reference: undefined,
      namespace: "apps",
      operatorNamespace: "engine",
      all,
      ...question,
    });

  test.each<[string, Partial<ClusterQuestion>, string]>([
    ["a named EC of the own namespace comes first", { reference: "ec" }, "apps/ec"],
    ["then the operator's namespace", { reference: "big" }, "engine/big"],
    [
      "the operator's namespace, when it is the own",
      { reference: "ec", namespace: "engine" },
      "engine/ec",
    ],
    [
      "without a reference the only EC",
      { all: [ec("engine", "ec"), ec("other", "x")] },
      "engine/ec",
    ],
    ["the only EC may be in the own namespace", { all: [ec("apps", "mine")] }, "apps/mine"],
    [
      "one namespace is looked in once",
      { namespace: "engine", all: [ec("engine", "ec")] },
      "engine/ec",
    ],
  ])("%s", (_title, question, key) => {
    const lookup = ask(question);
    expect(lookup.is === "found" && clusterKey(lookup.cluster)).toBe(key);
  });

  test.each<[string, Partial<ClusterQuestion>, ClusterLookup]>([
    [
      "a name that is in neither namespace is missing",
      { reference: "gone" },
      { is: "missing", name: "gone", lookedIn: ["apps", "engine"] },
    ],
    [
      "another namespace's EC is never taken",
      { reference: "ec", all: [ec("other", "ec")] },
      { is: "missing", name: "ec", lookedIn: ["apps", "engine"] },
    ],
    [
      "constructor and __proto__ are names like others",
      { reference: "__proto__" },
      { is: "missing", name: "__proto__", lookedIn: ["apps", "engine"] },
    ],
    [
      "no reference and no EC",
      { all: [], namespace: "engine" },
      { is: "missing", lookedIn: ["engine"] },
    ],
    [
      "an unknown operator namespace is not looked in",
      { all: [], operatorNamespace: "" },
      { is: "missing", lookedIn: ["apps"] },
    ],
    [
      "several without a reference: never a random one",
      {},
      { is: "ambiguous", candidates: ["apps/ec", "engine/big", "engine/ec"] },
    ],
    [
      "one in each of the two namespaces is several",
      { all: [ec("engine", "a"), ec("apps", "b")] },
      { is: "ambiguous", candidates: ["apps/b", "engine/a"] },
    ],
  ])("%s", (_title, question, expected) => {
    expect(ask(question)).toEqual(expected);
  });
});
