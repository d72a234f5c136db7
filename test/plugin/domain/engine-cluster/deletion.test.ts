import { defaultNames } from "../../../../plugin/domain/names/names";
import { diagnose } from "../../../../plugin/domain/diagnosis/diagnose";
import { ownClusters } from "../../../../plugin/domain/engine-cluster/operator";
import { groundList } from "../../../../plugin/domain/engine-cluster/symptoms";
import { findDeletion, isDeleting, renderDeletion } from "../../../../plugin/domain/kube/deletion";
import { type FactKey, factKeys, type Facts } from "../../../../plugin/domain/facts/facts";
import type { KubeObject, ObjectMeta } from "../../../../plugin/domain/kube/objects";

const since = "2026-11-25T10:00:00Z";
const one = (kind: string, metadata: ObjectMeta, rest: object = {}): KubeObject => ({
  ...{ apiVersion: "v1", kind, metadata },
  ...rest,
});
const factsOf = (
  objects: Partial<Record<FactKey, readonly KubeObject[]>>,
  unread: readonly FactKey[] = [],
): Facts => ({
  ...{ names: defaultNames, now: 0, namespace: "db", apiServer: undefined },
  objects: {
    ...Object.fromEntries(factKeys.map((key) => [key, []])),
    ...objects,
  } as unknown as Facts["objects"],
  unserved: new Set(),
  unread: new Map(unread.map((key) => [key, "refused"])),
});

test.each<[string, KubeObject, [boolean, string]]>([
  ["an object that stays", one("Role", { name: "a" }), [false, "it is being deleted"]],
  [
    "one with a time and two finalizers",
    one("Role", { name: "a", deletionTimestamp: since, finalizers: ["x", "y", "x"] }),
    [true, `it is being deleted since ${since}, held by finalizers x, y`],
  ],
  [
    "a namespace whose phase says so",
    one(
      "Namespace",
      { name: "a" },
      { spec: { finalizers: ["kubernetes"] }, status: { phase: "Terminating" } },
    ),
    [true, "it is being deleted, held by finalizer kubernetes"],
  ],
  [
    "a definition whose condition says so",
    one(
      "CustomResourceDefinition",
      { name: "a" },
      { status: { conditions: [{ type: "Terminating", status: "True" }] } },
    ),
    [true, "it is being deleted"],
  ],
])("%s", (_name, object, [is, says]) => {
  expect([isDeleting(object), renderDeletion(object)]).toEqual([is, says]);
  expect(findDeletion(object)?.code).toBe(is ? "OBJECT-DELETING" : undefined);
});

test("what does not exist is not being deleted", () => {
  expect(findDeletion(undefined)).toBeUndefined();
});

const going = { deletionTimestamp: since };
const crd = (plural: string, group = "app.engine.com"): KubeObject =>
  one("CustomResourceDefinition", { name: `${plural}.${group}`, ...going }, { spec: { group } });
const ec = (name: string, metadata: ObjectMeta = {}, namespace = "db"): KubeObject =>
  one("EngineEnterpriseCluster", { name, namespace, ...metadata });
const edb = (name: string, cluster: string, metadata: ObjectMeta = {}): KubeObject =>
  one(
    "EngineEnterpriseDatabase",
    { name, namespace: "db", ...metadata },
    { spec: { engineEnterpriseCluster: { name: cluster } } },
  );
const told = (facts: Facts) =>
  diagnose(groundList, { facts, clusters: ownClusters(facts) }).findings.map(
    ({ code, object, cause }) => [code, object, cause],
  );

test.each<[string, Facts, readonly (readonly string[])[]]>([
  [
    "nothing goes",
    factsOf({ ecs: [ec("one")], namespaces: [one("Namespace", { name: "db" })] }),
    [],
  ],
  [
    "a definition with its objects and what holds those",
    factsOf({
      definitions: [crd("engineenterprisedatabases")],
      edbs: [edb("orders", "one", { finalizers: ["hold"] }), edb("bills", "one")],
    }),
    [
      [
        "DEFINITION-DELETING",
        "CustomResourceDefinition/engineenterprisedatabases.app.engine.com",
        `it is being deleted since ${since}; with it go 2 EDBs (db/orders, db/bills), held by finalizer hold`,
      ],
    ],
  ],
  [
    "a definition whose objects may not be listed",
    factsOf({ definitions: [crd("engineenterpriseclusters")] }, ["ecs"]),
    [
      [
        "DEFINITION-DELETING",
        "CustomResourceDefinition/engineenterpriseclusters.app.engine.com",
        `it is being deleted since ${since}; with it go every EC (they may not be listed)`,
      ],
    ],
  ],
  [
    "a definition of the group that the names do not know, and none of another group",
    factsOf({ definitions: [crd("novelties"), crd("novelties", "example.com")] }),
    [
      [
        "DEFINITION-DELETING",
        "CustomResourceDefinition/novelties.app.engine.com",
        `it is being deleted since ${since}`,
      ],
    ],
  ],
  [
    "the operator's namespace with what is in it, and no other one",
    factsOf({
      namespaces: [
        one("Namespace", { name: "db", ...going }),
        one("Namespace", { name: "shop", ...going }),
      ],
      ecs: [ec("one"), ec("two", {}, "elsewhere")],
    }),
    [
      [
        "NAMESPACE-DELETING",
        "Namespace/db",
        `it is being deleted since ${since}; with it go 1 EC (db/one)`,
      ],
    ],
  ],
  [
    "an EC with its own databases, and none of another namespace",
    factsOf({
      ecs: [ec("one", going), ec("two"), ec("three", going, "elsewhere")],
      edbs: [edb("orders", "one"), edb("bills", "two"), edb("lost", "gone")],
    }),
    [
      [
        "CLUSTER-DELETING",
        "EngineEnterpriseCluster/db/one",
        `it is being deleted since ${since}; with it go 1 EDB (db/orders)`,
      ],
    ],
  ],
])("%s", (_name, facts, expected) => {
  expect(told(facts)).toEqual(expected);
});
