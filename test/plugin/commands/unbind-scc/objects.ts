/** Objects around a constraint, for a namespace of one's own. */
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { accessResources } from "../../../../plugin/domain/scc/grants";
import { constraintResource } from "../../../../plugin/domain/kube/kinds";
import type { Scene } from "./memory-scene";
import type {
  ClusterRole,
  ClusterRoleBinding,
  Deployment,
  Pod,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  SecurityContext,
  Subject,
} from "../../../../plugin/domain/kube/models";

const rbac = "rbac.authorization.k8s.io";

/** Where a constellation plays: namespace, other namespace and constraint have the same name each time. */
export interface AccountReview {
  readonly ns: string;
  readonly other: string;
  readonly scc: string;
}

export const placeNamed = (name: string): AccountReview => ({
  ns: name,
  other: `${name}-other`,
  scc: `${name}-constraint`,
});

export const user = (namespace: string, name = "ec"): string =>
  `system:serviceaccount:${namespace}:${name}`;

export const account = (namespace: string, name = "ec"): Subject => ({
  kind: "ServiceAccount",
  name,
  namespace,
});

export const group = (name: string): Subject => ({ apiGroup: rbac, kind: "Group", name });

export const aNamespace = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
});

export const anEc = (namespace: string, spec: object = {}, name = "ec"): KubeObject => ({
  apiVersion: "app.engine.com/v1",
  kind: "EngineEnterpriseCluster",
  metadata: { name, namespace },
  spec: {
    nodes: 3,
    engineEnterpriseImageSpec: {
      repository: "engine/engine",
      versionTag: "8.0.20-44.23",
      imagePullPolicy: "IfNotPresent",
    },
    ...spec,
  },
});

export const adjusting = {
  securityContext: { resourceLimits: { allowAutoAdjustment: true } },
};

export const anOperator = (
  namespace: string,
  image: string,
  serviceAccountName?: string,
): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "engine-enterprise-operator", namespace },
  spec: {
    selector: { matchLabels: { name: "operator" } },
    template: {
      metadata: { labels: { name: "operator" } },
      spec: {
        ...(serviceAccountName !== undefined && { serviceAccountName }),
        containers: [{ name: "engine-enterprise-operator", image }],
      },
    },
  },
});

export const aConstraint = (
  name: string,
  {
    users = [],
    groups = [],
    priority,
  }: { users?: readonly string[]; groups?: readonly string[]; priority?: number } = {},
): KubeObject => ({
  ...(priority !== undefined && { priority }),
  apiVersion: "security.openshift.io/v1",
  kind: "SecurityContextConstraints",
  metadata: { name },
  allowedCapabilities: ["SYS_RESOURCE"],
  runAsUser: { type: "MustRunAs", uid: 1001 },
  users,
  groups,
});

export const useOf = (...names: readonly string[]): PolicyRule => ({
  apiGroups: ["security.openshift.io"],
  resources: ["securitycontextconstraints"],
  resourceNames: names,
  verbs: ["use"],
});

/** Without a namespace a ClusterRole. */
export function aRole(name: string, rules: ClusterRole["rules"]): ClusterRole;
export function aRole(name: string, rules: Role["rules"], namespace: string): Role;
export function aRole(name: string, rules: Role["rules"], namespace?: string): ClusterRole | Role {
  const apiVersion = `${rbac}/v1`;
  return namespace === undefined
    ? { apiVersion, kind: "ClusterRole", metadata: { name }, rules }
    : { apiVersion, kind: "Role", metadata: { name, namespace }, rules };
}

interface Bound {
  readonly subjects: readonly Subject[];
  readonly namespace?: string;
}

/** Without a namespace a ClusterRoleBinding. */
export function aBinding(
  name: string,
  roleRef: RoleRef,
  bound: Bound & { readonly namespace: string },
): RoleBinding;
export function aBinding(
  name: string,
  roleRef: RoleRef,
  bound: Pick<Bound, "subjects">,
): ClusterRoleBinding;
export function aBinding(
  name: string,
  { kind, name: role }: RoleRef,
  { subjects, namespace }: Bound,
): ClusterRoleBinding | RoleBinding {
  const apiVersion = `${rbac}/v1`;
  const roleRef = { apiGroup: rbac, kind, name: role };
  return namespace === undefined
    ? { apiVersion, kind: "ClusterRoleBinding", metadata: { name }, roleRef, subjects }
    : { apiVersion, kind: "RoleBinding", metadata: { name, namespace }, roleRef, subjects };
}

/** The ClusterRole and binding of `oc adm policy add-scc-to-user`, with -n when a namespace is given. */
export function granted(
  scc: string,
  bound: Bound & { readonly namespace: string },
): readonly [ClusterRole, RoleBinding];
export function granted(
  scc: string,
  bound: Pick<Bound, "subjects">,
): readonly [ClusterRole, ClusterRoleBinding];
export function granted(
  scc: string,
  { subjects, namespace }: Bound,
): readonly [ClusterRole, ClusterRoleBinding | RoleBinding] {
  const name = `system:openshift:scc:${scc}`;
  const role = { kind: "ClusterRole", name };
  const binding =
    namespace === undefined
      ? aBinding(name, role, { subjects })
      : aBinding(name, role, { subjects, namespace });
  return [aRole(name, [useOf(scc)]), binding];
}

export const aPod = (
  namespace: string,
  {
    scc,
    serviceAccountName = "ec",
    securityContext,
  }: {
    readonly scc: string;
    readonly serviceAccountName?: string;
    readonly securityContext?: SecurityContext;
  },
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "some-pod", namespace, annotations: { "openshift.io/scc": scc } },
  spec: {
    serviceAccountName,
    containers: [
      {
        name: "node",
        image: "engine/engine:8.0.20-44.23",
        ...(securityContext !== undefined && { securityContext }),
      },
    ],
  },
});

export const place = placeNamed("engine");
export const { ns, other, scc } = place;
export const namespaces = [aNamespace(ns), aNamespace(other)];
export const bindingName = `system:openshift:scc:${scc}`;
export const bindingRef = { resource: accessResources.clusterRoleBindings, name: bindingName };
export const constraintRef = { resource: constraintResource, name: scc };

/** The account in the constraint's users and, with another one, in oc's cluster-wide binding. */
export const objects = [
  ...namespaces,
  anEc(ns),
  aConstraint(scc, { users: [user(ns)] }),
  ...granted(scc, { subjects: [account(other), account(ns)] }),
];
/** The same with nobody else. */
export const alone = [
  ...namespaces,
  anEc(ns),
  aConstraint(scc, { users: [user(ns)] }),
  ...granted(scc, { subjects: [account(ns)] }),
];

export const linesOf = ({ sent }: Scene): readonly string[] => sent.map(({ line }) => line);
export const codesOf = (found: readonly { readonly code: string }[] = []): readonly string[] =>
  found.map(({ code }) => code);
