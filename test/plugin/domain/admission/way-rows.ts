/** Ways from the API server to the admission container: whole ones, and one broken at each link. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { Container, Pod } from "../../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { WayLink } from "../../../../plugin/domain/admission/way";

/** What a row changes of a scene: values of objects, by their labels. */
export interface Scene {
  set(label: string, path: string, value: unknown): Scene;
  add(...objects: readonly KubeObject[]): Scene;
  remove(...labels: readonly string[]): Scene;
}

/** A broken way: the link, and the code of its finding. */
export interface Broken {
  readonly at: WayLink;
  readonly code: string;
  readonly change: (scene: Scene) => unknown;
}

const namespace = "engine";
const managedBy = "endpointslice.kubernetes.io/managed-by";
const mirroring = "endpointslicemirroring-controller.k8s.io";
const { service: name, configuration } = names.webhook;
const { admissionContainer, container, deployment } = names.operator;
export const service = `Service/${namespace}/${name}`;
export const slice = `EndpointSlice/${namespace}/${name}-1`;
export const pod = `Pod/${namespace}/${deployment}-1`;
export const entries = `ValidatingWebhookConfiguration/${configuration}`;
export const client = "webhooks.0.clientConfig";
export const own = { name: deployment };

const usual = [
  { name: container },
  { name: admissionContainer, ports: [{ containerPort: 8443, name: "webhook" }] },
];

interface PodParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly containers?: readonly Container[];
  readonly ownerReferences?: readonly Record<string, unknown>[];
}

/** A pod as the Deployment of the operator makes it. */
export function webhookPod(
  title: string,
  { labels = own, containers = usual, ...metadata }: PodParts = {},
): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: title, namespace, labels: { ...labels }, ...metadata },
    spec: { containers: containers.map((one) => ({ image: "engine/operator:8.0.2-2", ...one })) },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  };
}

export const unready = {
  phase: "Running",
  conditions: [{ type: "Ready", status: "False", message: "containers with unready status" }],
};

/** The Service and the pod as the bundle makes them. */
export function wire(scene: Scene): Scene {
  return scene
    .set(service, "spec.selector", { ...own })
    .set(service, "spec.ports", [{ name: "https", port: 443, targetPort: 8443 }])
    .set(slice, "ports", [{ name: "https", port: 8443 }])
    .add(webhookPod(`${deployment}-1`));
}

/** A policy that selects the pods of the operator. */
export function policy(title: string, spec: object = {}): KubeObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: title, namespace },
    spec: { podSelector: {}, policyTypes: ["Ingress"], ...spec },
  };
}

const tail = [{ name: "tail", ports: [{ containerPort: 9100 }] }];
const stranger = (parts: PodParts = {}): KubeObject =>
  webhookPod("audit-tail-1", { containers: tail, ...parts });
const made = {
  ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "audit-tail", uid: "d1" }],
};
export const byHand = (scene: Scene, ...slicePorts: readonly object[]): Scene =>
  scene.set(service, "spec.selector", undefined).set(slice, "ports", slicePorts).remove(pod);
/** As it is copied from Endpoints, which have to be read to be repaired. */
export const copied = (scene: Scene): Scene =>
  byHand(scene, { name: "webhook", port: 8443 }).set(slice, "metadata.labels", {
    "kubernetes.io/service-name": name,
    [managedBy]: mirroring,
  });
/** A server of others, on the same port. */
const gate = (title: string, parts: PodParts = {}): KubeObject =>
  webhookPod(title, {
    containers: [{ name: "gate", ports: [{ containerPort: 8443 }] }],
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "gate-5f", uid: "r1" }],
    ...parts,
  });
const byUrl = (url: string) => (scene: Scene) =>
  scene.set(entries, `${client}.service`, undefined).set(entries, `${client}.url`, url);
export const noSlice = (scene: Scene): Scene => scene.set(slice, "endpoints", []);
const selector = (value: unknown) => (scene: Scene) =>
  noSlice(scene).set(service, "spec.selector", value);
export const ports = (value: unknown) => (scene: Scene) => scene.set(service, "spec.ports", value);
const closedBy = (title: string, spec: object) => (scene: Scene) => scene.add(policy(title, spec));
export const onPort = (port: unknown, more: object = {}) => [
  { ports: [{ protocol: "TCP", port }], ...more },
];

