/** Objects in a Kubernetes cluster, the keys inside them, and the files that they come from. */
import {
  apiVersion,
  entryName,
  files,
  groupName,
  imageName,
  imageNames,
  itemKey,
  kindName,
  label,
  labelValue,
  metadataKey,
  metadataKeys,
  objectName,
  resourceName,
  roleName,
  title,
  tokens,
  urlPath,
  versions,
  word,
  words,
} from "./types";

/** The values. */
export const valueNames = {
  engineDbType: word("engine", "Type of a database that is no memcached one"),
  bundledModules: words(
    ["search", "ReJSON", "timeseries", "bf"],
    "Modules that every cluster has, by the names that manifests give them",
  ),
  moduleDisplayNames: words(
    ["EngineSearch", "EngineJSON", "EngineGears"],
    "Display names of modules, as people know them",
  ),
  graphModule: words(["graph", "EngineGraph"], "Names of the module whose life ended at 7.8.2-6"),
  volumesResizing: words(["Resizing"], "States of a cluster's volumes while they are expanded"),
  engineVersions: versions(
    ["7.2", "7.4", "8.0", "8.2"],
    "Supported versions where a cluster publishes none",
  ),
  majorChannel: word("major", "Channel, and policy, of major versions"),
  latestChannel: word("latest", "Channel, and policy, of all versions"),
};

interface KindWords {
  readonly kind: string;
  readonly plural: string;
  readonly short: string;
  readonly says: string;
}

const makeKind = ({ kind, plural, short, says }: KindWords) => ({
  kind: kindName(kind, `Kind of ${says}`),
  plural: resourceName("plural", plural, `Plural of that kind, as URLs and RBAC rules have it`),
  short: resourceName("short", short, `Short name of that kind; in capitals, messages use it`),
});

/** The product, group, versions and kinds. */
export const apiNames = {
  product: title("Engine Enterprise", "The product, as help and messages call it"),
  group: groupName("app.engine.com", "API group of the product's kinds"),
  version: apiVersion("v1alpha1", "Version of the kinds (the cluster's older one)"),
  ecVersion: apiVersion("v1", "Version that cluster resources are stored in"),
  ec: makeKind({
    kind: "EngineEnterpriseCluster",
    plural: "engineenterpriseclusters",
    short: "ec",
    says: "a cluster",
  }),
  edb: makeKind({
    kind: "EngineEnterpriseDatabase",
    plural: "engineenterprisedatabases",
    short: "edb",
    says: "a database",
  }),
  eaadb: makeKind({
    kind: "EngineEnterpriseActiveActiveDatabase",
    plural: "engineenterpriseactiveactivedatabases",
    short: "eaadb",
    says: "an active-active database",
  }),
  erc: makeKind({
    kind: "EngineEnterpriseRemoteCluster",
    plural: "engineenterpriseremoteclusters",
    short: "erc",
    says: "a remote cluster",
  }),
};

const configuration = "ValidatingWebhookConfiguration";
const operator = "engine-enterprise-operator";
const consumer = "engine-enterprise-operator-consumer-ns";

/** The admission webhook, and how its template marks what is to be filled in. */
export const webhookNames = {
  webhook: {
    configuration: objectName(configuration, "engine-enterprise-admission", "The webhook's object"),
    // literal in the specification (S30), odd as it is
    entry: entryName("redisenterprise.admission.engine", "Its one entry"),
    oldConfiguration: objectName(configuration, "edb-admission", "The object before 6.4.2"),
    oldEntry: entryName("edb.admission.engine", "The entry of that older object"),
    path: urlPath("/admission", "Path that the API server calls", "path"),
    service: label("Service", "admission", "Service in front of the webhook's server"),
    secret: objectName("Secret", "admission-tls", "Secret with the webhook's key pair"),
    secretCert: itemKey("cert", "Item of that Secret with the certificate"),
    secretKey: itemKey("privateKey", "Item of that Secret with the private key"),
  },
  placeholders: {
    namespace: tokens(
      ["OPERATOR_NAMESPACE", "NAMESPACE_OF_SERVICE_ACCOUNT", "<ec-namespace>"],
      "Spellings that stand for the operator's namespace in templates",
    ),
    serviceAccount: tokens(
      ["NAME_OF_EC_SERVICE_ACCOUNT", "<service-account-name>"],
      "Spellings that stand for the cluster's service account in templates",
    ),
  },
};

