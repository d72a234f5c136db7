/** Platform, operator, release and definitions. */
import { pick } from "../../../../plugin/domain/base/values";
import { type KubeObject, lastApplied } from "../../../../plugin/domain/kube/objects";
import { definition, deployment, ec } from "./labels";
import {
  aClusterServiceVersion,
  anInstallPlan,
  anOperatorGroup,
  olmDefinitions,
} from "../../../support/olm";
import { onOpenShift, type Rows } from "./row";
import { aBinding, aRole, established, type release, subscriptionKind, type World } from "./world";

const image = (world: World, tag: string): World =>
  world
    .set(deployment, "spec.template.spec.containers.0.image", tag)
    .set(deployment, "spec.template.spec.containers.1.image", tag);
const operatorAt = (world: World, tag: string): World => image(world, `engine/operator:${tag}`);
const helm = { "meta.helm.sh/release-name": "engine" };
const olm = { "olm.owner": "operator.v8" };
/** A manual one of this namespace; another one is of another operator, and automatic. */
const subscription = (status: object, name = "operator"): KubeObject => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  metadata: { name, namespace: "engine" },
  spec: name === "operator" ? { installPlanApproval: "Manual" } : {},
  status,
});
/** The operator as OLM has installed it, with what it keeps beside. */
const byOlm = (world: World, ...kept: readonly KubeObject[]): World =>
  world.note(deployment, "labels", olm).add(...olmDefinitions.map(established), ...kept);
const failedPlan = (
  csv: string,
  message = 'Kind=Database "shop/cart": [].spec.size: Invalid value',
): KubeObject =>
  anInstallPlan(
    { approved: true, clusterServiceVersionNames: [csv] },
    {
      phase: "Failed",
      conditions: [{ status: "False", message }],
    },
  );
const clusterAt = (world: World, tag: string): World =>
  world.set(ec, "spec.engineEnterpriseImageSpec.versionTag", tag);
const ghostLease: KubeObject = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "lock", namespace: "engine" },
  spec: {
    holderIdentity: "engine-enterprise-operator-5c8f7d9b66-q8wzr",
    renewTime: "2025-01-01T00:00:00.000000Z",
  },
};
/** The EC's pods are not what these rows are about. */
const paused = (world: World): World => world.set(ec, "status.state", "RunningRollingUpdate");
const crd = (world: World): KubeObject => world.find(definition) as unknown as KubeObject;
const contents = (world: World, parts: Parameters<typeof release>[0]): World =>
  world.wants("8.0.2-2", parts);
const without = (object: KubeObject, part: "spec" | "status", field: string): KubeObject => {
  const copy = structuredClone(object) as unknown as {
    spec: {
      versions: {
        schema: {
          openAPIV3Schema: { properties: Record<string, { properties: Record<string, unknown> }> };
        };
      }[];
    };
  };
  for (const { schema } of copy.spec.versions) {
    delete schema.openAPIV3Schema.properties[part]?.properties[field];
  }
  return copy as unknown as KubeObject;
};
const bundleOf = (world: World): readonly KubeObject[] => [
  world.find(deployment) as unknown as KubeObject,
];

const inRegistry = (world: World, registry: string): unknown => {
  const { spec } = structuredClone(world.find(deployment)) as {
    spec: { template: { spec: { containers: { image: string }[] } } };
  };
  const { containers } = spec.template.spec;
  return containers.map((one) => ({ ...one, image: `${registry}/${one.image}` }));
};

const writtenBy = (manager: string, operation = "Update"): object => ({
  ...{ manager, operation, apiVersion: "rbac.authorization.k8s.io/v1" },
  fieldsV1: { "f:rules": {} },
});
const held = (world: World, metadata: object): World => {
  const own = world.find("Role/engine/engine-enterprise-operator") as unknown as KubeObject;
  Object.assign(own, { metadata: { ...own.metadata, ...metadata } });
  return world;
};
/** A release whose role gives less than the one that is there. */
const narrower = (world: World): World =>
  contents(world, {
    bundle: [
      ...bundleOf(world),
      aRole("engine-enterprise-operator", [
        { apiGroups: ["app.engine.com"], resources: ["*"], verbs: ["get"] },
      ]),
    ],
  });
