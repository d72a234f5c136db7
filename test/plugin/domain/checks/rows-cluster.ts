/** The EC, its license, its databases and modules. */
import { config, definition, deployment, eaadb, ec, edb, erc } from "./labels";
import type { Rows } from "./row";
import { aClaim } from "../../../support/claims";
import { secret, type World } from "./world";

const applied = "kubectl.kubernetes.io/last-applied-configuration";
const deletion = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x"] };
const account = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { namespace: "engine", name: "ec" },
};
/** The definition of active-active databases has the field at both places. */
const bothPlaces = [
  "CustomResourceDefinition/engineenterpriseactiveactivedatabases.app.engine.com",
  "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.engineVersion",
  { type: "string" },
] as const;
const deleting = (label: string) => (world: World) =>
  Object.assign(world.find(label)["metadata"] as object, deletion);
const expanding = (world: World): World =>
  world.set(ec, "spec.persistentSpec", { volumeSize: "60Gi", enablePersistentVolumeResize: true });
const state = (value: unknown) => (world: World) => world.set(ec, "status.state", value);
const operatorAt = (world: World, tag: string): World =>
  world
    .set(deployment, "spec.template.spec.containers.0.image", `engine/operator:${tag}`)
    .set(deployment, "spec.template.spec.containers.1.image", `engine/operator:${tag}`);
const userModule = (world: World, source: unknown = { https: { url: "https://x" } }): World =>
  world.set(ec, "spec.userDefinedModules", [{ name: "rg", source }]);
const uses = (world: World, module: string): World =>
  world.set(edb, "spec.modulesList", [{ name: module }]);
const installed = (world: World, name: string, displayName = name): World =>
  world.set(ec, "status.modules", [{ name, displayName }]);
const auto = (world: World): World =>
  world.set(ec, "spec.upgradeSpec", { autoUpgradeEngineEnterprise: true });

const aQuota = (hard: object, used: object, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "small", namespace: "engine" },
  spec: { hard, ...spec },
  status: { hard, used },
});

