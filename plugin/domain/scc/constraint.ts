/** Security context constraints and the RBAC kinds that grant their use, as they are addressed. */
import { type KubeObject, type Ref, refTo, type Resource } from "../objects";

const rbac = "rbac.authorization.k8s.io";

const rbacKind = (plural: string, kind: string): Resource => ({
  group: rbac,
  version: "v1",
  plural,
  kind,
});

/** OpenShift's constraints: cluster-scoped; a cluster that does not serve them is no OpenShift. */
export const constraintResource: Resource = {
  group: "security.openshift.io",
  version: "v1",
  plural: "securitycontextconstraints",
  kind: "SecurityContextConstraints",
};

/** Roles and bindings, cluster-wide and namespaced. */
export const accessResources = {
  clusterRoles: rbacKind("clusterroles", "ClusterRole"),
  clusterRoleBindings: rbacKind("clusterrolebindings", "ClusterRoleBinding"),
  roles: rbacKind("roles", "Role"),
  roleBindings: rbacKind("rolebindings", "RoleBinding"),
} as const;

/** The annotation in which a pod carries the constraint that it was admitted by. */
export const constraintAnnotation = "openshift.io/scc";

/** The ClusterRole and the bindings that `oc adm policy add-scc-to-user` makes for a constraint. */
export function grantName(constraint: string): string {
  return `system:openshift:scc:${constraint}`;
}

/** How a constraint or a binding is addressed. */
export function refOf(object: KubeObject): Ref {
  const resources = [constraintResource, ...Object.values(accessResources)];
  return refTo(resources.find(({ kind }) => kind === object.kind) ?? constraintResource, object);
}