/** Each link by itself. */
export const brokenWays: Readonly<Record<string, Broken>> = {
  "a placeholder for the namespace": {
    ...{ at: "configuration", code: "WEBHOOK-PLACEHOLDER" },
    change: (s) => s.set(entries, `${client}.service.namespace`, "OPERATOR_NAMESPACE"),
  },
  "a namespace that is gone": {
    ...{ at: "configuration", code: "WEBHOOK-NAMESPACE-GONE" },
    change: (s) => s.set(entries, `${client}.service.namespace`, "retired"),
  },
  "a Service of an earlier installation": {
    ...{ at: "configuration", code: "WEBHOOK-CALLS-OTHER" },
    change: (s) => s.set(entries, `${client}.service.name`, "gatekeeper-hook"),
  },
  "the Service of the operator's metrics": {
    ...{ at: "configuration", code: "WEBHOOK-CALLS-OTHER" },
    change: (s) => s.set(entries, `${client}.service.name`, deployment),
  },
  "a port that only the entry has": {
    ...{ at: "configuration", code: "WEBHOOK-CALLS-OTHER" },
    change: (s) => s.set(entries, `${client}.service.port`, 9443),
  },
  "no path": {
    ...{ at: "configuration", code: "WEBHOOK-CALLS-OTHER" },
    change: (s) => s.set(entries, `${client}.service.path`, undefined),
  },
  "another path": {
    ...{ at: "configuration", code: "WEBHOOK-CALLS-OTHER" },
    change: (s) => s.set(entries, `${client}.service.path`, "/validate"),
  },
  "no Service": {
    ...{ at: "service", code: "WEBHOOK-SERVICE-MISSING" },
    change: (s) => s.remove(service),
  },
  "no Service, and the entry calls another one that is not there": {
    ...{ at: "service", code: "WEBHOOK-SERVICE-MISSING" },
    change: (s) => s.remove(service).set(entries, `${client}.service.name`, "elsewhere"),
  },
  "another port of the Service": {
    ...{ at: "port", code: "WEBHOOK-SERVICE-PORT" },
    change: ports([{ port: 8443, targetPort: 8443 }]),
  },
  "two ports, and neither is called": {
    ...{ at: "port", code: "WEBHOOK-SERVICE-PORT" },
    change: ports([
      { name: "metrics", port: 8080 },
      { name: "https", port: 8443, targetPort: 8443 },
    ]),
  },
  "the port of another protocol": {
    ...{ at: "port", code: "WEBHOOK-SERVICE-PORT" },
    change: ports([{ name: "https", port: 443, targetPort: 8443, protocol: "UDP" }]),
  },
  "a key of the selector that no pod carries": {
    ...{ at: "selector", code: "WEBHOOK-SELECTOR" },
    change: selector({ ...own, tier: "gate" }),
  },
  "another value of the selector": {
    ...{ at: "selector", code: "WEBHOOK-SELECTOR" },
    change: selector({ name: "engine-operator" }),
  },
  "two keys of the selector that no pod carries": {
    ...{ at: "selector", code: "WEBHOOK-SELECTOR" },
    change: selector({ ...own, tier: "gate", "app.kubernetes.io/part-of": "engine" }),
  },
  "a selector that only an ended pod meets": {
    ...{ at: "selector", code: "WEBHOOK-SELECTOR" },
    change: (s) =>
      selector({ job: "migrate" })(s)
        .add(webhookPod("migrate-1", { labels: { job: "migrate" } }))
        .set(`Pod/${namespace}/migrate-1`, "status.phase", "Succeeded"),
  },
  "a pod that is not ready": {
    ...{ at: "pods", code: "WEBHOOK-PODS-NOT-READY" },
    change: (s) => noSlice(s).set(pod, "status", unready),
  },
  "a pod that cannot pull its image": {
    ...{ at: "pods", code: "WEBHOOK-PODS-NOT-READY" },
    change: (s) =>
      noSlice(s).set(pod, "status", {
        ...unready,
        containerStatuses: [
          {
            name: admissionContainer,
            ready: false,
            state: { waiting: { reason: "ErrImagePull" } },
          },
        ],
      }),
  },
  "an endpoint that is not ready": {
    ...{ at: "pods", code: "WEBHOOK-PODS-NOT-READY" },
    change: (s) =>
      s
        .set(slice, "endpoints", [{ addresses: ["10.0.0.1"], conditions: { ready: false } }])
        .set(pod, "status", unready),
  },
  "a pod that is not ready, whose address is published all the same": {
    ...{ at: "pods", code: "WEBHOOK-PUBLISHES-UNREADY" },
    change: (s) =>
      s.set(service, "spec.publishNotReadyAddresses", true).set(pod, "status", unready),
  },
  "two pods that are not ready, whose addresses are published all the same": {
    ...{ at: "pods", code: "WEBHOOK-PUBLISHES-UNREADY" },
    change: (s) =>
      s
        .set(service, "spec.publishNotReadyAddresses", true)
        .set(pod, "status", unready)
        .add(webhookPod(`${deployment}-2`))
        .set(`Pod/${namespace}/${deployment}-2`, "status", unready),
  },
  "no pod of the Deployment": {
    ...{ at: "pods", code: "WEBHOOK-NO-PODS" },
    change: (s) =>
      noSlice(s)
        .remove(pod)
        .set(`Deployment/${namespace}/${deployment}`, "spec.template.metadata", { labels: own }),
  },
  "a Deployment that is scaled to 0": {
    ...{ at: "pods", code: "WEBHOOK-NO-PODS" },
    change: (s) =>
      noSlice(s)
        .remove(pod)
        .set(`Deployment/${namespace}/${deployment}`, "spec.template.metadata", { labels: own })
        .set(`Deployment/${namespace}/${deployment}`, "spec.replicas", 0),
  },
  "ready pods without an endpoint": {
    ...{ at: "pods", code: "WEBHOOK-NO-ENDPOINTS" },
    change: noSlice,
  },
  "no slice at all": {
    ...{ at: "pods", code: "WEBHOOK-NO-ENDPOINTS" },
    change: (s) => s.remove(slice),
  },
  "no selector, and no endpoint": {
    ...{ at: "pods", code: "WEBHOOK-NO-ENDPOINTS" },
    change: selector(undefined),
  },
  "a pod of others behind the Service": {
    ...{ at: "pods", code: "WEBHOOK-STRANGER-POD" },
    change: (s) => s.add(stranger(made)),
  },
  "a pod of nobody behind the Service": {
    ...{ at: "pods", code: "WEBHOOK-STRANGER-POD" },
    change: (s) => s.add(stranger()),
  },
  "a pod of others that has no label by which to tell it": {
    ...{ at: "pods", code: "WEBHOOK-STRANGER-POD" },
    change: (s) =>
      s
        .set(pod, "metadata.labels", { ...own, tier: "gate", "pod-template-hash": "5f" })
        .add(stranger(made)),
  },
  "a pod of others that says no port, beside one that does": {
    ...{ at: "pods", code: "WEBHOOK-STRANGER-POD" },
    change: (s) => s.add(webhookPod("report-1", { containers: [{ name: "report" }] })),
  },
  "a pod of others beside pods that say no port": {
    ...{ at: "pods", code: "WEBHOOK-STRANGER-POD" },
    change: (s) =>
      s
        .set(pod, "spec.containers", [{ name: container }, { name: admissionContainer }])
        .add(stranger()),
  },
  "a port on which no container listens": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      s.set(service, "spec.ports", [{ port: 443, targetPort: 9443 }]).set(pod, "spec.containers", [
        { name: container, ports: [{ containerPort: 8080 }] },
        { name: admissionContainer, ports: [{ containerPort: 8443 }] },
      ]),
  },
  "the port itself, which no container opens": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      s
        .set(service, "spec.ports", [{ port: 443 }])
        .set(pod, "spec.containers", [{ name: "gate", ports: [{ containerPort: 8443 }] }]),
  },
  "the name of a port that no container has": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: ports([{ port: 443, targetPort: "https" }]),
  },
  "a name, where the containers say no port": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      s
        .set(service, "spec.ports", [{ port: 443, targetPort: "webhook" }])
        .set(pod, "spec.containers", [{ name: container }, { name: admissionContainer }]),
  },
  "the port of another protocol in the container": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      s.set(pod, "spec.containers", [
        { name: "gate", ports: [{ containerPort: 8443, protocol: "UDP" }, { containerPort: 80 }] },
      ]),
  },
  "a policy that lets nobody in": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: closedBy("deny-all", {}),
  },
  "a policy of no rule that says no type": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: closedBy("deny", { policyTypes: undefined, ingress: [] }),
  },
  "a policy that opens another port": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: closedBy("metrics", { podSelector: { matchLabels: own }, ingress: onPort(8080) }),
  },
  "a policy that opens a range beside the port": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: closedBy("range", {
      ingress: [{ ports: [{ port: 9000, endPort: 9100 }, { port: "metrics" }] }],
    }),
  },
  "a policy that lets in the pods of its namespace": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: closedBy("same-namespace", { ingress: [{ from: [{ podSelector: {} }] }] }),
  },
  "two policies, of which the second opens another port": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: (s) => s.add(policy("deny-all"), policy("metrics", { ingress: onPort(8080) })),
  },
  "an endpoint made by hand whose port has another name": {
    ...{ at: "pods", code: "WEBHOOK-NO-ENDPOINTS" },
    change: (s) => byHand(s, { name: "webhook", port: 8443 }),
  },
  "an endpoint made by hand whose port has a name that the Service's has not": {
    ...{ at: "pods", code: "WEBHOOK-NO-ENDPOINTS" },
    change: (s) =>
      byHand(s, { name: "tls", port: 8443 }).set(service, "spec.ports", [{ port: 443 }]),
  },
  "two ports of an endpoint made by hand, and neither has the name": {
    ...{ at: "pods", code: "WEBHOOK-NO-ENDPOINTS" },
    change: (s) => byHand(s, { name: "webhook", port: 8443 }, { name: "metrics", port: 8080 }),
  },
  "an endpoint made by hand that is not ready": {
    ...{ at: "pods", code: "WEBHOOK-NO-ENDPOINTS" },
    change: (s) =>
      byHand(s, { name: "https", port: 8443 }).set(slice, "endpoints", [
        { addresses: ["10.0.0.7"], conditions: { ready: false } },
      ]),
  },
  "a server of others on the same port": {
    ...{ at: "pods", code: "WEBHOOK-STRANGER-POD" },
    change: (s) => s.add(gate("gate-1")),
  },
  "a server of others on the same port, beside two of the webhook": {
    ...{ at: "pods", code: "WEBHOOK-STRANGER-POD" },
    change: (s) => s.add(gate("gate-1"), webhookPod(`${deployment}-2`)),
  },
  "a policy of an expression": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: closedBy("operators", {
      podSelector: { matchExpressions: [{ key: "name", operator: "Exists" }] },
    }),
  },
  "a policy that opens the port of another protocol": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: closedBy("udp", { ingress: [{ ports: [{ protocol: "UDP", port: 8443 }] }] }),
  },
  "a policy that opens a name that no container has": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: closedBy("named", { ingress: onPort("https") }),
  },
  "a policy that lets in the nodes to another port": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: closedBy("nodes", {
      ingress: onPort(9443, { from: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }),
    }),
  },
  "a policy of both ways, which lets nobody in": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: closedBy("isolate", { policyTypes: ["Egress", "Ingress"], egress: [{}] }),
  },
  "a policy for the second of two pods": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: (s) =>
      s.add(
        webhookPod(`${deployment}-2`, { labels: { ...own, rack: "b" } }),
        policy("rack", { podSelector: { matchLabels: { rack: "b" } } }),
      ),
  },
  "a URL of a Service in a namespace that is gone": {
    ...{ at: "configuration", code: "WEBHOOK-NAMESPACE-GONE" },
    change: byUrl("https://admission.retired.svc:443/admission"),
  },
  "a URL of a Service here, of which no pod is ready": {
    ...{ at: "pods", code: "WEBHOOK-PODS-NOT-READY" },
    change: (s) =>
      noSlice(byUrl(`https://${name}.${namespace}.svc/admission`)(s)).set(pod, "status", unready),
  },
  "a Service of two ports, of which the called one goes to a port that is closed": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      ports([
        { name: "metrics", port: 8080, targetPort: 8443 },
        { name: "https", port: 443, targetPort: 9090 },
      ])(s).set(pod, "spec.containers.0.ports", [{ containerPort: 8080 }]),
  },
  "a name that only an init container has": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      ports([{ port: 443, targetPort: "setup" }])(s).set(pod, "spec.initContainers", [
        { name: "setup", ports: [{ containerPort: 8443, name: "setup" }] },
      ]),
  },
  "a selector with the value of an older release": {
    ...{ at: "selector", code: "WEBHOOK-SELECTOR" },
    change: (s) =>
      selector({ ...own, release: "7" })(s).set(pod, "metadata.labels", { ...own, release: "8" }),
  },
  "two pods that are not ready": {
    ...{ at: "pods", code: "WEBHOOK-PODS-NOT-READY" },
    change: (s) =>
      noSlice(s)
        .set(pod, "status", unready)
        .add(webhookPod(`${deployment}-2`))
        .set(`Pod/${namespace}/${deployment}-2`, "status", unready),
  },
  "a port of the entry's own that only the Service of the template lacks": {
    ...{ at: "configuration", code: "WEBHOOK-CALLS-OTHER" },
    change: (s) =>
      ports([{ name: "https", port: 443, targetPort: 8443 }])(s).set(
        entries,
        `${client}.service.port`,
        8443,
      ),
  },
  "a CA of another certificate": {
    ...{ at: "certificate", code: "WEBHOOK-CA-STALE" },
    change: (s) => s.set(entries, `${client}.caBundle`, ""),
  },
};