const told = (tag: string) => ({ clusterTold: [{ tag, by: "the sample" }] });

const kubelet = (world: World, kubeletVersion: string): World =>
  world.set("Node/node-1", "status.nodeInfo.kubeletVersion", kubeletVersion);

export const platformRows: Rows = {
  "PLATFORM-UNSUPPORTED: Kubernetes far too old": (w) => (w.apiServer = "v1.28.2"),
  "PLATFORM-UNSUPPORTED: an older release that knows this one not yet": (w) => {
    w.apiServer = "v1.36.0";
    operatorAt(w, "7.22.0-7");
  },
  "PLATFORM-UNSUPPORTED: OpenShift far too old": onOpenShift((w) =>
    w.set("ClusterVersion/version", "status.desired.version", "4.12.3"),
  ),
  "PLATFORM-EDGE: Kubernetes a minor version ahead": (w) => (w.apiServer = "v1.35.0"),
  "PLATFORM-DEPRECATED: Kubernetes deprecated": (w) => (w.apiServer = "v1.31.9+k3s1"),
  "PLATFORM-DEPRECATED: the oldest supported": (w) => (w.apiServer = "v1.32.0"),
  "PLATFORM-VERSION-UNKNOWN: the API server does not report": (w) => (w.apiServer = undefined),
  "PLATFORM-VERSION-UNKNOWN: OpenShift does not report": onOpenShift((w) =>
    w.set("ClusterVersion/version", "status.desired.version", undefined),
  ),
  "PLATFORM-UNKNOWN: a dump of OpenShift without its version": onOpenShift((w) =>
    w.remove(
      "ClusterVersion/version",
      "CustomResourceDefinition/clusterversions.config.openshift.io",
    ),
  ),
  "PLATFORM-UNKNOWN: an operator that no line covers": (w) => operatorAt(w, "7.4.2-2"),
  "PLATFORM-UNKNOWN: an operator that does not report": (w) => image(w, "x@sha256:00"),
  "PLATFORM-VERSION-UNKNOWN: OpenShift serves its version, and has none": onOpenShift((w) =>
    w.remove("ClusterVersion/version"),
  ),
  "PLATFORM-DISTRIBUTION: k3s": (w) => kubelet(w, "v1.33.4+k3s1"),
  "PLATFORM-DISTRIBUTION: a cloud": (w) => kubelet(w, "v1.33.5-gke.1080000"),
  "PLATFORM-DISTRIBUTION: plain": (w) => kubelet(w, "v1.33.4"),
  "PLATFORM-DISTRIBUTION: a candidate": (w) => kubelet(w, "v1.34.0-rc.1"),
  "PLATFORM-DISTRIBUTION: OpenShift is in the table": onOpenShift((w) =>
    kubelet(w, "v1.33.4+f67aeb3"),
  ),
  "PLATFORM-DISTRIBUTION: a node of OpenShift, whose kinds a dump lacks": (w) => {
    kubelet(w, "v1.33.4+f67aeb3").note("Node/node-1", "labels", {
      "node.openshift.io/os_id": "rhel",
    });
  },
  "PLATFORM-NODE-NOT-READY: a node is not ready": (w) =>
    w.set("Node/node-1", "status.conditions", []),
  "PLATFORM-NODE-NOT-READY: a node is cordoned": (w) =>
    w.set("Node/node-1", "spec", { unschedulable: true }),
  "PLATFORM-QUOTA-EXHAUSTED: the last pod of a quota": (w) =>
    w.set("ResourceQuota/engine/quota", "status.used.pods", "20"),
  "PLATFORM-QUOTA-EXHAUSTED: a quota without status": (w) =>
    w.set("ResourceQuota/engine/quota", "status", undefined),
};

