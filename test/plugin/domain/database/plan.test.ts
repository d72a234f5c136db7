import { formatEngineVersion } from "../../../../plugin/domain/base/versions";
import { type DatabaseWish, planDatabase } from "../../../../plugin/domain/database/plan";
import type { Facts } from "../../../../plugin/domain/facts/facts";
import type { Finding } from "../../../../plugin/domain/base/findings";
import { anEc, anOperator, oldTag } from "../engine-cluster/scene";
import { anEaadb, anEdb, sceneOf, targetIn, upgradedEc } from "./scene";

const codes = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ code }) => code.replace("DATABASE-", ""));

function plan(facts: Facts, wish: Partial<DatabaseWish> = {}, names: readonly string[] = []) {
  return planDatabase(facts, targetIn(facts, names), { version: "8.0", via: "resource", ...wish });
}

test("one field is written, and nothing stands against it", () => {
  const { edits, blocks, warnings, busy, owned, version, runs } = plan(sceneOf());
  expect(edits).toEqual([{ path: ["spec", "engineVersion"], from: "7.2", to: "8.0" }]);
  expect([blocks, warnings, busy, owned]).toEqual([[], [], [], []]);
  expect([runs, version]).toEqual([
    { major: 7, minor: 2 },
    { major: 8, minor: 0 },
  ]);
});

test("a spec that is absent is made", () => {
  const edb = { ...anEdb(), spec: undefined };
  expect(plan(sceneOf({ edbs: [edb] })).edits).toEqual([
    { path: ["spec", "engineVersion"], from: undefined, to: "8.0" },
  ]);
});

describe("an active-active database is written where it asks (S61, C8)", () => {
  const inSpec = ["spec", "engineVersion"];
  const inGlobal = ["spec", "globalConfigurations", "engineVersion"];
  const both = (engineVersion: string) => ({
    engineVersion,
    globalConfigurations: { engineVersion: "7.2", replication: true },
  });

  test.each<
    [string, Readonly<Record<string, unknown>>, readonly (readonly string[])[], readonly string[]]
  >([
    ["in its global configurations", {}, [inGlobal], []],
    [
      "in its spec",
      { engineVersion: "7.2", globalConfigurations: { replication: true } },
      [inSpec],
      [],
    ],
    ["in both", both("7.2"), [inSpec, inGlobal], []],
    ["in both, at odds", both("7.4"), [inSpec, inGlobal], ["TWO-VERSIONS"]],
    ["in both, one there already", both("8.0"), [inGlobal], ["TWO-VERSIONS"]],
  ])("%s", (_title, ...[spec, paths, warnings]) => {
    const planned = plan(sceneOf({ edbs: [], eaadbs: [anEaadb({ spec })] }));
    expect(planned.edits.map(({ path, to }) => [path, to])).toEqual(
      paths.map((path) => [path, "8.0"]),
    );
    expect([planned.blocks, codes(planned.warnings)]).toEqual([[], warnings]);
  });
});

test.each<[string, Partial<DatabaseWish>, unknown, string | undefined]>([
  ["a channel is written as it is", { version: "major" }, "major", "8.0"],
  ["by the REST API it is its number", { version: "major", via: "api" }, "8.0", "8.0"],
  ["latest is the newest of the EC", { version: "latest" }, "8.2", "8.2"],
  [
    "by the REST API it is written after the call",
    { version: "latest", via: "api" },
    undefined,
    "8.2",
  ],
])("%s", (_title, ...[wish, to, version]) => {
  const planned = plan(sceneOf(), wish);
  expect(planned.edits[0]?.to).toBe(to);
  const { major, minor } = planned.version ?? {};
  expect(version && `${major ?? ""}.${minor ?? ""}`).toBe(version);
});

test("modules stay as they are, and that they follow is told (S63)", () => {
  const spec = { modulesList: [{ name: "search", version: "2.6" }] };
  const { edits, warnings } = plan(sceneOf({ edbs: [anEdb("orders", { spec })] }));
  expect(edits.length).toBe(1);
  expect(codes(warnings)).toEqual(["MODULES-FOLLOW"]);
});

test.each<[string, Facts, Partial<DatabaseWish>, readonly string[]]>([
  ["a version that the EC has not", sceneOf(), { version: "9.0" }, ["EDIT-REFUSED"]],
  [
    "a minor one under policy major",
    sceneOf({ ecs: [upgradedEc({ engineUpgradePolicy: "major" })] }),
    { version: "8.2" },
    ["EDIT-REFUSED"],
  ],
  [
    "a module that nothing defines",
    sceneOf({ edbs: [anEdb("orders", { spec: { modulesList: [{ name: "rg" }] } })] }),
    {},
    ["EDIT-REFUSED"],
  ],
  [
    "one that is being deleted",
    sceneOf({
      edbs: [anEdb("orders", { metadata: { deletionTimestamp: "2026-08-01T00:00:00Z" } })],
    }),
    {},
    ["DELETING"],
  ],
])("is blocked: %s", (_title, ...[facts, wish, expected]) => {
  expect(codes(plan(facts, wish).blocks)).toEqual(expected);
});