/** Pods on the only node, which takes none of them again. */
const onFullNode = (world: World, ...pods: readonly string[]): World =>
  pods.reduce(
    (one, pod) => one.set(`Pod/engine/${pod}`, "spec.nodeName", "node-1"),
    world.set("Node/node-1", "spec", {
      taints: [{ key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" }],
    }),
  );

const digits = "0123456789abcdef".repeat(4);
const runsDigest = (world: World): World =>
  ["ec-0", "ec-1", "ec-2"].reduce(
    (one, pod) =>
      one.set(`Pod/engine/${pod}`, "spec.containers.0.image", `engine/engine@sha256:${digits}`),
    world,
  );

const enforces = (world: World, level: string): World =>
  world.note("Namespace/engine", "labels", { "pod-security.kubernetes.io/enforce": level });
const adjusts = (world: World): World =>
  world.set(ec, "spec.securityContext", { resourceLimits: { allowAutoAdjustment: true } });
/** The pods as the EC's StatefulSet makes them. */
const makesPods = (world: World, spec: object, tag = "8.0.18-23.11"): World =>
  world.set("StatefulSet/engine/ec", "spec.template.spec", {
    containers: [{ name: "engine-enterprise-node", image: `engine/engine:${tag}` }],
    ...spec,
  });

export const clusterRows: Rows = {
  "POD-SECURITY: an EC that adjusts, under baseline": (w) => adjusts(enforces(w, "baseline")),
  "POD-SECURITY: an EC that adjusts, on OpenShift that keeps the labels": (w) =>
    adjusts(enforces(w, "restricted")).note("Namespace/engine", "labels", {
      "security.openshift.io/scc.podSecurityLabelSync": "true",
    }),
  "POD-SECURITY: an EC that adjusts, under privileged": (w) => adjusts(enforces(w, "privileged")),
  "POD-SECURITY: pods that restricted refuses": (w) => makesPods(enforces(w, "restricted"), {}),
  "POD-SECURITY: pods that baseline refuses": (w) =>
    makesPods(enforces(w, "restricted"), { hostNetwork: true }),
  "POD-SECURITY: pods that are allowed": (w) => makesPods(enforces(w, "baseline"), {}),
  "POD-SECURITY: pods of an older release, which the upgrade makes ask for less": (w) =>
    operatorAt(
      makesPods(enforces(w, "baseline"), { hostNetwork: true }, "7.8.2-34"),
      "7.8.2-6",
    ).wants("8.0.2-2"),
  "POD-SECURITY: pods of an older release, which stay": (w) =>
    operatorAt(makesPods(enforces(w, "baseline"), { hostNetwork: true }, "7.8.2-34"), "7.8.2-6"),
  "POD-SECURITY: pods of an older release, and an operator that nobody can tell": (w) =>
    operatorAt(makesPods(enforces(w, "baseline"), { hostPID: true }, "7.8.2-34"), "latest"),
  "POD-SECURITY: no StatefulSet yet": (w) =>
    enforces(w, "restricted").remove("StatefulSet/engine/ec"),
  "CLUSTER-NONE: no EC": (w) => w.remove(ec, eaadb, edb, config),
  "CLUSTER-DELETING: on its way out": deleting(ec),
  "CLUSTER-SCALED: no pod at all": (w) => w.set("StatefulSet/engine/ec", "spec.replicas", 0),
  "CLUSTER-SCALED: two of three, and who did it": (w) => {
    Object.assign(w.find("StatefulSet/engine/ec")["metadata"] as object, {
      managedFields: [
        { manager: "operator", fieldsV1: { "f:spec": { "f:template": {} } } },
        {
          manager: "kubectl",
          operation: "Update",
          subresource: "scale",
          time: "2026-01-01T00:00:00Z",
          fieldsV1: { "f:spec": { "f:replicas": {} } },
        },
      ],
    });
    return w.set("StatefulSet/engine/ec", "spec.replicas", 2);
  },
  "CLUSTER-SCALED: one of three, by a manager without a time": (w) => {
    Object.assign(w.find("StatefulSet/engine/ec")["metadata"] as object, {
      managedFields: [{ fieldsV1: { "f:spec": { "f:replicas": {} } } }],
    });
    return w.set("StatefulSet/engine/ec", "spec.replicas", 1);
  },
  "CLUSTER-RESIZING: one is under way, one is not begun, one is done": (w) =>
    expanding(w).add(
      aClaim("engine-enterprise-storage-ec-0", { request: "60Gi", capacity: "60Gi" }),
      aClaim("engine-enterprise-storage-ec-1", {
        ...{ request: "60Gi", capacity: "40Gi" },
        conditions: { FileSystemResizePending: undefined },
      }),
      aClaim("engine-enterprise-storage-ec-2", { request: "40Gi", capacity: "40Gi" }),
    ),
  "CLUSTER-RESIZING: one cannot be expanded": (w) =>
    expanding(w).add(
      aClaim("engine-enterprise-storage-ec-1", {
        ...{ request: "60Gi", capacity: "40Gi" },
        conditions: { ControllerResizeError: "no space is left in the pool" },
      }),
    ),
  "CLUSTER-RESIZING: the status says so": (w) =>
    w.set(ec, "status.persistenceStatus", { status: "Resizing", succeeded: "1/3" }),
  "DEFINITION-DELETING: on its way out": deleting(definition),
  "NAMESPACE-DELETING: on its way out": deleting("Namespace/engine"),
  "OBJECT-DELETING: the Service of the webhook": deleting("Service/engine/admission"),
  "OBJECT-DELETING: the webhook's configuration": deleting(
    "ValidatingWebhookConfiguration/engine-enterprise-admission",
  ),
  "CLUSTER-STATE: in error": state("Error"),
  "CLUSTER-STATE: a state that nobody lists": state("Odd"),
  "CLUSTER-STATE: no state": state(undefined),
  "CLUSTER-BUSY: an upgrade continues": state("Upgrade"),
  "CLUSTER-BUSY: a restart continues": state("RunningRollingUpdate"),
  "CLUSTER-INVALID-UPGRADE: refused": state("InvalidUpgrade"),
  "CLUSTER-INVALID-UPGRADE: refused, and an event tells": (w) =>
    w.set(ec, "status.state", "InvalidUpgrade").add(
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: { namespace: "engine", name: "one" },
        involvedObject: { kind: "EngineEnterpriseCluster", name: "ec" },
        type: "Warning",
        message: "digest",
      },
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: { namespace: "engine", name: "other" },
        involvedObject: { kind: "Pod", name: "ec-0" },
        type: "Normal",
      },
    ),
  "CLUSTER-SPEC-INVALID: not accepted": (w) => w.set(ec, "status.specStatus", "Invalid"),
  "CLUSTER-SPEC-INVALID: refused as an upgrade": (w) =>
    w.set(ec, "status.specStatus", "Invalid").set(ec, "status.state", "InvalidUpgrade"),
  "CLUSTER-OWNED: a repository's": (w) =>
    w.note(ec, "labels", { "argocd.argoproj.io/instance": "x" }),
  "CLUSTER-OWNED: a release of Helm whose namespace is there": (w) =>
    w.note(ec, "annotations", {
      "meta.helm.sh/release-name": "stack",
      "meta.helm.sh/release-namespace": "shop",
    }),
  "CLUSTER-OWNED: a release of Helm whose namespace is gone": (w) =>
    w.note(ec, "annotations", {
      "meta.helm.sh/release-name": "stack",
      "meta.helm.sh/release-namespace": "left-behind",
    }),
  "CLUSTER-BEHIND-OPERATOR: the EC waits": (w) => operatorAt(w, "8.0.6-8"),
  "CLUSTER-BEHIND-OPERATOR: the small image": (w) =>
    w
      .set(ec, "spec.engineEnterpriseImageSpec.versionTag", "8.0.2-17.minimal")
      .set(ec, "status.state", "Upgrade"),
  "CLUSTER-BEHIND-OPERATOR: no operator": (w) => w.remove(deployment),
  "CLUSTER-PODS-BEHIND: one pod of another image": (w) =>
    w.set("Pod/engine/ec-1", "spec.containers.0.image", "engine/engine:7.22.0-28"),
  "CLUSTER-PODS-BEHIND: a tag that was turned into its digest": (w) => runsDigest(w),
  "CLUSTER-PODS-BEHIND: the digest that is asked for": (w) =>
    runsDigest(w).set(ec, "spec.engineEnterpriseImageSpec.digestHash", `sha256:${digits}`),
  "CLUSTER-PODS-BEHIND: another digest than is asked for": (w) =>
    runsDigest(w).set(ec, "spec.engineEnterpriseImageSpec.digestHash", `sha256:ff${digits}`),
  "CLUSTER-PODS-BEHIND: no image spec": (w) =>
    w.set(ec, "spec.engineEnterpriseImageSpec", undefined),
  "CLUSTER-PODS-NOT-READY: one has no node": (w) =>
    w.set("Pod/engine/ec-0", "status.conditions", [
      { type: "Ready", status: "False" },
      { type: "PodScheduled", status: "False", message: "0/3 nodes are available" },
    ]),
  "CLUSTER-PODS-NOT-READY: one has just been started": (w) =>
    w.set("Pod/engine/ec-0", "status.conditions", [{ type: "Ready", status: "False" }]),
  "ROLLOUT-HELD: a partition before a roll": (w) =>
    w.set("StatefulSet/engine/ec", "spec.updateStrategy", { rollingUpdate: { partition: 3 } }),
  "CLUSTER-QUOTA: what it demands, and what is over": (w) =>
    w.add(aQuota({ "limits.memory": "20Gi", "requests.cpu": "9" }, { "requests.cpu": "10" })),
  "CLUSTER-QUOTA: one of some pods only": (w) =>
    w.add(aQuota({ "limits.memory": "20Gi" }, {}, { scopes: ["BestEffort"] })),
  "CLUSTER-NO-NODE: its node runs out of disk": (w) => onFullNode(w, "ec-0"),
  "CLUSTER-NO-NODE: two pods": (w) => onFullNode(w, "ec-0", "ec-1"),
  "CLUSTER-NO-NODE: a cordon": (w) =>
    onFullNode(w, "ec-0").set("Node/node-1", "spec", { unschedulable: true }),
  "CLUSTER-NO-NODE: not where the pod tolerates it": (w) =>
    onFullNode(w, "ec-0").set("Pod/engine/ec-0", "spec.tolerations", [{ operator: "Exists" }]),
  "CLUSTER-NO-NODE: not where another node takes it": (w) =>
    onFullNode(w.copy("Node/node-1", { name: "node-2" }), "ec-0"),
  "CLUSTER-NO-NODE: not without a pod there": (w) => onFullNode(w),
  "CLUSTER-PODS-NOT-READY: no status yet": (w) =>
    w
      .set("StatefulSet/engine/ec", "status", undefined)
      .set("StatefulSet/engine/ec", "spec.replicas", undefined),
  "CLUSTER-PODS-NOT-READY: no StatefulSet": (w) => w.remove("StatefulSet/engine/ec"),
  "CLUSTER-IMAGE-INCOMPLETE: no tag, no policy": (w) =>
    w.set(ec, "spec.engineEnterpriseImageSpec", { repository: "engine/engine" }),
  "CLUSTER-IMAGE-INCOMPLETE: an empty tag": (w) =>
    w.set(ec, "spec.engineEnterpriseImageSpec.versionTag", ""),
  "CLUSTER-IMAGE-INCOMPLETE: no policy": (w) =>
    w.set(ec, "spec.engineEnterpriseImageSpec.imagePullPolicy", undefined),
  "CLUSTER-DIGEST-PINNED: automatic and pinned": (w) =>
    auto(w).set(ec, "spec.engineEnterpriseImageSpec.digestHash", "sha256:00"),
  "CLUSTER-DIGEST-PINNED: pinned and manual": (w) =>
    w.set(ec, "spec.engineEnterpriseImageSpec.digestHash", "sha256:00"),
  "CLUSTER-HELPER-IMAGES: another release": (w) =>
    w.set(ec, "spec.bootstrapperImageSpec", { versionTag: "7.22.0-7" }),
  "CLUSTER-HELPER-IMAGES: the operator's own": (w) =>
    w.set(ec, "spec.bootstrapperImageSpec", { versionTag: "v8.0.2-2" }),
  "CLUSTER-HELPER-IMAGES: the call-home client of another release": (w) =>
    w.set(ec, "spec.usageMeter", { callHomeClient: { imageSpec: { versionTag: "7.22.0-7" } } }),
  "CLUSTER-PULL-SECRET: no such Secret": (w) =>
    w.set(ec, "spec.pullSecrets", [{ name: "registry" }, {}]),
  "CLUSTER-PULL-SECRET: it exists": (w) =>
    w.set(ec, "spec.pullSecrets", [{ name: "registry" }]).add(secret("registry", {})),
  "CLUSTER-POLICY-UNKNOWN: a misspelt policy": (w) =>
    w.set(ec, "spec.engineUpgradePolicy", "Major"),
  "CLUSTER-AUTO-CONFLICTING: yes and no": (w) =>
    auto(w).set(ec, "spec.autoUpgradeEngineEnterprise", false),
  "CLUSTER-FIELD-PRUNED: applied and dropped": (w) =>
    w.note(ec, "annotations", {
      [applied]: JSON.stringify({ spec: { autoUpgradeEngineEnterprise: true } }),
    }),
  "CLUSTER-FIELD-PRUNED: an annotation that is none": (w) =>
    w.note(ec, "annotations", { [applied]: "{" }),
  "CLUSTER-FIELD-PRUNED: applied and kept": (w) =>
    auto(w).note(ec, "annotations", {
      [applied]: JSON.stringify({ spec: { upgradeSpec: { autoUpgradeEngineEnterprise: true } } }),
    }),
};