export const operatorRows: Rows = {
  "NAMESPACE-MISSING: no namespace": (w) => w.remove("Namespace/engine", deployment),
  "OPERATOR-ABSENT: no Deployment": (w) => w.remove(deployment),
  "OPERATOR-NOT-READY: scaled to none": (w) =>
    w
      .set(deployment, "spec.replicas", 0)
      .set(deployment, "status", { observedGeneration: 1, replicas: 0 }),
  "OPERATOR-NOT-READY: no pod is ready": (w) => w.set(deployment, "status.readyReplicas", 0),
  "OPERATOR-NOT-ACTING: a lease that a pod holds which is gone": (w) => w.add(ghostLease),
  "OPERATOR-NOT-ACTING: it watches other namespaces": (w) =>
    w.set(deployment, "spec.template.spec.containers.0.env", [
      { name: "WATCH_NAMESPACE", value: "shop" },
    ]),
  "OPERATOR-NOT-ACTING: its OperatorGroup has other namespaces": (w) =>
    w
      .set(deployment, "spec.template.metadata.annotations", { "olm.targetNamespaces": "a, b" })
      .set(deployment, "spec.template.spec.containers.0.env", [
        {
          name: "WATCH_NAMESPACE",
          valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } },
        },
      ]),
  "OPERATOR-TOO-OLD: before 7.4.2-2": (w) => operatorAt(w, "7.4.2-1").wants("8.0.2-2"),
  "OPERATOR-TOO-OLD: without a target": (w) => operatorAt(w, "7.2.4-7"),
  "OPERATOR-TOO-OLD: at 7.4.2-2": (w) => operatorAt(w, "7.4.2-2").wants("8.0.2-2"),
  "OPERATOR-TOO-OLD: a target before 7.8.2-6": (w) => operatorAt(w, "7.2.4-7").wants("7.4.2-2"),
  "OPERATOR-TOO-OLD: no operator": (w) => w.remove(deployment),
  "OPERATOR-VERSION-UNKNOWN: pinned by digest": (w) => image(w, "engine/operator@sha256:00"),
  "OPERATOR-VERSION-UNKNOWN: pinned, and the chart tells": (w) =>
    image(w, "engine/operator@sha256:00").note(deployment, "annotations", {
      "engine.io/operator-ver": "8.0.2-2",
    }),
  "OPERATOR-VERSION-CONTRADICTS: another annotation": (w) =>
    w.note(deployment, "annotations", { "engine.io/operator-ver": "7.22.0-7" }),
  "OPERATOR-VERSION-CONTRADICTS: a leading v": (w) =>
    w.note(deployment, "annotations", { "engine.io/operator-ver": "v8.0.2-2" }),
  "OPERATOR-IMAGES-DIFFER: one of two containers changed": (w) =>
    w.set(deployment, "spec.template.spec.containers.1.image", "engine/operator:7.22.0-7"),
  "OPERATOR-STRATEGY: a rolling one": (w) => w.set(deployment, "spec.strategy", undefined),
  "OPERATOR-STRATEGY: two replicas": (w) =>
    w
      .set(deployment, "spec.replicas", 2)
      .set(deployment, "status.readyReplicas", 2)
      .set(deployment, "status.updatedReplicas", 2)
      .set(deployment, "status.availableReplicas", 2),
  "OPERATOR-STRATEGY: replicas left out": (w) => w.set(deployment, "spec.replicas", undefined),
  "OPERATOR-OWNED: a chart's": (w) =>
    w
      .note(deployment, "annotations", helm)
      .remove(
        "ConfigMap/engine/operator-environment-config",
        "Role/shop/edb-role",
        "RoleBinding/shop/edb-role",
        "EngineEnterpriseDatabase/shop/orders",
      ),
  "OPERATOR-OWNED: a repository's, and a bundle": (w) =>
    contents(w.note(deployment, "labels", { "argocd.argoproj.io/instance": "x" }), {
      bundle: bundleOf(w),
    }),
  "OPERATOR-OWNED: a repository's, and no bundle": (w) =>
    contents(w.note(deployment, "labels", { "argocd.argoproj.io/instance": "x" }), { bundle: [] }),
  "OPERATOR-OWNED: OLM's, whose objects may not be read": (w) => {
    w.note(deployment, "annotations", { "olm.operatorGroup": "engine" });
    w.unread.set("subscriptions", "forbidden");
  },
  "OPERATOR-REGISTRY-MIXED: the cluster is left behind": (w) =>
    image(w, "registry.example:5000/engine/operator:8.0.2-2"),
  "OPERATOR-REGISTRY-MIXED: the cluster has no repository": (w) =>
    image(w, "mirror/operator:8.0.2-2").set(
      ec,
      "spec.engineEnterpriseImageSpec.repository",
      undefined,
    ),
  "OPERATOR-REGISTRY-MIXED: both are OpenShift's own, from its registry": (w) =>
    image(w, "registry.public/rhel/operator:8.0.2-2")
      .named({ openshiftImages: { operator: ["registry.public/rhel/operator"] } })
      .set(ec, "spec.engineEnterpriseImageSpec.repository", undefined),
  "OPERATOR-REGISTRY-MIXED: both moved": (w) =>
    image(w, "registry.example/engine/operator:8.0.2-2").set(
      ec,
      "spec.engineEnterpriseImageSpec.repository",
      "registry.example/engine/engine",
    ),
  "OPERATOR-REGISTRY: another registry than the release's": (w) =>
    contents(w, { bundle: structuredClone(bundleOf(w)) }).set(
      deployment,
      "spec.template.spec.containers",
      inRegistry(w, "mirror"),
    ),
  "OPERATOR-REGISTRY: the same registry": (w) => contents(w, { bundle: bundleOf(w) }),
  "OPERATOR-REGISTRY: no operator in the release": (w) => contents(w, { bundle: [aRole("x", [])] }),
  "OPERATOR-ACCOUNT-ABSENT: no account": (w) =>
    w.remove("ServiceAccount/engine/engine-enterprise-operator"),
  "OPERATOR-ACCOUNT-ABSENT: the usual name is meant": (w) =>
    w
      .remove("ServiceAccount/engine/engine-enterprise-operator")
      .set(deployment, "spec.template.spec.serviceAccountName", undefined),
  "OPERATOR-OLM-AUTOMATIC: an automatic Subscription": (w) =>
    byOlm(w, { ...subscription({}), spec: {} }),
  "OPERATOR-OLM-AUTOMATIC: a manual one": (w) => byOlm(w, subscription({})),
  "OPERATOR-OLM-AUTOMATIC: another operator's beside a manual one": (w) =>
    byOlm(
      w,
      subscription({ installedCSV: "operator.v8" }),
      subscription({ installedCSV: "queue.v1" }, "queue"),
    ),
  "OPERATOR-OLM-STUCK: in OLM's words": (w) =>
    byOlm(
      w,
      subscription({
        conditions: [
          { type: "CatalogSourcesUnhealthy", status: "False" },
          { type: "ResolutionFailed", status: "True", reason: "Conflict", message: "two of them" },
          { type: "InstallPlanFailed", status: "True" },
          { type: "InstallPlanPending", status: "True" },
        ],
      }),
    ),
  "OPERATOR-OLM-STUCK: not where nobody but people installed it": (w) =>
    w.add(
      subscriptionKind,
      subscription({ conditions: [{ type: "ResolutionFailed", status: "True" }] }),
    ),
  "OPERATOR-OLM-PLAN: it failed at a database": (w) =>
    byOlm(
      w,
      subscription({ currentCSV: "operator.v9", installPlanRef: { name: "install-abc12" } }),
      failedPlan("operator.v9"),
    ),
  "OPERATOR-OLM-OBJECT: it failed at objects of a definition": (w) =>
    byOlm(
      w,
      anOperatorGroup(["engine"]),
      subscription({ installPlanRef: { name: "install-abc12" } }),
      failedPlan("operator.v9", "new schema for databases.app.io: [].spec.size: Invalid value"),
    ),
  "OPERATOR-OLM-PLAN: another operator's": (w) =>
    byOlm(
      w,
      subscription({ currentCSV: "operator.v9", installPlanRef: { name: "install-abc12" } }),
      failedPlan("queue.v2"),
    ),
  "OPERATOR-OLM-INSTALL: it waits for a requirement": (w) =>
    byOlm(
      w,
      subscription({ installedCSV: "operator.v8", currentCSV: "operator.v9" }),
      aClusterServiceVersion(
        "9",
        { phase: "Pending", reason: "RequirementsNotMet", message: "no Secret" },
        "operator.v9",
      ),
    ),
  "OPERATOR-OLM-GROUP: two of them": (w) =>
    byOlm(
      w,
      subscription({ installedCSV: "operator.v8" }),
      anOperatorGroup(["engine"]),
      anOperatorGroup(["engine"], { name: "second" }),
    ),
  "OPERATOR-OLM-GROUP: of other namespaces": (w) =>
    byOlm(w, subscription({ installedCSV: "operator.v8" }), anOperatorGroup(["shop"])),
  "OPERATOR-OLM-GROUP: not known where they may not be read": (w) => {
    w.unread.set("operatorGroups", "forbidden");
    return byOlm(w, subscription({ installedCSV: "operator.v8" }));
  },
  "OPERATOR-OLM-CLUSTER-NAME: another name": (w) =>
    w
      .note(deployment, "labels", { "olm.managed": "true" })
      .copy(ec, { name: "big" })
      .copy("Service/engine/ec", { name: "big" })
      .copy("Secret/engine/ec", { name: "big" })
      .set("EngineEnterpriseActiveActiveDatabase/engine/carts", "spec.engineEnterpriseCluster", {
        name: "ec",
      })
      .set("RoleBinding/shop/edb-role", "subjects.2", {
        kind: "ServiceAccount",
        name: "big",
        namespace: "engine",
      }),
  "OPERATOR-CHART-NAMESPACES: a chart's that manages others": (w) =>
    w.note(deployment, "annotations", helm),
};

