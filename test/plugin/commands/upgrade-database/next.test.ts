import {
  databasesStatus,
  databaseStep,
  listVersionRows,
} from "../../../../plugin/commands/upgrade-database/next";
import { describeSituation } from "../../../../plugin/domain/checks/context";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { anOperator, factsOf } from "../../domain/engine-cluster/scene";
import { anEaadb, anEdb, upgradedEc } from "../../domain/database/scene";

const stepFor = (edbs: readonly KubeObject[]) => {
  const facts = factsOf({ ecs: [upgradedEc()], deployments: [anOperator()], edbs });
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

test("the next step says whose data stands against it", () => {
  const spec = { replication: false };
  const step = stepFor([anEdb("orders", { spec })]);
  expect(step?.words).toBeUndefined();
  expect(step?.says).toContain("neither replicated nor persistent");
});

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