export const licenceRows: Rows = {
  "CLUSTER-LICENSE: invalid": (w) => w.set(ec, "status.licenseStatus.licenseState", "Expired"),
  "CLUSTER-LICENSE: invalid and past": (w) =>
    w.set(ec, "status.licenseStatus", {
      licenseState: "Invalid",
      expirationDate: "2020-01-01T00:00:00Z",
    }),
  "CLUSTER-LICENSE-UNKNOWN: no state": (w) =>
    w.set(ec, "status.licenseStatus.licenseState", undefined),
  "LICENSE-EXPIRED: valid and past": (w) =>
    w.set(ec, "status.licenseStatus.expirationDate", "2020-01-01T00:00:00Z"),
  "LICENSE-EXPIRES-SOON: next week": (w) =>
    w.set(
      ec,
      "status.licenseStatus.expirationDate",
      new Date(Date.parse(expiryOf(w)) - 293 * 24 * 3_600_000).toISOString(),
    ),
  "LICENSE-EXPIRES-SOON: no date": (w) =>
    w.set(ec, "status.licenseStatus.expirationDate", undefined),
  "LICENSE-SHARDS: all in use": (w) => w.set(ec, "status.licenseStatus.shardsUsage", 10),
  "LICENSE-SHARDS: a text": (w) => w.set(ec, "status.licenseStatus.shardsUsage", "10"),
  "LICENSE-SHARDS: no limit": (w) => w.set(ec, "status.licenseStatus.shardsLimit", undefined),
  "LICENSE-TWICE: text and Secret": (w) =>
    w
      .set(ec, "spec.license", "text")
      .set(ec, "spec.licenseSecretName", "license")
      .add(secret("license", { license: "eA==" })),
  "LICENSE-SECRET: no such Secret": (w) => w.set(ec, "spec.licenseSecretName", "license"),
  "LICENSE-SECRET: no such item": (w) =>
    w.set(ec, "spec.licenseSecretName", "license").add(secret("license", { text: "eA==" })),
};

