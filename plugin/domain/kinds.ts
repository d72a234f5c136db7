/** Kubernetes' own kinds that the plugin reads, as they are addressed. */
import type { Resource } from "./objects";

const rbac = (plural: string, kind: string): Resource => ({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  plural,
  kind,
});

/** RBAC's kinds by their name. */
export const rbacKinds = {
  role: rbac("roles", "Role"),
  roleBinding: rbac("rolebindings", "RoleBinding"),
  clusterRole: rbac("clusterroles", "ClusterRole"),
  clusterRoleBinding: rbac("clusterrolebindings", "ClusterRoleBinding"),
} as const;

/** A role and its binding. */
export interface Pair<T> {
  readonly role: T;
  readonly binding: T;
}

/** The kinds in a namespace, or cluster-wide where there is none. */
export function kindsIn(namespace: string | undefined): Pair<Resource> {
  return namespace === undefined
    ? { role: rbacKinds.clusterRole, binding: rbacKinds.clusterRoleBinding }
    : { role: rbacKinds.role, binding: rbacKinds.roleBinding };
}

const core = (plural: string, kind: string): Resource => ({
  group: "",
  version: "v1",
  plural,
  kind,
});

/** Kinds by their name. */
export const kinds = {
  namespace: core("namespaces", "Namespace"),
  configMap: core("configmaps", "ConfigMap"),
  secret: core("secrets", "Secret"),
  service: core("services", "Service"),
  endpointSlice: {
    group: "discovery.k8s.io",
    version: "v1",
    plural: "endpointslices",
    kind: "EndpointSlice",
  },
  clusterVersion: {
    group: "config.openshift.io",
    version: "v1",
    plural: "clusterversions",
    kind: "ClusterVersion",
  },
  deployment: { group: "apps", version: "v1", plural: "deployments", kind: "Deployment" },
} as const satisfies Record<string, Resource>;
