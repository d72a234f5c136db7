/** A Kubernetes object as far as the harness cares; the rest of it passes through as it is. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What it takes to address an object. */
export interface Ref {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export const appGroup = "app.engine.com";

/** The plural of each kind that the harness writes; discovery would cost requests for no gain. */
const plurals: Readonly<Record<string, string>> = {
  ClusterRole: "clusterroles",
  ClusterRoleBinding: "clusterrolebindings",
  ClusterServiceVersion: "clusterserviceversions",
  ConfigMap: "configmaps",
  CustomResourceDefinition: "customresourcedefinitions",
  Deployment: "deployments",
  EndpointSlice: "endpointslices",
  EngineEnterpriseActiveActiveDatabase: "engineenterpriseactiveactivedatabases",
  EngineEnterpriseCluster: "engineenterpriseclusters",
  EngineEnterpriseDatabase: "engineenterprisedatabases",
  EngineEnterpriseRemoteCluster: "engineenterpriseremoteclusters",
  InstallPlan: "installplans",
  Namespace: "namespaces",
  Node: "nodes",
  Pod: "pods",
  Role: "roles",
  RoleBinding: "rolebindings",
  Secret: "secrets",
  Service: "services",
  ServiceAccount: "serviceaccounts",
  Subscription: "subscriptions",
  ValidatingAdmissionPolicy: "validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding: "validatingadmissionpolicybindings",
  ValidatingWebhookConfiguration: "validatingwebhookconfigurations",
};

/** The URL path of an object, or of the collection that it belongs to. */
export function pathOf(ref: Ref, part: "object" | "collection" = "object"): string {
  const plural = plurals[ref.kind];
  if (plural === undefined) {
    throw new Error(`the harness does not know the plural of ${ref.kind}`);
  }
  const { name, namespace } = ref.metadata;
  const base = ref.apiVersion.includes("/") ? `/apis/${ref.apiVersion}` : `/api/${ref.apiVersion}`;
  const scope = namespace === undefined ? base : `${base}/namespaces/${namespace}`;
  return part === "collection" ? `${scope}/${plural}` : `${scope}/${plural}/${name}`;
}