export const releaseRows: Rows = {
  "OPERATOR-OLDER: a release before": (w) => w.wants("7.22.0-7"),
  "OPERATOR-OLDER: the same": (w) => w.wants("8.0.2-2"),
  "RELEASE-PATH: 6.2.18 too early": (w) => operatorAt(w, "6.2.10-1").wants("6.2.18-41"),
  "RELEASE-PATH: 8.0.20-26 after 7.22.2-43": (w) => operatorAt(w, "7.22.2-43").wants("8.0.20-26"),
  "RELEASE-PATH: 7.2.4-7 after 6.4.2-8": (w) => operatorAt(w, "6.4.2-8").wants("7.2.4-7"),
  "RELEASE-PATH: a cluster of 6.4 to 8.0.20": (w) =>
    paused(clusterAt(w, "6.4.2-30")).wants("8.0.20-23"),
  "RELEASE-PATH: a cluster of 6.4 to 8.0.10": (w) =>
    paused(clusterAt(w, "6.4.2-30")).wants("8.0.10-21"),
  "RELEASE-PATH: no operator": (w) => w.remove(deployment).wants("8.0.2-2"),
  "RELEASE-TAG-MISMATCH: another tag inside": (w) =>
    contents(w, { operatorVersion: "8.0.6-8", bundle: bundleOf(w) }),
  "RELEASE-TAG-MISMATCH: no target to compare with": (w) => {
    contents(w, { bundle: bundleOf(w) });
    const { contents: held } = w.target;
    w.target = { ...pick(w.target, "advised"), ...(held !== undefined && { contents: held }) };
  },
  "RELEASE-TAG-UNKNOWN: pinned by digest": (w) =>
    contents(w, { operatorVersion: undefined, bundle: bundleOf(w) }),
  "RELEASE-PAIR-UNKNOWN: --cluster-target tells it": (w) => {
    w.wants("8.0.2-3").target = { ...w.wants("8.0.2-3").target, clusterTag: "8.0.2-19" };
  },
  "RELEASE-PAIR-UNKNOWN: the release's files tell it": (w) =>
    w.wants("8.0.2-3", { ...told("8.0.2-19"), operatorVersion: "8.0.2-3", bundle: bundleOf(w) }),
  "RELEASE-PAIR-CONTRADICTS: the sample says otherwise than the list": (w) =>
    contents(w, { ...told("8.0.2-18"), bundle: bundleOf(w) }),
  "RELEASE-PAIR-CONTRADICTS: --cluster-target says otherwise": (w) => {
    w.wants("8.0.2-2").target = { ...w.wants("8.0.2-2").target, clusterTag: "8.0.2-18" };
  },
  "RELEASE-PAIR-CONTRADICTS: another spelling of the same": (w) =>
    contents(w, { ...told("v8.0.2-17"), bundle: bundleOf(w) }),
  "RELEASE-NO-BUNDLE: no bundle": (w) => contents(w, {}),
  "RELEASE-INCOMPLETE: no webhook, no roles": (w) =>
    contents(w, { webhook: undefined, rbac: [], bundle: bundleOf(w) }),
  "RELEASE-INCOMPLETE: no roles and nothing managed": (w) =>
    contents(
      w
        .set(deployment, "spec.template.spec.containers.0.envFrom", [])
        .remove(
          "ConfigMap/engine/operator-environment-config",
          "Role/shop/edb-role",
          "RoleBinding/shop/edb-role",
          "EngineEnterpriseDatabase/shop/orders",
        ),
      { rbac: [], bundle: bundleOf(w) },
    ),
  "RELEASE-PAIR-UNKNOWN: not in the table": (w) => w.wants("8.0.2-3"),
  "RELEASE-LOCAL-RULES: a local rule": (w) => {
    const wanted = aRole("engine-enterprise-operator", [
      { apiGroups: ["app.engine.com"], resources: ["*"], verbs: ["get"] },
    ]);
    contents(w, { bundle: [...bundleOf(w), wanted] });
  },
  "RELEASE-LOCAL-RULES: older rules, all of them of the file that was applied last": (w) => {
    const own = w.find("Role/engine/engine-enterprise-operator");
    const annotations = { [lastApplied]: JSON.stringify({ rules: own["rules"] }) };
    narrower(held(w, { annotations }));
  },
  "RELEASE-LOCAL-RULES: older rules, all of them of this tool alone": (w) =>
    narrower(held(w, { managedFields: [writtenBy("kubectl-engine", "Apply")] })),
  "RELEASE-LOCAL-RULES: older rules, all of them of a file of kubectl create": (w) =>
    narrower(held(w, { managedFields: [writtenBy("kubectl-create")] })),
  "RELEASE-LOCAL-RULES: a rule by kubectl edit": (w) =>
    narrower(
      held(w, { managedFields: ["kubectl-create", "kubectl-edit"].map((one) => writtenBy(one)) }),
    ),
  "RELEASE-LOCAL-RULES: no such role here, and a cluster role": (w) => {
    const wanted = aRole("new", []);
    contents(w, { bundle: [...bundleOf(w), wanted, { ...wanted, kind: "ClusterRole" }] });
  },
};