function expiryOf(world: World): string {
  const status = world.find(ec)["status"] as { licenseStatus: { expirationDate: string } };
  return status.licenseStatus.expirationDate;
}

export const databaseRows: Rows = {
  "REFERENCE-MISSING: Secrets of a database that do not exist": (w) =>
    w
      .set(config, "spec.databaseSecretName", "login")
      .set(config, "spec.clientAuthenticationCertificates", ["partner-ca", "other-ca"])
      .set(config, "spec.backup", { interval: 24, s3: { bucketName: "b", awsSecretName: "s" } })
      .add(secret("other-ca", { cert: "" })),
  "REFERENCE-MISSING: a Secret that lacks items, in another namespace": (w) =>
    w
      .set(edb, "spec.backup", { gcs: { gcsSecretName: "cloud" } })
      .add(secret("cloud", { CLIENT_ID: "", PRIVATE_KEY: "" }, "shop")),
  "REFERENCE-MISSING: a namesake in the operator's namespace": (w) =>
    w.set(edb, "spec.databaseSecretName", "login").add(secret("login", { password: "" })),
  "REFERENCE-MISSING: all of them are there": (w) =>
    w
      .set(edb, "spec.databaseSecretName", "login")
      .set(edb, "spec.replicaSources", [
        { replicaSourceType: "SECRET", replicaSourceName: "source" },
        { replicaSourceType: "EDB", replicaSourceName: "config" },
      ])
      .set(ec, "spec.serviceAccountName", "ec")
      .add(
        secret("login", { password: "" }, "shop"),
        secret("source", { uri: "" }, "shop"),
        account,
      ),
  "REFERENCE-MISSING: a number and an object in the place of names": (w) =>
    w
      .set(edb, "spec.databaseSecretName", 5)
      .set(edb, "spec.clientAuthenticationCertificates", [{ name: "x" }, null, ""]),
  "REFERENCE-MISSING: an active-active database": (w) =>
    w.set(eaadb, "spec.globalConfigurations.databaseSecretName", "login"),
  "REFERENCE-MISSING: an EC's account and certificates": (w) =>
    w
      .set(ec, "spec.serviceAccountName", "pods")
      .set(ec, "spec.persistentSpec", { storageClassName: "fast" })
      .set(ec, "spec.certificates", { proxyCertificateSecretName: "proxy" }),
  "REFERENCE-MISSING: what the operator's pods are pulled with": (w) =>
    w.set(deployment, "spec.template.spec.imagePullSecrets", [{ name: "pull" }]),
  "REFERENCE-MISSING: an EC that keeps secrets elsewhere": (w) =>
    w
      .set(ec, "spec.clusterCredentialSecretType", "vault")
      .set(config, "spec.databaseSecretName", "login"),
  "REFERENCE-MISSING: Secrets may not be read": (w) => {
    w.unread.set("referredSecrets", "forbidden");
    return w.set(config, "spec.databaseSecretName", "login");
  },
  "REFERENCE-MISSING: Secrets may not be read, and none is named": (w) => {
    w.unread.set("referredSecrets", "forbidden");
  },
  "CLUSTER-DATABASE-OLD: by its spec": (w) => w.set(edb, "spec.engineVersion", "6.2"),
  "CLUSTER-DATABASE-OLD: by its status": (w) =>
    w.set(edb, "spec.engineVersion", undefined).set(edb, "status.version", "6.2.4"),
  "CLUSTER-DATABASE-OLD: a target before 7.8.2-6": (w) =>
    operatorAt(w.set(edb, "spec.engineVersion", "6.2"), "7.2.4-2").wants("7.4.2-2"),
  "CLUSTER-DATABASE-UNKNOWN: neither spec nor status": (w) =>
    w.set(edb, "spec.engineVersion", "major").set(edb, "status.version", undefined),
  "DATABASE-VERSION-UNSUPPORTED: none that the EC has": (w) =>
    w.set(edb, "spec.engineVersion", "9.9"),
  "DATABASE-VERSION-UNSUPPORTED: a text": (w) => w.set(edb, "spec.engineVersion", "newest"),
  "DATABASE-VERSION-UNSUPPORTED: the latest, and its EC does not follow it": (w) =>
    w.set(edb, "spec.engineVersion", "latest"),
  "DATABASE-VERSION-UNSUPPORTED: the latest, as its EC's policy": (w) =>
    w.set(edb, "spec.engineVersion", "latest").set(ec, "spec.engineUpgradePolicy", "latest"),
  "DATABASE-TWO-VERSIONS: they differ": (w) =>
    w
      .set(...bothPlaces)
      .set(eaadb, "spec.engineVersion", "7.4")
      .set(eaadb, "spec.globalConfigurations.engineVersion", "8.0"),
  "DATABASE-TWO-VERSIONS: they are the same": (w) =>
    w
      .set(...bothPlaces)
      .set(eaadb, "spec.engineVersion", "8.0")
      .set(eaadb, "spec.globalConfigurations.engineVersion", "8.0"),
  "DATABASE-CLUSTER-UNKNOWN: another name": (w) =>
    w.set(edb, "spec.engineEnterpriseCluster.name", "no-such"),
  "DATABASE-CLUSTER-UNKNOWN: two ECs and no name": (w) =>
    w
      .copy(ec, { name: "two" })
      .copy("Service/engine/ec", { name: "two" })
      .copy("Secret/engine/ec", { name: "two" })
      .set("RoleBinding/shop/edb-role", "subjects.2", {
        kind: "ServiceAccount",
        name: "two",
        namespace: "engine",
      }),
  "DATABASE-UNMANAGED: in a namespace of nobody": (w) => w.copy(edb, { namespace: "other" }),
  "DATABASE-UNMANAGED: in another operator's": (w) =>
    w
      .copy(edb, { namespace: "other" })
      .copy("RoleBinding/shop/edb-role", { namespace: "other" })
      .set("RoleBinding/other/edb-role", "subjects", [
        { kind: "ServiceAccount", name: "engine-enterprise-operator", namespace: "elsewhere" },
      ])
      .copy("Namespace/shop", { name: "elsewhere" }),
  "DATABASE-UNMANAGED: in one of an operator whose namespace is gone": (w) =>
    w
      .copy(edb, { namespace: "other" })
      .copy("RoleBinding/shop/edb-role", { namespace: "other" })
      .set("RoleBinding/other/edb-role", "subjects", [
        { kind: "ServiceAccount", name: "engine-enterprise-operator", namespace: "elsewhere" },
      ]),
  "DATABASE-UNMANAGED: what is managed is not known": (w) =>
    w
      .copy(edb, { namespace: "other" })
      .set(deployment, "spec.template.spec.containers.0.env", [
        { name: "EDB_NAMESPACES", valueFrom: { fieldRef: {} } },
      ]),
  "DATABASE-NOT-ACTIVE: a change continues": (w) =>
    w.set(edb, "status.status", "active-change-pending").set(eaadb, "status.status", "pending"),
  "DATABASE-NOT-ACTIVE: never created": (w) => w.set(edb, "status.status", "creation-failed"),
  "DATABASE-NOT-ACTIVE: being created for months": (w) =>
    w
      .set(edb, "status.status", "pending")
      .set(edb, "metadata.creationTimestamp", "2026-01-01T00:00:00Z"),
  "DATABASE-NOT-ACTIVE: a state that is no text": (w) => w.set(eaadb, "status.status", 5),
  "DATABASE-SPEC-INVALID: not accepted": (w) =>
    w.set(edb, "status.specStatus", "Invalid").set(eaadb, "status.specStatus", "Invalid"),
  "DATABASE-SPEC-INVALID: not told": (w) => w.set(edb, "status.specStatus", undefined),
  "DATABASE-NOT-OBSERVED: no state for months": (w) =>
    w
      .set(edb, "status.status", undefined)
      .set(edb, "metadata.creationTimestamp", "2026-01-01T00:00:00Z"),
  "DATABASE-NOT-OBSERVED: an edit before": (w) => w.set(edb, "status.observedGeneration", 1),
  "DATABASE-DELETING: on its way out": deleting(edb),
  "DATABASE-TYPE: no engine": (w) => w.set(edb, "spec.type", "memcached"),
  "DATABASE-TYPE: no engine, no version": (w) =>
    w.set(edb, "spec.type", "memcached").set(edb, "spec.engineVersion", undefined),
  "DATABASE-VOLATILE: neither": (w) => w.set(edb, "spec.replication", false),
  "DATABASE-BACKUP-FAILED: with its reason": (w) =>
    w.set(edb, "status.backupInfo", {
      backupStatus: "failed",
      backupFailureReason: "no-space",
      lastBackupTime: "2026-11-20T00:00:00Z",
    }),
  "DATABASE-BACKUP-FAILED: without one": (w) =>
    w.set(edb, "status.backupInfo", { backupStatus: "Failed" }),
  "DATABASE-BACKUP-FAILED: it succeeded": (w) =>
    w.set(edb, "status.backupInfo", { backupStatus: "succeeded" }),
  "DATABASE-VOLATILE: an active-active database": (w) =>
    w.set(eaadb, "spec.globalConfigurations.replication", undefined),
  "DATABASE-VOLATILE: what cannot be read": (w) => w.set(edb, "spec.replication", "yes"),
  "DATABASE-CHANNEL: a database on one": (w) => w.set(edb, "spec.engineVersion", "major"),
  "DATABASE-CHANNEL: with a release": (w) =>
    w.set(edb, "spec.engineVersion", "major").wants("8.0.18-11"),
  "DATABASE-CHANNEL: with a release of an unknown cluster": (w) =>
    w.set(edb, "spec.engineVersion", "major").wants("9.9.9-1"),
  "DATABASE-VOLATILE: persistent": (w) =>
    w.set(edb, "spec.replication", false).set(edb, "spec.persistence", "aofEverySecond"),
};