test.each<[string, Facts, readonly string[]]>([
  [
    "another type",
    sceneOf({ edbs: [anEdb("orders", { spec: { type: "memcached" } })] }),
    ["OTHER-TYPE"],
  ],
  [
    "an instance",
    sceneOf({ edbs: [anEdb("orders", { status: { activeActive: { name: "x" } } })] }),
    ["IS-INSTANCE"],
  ],
  [
    "no EC",
    sceneOf({ edbs: [anEdb("orders", { spec: { engineEnterpriseCluster: { name: "no" } } })] }),
    ["CLUSTER-UNKNOWN"],
  ],
  [
    "an EC of another operator",
    sceneOf({
      ecs: [anEc({}, {}, { namespace: "shop" })],
      edbs: [anEdb("orders", { metadata: { namespace: "shop" } })],
    }),
    ["CLUSTER-UNKNOWN"],
  ],
])("a database that was named is blocked: %s", (_title, facts, expected) => {
  const namespace = facts.objects.edbs[0]?.metadata.namespace ?? "";
  const { blocks } = plan(facts, {}, [`${namespace}/orders`]);
  expect(codes(blocks).slice(0, 1)).toEqual(expected);
});

describe("a database that runs more than is asked for", () => {
  const facts = sceneOf({ edbs: [anEdb("orders", { status: { version: "8.2.1" } })] });

  test("is passed over with a warning", () => {
    const { passedOver, edits, blocks, warnings } = plan(facts);
    expect([passedOver, edits, blocks, codes(warnings)]).toEqual([true, [], [], ["NEWER"]]);
    expect(warnings[0]?.cause).toContain("it runs 8.2, later than 8.0");
  });

  test("is refused when it was named", () => {
    const { passedOver, blocks } = plan(facts, {}, ["orders"]);
    expect([passedOver, codes(blocks)]).toEqual([false, ["LOWER"]]);
  });

  test("is known by its spec where the status tells none", () => {
    const spec = { globalConfigurations: { engineVersion: "8.2" } };
    expect(plan(sceneOf({ edbs: [], eaadbs: [anEaadb({ spec })] })).passedOver).toBe(true);
  });

  test("is content with a channel", () => {
    expect(plan(facts, { version: "major" }).passedOver).toBe(false);
  });
});

test("a lower number than the spec's passes the rules with their warning", () => {
  const edb = anEdb("orders", { spec: { engineVersion: "8.2" }, status: { version: "7.4.1" } });
  expect(codes(plan(sceneOf({ edbs: [edb] })).warnings)).toEqual(["RULES-WARNING"]);
});

test.each<[string, Facts, readonly string[]]>([
  ["no state", sceneOf({ ecs: [upgradedEc({}, { state: undefined })] }), ["CLUSTER-NOT-RUNNING"]],
  ["Upgrade", sceneOf({ ecs: [upgradedEc({}, { state: "Upgrade" })] }), ["CLUSTER-NOT-RUNNING"]],
  [
    "behind its operator",
    sceneOf({ ecs: [upgradedEc({ engineEnterpriseImageSpec: { versionTag: oldTag } })] }),
    ["SUSPENDED"],
  ],
  [
    "behind, and upgraded by itself",
    sceneOf({
      ecs: [
        upgradedEc({
          engineEnterpriseImageSpec: { versionTag: oldTag },
          upgradeSpec: { autoUpgradeEngineEnterprise: true },
        }),
      ],
    }),
    [],
  ],
  [
    "behind an operator of a later line whose cluster release is not known",
    sceneOf({ deployments: [anOperator("8.0.4-1")] }),
    ["SUSPENDED"],
  ],
])("the EC is looked at first: %s", (_title, facts, expected) => {
  expect(codes(plan(facts).busy)).toEqual(expected);
});

test("another owner is told", () => {
  const metadata = { labels: { "app.kubernetes.io/managed-by": "Helm" } };
  const { owned } = plan(sceneOf({ edbs: [anEdb("orders", { metadata })] }));
  expect(codes(owned)).toEqual(["OWNED"]);
});

