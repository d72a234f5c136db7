/** Objects around a constraint, for a namespace of one's own. */
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { accessResources } from "../../../../plugin/domain/scc/grants";
import { constraintResource } from "../../../../plugin/domain/kube/kinds";
import type { Scene } from "./memory-scene";

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

export const account = (namespace: string, name = "ec"): object => ({
  kind: "ServiceAccount",
  name,
  namespace,
});

export const group = (name: string): object => ({ apiGroup: rbac, kind: "Group", name });

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
): KubeObject => ({
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

export const useOf = (...names: readonly string[]): object => ({
  apiGroups: ["security.openshift.io"],
  resources: ["securitycontextconstraints"],
  resourceNames: names,
  verbs: ["use"],
});

/** Without a namespace a ClusterRole. */
export const aRole = (name: string, rules: readonly object[], namespace?: string): KubeObject => ({
  apiVersion: `${rbac}/v1`,
  kind: namespace === undefined ? "ClusterRole" : "Role",
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  rules,
});

/** Without a namespace a ClusterRoleBinding. */
export const aBinding = (
  name: string,
  roleRef: { readonly kind: "ClusterRole" | "Role"; readonly name: string },
  { subjects, namespace }: { readonly subjects: readonly object[]; readonly namespace?: string },
): KubeObject => ({
  apiVersion: `${rbac}/v1`,
  kind: namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  roleRef: { apiGroup: rbac, ...roleRef },
  subjects,
});

/** The ClusterRole and binding of `oc adm policy add-scc-to-user`, with -n when a namespace is given. */
export const granted = (
  scc: string,
  bound: { readonly subjects: readonly object[]; readonly namespace?: string },
): readonly KubeObject[] => {
  const name = `system:openshift:scc:${scc}`;
  return [aRole(name, [useOf(scc)]), aBinding(name, { kind: "ClusterRole", name }, bound)];
};

export const aPod = (
  namespace: string,
  {
    scc,
    serviceAccountName = "ec",
    securityContext,
  }: {
    readonly scc: string;
    readonly serviceAccountName?: string;
    readonly securityContext?: object;
  },
): KubeObject => ({
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
