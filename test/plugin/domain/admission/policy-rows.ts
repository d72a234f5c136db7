/** NetworkPolicies by whom they let in: the API server is no pod, and in no namespace. */
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { type Broken, onPort, own, pod, policy, type Scene } from "./way-rows";

const nameLabel = "kubernetes.io/metadata.name";

export const peersOf = (...from: readonly object[]): KubeObject =>
  policy("guard", { ingress: [{ from }] });
const byLabels = (matchLabels: object): object => ({ namespaceSelector: { matchLabels } });
const byName = (name: string): object => byLabels({ [nameLabel]: name });
const byNames = (operator: string, ...values: readonly string[]): object => ({
  namespaceSelector: { matchExpressions: [{ key: nameLabel, operator, values }] },
});
const block = (cidr: string): object => ({ ipBlock: { cidr } });

const shut = (change: Broken["change"]): Broken => ({
  at: "network",
  code: "WEBHOOK-NETWORK-POLICY",
  change,
});
const lets =
  (...from: readonly object[]) =>
  (s: Scene): Scene =>
    s.add(peersOf(...from));
const namespace = (name: string, labels: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { ...labels } },
});
const addressed = (s: Scene, podIP: string, ...others: readonly string[]): Scene =>
  s.set(pod, "status.podIP", podIP).set(
    pod,
    "status.podIPs",
    [podIP, ...others].map((ip) => ({ ip })),
  );

/** The API server is nobody whom they let in. */
export const shutPolicies: Readonly<Record<string, Broken>> = {
  "a label that no namespace has": shut(lets(byLabels({ callers: "yes" }))),
  "a label that must exist, and no namespace has": shut(
    lets({ namespaceSelector: { matchExpressions: [{ key: "callers", operator: "Exists" }] } }),
  ),
  "a value of the name that no namespace has": shut(lets(byName("retired"))),
  "its own namespace, by its name": shut(lets(byName("engine"))),
  "its own namespace, by an expression": shut(lets(byNames("In", "engine"))),
  "named pods of its own namespace": shut(
    lets({ podSelector: { matchLabels: { role: "caller" } } }),
  ),
  "its own pods by both selectors": shut(
    lets({ podSelector: { matchLabels: own }, ...byName("engine") }),
  ),
  "peers of which none is the API server": shut(
    lets({ podSelector: {} }, byLabels({ callers: "yes" }), byName("engine")),
  ),
  "kube-system to another port, and its own namespace to that port": shut((s) =>
    s.add(
      policy("system", { ingress: onPort(9443, { from: [byName("kube-system")] }) }),
      policy("same", { ingress: onPort(8443, { from: [byName("engine")] }) }),
    ),
  ),
  "a policy of no type that the API server would fill in": shut((s) =>
    s.add(policy("guard", { policyTypes: undefined, ingress: [{ from: [byName("engine")] }] })),
  ),
  "an opening for other pods": shut((s) =>
    s.add(
      peersOf(byName("engine")),
      policy("open", { podSelector: { matchLabels: { app: "db" } }, ingress: [{}] }),
    ),
  ),
  "addresses of the family that the pod does not have": shut((s) =>
    addressed(lets(block("fd00::/8"))(s), "10.0.0.1"),
  ),
};

/** The same with what a cluster in memory alone has. */
export const shutInMemory: Readonly<Record<string, Broken>> = {
  "a namespace of others that exists": shut((s) =>
    lets(byName("monitoring"))(s).add(namespace("monitoring")),
  ),
  "a label of namespaces of others": shut((s) =>
    lets(byLabels({ callers: "yes" }))(s).add(namespace("web", { callers: "yes" })),
  ),
  "OpenShift's group of monitoring": shut((s) =>
    lets(byLabels({ "network.openshift.io/policy-group": "monitoring" }))(s).add(
      namespace("openshift-monitoring", { "network.openshift.io/policy-group": "monitoring" }),
    ),
  ),
  "types that are an empty list, which the API server fills in": shut((s) =>
    s.add(policy("guard", { policyTypes: [], ingress: [{ from: [byName("engine")] }] })),
  ),
};