/** An operator below the release, whose definition lacks a field that the applied one had. */
const fieldsComeAndGo = (w: World): void => {
  const wanted = without(crd(w), "spec", "engineUpgradePolicy");
  const live = without(crd(w), "spec", "username");
  Object.assign(w.find(definition), live);
  contents(operatorAt(w, "7.22.0-7"), { bundle: bundleOf(w), definitions: [wanted] });
  w.set(definition, "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.local", {
    type: "string",
  });
  const file = JSON.stringify(w.find(definition));
  w.note(definition, "annotations", {
    "kubectl.kubernetes.io/last-applied-configuration": file,
  });
};

/** The definition of a kind that none of the known releases has. */
const usersKind = "engineenterpriseusers.app.engine.com";
const users = (w: World, change: object = {}): KubeObject => {
  const copy = structuredClone(crd(w));
  return { ...copy, ...change, metadata: { name: usersKind } };
};

/** The definition converts through this Service; no object is there that has to be converted. */
const converts = (w: World, namespace: string, name: string): World =>
  w.remove("EngineEnterpriseCluster/engine/ec").set(definition, "spec.conversion", {
    strategy: "Webhook",
    webhook: { clientConfig: { service: { namespace, name } } },
  });

const statusSchema = "spec.versions.0.schema.openAPIV3Schema.properties.status.properties";

