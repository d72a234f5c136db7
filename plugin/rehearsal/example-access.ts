/** The example's RBAC and constraint: what older releases left, some of it out of date. */
import type { Names } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import type { ExamplePlaces } from "./example-places";

const rbac = "rbac.authorization.k8s.io";
const everything = ["delete", "get", "list", "patch", "create", "update", "watch"];

/** Roles, bindings and the constraint of an older release. */
export function exampleAccess(names: Names, places: ExamplePlaces): readonly KubeObject[] {
  const account = {
    kind: "ServiceAccount",
    name: names.operator.serviceAccount,
    namespace: places.operator,
  };
  const nodes = {
    kind: "ServiceAccount",
    name: names.operator.olmCluster,
    namespace: places.operator,
  };
  const scc = names.scc.older;
  const useScc = `system:openshift:scc:${scc}`;
  return [
    ...operatorRole(names, places.operator, account),
    // the one that is no longer managed was never cleaned up
    ...[...places.consumers, places.former].flatMap((namespace) =>
      databaseRole(names, namespace, [account, nodes]),
    ),
    {
      apiVersion: "security.openshift.io/v1",
      kind: "SecurityContextConstraints",
      metadata: { name: scc },
      allowPrivilegedContainer: false,
      allowedCapabilities: ["SYS_RESOURCE"],
      runAsUser: { type: "MustRunAs", uid: 1001 },
      seLinuxContext: { type: "MustRunAs" },
      fsGroup: { type: "MustRunAs" },
      supplementalGroups: { type: "RunAsAny" },
      users: [],
      groups: [],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRole",
      metadata: { name: useScc },
      rules: [
        {
          apiGroups: ["security.openshift.io"],
          resources: ["securitycontextconstraints"],
          resourceNames: [scc],
          verbs: ["use"],
        },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: useScc, namespace: places.operator },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: useScc },
      subjects: [nodes],
    },
  ];
}

function operatorRole(names: Names, namespace: string, account: object): readonly KubeObject[] {
  const metadata = { name: names.operator.role, namespace };
  return [
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata,
      rules: [
        { apiGroups: [names.group], resources: ["*"], verbs: ["*"] },
        { apiGroups: [""], resources: ["secrets", "services", "configmaps"], verbs: ["*"] },
        { apiGroups: ["apps"], resources: ["deployments", "statefulsets"], verbs: ["*"] },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: names.operator.roleBinding, namespace },
      roleRef: { apiGroup: rbac, kind: "Role", name: metadata.name },
      subjects: [account],
    },
  ];
}

/** The rules from before active-active databases and endpoint slices came into them. */
function databaseRole(
  names: Names,
  namespace: string,
  subjects: readonly object[],
): readonly KubeObject[] {
  const metadata = { namespace, labels: { app: names.operator.appLabel } };
  return [
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata: { ...metadata, name: names.rbac.consumerRole },
      rules: [
        {
          apiGroups: [names.group],
          resources: ["", "/status", "/finalizers"].map((part) => `${names.edb.plural}${part}`),
          verbs: everything,
        },
        {
          apiGroups: [""],
          resources: ["secrets"],
          verbs: ["update", "get", "watch", "create", "patch", "list"],
        },
        { apiGroups: [""], resources: ["endpoints"], verbs: ["get", "list", "watch"] },
        { apiGroups: [""], resources: ["events"], verbs: ["create"] },
        {
          apiGroups: [""],
          resources: ["services"],
          verbs: ["get", "watch", "list", "update", "patch", "create", "delete"],
        },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { ...metadata, name: names.rbac.consumerBinding },
      roleRef: { apiGroup: rbac, kind: "Role", name: names.rbac.consumerRole },
      subjects,
    },
  ];
}
