/** A frozen EC with databases, as facts and as the REST API reports them. */
import type { ApiDatabase, InstalledModule } from "../../../../plugin/domain/rest-api/records";
import type { FactKey, Facts } from "../../../../plugin/domain/facts/facts";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { ApiFacts } from "../../../../plugin/domain/recovery/databases";
import { aDatabase, anEc, aSet, factsOf, newTag } from "../engine-cluster/scene";

type Fields = Readonly<Record<string, unknown>>;

/** An EC that is asked for the new tag; its pods are of the old one unless said. */
export function aFrozenEc(status: Fields = {}, spec: Fields = {}): KubeObject {
  const image = {
    repository: "engine/engine",
    versionTag: newTag,
    imagePullPolicy: "IfNotPresent",
  };
  return anEc({ engineEnterpriseImageSpec: image, ...spec }, { state: "Upgrade", ...status });
}

export function frozenFacts(
  objects: Partial<Record<FactKey, readonly KubeObject[]>>,
  ec = aFrozenEc(),
): Facts {
  return factsOf({ ecs: [ec], statefulSets: [aSet("7.22.0-28")], ...objects });
}

export function anEdb(name: string, spec: Fields = {}, status: Fields = {}): KubeObject {
  return aDatabase(name, { replication: true, ...spec }, { databaseUID: "1", ...status });
}

export function aBdb(fields: Partial<ApiDatabase> = {}): ApiDatabase {
  return {
    ...{ uid: 1, name: "orders", status: "active", version: "7.4.2", engineVersion: "7.4" },
    ...{ replication: true, dataPersistence: "aof", modules: [], crdt: false },
    ...{
      crdtGuid: undefined,
      port: undefined,
      endpoints: [],
      shards: 1,
      actionUid: undefined,
      sent: {},
    },
    ...fields,
  };
}

export function aModule(name: string, fields: Partial<InstalledModule> = {}): InstalledModule {
  return {
    ...{ uid: name, name, displayName: undefined, version: "1.0.0", platforms: undefined },
    ...{ minEngineVersion: undefined, compatibleEngineVersion: undefined, bundled: false },
    ...fields,
  };
}

export function anApi(facts: Partial<ApiFacts> = {}): ApiFacts {
  return { databases: [], modules: [], ...facts };
}