/** A definition of before user-defined modules (domain facts 7). */
const withoutModules = (world: World): World => {
  const old = JSON.parse(
    JSON.stringify(world.find(definition)).replaceAll('"userDefinedModules":', '"other":'),
  ) as Record<string, unknown>;
  return world.set(definition, "spec", old["spec"]);
};

export const moduleRows: Rows = {
  "CLUSTER-AUTO-USER-MODULES: in use and automatic": (w) => uses(userModule(auto(w)), "rg"),
  "CLUSTER-AUTO-USER-MODULES: in use and manual": (w) => uses(userModule(w), "rg"),
  "CLUSTER-AUTO-USER-MODULES: merely installed": (w) => uses(installed(auto(w), "rg"), "rg"),
  "CLUSTER-AUTO-USER-MODULES: bundled, by display name": (w) =>
    uses(installed(auto(w), "search", "EngineSearch"), "EngineSearch"),
  "CLUSTER-MODULE-UNDEFINED: neither bundled nor defined": (w) => uses(w, "mystery"),
  "CLUSTER-MODULE-UNDEFINED: installed, not defined": (w) => uses(installed(w, "rg"), "rg"),
  "CLUSTER-MODULE-UNDEFINED: installed, and the definition has no place for it": (w) =>
    uses(installed(withoutModules(w), "rg"), "rg"),
  "CLUSTER-MODULE-UNDEFINED: not installed either, and no place for it": (w) =>
    uses(withoutModules(w), "mystery"),
  "CLUSTER-MODULE-UNDEFINED: defined by its other name": (w) =>
    uses(installed(userModule(w), "rg", "EngineGears"), "EngineGears"),
  "CLUSTER-MODULE-UNDEFINED: a display name, and no module is published yet": (w) =>
    uses(auto(w).set(ec, "status.modules", undefined), "EngineBloom"),
  "CLUSTER-MODULE-UNDEFINED: a display name that no published module has": (w) =>
    uses(installed(w, "search", "EngineSearch"), "EngineBloom"),
  "CLUSTER-MODULE-UNDEFINED: a bundled one under a name that is not published": (w) =>
    uses(installed(w, "search", "EngineSearch 2"), "EngineSearch"),
  "MODULE-NAME: none of the two names": (w) =>
    w.set(ec, "spec.userDefinedModules", [
      { name: "gears", source: { https: { url: "https://x" } } },
    ]),
  "MODULE-NAME: the display name": (w) =>
    w.set(ec, "spec.userDefinedModules", [
      { name: "EngineGears", source: { http: { url: "http://x" } } },
    ]),
  "MODULE-NAME: nothing installed is told": (w) =>
    userModule(w).set(ec, "status.modules", undefined),
  "MODULE-OS-BASE: user-defined modules move along": (w) =>
    uses(userModule(operatorAt(w, "7.4.2-2")), "rg").wants("8.0.6-8"),
  "MODULE-OS-BASE: from a release that is not told": (w) =>
    uses(userModule(w), "rg")
      .set(deployment, "spec.template.spec.containers.0.image", "engine/operator@sha256:0")
      .set(deployment, "spec.template.spec.containers.1.image", "engine/operator@sha256:0")
      .set(ec, "spec.engineEnterpriseImageSpec", undefined)
      .wants("8.0.6-8"),
  "MODULE-OS-BASE: merely installed ones too": (w) =>
    uses(installed(operatorAt(w, "7.4.2-2"), "rg"), "rg").wants("8.0.6-8"),
  "MODULE-OS-BASE: the operator is on the new base, and the cluster is not": (w) =>
    uses(userModule(w), "rg")
      .set(ec, "spec.engineEnterpriseImageSpec.versionTag", "7.4.2-54")
      .wants("8.0.6-8"),
  "MODULE-OS-BASE: on the new base already": (w) => uses(userModule(w), "rg").wants("8.0.6-8"),
  "MODULE-END-OF-LIFE: installed, and no database uses it": (w) =>
    installed(operatorAt(w, "7.4.2-2"), "graph", "EngineGraph").wants("8.0.6-8"),
  "MODULE-END-OF-LIFE: installed and used": (w) =>
    uses(installed(operatorAt(w, "7.4.2-2"), "graph", "EngineGraph"), "graph").wants("8.0.6-8"),
  "MODULE-END-OF-LIFE: by the display name, in other letters": (w) =>
    installed(operatorAt(w, "7.4.2-2"), "mine", "ENGINEGRAPH").wants("8.0.6-8"),
  "MODULE-END-OF-LIFE: used under the name that the cluster has for it": (w) =>
    uses(operatorAt(w, "7.4.2-2"), "Edges")
      .set(ec, "status.modules", [{ name: "search" }, { name: "graph", displayName: "Edges" }])
      .wants("8.0.6-8"),
  "MODULE-END-OF-LIFE: in a database's list alone": (w) =>
    uses(installed(operatorAt(w, "7.4.2-2"), "search"), "graph").wants("8.0.6-8"),
  "MODULE-END-OF-LIFE: in an active-active database's list alone": (w) =>
    installed(operatorAt(w, "7.4.2-2"), "search")
      .set(eaadb, "spec.globalConfigurations.modulesList", [{ name: "graph", version: "1" }])
      .wants("8.0.6-8"),
  "MODULE-END-OF-LIFE: defined alone": (w) =>
    installed(operatorAt(w, "7.4.2-2"), "search")
      .set(ec, "spec.userDefinedModules", [
        { name: "graph", source: { https: { url: "https://x" } } },
      ])
      .wants("8.0.6-8"),
  "MODULE-END-OF-LIFE: another module beside it keeps its own findings": (w) =>
    operatorAt(w, "7.4.2-2")
      .set(ec, "status.modules", [{ name: "graph" }, { name: "rg" }])
      .set(edb, "spec.modulesList", [{ name: "graph" }, { name: "rg" }])
      .wants("8.0.2-2"),
  "MODULE-END-OF-LIFE: without a target": (w) => installed(operatorAt(w, "7.4.2-2"), "graph"),
  "MODULE-END-OF-LIFE: the databases could not be read": (w) => {
    w.unread.set("edbs", "forbidden");
    installed(operatorAt(w, "7.4.2-2"), "graph").wants("8.0.6-8");
  },
  "MODULE-END-OF-LIFE: the operator is beyond it, and the cluster is not": (w) =>
    installed(w, "graph")
      .set(ec, "spec.engineEnterpriseImageSpec.versionTag", "7.4.2-54")
      .wants("8.0.6-8"),
  "MODULE-END-OF-LIFE: a release before it": (w) =>
    uses(installed(operatorAt(w, "7.4.2-2"), "graph"), "graph")
      .set(ec, "spec.engineEnterpriseImageSpec.versionTag", "7.4.2-54")
      .wants("7.4.6-2"),
  "MODULE-END-OF-LIFE: the cluster is beyond it": (w) => installed(w, "graph").wants("8.0.6-8"),
  "MODULE-END-OF-LIFE: the cluster is beyond it, and a database names it": (w) =>
    uses(w, "graph").wants("8.0.6-8"),
  "MODULE-END-OF-LIFE: the cluster is beyond it, and a build of someone else is defined": (w) =>
    uses(w, "graph")
      .set(ec, "spec.userDefinedModules", [
        { name: "graph", source: { https: { url: "https://x" } } },
      ])
      .set(ec, "status.modules", [{ name: "graph" }])
      .wants("8.0.6-8"),
  "MODULE-END-OF-LIFE: which modules are installed is not told": (w) =>
    operatorAt(w, "7.4.2-2").set(ec, "status.modules", undefined).wants("8.0.6-8"),
  "MODULE-END-OF-LIFE: lists of another form": (w) =>
    operatorAt(w, "7.4.2-2")
      .set(ec, "status.modules", ["graph"])
      .set(ec, "spec.userDefinedModules", { graph: {} })
      .set(edb, "spec.modulesList", [{ module: "graph" }])
      .wants("8.0.6-8"),
  "MODULE-RELEASE: 8.0.2-2": (w) => uses(userModule(w), "rg").wants("8.0.2-2"),
  "MODULE-RELEASE: 8.0.2-6": (w) => uses(userModule(w), "rg").wants("8.0.2-6"),
  "MODULE-RELEASE: a later one": (w) => uses(userModule(w), "rg").wants("8.0.6-8"),
  "MODULE-SOURCE: two sources": (w) =>
    userModule(w, { https: { url: "https://x" }, http: { url: "http://x" } }),
  "MODULE-SOURCE: no address": (w) => userModule(w, { https: {} }),
  "MODULE-SOURCE: no source, no name": (w) => w.set(ec, "spec.userDefinedModules", [{}]),
  "MODULE-CREDENTIALS: no such Secret": (w) =>
    userModule(w, { https: { url: "https://x", credentialsSecret: "repo" } }),
  "MODULE-TWO-LISTS: both spellings": (w) => w.set(edb, "spec.moduleList", [{ name: "search" }]),
  "MODULE-TO-LATEST: the field is set": (w) =>
    w.set(edb, "spec.upgradeSpec", { upgradeModulesToLatest: true }),
};

