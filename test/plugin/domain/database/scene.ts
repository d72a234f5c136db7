/** Databases of every kind as facts: each test changes what it is about. */
import type { ApiDatabase } from "../../../../plugin/domain/rest-api/records";
import { type DatabaseTarget, selectDatabases } from "../../../../plugin/domain/database/target";
import type { FactKey, Facts } from "../../../../plugin/domain/facts/facts";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { anEc, anOperator, factsOf, newTag, ns } from "../engine-cluster/scene";

type Fields = Readonly<Record<string, unknown>>;

export const bundled = ["7.2", "7.4", "8.0", "8.2"].map((version) => ({
  dbType: "engine",
  version,
}));

/** The EC of the operator's own release, Running. */
export function upgradedEc(spec: Fields = {}, status: Fields = {}): KubeObject {
  return anEc(
    { engineEnterpriseImageSpec: { versionTag: newTag }, ...spec },
    { bundledDatabaseVersions: bundled, ...status },
  );
}

export interface Parts {
  readonly spec?: Fields;
  readonly status?: Fields;
  readonly metadata?: Fields;
}

/** An EDB at 7.2, active. */
export function anEdb(name = "orders", { spec, status, metadata }: Parts = {}): KubeObject {
  return {
    apiVersion: "app.engine.com/v1alpha1",
    kind: "EngineEnterpriseDatabase",
    metadata: { name, namespace: ns, uid: `${name}-uid`, generation: 1, ...metadata },
    spec: { engineVersion: "7.2", replication: true, ...spec },
    status: {
      databaseUID: "1",
      version: "7.2.0",
      status: "active",
      specStatus: "Valid",
      observedGeneration: 1,
      ...status,
    },
  };
}

/** An EAADB at 7.2 on two clusters, with its instance here. */
export function anEaadb({ spec, status, metadata }: Parts = {}): KubeObject {
  return {
    apiVersion: "app.engine.com/v1alpha1",
    kind: "EngineEnterpriseActiveActiveDatabase",
    metadata: { name: "carts", namespace: ns, uid: "carts-uid", generation: 1, ...metadata },
    spec: {
      participatingClusters: [{ name: "here" }, { name: "there" }],
      globalConfigurations: { engineVersion: "7.2", replication: true },
      ...spec,
    },
    status: {
      status: "active",
      specStatus: "Valid",
      replicationStatus: "up",
      linkedEdbs: ["carts-here"],
      ...status,
    },
  };
}

type Objects = Partial<Record<FactKey, readonly KubeObject[]>>;

export function sceneOf(objects: Objects = {}): Facts {
  return factsOf({
    deployments: [anOperator()],
    ecs: [upgradedEc()],
    edbs: [anEdb()],
    ...objects,
  });
}

/** The one database of the scene, as it was named or taken with all. */
export function targetIn(facts: Facts, names: readonly string[] = []): DatabaseTarget {
  const { targets } = selectDatabases(facts, { names, everywhere: true, via: "resource" });
  const [target] = targets;
  if (target === undefined) throw new Error("the scene has no such database");
  return target;
}

export function aBdb(parts: Partial<ApiDatabase> = {}): ApiDatabase {
  return {
    uid: 1,
    name: "orders",
    status: "active",
    version: "7.2.4",
    engineVersion: undefined,
    replication: true,
    dataPersistence: "aof",
    modules: [],
    crdt: undefined,
    crdtGuid: undefined,
    port: undefined,
    endpoints: [],
    shards: 2,
    actionUid: undefined,
    sent: {},
    ...parts,
  };
}