/** The API server may be among whom they let in. */
export const openPolicies: Readonly<Record<string, (scene: Scene) => unknown>> = {
  "kube-system, from where tunnels call": lets(byName("kube-system")),
  "the tunnel's pods in kube-system": lets({
    podSelector: { matchLabels: { "k8s-app": "konnectivity-agent" } },
    ...byName("kube-system"),
  }),
  "kube-system among others": lets(byNames("In", "kube-system", "monitoring")),
  "every namespace but its own": lets(byNames("NotIn", "engine")),
  "every namespace that lacks a label": lets({
    namespaceSelector: { matchExpressions: [{ key: "tenant", operator: "DoesNotExist" }] },
  }),
  "every namespace": lets({ namespaceSelector: {} }),
  "every namespace, and chosen pods of it": lets({
    namespaceSelector: {},
    podSelector: { matchLabels: { app: "relay" } },
  }),
  "addresses beside its own namespace": lets(byName("engine"), block("10.0.0.0/8")),
  "every address but some": lets({ ipBlock: { cidr: "0.0.0.0/0", except: ["10.9.0.0/16"] } }),
  "a rule that names nobody, beside its own namespace": (s) =>
    s.add(policy("guard", { ingress: [{ from: [byName("engine")] }, { from: [] }] })),
  "a second policy that opens the port": (s) =>
    s.add(peersOf(byName("engine")), policy("webhook", { ingress: onPort(8443) })),
  "its own namespace, of a policy of what goes out": (s) =>
    s.add(policy("guard", { policyTypes: ["Egress"], ingress: [{ from: [byName("engine")] }] })),
  "its own namespace, and the pod has its node's network": (s) =>
    lets(byName("engine"))(s.set(pod, "spec.hostNetwork", true)),
  "what has the nodes' network on OpenShift": lets(
    byLabels({ "policy-group.network.openshift.io/host-network": "" }),
  ),
  "the routers of OpenShift, which may have the nodes' network": lets(
    byLabels({ "network.openshift.io/policy-group": "ingress" }),
  ),
  "the API servers of OpenShift": lets(byName("openshift-kube-apiserver")),
  "what stands for the nodes' network in OVN-Kubernetes": lets(byName("ovn-host-network")),
  "addresses of one of the pod's two families": (s) =>
    addressed(lets(block("fd00::/8"))(s), "10.0.0.1", "fd00::1"),
};

/** The same with what a cluster in memory alone has. */
export const openInMemory: Readonly<Record<string, (scene: Scene) => unknown>> = {
  "a tunnel in a namespace of its own": (s) =>
    lets(byName("konnectivity"))(s).add(namespace("konnectivity")),
  "a label that kube-system carries": (s) =>
    lets(byLabels({ callers: "yes" }))(s).add(namespace("kube-system", { callers: "yes" })),
  "a namespace that carries OpenShift's label of the nodes' network": (s) =>
    lets(byLabels({ team: "net" }))(s).add(
      namespace("hosts", {
        team: "net",
        "policy-group.network.openshift.io/host-network": "",
      }),
    ),
  "a policy of another namespace": (s) => {
    const guard = peersOf(byName("engine"));
    return s.add({ ...guard, metadata: { ...guard.metadata, namespace: "shop" } });
  },
};

/** Whether namespaces that could not be read decide about the API server. */
export const unreadPeers: Readonly<
  Record<string, { readonly from: readonly object[]; readonly is: "closed" | "open" | "unknown" }>
> = {
  "a label": { from: [byLabels({ callers: "yes" })], is: "unknown" },
  "a label beside its own namespace": {
    from: [{ podSelector: {} }, byLabels({ callers: "yes" })],
    is: "unknown",
  },
  "a label that must be absent": {
    from: [
      { namespaceSelector: { matchExpressions: [{ key: "tenant", operator: "DoesNotExist" }] } },
    ],
    is: "unknown",
  },
  "its own namespace by its name": { from: [byName("engine")], is: "closed" },
  "pods of its own namespace": { from: [{ podSelector: {} }], is: "closed" },
  "another namespace by its name": { from: [byName("monitoring")], is: "closed" },
  "a label beside kube-system by its name": {
    from: [byLabels({ callers: "yes" }), byName("kube-system")],
    is: "open",
  },
  "every namespace": { from: [{ namespaceSelector: {} }], is: "open" },
  "a tunnel's namespace by its name": { from: [byName("konnectivity")], is: "open" },
  addresses: { from: [block("10.0.0.0/8")], is: "open" },
};