/** The operator, what it reads, and what it grants and is granted. */
export const operatorNames = {
  operator: {
    deployment: objectName("Deployment", operator, "The operator's Deployment"),
    namespace: label("operatorNamespace", "engine", "Namespace that is taken for the operator's"),
    serviceAccount: objectName("ServiceAccount", operator, "The operator's service account"),
    role: roleName("Role", operator, "The operator's own Role"),
    roleBinding: roleName("RoleBinding", operator, "The binding of that Role"),
    container: label("container", operator, "The operator's container in its pod"),
    admissionContainer: label("container", "admission", "The admission server's container"),
    appLabel: labelValue("engine-enterprise", "Value of the label app on all its objects"),
    podLabel: labelValue(operator, "Value of the label name on the operator's pods"),
    chart: objectName("chart", operator, "The operator's Helm chart"),
    chartOpenShift: word("openshift.mode", "The chart's setting for OpenShift"),
    olmCluster: label(undefined, "ec", "Name that a cluster must have where OLM installed it"),
  },
  pods: {
    container: label("container", "engine-enterprise-node", "Container of a cluster's pods"),
    volumeTemplate: objectName(
      "template",
      "engine-enterprise-storage",
      "Claims of a cluster's volumes: TEMPLATE-CLUSTER-NUMBER",
    ),
    remoteSecretPrefix: objectName("prefix", "engine-enterprise", "Remote Secrets: PREFIX-NAME"),
  },
  rbac: {
    consumerRole: roleName("Role", "edb-role", "Role in every managed namespace"),
    consumerBinding: roleName("RoleBinding", "edb-role", "RoleBinding beside that Role"),
    labelRole: roleName("ClusterRole", consumer, "ClusterRole for finding namespaces by label"),
    labelBinding: roleName("ClusterRoleBinding", consumer, "The binding of that ClusterRole"),
  },
  scc: {
    current: objectName("SecurityContextConstraints", "engine-enterprise-scc-v2", "SCC to unbind"),
    older: objectName("SecurityContextConstraints", "engine-enterprise-scc", "SCC before 6.4.2-6"),
  },
  configMap: {
    name: objectName("ConfigMap", "operator-environment-config", "The operator's settings"),
    namespaces: itemKey("EDB_NAMESPACES", "Setting: the managed namespaces as a list"),
    namespacesLabel: itemKey("EDB_NAMESPACES_LABEL", "Setting: the managed namespaces by label"),
  },
  secretItems: {
    username: itemKey("username", "Item with the user name of REST and module credentials"),
    password: itemKey("password", "Item with the password of REST and module credentials"),
    license: itemKey("license", "Item with the license text"),
  },
  labels: {
    admissionEnable: metadataKey(
      "engine.io/engineenterprise.admission.enable",
      "Label by which the chart limits the webhook to namespaces",
    ),
  },
  annotations: {
    operatorVersion: metadataKeys(
      ["engine.io/operator-ver"],
      "Chart: version of the operator; every spelling is read, the first is written",
    ),
    chartVersion: metadataKeys(
      ["engine.io/helm-chart-ver"],
      "Chart: version of the chart; every spelling is read",
    ),
    userModules: metadataKey("engine.io/user-modules", "Pods: the modules they were started with"),
    bypass: metadataKey("engine.io/admission-bypass", "Emergency bypass: the reason"),
    bypassUntil: metadataKey("engine.io/admission-bypass-until", "Emergency bypass: its end"),
    added: metadataKey("engine.io/added", "The operator's roles: what a person added, and is kept"),
    savedFrom: metadataKey("engine.io/saved-from", "Saved Secrets: the name it was saved from"),
    savedMetadata: metadataKey("engine.io/saved-metadata", "Saved Secrets: what was set aside"),
  },
  images: {
    operator: imageName("engine/operator", "Image of the operator and its admission server"),
    cluster: imageName("engine/engine", "Image of a cluster's nodes"),
    controller: imageName("engine/k8s-controller", "Image of the services rigger"),
    callHome: imageName("engine/call-home-client", "Image of the usage meter's client"),
  },
  // empty: as on Kubernetes; names files without these keys then speak of one image for both
  openshiftImages: {
    operator: imageNames([], "The same on OpenShift, where it is another; the first is written"),
    cluster: imageNames([], "The image of a cluster's nodes on OpenShift"),
    controller: imageNames([], "The image of the services rigger on OpenShift"),
    callHome: imageNames([], "The image of the usage meter's client on OpenShift"),
  },
  companion: {
    namespace: label("companion", "engine-admission", "Namespace of the companion webhook"),
    deployment: objectName(
      "companion",
      "engine-webhook",
      "Its Deployment; names of its other objects begin with it",
    ),
    image: imageName(
      "registry.invalid/engine/webhook",
      "Its image, with the registry that holds it; the default is nowhere",
    ),
  },
  fieldManager: word("kubectl-engine", "Field manager of this tool's writes"),
  webhookFieldManager: word("engine-webhook", "Field manager of the companion webhook's writes"),
};

const both = (path: string): readonly string[] => [`deploy/${path}`, path];

/** The files of a release. */
export const releaseNames = {
  release: {
    webhook: files(both("admission/webhook.yaml"), "Files with the webhook's template"),
    bundle: files(both("bundle.yaml"), "Files with the bundle for Kubernetes"),
    openshiftBundle: files(both("openshift.bundle.yaml"), "Files with the bundle for OpenShift"),
    scc: files(both("openshift/scc.yaml"), "Files with the SCC"),
    sampleCluster: files(
      both("openshift/ec_rhel.yaml"),
      "Files with a sample cluster, whose image tag belongs to the release",
    ),
    consumerRole: files(both("multi-namespace-edb/role.yaml"), "Files with the consumer Role"),
    consumerBinding: files(
      both("multi-namespace-edb/role_binding.yaml"),
      "Files with the binding of the consumer Role",
    ),
    labelRole: files(
      both("multi-namespace-edb/operator_cluster_role.yaml"),
      "Files with the ClusterRole for finding namespaces by label",
    ),
    labelBinding: files(
      both("multi-namespace-edb/operator_cluster_role_binding.yaml"),
      "Files with the binding of that ClusterRole",
    ),
  },
};