/** Two links at once: the first one is named, the second one after its repair. */
export const brokenPairs: readonly (readonly [first: string, second: string])[] = [
  ["a port that only the entry has", "a key of the selector that no pod carries"],
  ["no Service", "a policy that lets nobody in"],
  ["another port of the Service", "a pod that is not ready"],
  ["a key of the selector that no pod carries", "a policy that lets nobody in"],
  ["a pod of others behind the Service", "a policy that opens another port"],
  ["the name of a port that no container has", "a policy that lets nobody in"],
  ["a server of others on the same port", "a policy of an expression"],
  ["a policy that opens the port of another protocol", "a CA of another certificate"],
  ["an endpoint made by hand whose port has another name", "no path"],
  ["a selector with the value of an older release", "another path"],
  ["a name that only an init container has", "a policy of both ways, which lets nobody in"],
  ["two pods that are not ready", "a policy that opens a name that no container has"],
  ["another port of the Service", "a policy of no rule that says no type"],
  ["a namespace that is gone", "a Deployment that is scaled to 0"],
  ["a placeholder for the namespace", "a key of the selector that no pod carries"],
  ["a pod of nobody behind the Service", "a CA of another certificate"],
];

/** Ways that are whole, however odd they look. */
export const wholeWays: Readonly<Record<string, (scene: Scene) => unknown>> = {
  "as the bundle has it": (s) => s,
  "a port by its name": ports([{ port: 443, targetPort: "webhook" }]),
  "a port of the entry's own, on both sides": (s) =>
    s
      .set(service, "spec.ports", [{ name: "gate", port: 8443, targetPort: 8443 }])
      .set(entries, `${client}.service.port`, 8443),
  "containers that say no port": (s) =>
    s.set(pod, "spec.containers", [{ name: container }, { name: admissionContainer }]),
  "containers that say no port, beside a mesh that does": (s) =>
    s
      .set(pod, "spec.containers", [{ name: container }, { name: admissionContainer }])
      .set(pod, "spec.initContainers", [
        { name: "proxy", restartPolicy: "Always", ports: [{ containerPort: 15090 }] },
        { name: "setup", ports: [{ containerPort: 1 }] },
      ]),
  "a port that a sidecar opens": (s) =>
    s
      .set(pod, "spec.containers", [{ name: container, ports: [{ containerPort: 8080 }] }])
      .set(pod, "spec.initContainers", [
        { name: "tls", restartPolicy: "Always", ports: [{ containerPort: 8443 }] },
      ]),
  "two pods, one of which is not ready": (s) =>
    s.add(webhookPod(`${deployment}-2`)).set(`Pod/${namespace}/${deployment}-2`, "status", unready),
  "two pods, of which the older says no port": (s) =>
    s.add(
      webhookPod(`${deployment}-2`, {
        containers: [{ name: container }, { name: admissionContainer }],
      }),
    ),
  "a pod of others that is not ready": (s) =>
    s.add(stranger()).set(`Pod/${namespace}/audit-tail-1`, "status", unready),
  "endpoints made by hand": (s) => s.set(service, "spec.selector", undefined).remove(pod),
  "a Service that is a name of DNS": (s) =>
    s.set(service, "spec", { type: "ExternalName", externalName: "gate.example" }).remove(slice),
  "a policy of other pods": closedBy("other", { podSelector: { matchLabels: { app: "db" } } }),
  "a policy of what goes out": closedBy("egress", { policyTypes: ["Egress"] }),
  "a policy that opens the port": (s) =>
    s.add(policy("deny-all"), policy("webhook", { ingress: onPort(8443) })),
  "a policy that opens the name of the port": (s) =>
    ports([{ port: 443, targetPort: "webhook" }])(s).add(
      policy("webhook", { ingress: onPort("webhook") }),
    ),
  "a policy that opens a range": closedBy("range", {
    ingress: [{ ports: [{ port: 8000, endPort: 9000 }] }],
  }),
  "a policy that opens all ports": closedBy("open", { ingress: [{}] }),
  "a policy that opens a port of any number": closedBy("tcp", {
    ingress: [{ ports: [{ protocol: "TCP" }] }],
  }),
  "a policy that lets in the nodes": closedBy("nodes", {
    ingress: onPort(8443, { from: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }),
  }),
  "a policy that lets in another namespace, as by a tunnel": closedBy("tunnel", {
    ingress: [{ from: [{ namespaceSelector: {} }] }],
  }),
  "a pod with its node's network, whatever a policy says": (s) =>
    s.set(pod, "spec.hostNetwork", true).add(policy("deny-all")),
  "slices of two families": (s) =>
    s.add({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `${name}-2`, namespace, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv6",
      endpoints: [{ addresses: ["fd00::1"], conditions: { ready: true } }],
      ports: [{ name: "https", port: 8443, protocol: "TCP" }],
    }),
  "an endpoint made by hand, of a port without a name on both sides": (s) =>
    byHand(s, { name: "", port: 8443 }).set(service, "spec.ports", [{ port: 443 }]),
  "an endpoint made by hand with a further port": (s) =>
    byHand(s, { name: "metrics", port: 8080 }, { name: "https", port: 8443 }),
  "a server of another Deployment that has the webhook's Secret": (s) =>
    s.add(gate("gate-1")).set(`Pod/${namespace}/gate-1`, "spec.volumes", [
      { name: "other", emptyDir: {} },
      { name: "tls", secret: { secretName: names.webhook.secret } },
    ]),
  "servers of one kind, none of which has the operator's container": (s) =>
    s.remove(pod).add(gate("gate-1"), gate("gate-2")),
  "a Service of the nodes' ports": (s) => s.set(service, "spec.type", "NodePort"),
  "a Service of two ports": ports([
    { name: "metrics", port: 8080, targetPort: 8080 },
    { name: "https", port: 443, targetPort: 8443 },
  ]),
  "a policy of an expression that the pod does not meet": closedBy("others", {
    podSelector: { matchExpressions: [{ key: "name", operator: "DoesNotExist" }] },
  }),
  "addresses that are published before they are ready, and a ready pod": (s) =>
    s.set(service, "spec.publishNotReadyAddresses", true),
  "addresses that are published before they are ready, and one of two pods is": (s) =>
    s
      .set(service, "spec.publishNotReadyAddresses", true)
      .add(webhookPod(`${deployment}-2`))
      .set(`Pod/${namespace}/${deployment}-2`, "status", unready),
  "a pod that is not ready yet, though its endpoint is": (s) => s.set(pod, "status", unready),
  "a time limit of a second": (s) => s.set(entries, "webhooks.0.timeoutSeconds", 1),
  "a path with a slash at its end": (s) => s.set(entries, `${client}.service.path`, "/admission/"),
};
