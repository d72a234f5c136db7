/** The example's operator: its Deployment and settings, and the old webhook in front of it. */
import type { Names } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import type { Json } from "../domain/values";
import type { ExamplePlaces } from "./example-places";

interface PemPair {
  readonly cert: string;
  readonly key: string;
}

/** Everything in the operator's namespace that is not the product's own kinds. */
export function exampleOperator(
  names: Names,
  places: ExamplePlaces,
  pair: PemPair,
): readonly KubeObject[] {
  const own = { namespace: places.operator, labels: { app: names.operator.appLabel } };
  const data = {
    [names.webhook.secretCert]: base64(pair.cert),
    [names.webhook.secretKey]: base64(pair.key),
  };
  return [
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { ...own, name: names.operator.serviceAccount },
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { ...own, name: names.configMap.name },
      data: { [names.configMap.namespaces]: places.consumers.join(",") },
    },
    runningDeployment(names, own),
    runningService(names, own),
    endpoints(names, places.operator),
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { ...own, name: names.webhook.secret },
      type: "Opaque",
      data,
    },
    oldWebhook(names, places.operator, base64(pair.cert)),
  ];
}

function runningService(names: Names, own: KubeObject["metadata"]): KubeObject {
  const { spec, ...service } = operatorService(names, own);
  return { ...service, spec: { ...(spec as Json), type: "ClusterIP", clusterIP: "10.96.18.4" } };
}

/** The Service in front of the admission server, as a bundle has it. */
export function operatorService(names: Names, metadata: KubeObject["metadata"]): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadata, name: names.webhook.service },
    spec: {
      selector: { name: names.operator.podLabel },
      ports: [{ name: "https", port: 443, targetPort: 8443, protocol: "TCP" }],
    },
  };
}

function runningDeployment(names: Names, own: KubeObject["metadata"]): KubeObject {
  return {
    ...operatorDeployment(names, { ...own, generation: 1 }, "7.8.2-6"),
    status: {
      observedGeneration: 1,
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
    },
  };
}

/** The operator's Deployment of a release, as a bundle has it: two containers of one image. */
export function operatorDeployment(
  names: Names,
  metadata: KubeObject["metadata"],
  version: string,
): KubeObject {
  const container = (title: string, port: number): object => ({
    name: title,
    image: `${names.images.operator}:${version}`,
    envFrom: [{ configMapRef: { name: names.configMap.name, optional: true } }],
    ports: [{ containerPort: port, protocol: "TCP" }],
  });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...metadata, name: names.operator.deployment },
    spec: {
      replicas: 1,
      strategy: { type: "Recreate" },
      selector: { matchLabels: { name: names.operator.podLabel } },
      template: {
        metadata: { labels: { app: names.operator.appLabel, name: names.operator.podLabel } },
        spec: {
          serviceAccountName: names.operator.serviceAccount,
          containers: [
            container(names.operator.container, 8080),
            container(names.operator.admissionContainer, 8443),
          ],
        },
      },
    },
  };
}

function endpoints(names: Names, namespace: string): KubeObject {
  const { service } = names.webhook;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${service}-7xk2p`,
      namespace,
      labels: { "kubernetes.io/service-name": service },
    },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.128.4.17"], conditions: { ready: true } }],
    ports: [{ name: "https", port: 8443, protocol: "TCP" }],
  };
}

/** As a release before the change of names left it: databases only, healthy. */
function oldWebhook(names: Names, namespace: string, caBundle: string): KubeObject {
  const { oldConfiguration, oldEntry, service, path } = names.webhook;
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: {
      name: oldConfiguration,
      generation: 2,
      labels: { app: names.operator.appLabel },
    },
    webhooks: [
      {
        name: oldEntry,
        admissionReviewVersions: ["v1"],
        clientConfig: { service: { name: service, namespace, path, port: 443 }, caBundle },
        failurePolicy: "Fail",
        matchPolicy: "Exact",
        namespaceSelector: {},
        objectSelector: {},
        sideEffects: "None",
        timeoutSeconds: 10,
        rules: [
          {
            apiGroups: [names.group],
            apiVersions: [names.version],
            operations: ["CREATE", "UPDATE"],
            resources: [names.edb.plural],
            scope: "*",
          },
        ],
      },
    ],
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