describe("what is not told", () => {
  const fresh = anEdb("orders", {
    spec: { engineVersion: "major" },
    status: { version: undefined },
  });

  test.each<[string, Facts, Partial<DatabaseWish>, readonly string[]]>([
    ["the version that runs", sceneOf({ edbs: [fresh] }), { version: "7.4" }, ["RUNS-UNKNOWN"]],
    ["the same, where nothing is written", sceneOf({ edbs: [fresh] }), { version: "major" }, []],
    ["the same, by the REST API", sceneOf({ edbs: [fresh] }), { version: "8.0", via: "api" }, []],
    [
      "the versions of the EC",
      sceneOf({ ecs: [upgradedEc({}, { bundledDatabaseVersions: [] })] }),
      { version: "latest" },
      ["LATEST-UNKNOWN"],
    ],
    [
      "the same before the REST API is asked",
      sceneOf({ ecs: [upgradedEc({}, { bundledDatabaseVersions: [] })] }),
      { version: "latest", via: "api" },
      [],
    ],
  ])("%s", (_title, ...[facts, wish, expected]) => {
    expect(codes(plan(facts, wish, ["orders"]).blocks)).toEqual(expected);
  });
});

test.each<[string, Parameters<typeof upgradedEc>[0], string, string, readonly string[]]>([
  ["the policy major", { engineUpgradePolicy: "major" }, "7.2", "8.0", []],
  ["the channel major", {}, "major", "8.0", []],
  ["neither", {}, "7.2", "8.2", []],
  ["the policy, where a later one runs", { engineUpgradePolicy: "major" }, "8.2", "8.0", ["LOWER"]],
])("latest by the REST API under %s", (_title, ...[policy, asks, expected, blocks]) => {
  const status = { version: asks === "major" ? "7.2.0" : `${asks}.0` };
  const edbs = [anEdb("orders", { spec: { engineVersion: asks }, status })];
  const facts = sceneOf({ edbs, ecs: [upgradedEc(policy)] });
  const planned = plan(facts, { version: "latest", via: "api" }, ["orders"]);
  expect(planned.version && formatEngineVersion(planned.version)).toBe(expected);
  expect([codes(planned.blocks), planned.edits]).toEqual([blocks, []]);
});

test.each<[string, string, string, string | undefined]>([
  ["a number replaces major", "major", "8.0", "major"],
  ["a channel replaces a channel", "latest", "major", undefined],
])("a channel that is left is told: %s", (_title, ...[engineVersion, version, leaves]) => {
  const facts = sceneOf({ edbs: [anEdb("orders", { spec: { engineVersion } })] });
  expect(plan(facts, { version }).leaves).toBe(leaves);
});

test.each([
  ["Upgrade", true],
  ["InvalidUpgrade", true],
  ["Initializing", false],
])("where the EC is in state %s the fix of a frozen upgrade is named: %s", (state, named) => {
  for (const via of ["resource", "api"] as const) {
    const facts = sceneOf({ ecs: [upgradedEc({}, { state })] });
    const [busy] = plan(facts, { via }).busy;
    expect(busy?.fix.includes("kubectl engine recover --ec ec -n engine")).toBe(named);
  }
});

describe("the state of a database is checked before its resource is written", () => {
  const inState = (status: unknown) => sceneOf({ edbs: [anEdb("orders", { status: { status } })] });

  test.each([
    ["import-pending", "BUSY"],
    ["active-change-pending", "BUSY"],
    ["pending", "BUSY"],
    ["resharding", "BUSY"],
    ["creation-failed", "FAILED"],
    ["import-failed", "FAILED"],
    ["recovery", "FAILED"],
    ["delete-pending", "DELETING"],
  ])("%s", (status, code) => {
    expect(codes(plan(inState(status)).blocks)).toEqual([code]);
  });

  test.each([["active"], [""], [undefined]])("%s is nothing to tell", (status) => {
    expect(codes(plan(inState(status)).blocks)).toEqual([]);
  });

  test("an active-active database too", () => {
    const facts = sceneOf({ edbs: [], eaadbs: [anEaadb({ status: { status: "pending" } })] });
    expect(codes(plan(facts).blocks)).toEqual(["BUSY"]);
  });

  test("what passes may be waited for, what stays may not", () => {
    const passing = plan(inState("import-pending"), { wait: true });
    expect([codes(passing.blocks), codes(passing.busy)]).toEqual([[], ["BUSY"]]);
    const lasting = plan(inState("creation-failed"), { wait: true });
    expect([codes(lasting.blocks), codes(lasting.busy)]).toEqual([["FAILED"], []]);
  });

  test("where nothing is to be written, or the REST API is called, it is not this plan's", () => {
    expect(codes(plan(inState("import-pending"), { version: "7.2" }).blocks)).toEqual([]);
    expect(codes(plan(inState("import-pending"), { via: "api" }).blocks)).toEqual([]);
  });
});
