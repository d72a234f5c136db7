import {
  clusterKey,
  type ClusterQuestion,
  lookUpCluster,
  projectCluster,
  readReference,
} from "../../../../plugin/domain/rules/clusters";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { ClusterFacts, ClusterLookup } from "../../../../plugin/domain/rules/types";

const metadata = { namespace: "engine", name: "ec" };
const bare: ClusterFacts = {
  ...metadata,
  uid: "",
  resourceVersion: "",
  policy: undefined,
  versions: [],
  installedModules: [],
  userModules: [],
};
const engine = (version: string, major?: unknown) => ({ dbType: "engine", version, major });
const minor = (version: string) => ({ version, major: false });
const major = (version: string) => ({ version, major: true });

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
      bundledDatabaseVersions: [engine("8.0", true), { dbType: "memcached", version: "9.9" }],
      modules: [{ name: "search", displayName: "S", versions: ["8.2"] }, { displayName: "X" }],
    },
  };
  expect(projectCluster(object, names)).toEqual({
    ...metadata,
    uid: "u-1",
    resourceVersion: "42",
    policy: "major",
    versions: [major("8.0")],
    installedModules: [{ name: "search", displayName: "S" }, { displayName: "X" }],
    userModules: ["rg", "graph"],
  });
});

test.each<[string, unknown]>([
  ["null", null],
  ["an array", [metadata]],
  ["no metadata", {}],
  ["no namespace", { metadata: { name: "ec" } }],
  ["an empty name", { metadata: { namespace: "engine", name: "" } }],
  ["a name that is a number", { metadata: { namespace: "engine", name: 5 } }],
  ["names that are inherited", { metadata: Object.create(metadata) as unknown }],
])("%s is no EC", (_title, object) => {
  expect(projectCluster(object, names)).toBeUndefined();
});

const ofModules = (...userDefinedModules: readonly unknown[]) => ({ spec: { userDefinedModules } });
const builtIn = JSON.parse('[{"name":"constructor"},{"__proto__":{"name":"x"}}]') as unknown[];

test.each<[string, object, Partial<ClusterFacts>]>([
  ["nothing but a name", {}, {}],
  ["spec and status of the wrong type", { spec: 5, status: "x" }, {}],
  ["a spec that is an array", { spec: [{ engineUpgradePolicy: "major" }] }, {}],
  ["a policy of null", { spec: { engineUpgradePolicy: null } }, { policy: null }],
  ["a policy that is a number", { spec: { engineUpgradePolicy: 1 } }, { policy: 1 }],
  [
    "lists that are objects",
    { spec: { userDefinedModules: { 0: { name: "x" } } }, status: { modules: {} } },
    {},
  ],
  ["modules of every wrong type", ofModules(null, 5, "rg", [], { name: 7 }, { name: "" }), {}],
  ["installed ones too", { status: { modules: [null, { name: null, displayName: ["x"] }] } }, {}],
  ["a module twice", ofModules({ name: "rg" }, { name: "rg" }), { userModules: ["rg"] }],
  ["named like a built-in property", ofModules(...builtIn), { userModules: ["constructor"] }],
])("an EC with %s", (_title, object, facts) => {
  expect(projectCluster({ metadata, ...object }, names)).toEqual({ ...bare, ...facts });
});

test.each<[string, unknown, ClusterFacts["versions"]]>([
  ["no list", engine("7.4"), []],
  ["entries of another type", [{ dbType: "memcached", version: "8.0" }, { version: "8.0" }], []],
  ["entries below 7.2", [engine("6.2"), engine("7.0")], []],
  ["a version that is none", [engine("latest"), { ...engine(""), version: 8.2 }, null, "8.2"], []],
  [
    "oldest first, by number",
    [engine("10.0"), engine("8.2"), engine("7.2")],
    [minor("7.2"), minor("8.2"), minor("10.0")],
  ],
  ["a full version counts as its first two numbers", [engine("7.4.2")], [minor("7.4")]],
  [
    "a version twice is one, with the flag of either",
    [engine("8.0.1", true), engine("8.0.3"), engine("8.2"), engine("8.2.1", true)],
    [major("8.0"), major("8.2")],
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

const spec = { engineEnterpriseCluster: { name: "ec" } };

test.each<[unknown, string | undefined]>([
  [{ spec }, "ec"],
  [{ spec: {} }, undefined],
  [undefined, undefined],
  [{ spec: { engineEnterpriseCluster: { name: "" } } }, undefined],
  [{ spec: { engineEnterpriseCluster: { name: 5 } } }, undefined],
  [{ spec: { engineEnterpriseCluster: "ec" } }, undefined],
  [{ spec: { globalConfigurations: spec } }, undefined],
])("the reference of %j, for EDB and EAADB alike, is %s", (object, expected) => {
  const found = (["edb", "eaadb"] as const).map((kind) => readReference(object, kind, names));
  expect(found).toEqual([expected, expected]);
});

const ec = (namespace: string, name: string): ClusterFacts => ({ ...bare, namespace, name });
const missing = (name: string | undefined, ...lookedIn: readonly string[]): ClusterLookup => ({
  is: "missing",
  ...(name !== undefined && { name }),
  lookedIn,
});
const ambiguous = (...candidates: readonly string[]): ClusterLookup => ({
  is: "ambiguous",
  candidates,
});

test.each<[string, Partial<ClusterQuestion>, string | ClusterLookup]>([
  ["a named EC of the own namespace comes first", { reference: "ec" }, "apps/ec"],
  ["then the operator's namespace", { reference: "big" }, "engine/big"],
  ["the own one is the operator's", { reference: "ec", namespace: "engine" }, "engine/ec"],
  ["the only EC", { all: [ec("engine", "ec"), ec("other", "x")] }, "engine/ec"],
  ["the only EC of the own namespace", { all: [ec("apps", "mine")] }, "apps/mine"],
  ["one namespace once", { namespace: "engine", all: [ec("engine", "ec")] }, "engine/ec"],
  ["a name that is in neither", { reference: "gone" }, missing("gone", "apps", "engine")],
  [
    "another namespace's EC is never taken",
    { reference: "ec", all: [ec("other", "ec")] },
    missing("ec", "apps", "engine"),
  ],
  ["a name like others", { reference: "__proto__" }, missing("__proto__", "apps", "engine")],
  ["no EC", { all: [], namespace: "engine" }, missing(undefined, "engine")],
  ["no operator namespace", { all: [], operatorNamespace: "" }, missing(undefined, "apps")],
  ["several: never a random one", {}, ambiguous("apps/ec", "engine/big", "engine/ec")],
  [
    "one in each of the two namespaces",
    { all: [ec("engine", "a"), ec("apps", "b")] },
    ambiguous("apps/b", "engine/a"),
  ],
])("the EC of a database: %s", (_title, question, expected) => {
  const all = [ec("other", "ec"), ec("engine", "ec"), ec("apps", "ec"), ec("engine", "big")];
  const asked = { reference: undefined, namespace: "apps", operatorNamespace: "engine", all };
  const found = lookUpCluster({ ...asked, ...question });
  const lookup = found.is === "found" ? clusterKey(found.cluster) : found;
  expect(lookup).toEqual(expected);
});
