/** The kinds of RBAC, and the two pairs of them that the operator needs. */
import type { Resource } from "../objects";

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
