import {
  databasesStatus,
  databaseStep,
  listVersionRows,
} from "../../../../plugin/commands/upgrade-database/next";
import { describeSituation } from "../../../../plugin/domain/checks/context";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { anOperator, factsOf } from "../../domain/engine-cluster/scene";
import { anEaadb, anEdb, type Parts, upgradedEc } from "../../domain/database/scene";

const stepFor = (edbs: readonly KubeObject[]) => {
  const configMaps = [
    {
      ...{ apiVersion: "v1", kind: "ConfigMap", data: { EDB_NAMESPACES: "team-b" } },
      metadata: { name: "operator-environment-config", namespace: "engine" },
    },
  ];
  const facts = factsOf({ ecs: [upgradedEc()], deployments: [anOperator()], configMaps, edbs });
  const situation = describeSituation(facts, {});
  const [databases, activeActive] = [
    databasesStatus(situation, "edb"),
    databasesStatus(situation, "eaadb"),
  ];
  return databaseStep({ databases, activeActive, situation });
};

test("the next step keeps the channel that another database is on", () => {
  const active = { status: { version: "8.2.0" } };
  const follow = anEdb("follow", { spec: { engineVersion: "latest" }, ...active });
  expect(stepFor([anEdb()])?.words).toEqual(["upgrade-database", "--all", "--engine-version=8.2"]);
  expect(stepFor([anEdb(), follow])?.words).toEqual([
    "upgrade-database",
    "engine/orders",
    "--engine-version=8.2",
  ]);
});

test("the next step names all namespaces where a database of another one is below", () => {
  const step = stepFor([anEdb("orders", { metadata: { namespace: "team-b" } })]);
  expect(step?.words).toEqual([
    ...["upgrade-database", "--all", "--engine-version=8.2", "--all-namespaces"],
  ]);
});

test("the next step says whose data stands against it", () => {
  const spec = { replication: false };
  const step = stepFor([anEdb("orders", { spec })]);
  expect(step?.words).toBeUndefined();
  expect(step?.says).toContain("neither replicated nor persistent");
});

test.each<[string, Parts, object]>([
  [
    "being created for days",
    { status: { status: "pending" }, metadata: { creationTimestamp: "2026-11-23T12:00:00Z" } },
    { is: "stalled", code: "DATABASE-BUSY" },
  ],
  ["being created", { status: { status: "pending" } }, { is: "moving" }],
  ["without a state", { status: { status: undefined } }, { is: "moving" }],
  ["whose state is no text", { status: { status: 5 } }, { is: "moving" }],
  ["whose spec status is no text", { status: { specStatus: 5 } }, { is: "stalled" }],
])("a database %s is not called active", (_title, parts, verdict) => {
  const facts = {
    ...factsOf({ ecs: [upgradedEc()], edbs: [anEdb("orders", parts), anEdb("b")] }),
    now: Date.parse("2026-11-28T12:00:00Z"),
  };
  expect(databasesStatus(describeSituation(facts, {}), "edb").verdict).toMatchObject(verdict);
});

test("what does not end by waiting leads, whatever else is on its way", () => {
  const facts = factsOf({
    ecs: [upgradedEc()],
    edbs: [
      anEdb("a", { status: { status: "import-pending" } }),
      anEdb("b", { status: { status: "creation-failed" } }),
      anEdb("c", { status: { specStatus: "Invalid", status: "import-pending" } }),
    ],
  });
  const { pending, refused, verdict } = databasesStatus(describeSituation(facts, {}), "edb");
  expect([pending, refused].map((all) => all.map(({ name }) => name))).toEqual([
    ["engine/a"],
    ["engine/b", "engine/c"],
  ]);
  expect(verdict).toMatchObject({ is: "stalled", code: "DATABASE-SPEC-INVALID" });
});

test("the rows of the listing name each pair of versions, and say where there is none", () => {
  const versions = [
    { wanted: "8.0", running: "7.4", count: 5, first: ["a/one", "a/two", "b/one"] },
    { count: 1, first: ["b/two"] },
  ];
  expect(listVersionRows("EDB", { versions })).toEqual([
    ["EDB", "8.0", "7.4", "5", "a/one,a/two,b/one and 2 more"],
    ["EDB", "<none>", "unknown", "1", "b/two"],
  ]);
});

test("an active-active database runs what its instances of its own namespace run", () => {
  const at = (version: string, namespace: string): KubeObject =>
    anEdb("carts-here", { metadata: { namespace }, status: { version } });
  const facts = factsOf({
    ecs: [upgradedEc()],
    deployments: [anOperator()],
    edbs: [at("8.0.1", "engine"), at("7.4.2", "elsewhere")],
    eaadbs: [anEaadb()],
  });
  const { versions } = databasesStatus(describeSituation(facts, {}), "eaadb");
  expect(versions).toMatchObject([{ running: "8.0", count: 1 }]);
});
