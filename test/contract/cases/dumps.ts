/** What an API server stores of a small manifest, beside what a dump of that manifest is filled up with. */
import { isObject } from "../../../plugin/domain/base/values";
import { createRegistry } from "../../../plugin/simulator/kinds/registry";
import type { KubeObject } from "../../../plugin/ports/kubernetes";
import type { ContractGroup, World } from "../world";

/** A manifest in a namespace, or one of the cluster whose name begins with it. */
type Manifest = (namespace: string) => KubeObject;

function inNamespace(apiVersion: string, kind: string, rest: object): Manifest {
  return (namespace) => ({ apiVersion, kind, metadata: { name: "small", namespace }, ...rest });
}

const selector = { matchLabels: { app: "small" } };
const probe = { httpGet: { path: "/", port: 8443 } };
const template = {
  metadata: { labels: selector.matchLabels },
  spec: {
    containers: [
      {
        ...{ name: "small", image: "small:1" },
        ports: [{ containerPort: 8443 }],
        readinessProbe: probe,
        env: [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
      },
    ],
    volumes: [
      { name: "tls", secret: { secretName: "tls" } },
      { name: "settings", configMap: { name: "settings" } },
      { name: "scratch", emptyDir: {} },
    ],
  },
};
const webhook = {
  name: "small.contract.example",
  clientConfig: { service: { name: "small", namespace: "small" } },
  rules: [
    { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothings"] },
  ],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const judging =
  (kind: string): Manifest =>
  (namespace) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name: `${namespace}-small` },
    webhooks: [webhook],
  });

const manifests: readonly Manifest[] = [
  judging("ValidatingWebhookConfiguration"),
  judging("MutatingWebhookConfiguration"),
  inNamespace("v1", "Service", { spec: { ports: [{ port: 443 }], selector: { app: "small" } } }),
  inNamespace("apps/v1", "Deployment", { spec: { selector, template } }),
  inNamespace("apps/v1", "StatefulSet", { spec: { serviceName: "small", selector, template } }),
  inNamespace("networking.k8s.io/v1", "NetworkPolicy", {
    spec: { podSelector: {}, ingress: [{ ports: [{ port: 8443 }] }] },
  }),
  inNamespace("networking.k8s.io/v1", "NetworkPolicy", {
    spec: { podSelector: {}, egress: [{}] },
  }),
  inNamespace("policy/v1", "PodDisruptionBudget", { spec: { minAvailable: 1, selector } }),
];

/** Each path at which two values differ. */
function listDifferences(one: unknown, other: unknown, path: string): readonly string[] {
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    return one.flatMap((item, at) => listDifferences(item, other[at], `${path}[${at}]`));
  }
  if (isObject(one) && isObject(other)) {
    return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
      listDifferences(one[key], other[key], path === "" ? key : `${path}.${key}`),
    );
  }
  return JSON.stringify(one) === JSON.stringify(other) ? [] : [path];
}

async function compare({ cluster, namespace }: World, manifest: Manifest): Promise<unknown> {
  const object = manifest(namespace);
  const stored = await cluster.create(object);
  const definition = createRegistry().byKind(object.apiVersion, object.kind);
  const filled = definition?.fillIn?.(object);
  // of these a manifest says nothing, and a dump has them as they were
  const given = /^(metadata|status|spec\.clusterIPs?)\b/;
  return listDifferences(stored, filled, "").filter((path) => !given.test(path));
}

const describe = (manifest: Manifest): string => {
  const { kind, spec } = manifest("");
  return isObject(spec) ? `${kind} with ${Object.keys(spec).join(", ")}` : kind;
};

/** How a dump is completed. */
export const dumps: ContractGroup = {
  about: "a dump",
  cases: manifests.map((manifest) => ({
    says: `a ${describe(manifest)} of which defaults are left out is filled up as the API server does`,
    act: (world: World) => compare(world, manifest),
    sees: [],
  })),
};
