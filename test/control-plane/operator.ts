import type { Api, KubeObject } from "./api";

export const operatorName = "engine-enterprise-operator";
export const serviceName = "admission";

const labels = { app: "engine-enterprise" };
const podLabels = { name: operatorName };

export function namespaceOf(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

export function admissionService(namespace: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: serviceName, namespace, labels },
    spec: {
      selector: podLabels,
      ports: [{ name: "https", port: 443, targetPort: 8443, protocol: "TCP" }],
    },
  };
}

/**
 * No controller writes endpoints here. The address is one reserved for documentation, since
 * loopback ones are refused; nobody contacts it, the API server goes to the Service's own address.
 */
export function admissionEndpoints(namespace: string, ready = true): KubeObject {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${serviceName}-1`,
      namespace,
      labels: { "kubernetes.io/service-name": serviceName },
    },
    addressType: "IPv4",
    endpoints: [
      { addresses: ["192.0.2.10"], conditions: { ready, serving: ready, terminating: false } },
    ],
    ports: [{ name: "https", port: 8443, protocol: "TCP" }],
  };
}

export function operatorDeployment(namespace: string, version = "8.0.20-23"): KubeObject {
  const image = `engine/operator:${version}`;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: operatorName, namespace, labels },
    spec: {
      replicas: 1,
      strategy: { type: "Recreate" },
      selector: { matchLabels: podLabels },
      template: {
        metadata: { labels: { ...labels, ...podLabels } },
        spec: {
          serviceAccountName: operatorName,
          containers: [
            { name: operatorName, image, ports: [{ containerPort: 8080 }] },
            { name: "admission", image, ports: [{ containerPort: 8443 }] },
          ],
        },
      },
    },
  };
}

/** Plays the Deployment's controller: reports all replicas of the present generation, or none. */
export async function writeOperatorStatus(
  api: Api,
  namespace: string,
  ready = true,
): Promise<void> {
  const ref = operatorDeployment(namespace);
  const deployment = await api.read(ref);
  const { generation = 1 } = (deployment?.metadata ?? {}) as { readonly generation?: number };
  const count = ready ? 1 : 0;
  const condition = (type: string, reason: string): object => ({
    type,
    status: ready ? "True" : "False",
    reason,
    message: "written by the test harness",
    lastTransitionTime: new Date().toISOString(),
    lastUpdateTime: new Date().toISOString(),
  });
  await api.writeStatus(ref, {
    observedGeneration: generation,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: count,
    availableReplicas: count,
    unavailableReplicas: 1 - count,
    conditions: [
      condition("Available", ready ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable"),
      condition("Progressing", "NewReplicaSetAvailable"),
    ],
  });
}

/** Switches the webhook's endpoints, as the probes of its pod would. */
export async function setEndpointsReady(
  api: Api,
  namespace: string,
  ready: boolean,
): Promise<void> {
  await api.apply(admissionEndpoints(namespace, ready));
}
