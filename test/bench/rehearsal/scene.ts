/** What the benchmarks of the rehearsal are made on: databases as an operator leaves them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocuments } from "../../../plugin/adapters/kubernetes/text/yaml";
import type { CustomResourceDefinition } from "../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { ofKind } from "../../../plugin/domain/kube/typed";

const folder = join(__dirname, "../../../manifests/crds");

/** The definitions of the product's kinds. */
export function definitions(): readonly CustomResourceDefinition[] {
  const documents = readdirSync(folder).flatMap((file) =>
    parseDocuments(readFileSync(join(folder, file), "utf8"), file),
  );
  return ofKind(documents as readonly KubeObject[], "CustomResourceDefinition");
}

/** A namespace as a cluster stores it. */
export function namespaceNumber(n: number): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      ...identity(n),
      name: `team-${n}`,
      labels: { "kubernetes.io/metadata.name": `team-${n}` },
    },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  };
}

/** One database of many: about as long as those of a real cluster. */
export function databaseNumber(n: number, namespaces: number): KubeObject {
  const apiVersion = "app.engine.com/v1alpha1";
  const kind = "EngineEnterpriseDatabase";
  const name = `db-${n}`;
  const namespace = `team-${n % namespaces}`;
  const spec = {
    engineEnterpriseCluster: { name: "ec" },
    memorySize: "2GB",
    shardCount: 2,
    replication: true,
    persistence: "aofEverySecond",
    databaseSecretName: `${name}-credentials`,
    databasePort: 10_000 + (n % 10_000),
    evictionPolicy: "volatile-lru",
    engineVersion: "7.2",
    modulesList: [
      { name: "search", version: "2.8" },
      { name: "ReJSON", version: "2.6" },
    ],
  };
  const applied = { apiVersion, kind, metadata: { annotations: {}, name, namespace }, spec };
  return {
    apiVersion,
    kind,
    metadata: {
      ...identity(n),
      name,
      namespace,
      generation: 3,
      finalizers: ["finalizer.engineenterprisedatabases.app.engine.com"],
      labels: { app: "shop", "app.kubernetes.io/managed-by": "helm" },
      annotations: {
        "kubectl.kubernetes.io/last-applied-configuration": `${JSON.stringify(applied)}\n`,
      },
    },
    spec,
    status: {
      status: "active",
      specStatus: "Valid",
      version: "7.2",
      databaseUID: String(n),
      shardStatuses: { active: 2 },
    },
  };
}

function identity(n: number) {
  return {
    creationTimestamp: "2026-03-01T10:00:00Z",
    resourceVersion: String(1000 + n),
    uid: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
  };
}
