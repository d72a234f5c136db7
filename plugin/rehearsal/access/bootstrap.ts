/**
 * Roles and bindings that every API server keeps from its start on, as far as people and products
 * lean on them. They count also where a dump leaves them out; a stored object of the same name
 * takes precedence.
 */
import type { KubeObject } from "../../run/ports";

const apiVersion = "rbac.authorization.k8s.io/v1";
const labels = { "kubernetes.io/bootstrapping": "rbac-defaults" };
const read = ["get", "list", "watch"];
const write = ["create", "update", "patch", "delete", "deletecollection"];

/** Verbs on resources (separated by blanks) of one group. */
type Grant = readonly [verbs: readonly string[], group: string, resources: string];

const workloads =
  "deployments deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale daemonsets";
const statuses = "deployments/status replicasets/status statefulsets/status daemonsets/status";

const viewing: readonly Grant[] = [
  [read, "", "pods pods/status pods/log services services/status endpoints configmaps events"],
  [read, "", "serviceaccounts persistentvolumeclaims persistentvolumeclaims/status namespaces"],
  [read, "", "replicationcontrollers replicationcontrollers/scale replicationcontrollers/status"],
  [read, "", "limitranges resourcequotas resourcequotas/status namespaces/status bindings"],
  [read, "apps", `${workloads} ${statuses} controllerrevisions`],
  [read, "discovery.k8s.io", "endpointslices"],
  [read, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"],
  [read, "batch", "jobs jobs/status cronjobs cronjobs/status"],
  [read, "policy", "poddisruptionbudgets poddisruptionbudgets/status"],
  [read, "networking.k8s.io", "networkpolicies ingresses ingresses/status"],
];

const editing: readonly Grant[] = [
  [read, "", "pods/attach pods/proxy pods/exec pods/portforward secrets services/proxy"],
  [["impersonate"], "", "serviceaccounts"],
  [["create"], "", "pods/eviction serviceaccounts/token"],
  [write, "", "pods pods/attach pods/proxy pods/exec pods/portforward services services/proxy"],
  [write, "", "configmaps secrets serviceaccounts persistentvolumeclaims events"],
  [write, "", "replicationcontrollers replicationcontrollers/scale"],
  [write, "apps", `${workloads} deployments/rollback`],
  [write, "autoscaling", "horizontalpodautoscalers"],
  [write, "batch", "jobs cronjobs"],
  [write, "policy", "poddisruptionbudgets"],
  [write, "networking.k8s.io", "networkpolicies ingresses"],
  [[...read, ...write], "coordination.k8s.io", "leases"],
];

const administering: readonly Grant[] = [
  [["create"], "authorization.k8s.io", "localsubjectaccessreviews"],
  [[...read, ...write], "rbac.authorization.k8s.io", "roles rolebindings"],
];

const basics: readonly Grant[] = [
  [["create"], "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"],
  [["create"], "authentication.k8s.io", "selfsubjectreviews"],
];

const discovery =
  "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/";

const everything: readonly object[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/** The ClusterRoles by name. */
export const bootstrapRoles: ReadonlyMap<string, KubeObject> = new Map(
  [
    role("cluster-admin", everything),
    aggregated("admin"),
    aggregated("edit", "admin"),
    aggregated("view", "edit"),
    role("system:aggregate-to-admin", administering.map(ruleOf), "admin"),
    role("system:aggregate-to-edit", editing.map(ruleOf), "edit"),
    role("system:aggregate-to-view", viewing.map(ruleOf), "view"),
    role("system:basic-user", basics.map(ruleOf)),
    role("system:discovery", [{ verbs: ["get"], nonResourceURLs: discovery.split(" ") }]),
  ].map((object) => [object.metadata.name ?? "", object]),
);

/** The ClusterRoleBindings by name. */
export const bootstrapBindings: ReadonlyMap<string, KubeObject> = new Map(
  [
    binding("cluster-admin", "system:masters"),
    binding("system:basic-user", "system:authenticated"),
    binding("system:discovery", "system:authenticated"),
  ].map((object) => [object.metadata.name ?? "", object]),
);

function ruleOf([verbs, group, resources]: Grant): object {
  return { verbs, apiGroups: [group], resources: resources.split(" ") };
}

function role(name: string, rules: readonly object[], into?: string): KubeObject {
  return { apiVersion, kind: "ClusterRole", metadata: metadataOf(name, into), rules };
}

/** A role that gathers others by their label, and may itself be gathered `into` another one. */
function aggregated(name: string, into?: string): KubeObject {
  const clusterRoleSelectors = [{ matchLabels: { [aggregateTo(name)]: "true" } }];
  return {
    apiVersion,
    kind: "ClusterRole",
    metadata: metadataOf(name, into),
    rules: [],
    aggregationRule: { clusterRoleSelectors },
  };
}

function metadataOf(name: string, into: string | undefined): KubeObject["metadata"] {
  return {
    name,
    labels: { ...labels, ...(into !== undefined && { [aggregateTo(into)]: "true" }) },
  };
}

function aggregateTo(name: string): string {
  return `rbac.authorization.k8s.io/aggregate-to-${name}`;
}

function binding(name: string, group: string): KubeObject {
  const apiGroup = "rbac.authorization.k8s.io";
  return {
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata: { name, labels },
    roleRef: { apiGroup, kind: "ClusterRole", name },
    subjects: [{ apiGroup, kind: "Group", name: group }],
  };
}