export const definitionRows: Rows = {
  "DEFINITION-TYPES: a text where a number is read": (w) =>
    w.set(definition, `${statusSchema}.licenseStatus.properties.shardsLimit`, { type: "string" }),
  "DEFINITION-TYPES: a number, either, and what is not described": (w) =>
    w
      .set(definition, `${statusSchema}.licenseStatus.properties.shardsLimit`, { type: "number" })
      .set(definition, `${statusSchema}.licenseStatus.properties.shardsUsage`, {
        "x-kubernetes-int-or-string": true,
      })
      .set(definition, `${statusSchema}.state`, { "x-kubernetes-preserve-unknown-fields": true }),
  "DEFINITION-BEHIND: the operator runs the release, its definition lacks a field": (w) => {
    const wanted = structuredClone(crd(w));
    Object.assign(w.find(definition), without(crd(w), "spec", "username"));
    contents(w, { bundle: bundleOf(w), definitions: [wanted] });
  },
  "DEFINITION-BEHIND: a chart brought the operator alone": (w) => {
    const wanted = structuredClone(crd(w));
    Object.assign(w.find(definition), without(crd(w), "spec", "username"));
    contents(w, { bundle: bundleOf(w), definitions: [wanted] });
    const metadata = w.find(deployment)["metadata"] as Record<string, unknown>;
    metadata["labels"] = { "app.kubernetes.io/managed-by": "Helm" };
    metadata["annotations"] = { "meta.helm.sh/release-name": "engine" };
  },
  "DEFINITION-FIELDS: no field for the automatic upgrade": (w) => {
    Object.assign(w.find(definition), without(crd(w), "spec", "upgradeSpec"));
  },
  "DEFINITION-CONVERSION: a Service in a namespace that is gone": (w) =>
    converts(w, "engine-old", "convert"),
  "DEFINITION-CONVERSION: a Service that is gone": (w) => converts(w, "engine", "convert"),
  "DEFINITION-CONVERTS: a Service of others, of which the release knows nothing": (w) => {
    const wanted = structuredClone(crd(w));
    contents(w, { bundle: bundleOf(w), definitions: [wanted] });
    converts(w, "shop", "convert");
  },
  "DEFINITION-CONVERTS: a Service that is there": (w) => {
    const wanted = structuredClone(crd(w));
    contents(w, { bundle: bundleOf(w), definitions: [wanted] });
    converts(w, "engine", "admission");
  },
  "DEFINITION-ABSENT: none of them: other names are meant": (w) => {
    w.objects.splice(
      0,
      w.objects.length,
      ...w.objects.filter(
        ({ apiVersion, metadata }) =>
          !apiVersion.startsWith("app.engine.com/") && !metadata.name?.endsWith(".app.engine.com"),
      ),
    );
  },
  "DEFINITION-ABSENT: remote clusters are not defined": (w) =>
    w.remove(
      "CustomResourceDefinition/engineenterpriseremoteclusters.app.engine.com",
      "EngineEnterpriseRemoteCluster/engine/here",
    ),
  "DEFINITION-NOT-ESTABLISHED: no condition": (w) => w.set(definition, "status.conditions", []),
  "DEFINITION-ABSENT: a kind of the release that runs already": (w) =>
    contents(w, { bundle: bundleOf(w), definitions: [crd(w), users(w)] }),
  "DEFINITION-ABSENT: a kind that the release brings": (w) =>
    contents(operatorAt(w, "7.22.0-7"), { bundle: bundleOf(w), definitions: [users(w)] }),
  "DEFINITION-NOT-ESTABLISHED: a kind that a later release has brought": (w) =>
    w.add(users(w, { status: {} })),
  "DEFINITION-NOT-ESTABLISHED: a kind of another group": (w) => {
    const other = users(w, { status: {} });
    w.add({ ...other, spec: { ...(other["spec"] as object), group: "other.com" } });
  },
  "OPERATOR-CRD-STORED: a later kind, stored in a version that goes": (w) => {
    w.add(users(w, { status: { ...(crd(w)["status"] as object), storedVersions: ["v1beta1"] } }));
    contents(w, { bundle: bundleOf(w), definitions: [users(w)] });
  },
  "OPERATOR-CRD-STORED: stored in a version that goes": (w) =>
    contents(w.set(definition, "status.storedVersions", ["v1beta1", "v1"]), {
      bundle: bundleOf(w),
      definitions: [crd(w)],
    }),
  "DEFINITION-FIXED-FIELD: another scope in the release": (w) =>
    contents(w, {
      bundle: bundleOf(w),
      definitions: [{ ...crd(w), spec: { ...(crd(w)["spec"] as object), scope: "Cluster" } }],
    }),
  "DEFINITION-KEEPS-UNKNOWN: as it was made by v1beta1": (w) =>
    w.set(definition, "spec.preserveUnknownFields", true),
  "DEFINITION-REFUSES-OBJECTS: an EC of five nodes": (w) => {
    w.set(ec, "spec.nodes", 5);
    const text = JSON.stringify(crd(w)).replaceAll('"nodes":{', '"nodes":{"maximum":3,');
    contents(w, { bundle: bundleOf(w), definitions: [JSON.parse(text) as KubeObject] });
  },
  "OPERATOR-FIXED-FIELD: a label more in the selector": (w) => {
    w.set(deployment, "spec.selector.matchLabels.name", "operator");
    contents(w, { bundle: structuredClone(bundleOf(w)) });
    w.set(deployment, "spec.selector.matchLabels.instance", "prod");
  },
  "OPERATOR-FIXED-FIELD: a cluster-wide binding for another role": (w) => {
    const bind = (name: string): KubeObject => ({
      ...aBinding("everybody", { kind: "ClusterRole", name }, []),
      ...{ kind: "ClusterRoleBinding", metadata: { name: "everybody" } },
    });
    w.add(bind("view"));
    contents(w, { bundle: [...bundleOf(w), bind("edit")] });
  },
  "OPERATOR-CRD-LOSES: an object holds a field that goes": (w) => {
    fieldsComeAndGo(w);
    w.set(ec, "spec.engineUpgradePolicy", "major");
  },
  "OPERATOR-CRD-LOSES: no object holds a field that goes": fieldsComeAndGo,
  "OPERATOR-CRD-NEWER: the release's lacks fields": (w) =>
    contents(w, { bundle: bundleOf(w), definitions: [without(crd(w), "spec", "nodes")] }),
  "DEFINITION-SHARED: an EC elsewhere": (w) => w.copy(ec, { namespace: "other" }),
  "DEFINITION-ANNOTATION-LARGE: nearly full": (w) =>
    w.note(definition, "annotations", {
      "kubectl.kubernetes.io/last-applied-configuration": "x".repeat(230_000),
    }),
};
