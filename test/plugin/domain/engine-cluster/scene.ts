/** A namespace with an operator, an EC and its pods, as facts: each test changes what it is about. */
import { type FactKey, factKeys, type Facts } from "../../../../plugin/domain/facts/facts";
import { defaultNames } from "../../../../plugin/domain/names/names";
import type {
  Container,
  Deployment,
  Pod,
  StatefulSet,
} from "../../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";

export const now = Date.parse("2026-08-01T10:15:30.000Z");
export const ns = "engine";
export const oldTag = "7.22.0-28";
export const newTag = "8.0.2-17";

type Fields = object;

/** Facts of the lists given; all others were read and are empty. */
export function factsOf(
  objects: Partial<Record<FactKey, readonly KubeObject[]>>,
  rest: Partial<Facts> = {},
): Facts {
  const none = Object.fromEntries(factKeys.map((key) => [key, [] as readonly KubeObject[]]));
  return {
    names: defaultNames,
    now,
    namespace: ns,
    apiServer: "v1.34.1",
    objects: { ...none, clusterVersions: [openShift], ...objects } as Facts["objects"],
    unserved: new Set(),
    unread: new Map(),
    ...rest,
  };
}

const openShift: KubeObject = {
  apiVersion: "config.openshift.io/v1",
  kind: "ClusterVersion",
  metadata: { name: "version" },
  status: { desired: { version: "4.20.1" } },
};

export function anEc(spec: Fields = {}, status: Fields = {}, metadata: Fields = {}): KubeObject {
  return {
    apiVersion: "app.engine.com/v1",
    kind: "EngineEnterpriseCluster",
    metadata: { name: "ec", namespace: ns, uid: "ec-uid", generation: 1, ...metadata },
    spec: {
      nodes: 3,
      engineEnterpriseImageSpec: {
        repository: "engine/engine",
        versionTag: oldTag,
        imagePullPolicy: "IfNotPresent",
      },
      ...spec,
    },
    status: {
      state: "Running",
      specStatus: "Valid",
      licenseStatus: { licenseState: "Valid" },
      ...status,
    },
  };
}

export function anOperator(tag = "8.0.2-2", ready = 1): Deployment {
  const container = { name: "engine-enterprise-operator", image: `engine/operator:${tag}` };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "engine-enterprise-operator", namespace: ns, generation: 1 },
    spec: { replicas: 1, template: { spec: { containers: [container, { name: "admission" }] } } },
    status: {
      observedGeneration: 1,
      readyReplicas: ready,
      updatedReplicas: ready,
      availableReplicas: ready,
    },
  };
}

export function aSet(tag = newTag, spec: Fields = {}, status: Fields = {}): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "ec", namespace: ns, uid: "set-uid", generation: 2 },
    spec: {
      replicas: 3,
      template: { spec: { containers: [nodeContainer(tag), { name: "other" }] } },
      ...spec,
    },
    status: { observedGeneration: 2, updateRevision: "new", ...status },
  };
}

export function nodeContainer(tag: string, repository = "engine/engine"): Container {
  const name = defaultNames.pods.container;
  return { name, image: `${repository}:${tag}`, imagePullPolicy: "IfNotPresent" };
}

export interface PodWish {
  readonly tag?: string;
  readonly revision?: string;
  readonly ready?: boolean;
  readonly status?: Fields;
  readonly metadata?: Fields;
}

export function aPod(ordinal: number, wish: PodWish = {}): Pod {
  const { tag = newTag, revision = "new", ready = true, status = {}, metadata = {} } = wish;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `ec-${ordinal}`,
      namespace: ns,
      uid: `pod-${ordinal}`,
      labels: { "controller-revision-hash": revision },
      ownerReferences: [{ kind: "StatefulSet", name: "ec", uid: "set-uid" }],
      ...metadata,
    },
    spec: { containers: [nodeContainer(tag), { name: "other" }] },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
      ...status,
    },
  };
}

export const threePods = [aPod(0), aPod(1), aPod(2)];

export function aDatabase(name: string, spec: Fields = {}, status: Fields = {}): KubeObject {
  return {
    apiVersion: "app.engine.com/v1alpha1",
    kind: "EngineEnterpriseDatabase",
    metadata: { name, namespace: ns },
    spec: { engineVersion: "7.4", ...spec },
    status,
  };
}
