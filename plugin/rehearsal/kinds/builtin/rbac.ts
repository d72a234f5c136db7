/** Roles and bindings. */
import type { KubeObject } from "../../../run/ports";
import { isObject, list, own, text } from "../../../domain/values";
import { pathSegmentRule } from "../names";
import { kept, listOf, string, struct, whole } from "../shapes";
import type { BuiltIn } from "./definition";
import { aggregationErrors, bindingErrors, ruleErrors } from "./rbac-rules";
import { labelSelector } from "./selector";

const group = "rbac.authorization.k8s.io";

const rules = listOf(
  struct("PolicyRule", {
    verbs: kept(listOf(string)),
    apiGroups: listOf(string),
    resources: listOf(string),
    resourceNames: listOf(string),
    nonResourceURLs: listOf(string),
  }),
);
const bindingFields = {
  subjects: listOf(
    whole(struct("Subject", { kind: string, apiGroup: string, name: string, namespace: string })),
  ),
  roleRef: whole(struct("RoleRef", { apiGroup: string, kind: string, name: string })),
};
const aggregationRule = struct("AggregationRule", { clusterRoleSelectors: listOf(labelSelector) });

const common = { group, version: "v1", name: pathSegmentRule } as const;

/** A role, whether of a namespace or of the cluster. */
const role = {
  ...common,
  complete: (object: KubeObject): KubeObject => ({ ...object, rules: object["rules"] ?? null }),
};

/** A binding, whether of a namespace or of the cluster. */
const binding = { ...common, fields: bindingFields, complete: completeBinding };

/** The kinds of access control. */
export const rbacKinds: readonly BuiltIn[] = [
  {
    ...role,
    kind: "Role",
    plural: "roles",
    namespaced: true,
    fields: { rules },
    judge: (object) => ruleErrors(object, true),
  },
  {
    ...role,
    kind: "ClusterRole",
    plural: "clusterroles",
    namespaced: false,
    fields: { rules, aggregationRule },
    judge: (object) => [...ruleErrors(object, false), ...aggregationErrors(object)],
  },
  {
    ...binding,
    kind: "RoleBinding",
    plural: "rolebindings",
    namespaced: true,
    judge: (object, before) => bindingErrors(object, before, ["Role", "ClusterRole"]),
  },
  {
    ...binding,
    kind: "ClusterRoleBinding",
    plural: "clusterrolebindings",
    namespaced: false,
    judge: (object, before) => bindingErrors(object, before, ["ClusterRole"]),
  },
];

function completeBinding(object: KubeObject): KubeObject {
  const roleRef = own(object, "roleRef");
  const subjects = list(object["subjects"]).map((subject) => {
    const isPerson = ["User", "Group"].includes(text(own(subject, "kind")) ?? "");
    return isObject(subject) && isPerson ? { apiGroup: group, ...subject } : subject;
  });
  return {
    ...object,
    ...(subjects.length > 0 && { subjects }),
    roleRef: { apiGroup: group, ...(isObject(roleRef) && roleRef) },
  };
}
