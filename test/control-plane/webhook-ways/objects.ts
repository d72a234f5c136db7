/** What belongs to the way of a call and is not in every scene: the pods, and the neighbours of the webhook. */
import type { KubeObject } from "../api";
import { operatorDeployment, operatorName, serviceName } from "../operator";

interface Container {
  readonly name: string;
  readonly image: string;
  readonly ports: readonly { readonly containerPort: number }[];
}

function podSpecOf(namespace: string): { readonly containers: readonly Container[] } {
  const { spec } = operatorDeployment(namespace) as unknown as {
    readonly spec: {
      readonly template: { readonly spec: { readonly containers: readonly Container[] } };
    };
  };
  return spec.template.spec;
}

const hash = "7c9f8d6b5";
const labels = { app: "engine-enterprise", name: operatorName, "pod-template-hash": hash };
const since = "2026-01-01T00:00:00Z";

export const podName = `${operatorName}-${hash}-x2m4q`;
export const podAddress = "192.0.2.10";
export const nodeAddress = "192.0.2.1";

const ownedBy = ({ apiVersion, kind, metadata: { name, uid = "" } }: KubeObject): object => ({
  ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
});

/** The pods' owner, as the Deployment's controller makes it. */
export function replicaSet(namespace: string, deployment: KubeObject): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${operatorName}-${hash}`,
      namespace,
      labels,
      annotations: { "deployment.kubernetes.io/revision": "1" },
      ...ownedBy(deployment),
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: { name: operatorName, "pod-template-hash": hash } },
      template: { metadata: { labels }, spec: podSpecOf(namespace) },
    },
  };
}

export interface PodOptions {
  readonly name?: string;
  readonly address?: string;
  readonly hostNetwork?: boolean;
  readonly ready?: boolean;
}

/** A pod of the operator, with the container that serves the webhook. */
export function pod(owner: KubeObject, options: PodOptions): KubeObject {
  const { name = podName, address = podAddress, hostNetwork = false, ready = true } = options;
  const { namespace = "" } = owner.metadata;
  const spec = podSpecOf(namespace);
  const conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({
    type,
    status: ready || !type.endsWith("Ready") ? "True" : "False",
    lastTransitionTime: since,
  }));
  const containerStatuses = spec.containers.map((one) => ({
    name: one.name,
    image: one.image,
    imageID: `${one.image}@sha256:0`,
    ready: ready || one.name !== "admission",
    started: true,
    restartCount: 0,
    state: { running: { startedAt: since } },
  }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels, ...ownedBy(owner) },
    spec: {
      ...spec,
      containers: hostNetwork ? spec.containers.map(atHostPorts) : spec.containers,
      nodeName: "node-1",
      hostNetwork,
    },
    status: {
      phase: "Running",
      podIP: address,
      podIPs: [{ ip: address }],
      hostIP: nodeAddress,
      startTime: since,
      conditions,
      containerStatuses,
    },
  };
}

const atHostPorts = ({ ports, ...container }: Container): object => ({
  ...container,
  ports: ports.map((port) => ({ ...port, hostPort: port.containerPort })),
});

export interface EndpointLike {
  readonly address?: string;
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly pod?: string;
}

/** The endpoints of the Service `admission`. */
export function slice(
  namespace: string,
  endpoints: readonly EndpointLike[] = [{}],
  port = 8443,
): KubeObject {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${serviceName}-1`,
      namespace,
      labels: { "kubernetes.io/service-name": serviceName },
    },
    addressType: "IPv4",
    endpoints: endpoints.map(
      ({ address = podAddress, ready = true, serving = ready, pod: name = podName }) => ({
        addresses: [address],
        conditions: { ready, serving, terminating: false },
        nodeName: "node-1",
        targetRef: { kind: "Pod", namespace, name },
      }),
    ),
    ports: [{ name: "https", port, protocol: "TCP" }],
  };
}

/** Keeps all but the pods of its namespace away. */
export function policyOfNetwork(namespace: string): KubeObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "same-namespace", namespace },
    spec: { podSelector: {}, policyTypes: ["Ingress"], ingress: [{ from: [{ podSelector: {} }] }] },
  };
}

/** Databases of which the expression is not true are refused. */
export function admissionPolicy(
  name: string,
  operations: readonly string[],
  expression: string,
): readonly [policy: KubeObject, binding: KubeObject] {
  const apiVersion = "admissionregistration.k8s.io/v1";
  return [
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ["app.engine.com"],
              apiVersions: ["*"],
              operations,
              resources: ["engineenterprisedatabases"],
            },
          ],
        },
        validations: [{ expression, message: `the rules of ${name}` }],
      },
    },
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ];
}

export const countName = "count/engineenterprisedatabases.app.engine.com";

export function quota(namespace: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "databases", namespace },
    spec: { hard: { [countName]: "4" } },
  };
}