export const activeActiveRows: Rows = {
  "ACTIVE-ACTIVE-OPERATOR: too old": (w) => operatorAt(w, "7.22.0-7"),
  "ACTIVE-ACTIVE-OPERATOR: too old, and upgraded": (w) =>
    operatorAt(w, "7.22.0-7").wants("8.0.2-2"),
  "ACTIVE-ACTIVE-OPERATOR: no operator": (w) => w.remove(deployment),
  "ACTIVE-ACTIVE-REMOTE-UNSEEN: a cluster elsewhere": (w) => w.set(erc, "status.local", undefined),
  "ACTIVE-ACTIVE-NO-REMOTE: nobody describes it": (w) =>
    w.set(eaadb, "spec.participatingClusters", [{ name: "there" }]),
  "ACTIVE-ACTIVE-DOWN: down": (w) => w.set(eaadb, "status.replicationStatus", "down"),
  "ACTIVE-ACTIVE-DOWN: not told": (w) => w.set(eaadb, "status.replicationStatus", undefined),
  "ACTIVE-ACTIVE-USER-MODULE: a user-defined one": (w) =>
    userModule(w).set(eaadb, "spec.globalConfigurations.modulesList", [
      { name: "rg", version: "1" },
    ]),
  "ACTIVE-ACTIVE-MODULE-COMMANDS: from 7.22 to 8.0": (w) =>
    operatorAt(w, "7.22.0-7")
      .set(eaadb, "spec.globalConfigurations.modulesList", [{ name: "search", version: "1" }])
      .wants("8.0.2-2"),
  "ACTIVE-ACTIVE-MODULE-COMMANDS: from a release that is not told": (w) =>
    w
      .set(deployment, "spec.template.spec.containers.0.image", "engine/operator@sha256:0")
      .set(deployment, "spec.template.spec.containers.1.image", "engine/operator@sha256:0")
      .set(eaadb, "spec.globalConfigurations.modulesList", [{ name: "search", version: "1" }])
      .wants("8.0.2-2"),
  "ACTIVE-ACTIVE-MODULE-COMMANDS: without modules": (w) =>
    operatorAt(w, "7.22.0-7").wants("8.0.2-2"),
  "ACTIVE-ACTIVE-NAMESPACE: in a managed one, too early": (w) =>
    operatorAt(w, "7.8.2-6").copy(eaadb, { namespace: "shop" }),
  "REMOTE-CLUSTER-STATUS: not reached": (w) => w.set(erc, "status.status", "Error"),
  "REMOTE-CLUSTER-STATUS: not told": (w) => w.set(erc, "status.status", undefined),
  "REMOTE-CLUSTER-SECRET: the usual name": (w) => w.set(erc, "spec.secretName", undefined),
  "REMOTE-CLUSTER-SECRET: of another namespace": (w) =>
    w
      .copy(erc, { namespace: "other" })
      .set("EngineEnterpriseRemoteCluster/other/here", "spec.secretName", "x"),
};

