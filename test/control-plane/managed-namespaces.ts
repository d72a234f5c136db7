/** Many managed namespaces, each with the Role and RoleBinding that an older release left. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath } from "../../plugin/domain/base/values";
import type { User } from "./api-server";
import type { Api, KubeObject } from "./api";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { operatorDeployment } from "./operator";
import { runner } from "./plugin-run";
import { applyCrds } from "./scene";
import { until } from "./until";

const apiVersion = "rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";

/** The manager under which `kubectl apply -f role.yaml` of the documented way leaves its fields. */
export const documentedWay = "kubectl-client-side-apply";

export const operatorNamespace = "engine";

/** Every object of the operator's files has it. */
const labels = { app: names.operator.appLabel };

/** The rules before endpoint slices and active-active databases came into them. */
export const oldRules = [
  {
    apiGroups: [names.group],
    resources: ["", "/status", "/finalizers"].map((part) => `${names.edb.plural}${part}`),
    verbs: ["delete", "get", "list", "patch", "create", "update", "watch"],
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
    verbs: ["get", "list", "update", "patch", "create", "delete", "watch"],
  },
];

/** What a person may have bound instead: it gives more than the files, by a wildcard, and is not theirs to change. */
export const widerRules = [
  ...oldRules,
  { apiGroups: ["custom.example"], resources: ["*"], verbs: ["get"] },
];

export function oldRole(namespace: string, name: string = names.rbac.consumerRole): KubeObject {
  return { apiVersion, kind: "Role", metadata: { name, namespace, labels }, rules: oldRules };
}

export function oldBinding(
  namespace: string,
  roleRef: object = { apiGroup, kind: "Role", name: names.rbac.consumerRole },
): KubeObject {
  const account = (name: string): object => ({
    kind: "ServiceAccount",
    name,
    namespace: operatorNamespace,
  });
  return {
    apiVersion,
    kind: "RoleBinding",
    metadata: { name: names.rbac.consumerBinding, namespace, labels },
    roleRef,
    subjects: [account(names.operator.serviceAccount), account("ec")],
  };
}

/** What the operator has in its own namespace, without which it does nothing anywhere. */
export function ownAccess(): readonly KubeObject[] {
  const { role, roleBinding } = names.operator;
  const binding = oldBinding(operatorNamespace, { apiGroup, kind: "Role", name: role });
  const metadata = { ...binding.metadata, name: roleBinding };
  return [oldRole(operatorNamespace, role), { ...binding, metadata }];
}

export function namespaceNamed(
  name: string,
  marks: Readonly<Record<string, string>> = {},
): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: marks } };
}

/** The ConfigMap by which the operator is told what to manage. */
export function settings(data: Readonly<Record<string, string>>): KubeObject {
  const metadata = { name: names.configMap.name, namespace: operatorNamespace };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

/** The cluster resource that names the service account. */
export function cluster(): KubeObject {
  return {
    apiVersion: `${names.group}/${names.ecVersion}`,
    kind: names.ec.kind,
    metadata: { name: "ec", namespace: operatorNamespace },
    spec: { nodes: 3 },
  };
}

/** `ns-0001` and so on. */
export function namespaceNames(count: number, from = 1): readonly string[] {
  return Array.from({ length: count }, (_, at) => `ns-${String(at + from).padStart(4, "0")}`);
}

/** What label mode had before: the right to find namespaces. */
export function labelRole(): KubeObject {
  const rules = [{ apiGroups: [""], resources: ["namespaces"], verbs: ["list", "watch"] }];
  const metadata = { name: names.rbac.labelRole, labels };
  return { apiVersion, kind: "ClusterRole", metadata, rules };
}

/** The binding of that role. */
export function labelBinding(): KubeObject {
  const { serviceAccount: name } = names.operator;
  return {
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata: { name: names.rbac.labelBinding, labels },
    roleRef: { apiGroup, kind: "ClusterRole", name: names.rbac.labelRole },
    subjects: [{ kind: "ServiceAccount", name, namespace: operatorNamespace }],
  };
}

/** A control plane with the operator's namespace and its cluster resource, and the operator of a version. */
export async function openManaged({
  users = [],
  version,
}: { readonly users?: readonly User[]; readonly version?: string } = {}): Promise<ControlPlane> {
  const controlPlane = await startControlPlane({ users: [runner, ...users] });
  const { api } = controlPlane;
  await applyCrds(api);
  await api.create(namespaceNamed(operatorNamespace));
  await api.create(cluster());
  if (version !== undefined) await api.create(operatorDeployment(operatorNamespace, version));
  return controlPlane;
}

/** The operator's account, as an access review names it. */
export const operatorAccount = {
  user: `system:serviceaccount:${operatorNamespace}:${names.operator.serviceAccount}`,
  groups: [
    "system:serviceaccounts",
    `system:serviceaccounts:${operatorNamespace}`,
    "system:authenticated",
  ],
};

/** Whether the operator may do so now. */
export async function operatorMay(
  api: Api,
  resourceAttributes: Readonly<Record<string, string>>,
): Promise<boolean> {
  const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  const spec = { ...operatorAccount, resourceAttributes };
  const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
  const answer = await api.send("POST", path, { body });
  return getPath(answer.body, ["status", "allowed"]) === true;
}

/** Waits until it may, or may not: the API server learns of changed roles a moment after the write. */
export async function untilOperatorMay(
  api: Api,
  question: Readonly<Record<string, string>>,
  allowed = true,
): Promise<void> {
  await until(`${JSON.stringify(question)}: ${String(allowed)}`, async () => {
    return (await operatorMay(api, question)) === allowed || undefined;
  });
}

/** A role of a user's own for the whole cluster, and its binding. */
export function rightsOf(user: string, rules: readonly object[]): readonly KubeObject[] {
  const metadata = { name: `rights-of-${user}` };
  return [
    { apiVersion, kind: "ClusterRole", metadata, rules },
    {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup, kind: "ClusterRole", name: metadata.name },
      subjects: [{ apiGroup, kind: "User", name: user }],
    },
  ];
}

/** Writes the objects of every namespace, some namespaces at once. */
export async function seedNamespaces(
  api: Api,
  wanted: readonly string[],
  marks: Readonly<Record<string, string>> = {},
): Promise<void> {
  const left = [...wanted];
  const work = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      await api.create(namespaceNamed(name, marks));
      await api.create(oldRole(name), documentedWay);
      await api.create(oldBinding(name), documentedWay);
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
}
