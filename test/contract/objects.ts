/** The objects of the cases, as small as they can be. */
import type { KubeObject, Ref, Resource } from "../../plugin/domain/kube/objects";

const rbacGroup = "rbac.authorization.k8s.io";
const admissionGroup = "admissionregistration.k8s.io";
const engineGroup = "app.engine.com";

/** The kinds of the cases. */
export const kinds = {
  configMaps: kind("v1", "configmaps", "ConfigMap"),
  namespaces: kind("v1", "namespaces", "Namespace"),
  secrets: kind("v1", "secrets", "Secret"),
  services: kind("v1", "services", "Service"),
  accounts: kind("v1", "serviceaccounts", "ServiceAccount"),
  pods: kind("v1", "pods", "Pod"),
  quotas: kind("v1", "resourcequotas", "ResourceQuota"),
  deployments: kind("apps/v1", "deployments", "Deployment"),
  roles: kind(`${rbacGroup}/v1`, "roles", "Role"),
  bindings: kind(`${rbacGroup}/v1`, "rolebindings", "RoleBinding"),
  clusterRoles: kind(`${rbacGroup}/v1`, "clusterroles", "ClusterRole"),
  clusterBindings: kind(`${rbacGroup}/v1`, "clusterrolebindings", "ClusterRoleBinding"),
  configurations: kind(
    `${admissionGroup}/v1`,
    "validatingwebhookconfigurations",
    "ValidatingWebhookConfiguration",
  ),
  definitions: kind(
    "apiextensions.k8s.io/v1",
    "customresourcedefinitions",
    "CustomResourceDefinition",
  ),
  databases: kind(
    `${engineGroup}/v1alpha1`,
    "engineenterprisedatabases",
    "EngineEnterpriseDatabase",
  ),
  clusters: kind(`${engineGroup}/v1`, "engineenterpriseclusters", "EngineEnterpriseCluster"),
} as const;

/** A kind from `group/version` and its two names. */
function kind(apiVersion: string, plural: string, name: string): Resource {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return { group, version, plural, kind: name };
}

/** The address of an object that was built here. */
export function refTo(resource: Resource, { metadata }: KubeObject): Ref {
  const { name = "", namespace } = metadata;
  return { resource, name, ...(namespace !== undefined && { namespace }) };
}

function object(resource: Resource, metadata: KubeObject["metadata"], rest: object): KubeObject {
  const { group, version } = resource;
  return {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind: resource.kind,
    metadata,
    ...rest,
  };
}

export function configMap(
  namespace: string,
  data: Readonly<Record<string, string>> = { a: "1" },
  name = "settings",
): KubeObject {
  return object(kinds.configMaps, { name, namespace }, { data });
}

/** One container; the token of the default account is not asked for, since nobody makes that account. */
export function pod(namespace: string, resources: object = {}): KubeObject {
  const containers = [{ name: "node", image: "engine/engine:1", resources }];
  return object(kinds.pods, { name: "ec-0", namespace }, { spec: { containers } });
}

export function resourceQuota(
  namespace: string,
  hard: Readonly<Record<string, string>>,
): KubeObject {
  return object(kinds.quotas, { name: "budget", namespace }, { spec: { hard } });
}

export function database(namespace: string, spec: object = {}, name = "orders"): KubeObject {
  const base = { engineEnterpriseCluster: { name: "ec" }, memorySize: "100MB" };
  return object(kinds.databases, { name, namespace }, { spec: { ...base, ...spec } });
}

export function ec(namespace: string, spec: object = {}): KubeObject {
  return object(kinds.clusters, { name: "ec", namespace }, { spec: { nodes: 3, ...spec } });
}

export function role(namespace: string, rules: readonly object[], name = "reader"): KubeObject {
  return object(kinds.roles, { name, namespace }, { rules });
}

export function clusterRole(name: string, rules: readonly object[]): KubeObject {
  return object(kinds.clusterRoles, { name }, { rules });
}

/** A binding of a user to a Role of the same namespace, or to what `roleRef` says. */
export function binding(
  namespace: string,
  user: string,
  roleRef: { readonly kind: string; readonly name: string } = { kind: "Role", name: "reader" },
): KubeObject {
  return object(
    kinds.bindings,
    { name: `${user}-${roleRef.name}`, namespace },
    { subjects: [userSubject(user)], roleRef: { apiGroup: rbacGroup, ...roleRef } },
  );
}

export function clusterBinding(name: string, user: string, clusterRoleName: string): KubeObject {
  const roleRef = { apiGroup: rbacGroup, kind: "ClusterRole", name: clusterRoleName };
  return object(kinds.clusterBindings, { name }, { subjects: [userSubject(user)], roleRef });
}

export function userSubject(name: string): object {
  return { apiGroup: rbacGroup, kind: "User", name };
}

/** A rule over one kind of the core group, or of `apiGroup`. */
export function rule(verbs: readonly string[], resource: string, more: object = {}): object {
  return { apiGroups: [""], resources: [resource], verbs, ...more };
}

export function deployment(namespace: string, image = "engine/operator:1"): KubeObject {
  const labels = { name: "operator" };
  return object(
    kinds.deployments,
    { name: "operator", namespace },
    {
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "operator", image, ports: [{ containerPort: 8080 }] }] },
        },
      },
    },
  );
}

export function admissionService(namespace: string, port = 443): KubeObject {
  return object(
    kinds.services,
    { name: "admission", namespace },
    { spec: { ports: [{ name: "https", port, targetPort: 8443, protocol: "TCP" }] } },
  );
}

/** A webhook entry that judges the databases of one namespace. */
export function entry(namespace: string, more: object = {}): object {
  return {
    name: "databases.admission.engine",
    clientConfig: { service: { namespace, name: "admission", path: "/admission" } },
    rules: [
      {
        apiGroups: [engineGroup],
        apiVersions: ["v1alpha1"],
        operations: ["CREATE", "UPDATE"],
        resources: ["engineenterprisedatabases"],
      },
    ],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    failurePolicy: "Fail",
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...more,
  };
}

export function configuration(
  namespace: string,
  entries: readonly object[] = [entry(namespace)],
  name = `${namespace}-hook`,
): KubeObject {
  return object(kinds.configurations, { name }, { webhooks: entries });
}

/** A definition of a kind in a group of the case's own. */
export function definition(namespace: string, schema: object, more: object = {}): KubeObject {
  const group = `${namespace}.example.com`;
  return object(
    kinds.definitions,
    { name: `gadgets.${group}` },
    {
      spec: {
        group,
        names: { plural: "gadgets", singular: "gadget", kind: "Gadget", listKind: "GadgetList" },
        scope: "Namespaced",
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } },
        ],
        ...more,
      },
    },
  );
}

/** The kind of `definition`. */
export function gadgets(namespace: string): Resource {
  return kind(`${namespace}.example.com/v1`, "gadgets", "Gadget");
}

export function gadget(namespace: string, content: object, name = "g"): KubeObject {
  return object(gadgets(namespace), { name, namespace }, content);
}
