/** Roles and bindings for tests. */
import { parseDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import { readShippedRbac } from "../../../../plugin/adapters/shipped";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";

const apiGroup = "rbac.authorization.k8s.io";
const apiVersion = `${apiGroup}/v1`;

/** The documents that the tool ships. */
export const shipped: readonly unknown[] = Object.entries(readShippedRbac()).flatMap(
  ([file, text]) => parseDocuments(text, file),
);

export const podRule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
export const nodeRule = { apiGroups: [""], resources: ["nodes"], verbs: ["get"] };

export function aRole(rules: readonly object[], metadata: object = {}): KubeObject {
  return {
    apiVersion,
    kind: "Role",
    metadata: { name: names.rbac.consumerRole, namespace: "shop", ...metadata },
    rules,
  };
}

export function account(name: string = names.operator.serviceAccount, namespace = "engine") {
  return { kind: "ServiceAccount", name, namespace };
}

export function aBinding(
  subjects: readonly object[] = [account()],
  { kind = "Role", name = names.rbac.consumerRole, metadata = {} } = {},
): KubeObject {
  return {
    apiVersion,
    kind: "RoleBinding",
    metadata: { name: names.rbac.consumerBinding, namespace: "shop", ...metadata },
    roleRef: { apiGroup, kind, name },
    subjects,
  };
}