export const restRows: Rows = {
  "REST-CREDENTIALS: no Secret": (w) =>
    w
      .remove("Secret/engine/ec")
      .set(erc, "spec.secretName", "r")
      .add(secret("r", { username: "", password: "" })),
  "REST-CREDENTIALS: an item is missing": (w) =>
    w
      .set(ec, "spec.clusterCredentialSecretName", "login")
      .add(secret("login", { username: "dQ==" })),
  "REST-CREDENTIALS-ELSEWHERE: in a vault": (w) =>
    w.set(ec, "spec.clusterCredentialSecretType", "vault"),
  "LICENSE-SECRET: in a vault, as the credentials and the remote cluster's": (w) =>
    w
      .remove("Secret/engine/ec")
      .set(ec, "spec.clusterCredentialSecretType", "vault")
      .set(ec, "spec.licenseSecretName", "license-in-vault")
      .set(erc, "spec.secretName", "remote-in-vault"),
  "CLUSTER-PULL-SECRET: of the kubelet, wherever the others are": (w) =>
    w
      .set(ec, "spec.clusterCredentialSecretType", "vault")
      .set(ec, "spec.pullSecrets", [{ name: "registry" }]),
  "REST-CREDENTIALS-ELSEWHERE: said outright": (w) =>
    w.set(ec, "spec.clusterCredentialSecretType", "kubernetes"),
  "REST-SERVICE-ABSENT: no Service": (w) => w.remove("Service/engine/ec"),
  "REST-SERVICE-PORT: another port": (w) =>
    w.set("Service/engine/ec", "spec.ports", [{ port: 8001 }]),
  "REST-DATABASE-UID: no uid": (w) => w.set(edb, "status.databaseUID", undefined),
};
