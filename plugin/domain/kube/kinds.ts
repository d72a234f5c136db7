/** Kubernetes' own kinds as they are addressed, and the two pairs of RBAC's that the operator needs. */
import type { BuiltInKind, Typed } from "./models";
import type { KubeObject, Resource } from "./objects";

/** A kind whose name the types know. */
export interface KnownResource<Kind extends string> extends Resource {
  readonly kind: Kind;
}

/** What is read under a kind: of one that Kubernetes has itself, an object with its types. */
export type Stored<R> = R extends { readonly kind: infer Kind extends BuiltInKind }
  ? Typed<Kind>
  : KubeObject;

/** The maker of a group's kinds. */
export const inGroup =
  (group: string, version = "v1") =>
  <Kind extends string>(plural: string, kind: Kind): KnownResource<Kind> => ({
    group,
    version,
    plural,
    kind,
  });
const core = inGroup("");
const apps = inGroup("apps");
const rbac = inGroup("rbac.authorization.k8s.io");

/** Kinds by their name. */
export const kinds = {
  namespace: core("namespaces", "Namespace"),
  node: core("nodes", "Node"),
  pod: core("pods", "Pod"),
  event: core("events", "Event"),
  configMap: core("configmaps", "ConfigMap"),
  secret: core("secrets", "Secret"),
  service: core("services", "Service"),
  serviceAccount: core("serviceaccounts", "ServiceAccount"),
  claim: core("persistentvolumeclaims", "PersistentVolumeClaim"),
  resourceQuota: core("resourcequotas", "ResourceQuota"),
  volumeAttachment: inGroup("storage.k8s.io")("volumeattachments", "VolumeAttachment"),
  disruptionBudget: inGroup("policy")("poddisruptionbudgets", "PodDisruptionBudget"),
  lease: inGroup("coordination.k8s.io")("leases", "Lease"),
  endpointSlice: inGroup("discovery.k8s.io")("endpointslices", "EndpointSlice"),
  networkPolicy: inGroup("networking.k8s.io")("networkpolicies", "NetworkPolicy"),
  deployment: apps("deployments", "Deployment"),
  replicaSet: apps("replicasets", "ReplicaSet"),
  statefulSet: apps("statefulsets", "StatefulSet"),
  clusterVersion: inGroup("config.openshift.io")("clusterversions", "ClusterVersion"),
  definition: inGroup("apiextensions.k8s.io")(
    "customresourcedefinitions",
    "CustomResourceDefinition",
  ),
  webhookConfiguration: inGroup("admissionregistration.k8s.io")(
    "validatingwebhookconfigurations",
    "ValidatingWebhookConfiguration",
  ),
  mutatingConfiguration: inGroup("admissionregistration.k8s.io")(
    "mutatingwebhookconfigurations",
    "MutatingWebhookConfiguration",
  ),
} as const;

const authorization = inGroup("authorization.k8s.io");

/** Access reviews about others: of the whole cluster, and those created in the namespace asked about. */
export const reviewKinds = {
  wide: authorization("subjectaccessreviews", "SubjectAccessReview"),
  local: authorization("localsubjectaccessreviews", "LocalSubjectAccessReview"),
} as const;

const olm = (version: string) => inGroup("operators.coreos.com", version);

/** What OLM keeps of a release. */
export const olmKinds = {
  subscription: olm("v1alpha1")("subscriptions", "Subscription"),
  installPlan: olm("v1alpha1")("installplans", "InstallPlan"),
  clusterServiceVersion: olm("v1alpha1")("clusterserviceversions", "ClusterServiceVersion"),
  catalogSource: olm("v1alpha1")("catalogsources", "CatalogSource"),
  operatorGroup: olm("v1")("operatorgroups", "OperatorGroup"),
  operatorCondition: olm("v2")("operatorconditions", "OperatorCondition"),
} as const;

/** RBAC's kinds by their name. */
export const rbacKinds = {
  role: rbac("roles", "Role"),
  roleBinding: rbac("rolebindings", "RoleBinding"),
  clusterRole: rbac("clusterroles", "ClusterRole"),
  clusterRoleBinding: rbac("clusterrolebindings", "ClusterRoleBinding"),
} as const;

/** A role and its binding. */
export interface RolePair<T> {
  readonly role: T;
  readonly binding: T;
}

/** The kinds in a namespace, or cluster-wide where there is none. */
export function kindsIn(namespace: string | undefined): RolePair<Resource> {
  return namespace === undefined
    ? { role: rbacKinds.clusterRole, binding: rbacKinds.clusterRoleBinding }
    : { role: rbacKinds.role, binding: rbacKinds.roleBinding };
}

/** OpenShift's constraints: cluster-scoped; a cluster that does not serve them is no OpenShift. */
export const constraintResource = inGroup("security.openshift.io")(
  "securitycontextconstraints",
  "SecurityContextConstraints",
);
