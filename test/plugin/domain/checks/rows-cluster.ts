/** The EC, its license, its databases and modules. */
import { config, definition, deployment, eaadb, ec, edb, erc } from "./labels";
import { fires, quiet, type Row } from "./row";
import { secret, type World } from "./world";

const applied = "kubectl.kubernetes.io/last-applied-configuration";
const deletion = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x"] };
/** The definition of active-active databases has the field at both places. */
const bothPlaces = [
  "CustomResourceDefinition/engineenterpriseactiveactivedatabases.app.engine.com",
  "spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.engineVersion",
  { type: "string" },
] as const;
const deleting = (label: string) => (world: World) =>
  Object.assign(world.find(label)["metadata"] as object, deletion);
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

export const clusterRows: readonly Row[] = [
  fires("CLUSTER-NONE", "no EC", (w) => w.remove(ec, eaadb, edb, config))("Namespace/engine"),
  fires("CLUSTER-DELETING", "on its way out", deleting(ec))(ec),
  fires("CLUSTER-STATE", "in error", state("Error"))(ec),
  fires("CLUSTER-STATE", "a state that nobody lists", state("Odd"))(ec),
  fires("CLUSTER-STATE", "no state", state(undefined))(ec),
  fires("CLUSTER-BUSY", "an upgrade continues", state("Upgrade"))(ec),
  fires("CLUSTER-BUSY", "a restart continues", state("RunningRollingUpdate"))(ec),
  fires("CLUSTER-INVALID-UPGRADE", "refused", state("InvalidUpgrade"))(ec),
  fires("CLUSTER-INVALID-UPGRADE", "refused, and an event tells", (w) =>
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
  )(ec),
  fires("CLUSTER-SPEC-INVALID", "not accepted", (w) => w.set(ec, "status.specStatus", "Invalid"))(
    ec,
  ),
  quiet(
    "CLUSTER-SPEC-INVALID",
    "refused as an upgrade",
    (w) => w.set(ec, "status.specStatus", "Invalid").set(ec, "status.state", "InvalidUpgrade"),
    { also: ["CLUSTER-INVALID-UPGRADE"] },
  ),
  fires("CLUSTER-OWNED", "a repository's", (w) =>
    w.note(ec, "labels", { "argocd.argoproj.io/instance": "x" }),
  )(ec),
  fires("CLUSTER-BEHIND-OPERATOR", "the EC waits", (w) => operatorAt(w, "8.0.6-8"))(ec),
  quiet(
    "CLUSTER-BEHIND-OPERATOR",
    "the small image",
    (w) =>
      w
        .set(ec, "spec.engineEnterpriseImageSpec.versionTag", "8.0.2-17.minimal")
        .set(ec, "status.state", "Upgrade"),
    { also: ["CLUSTER-BUSY"] },
  ),
  quiet("CLUSTER-BEHIND-OPERATOR", "no operator", (w) => w.remove(deployment), {
    also: ["OPERATOR-ABSENT"],
  }),
  fires("CLUSTER-PODS-BEHIND", "one pod of another image", (w) =>
    w.set("Pod/engine/ec-1", "spec.containers.0.image", "engine/engine:7.22.0-28"),
  )(ec),
  quiet("CLUSTER-PODS-BEHIND", "no image spec", (w) =>
    w.set(ec, "spec.engineEnterpriseImageSpec", undefined),
  ),
  fires("CLUSTER-PODS-NOT-READY", "a pod is missing", (w) =>
    w.set("StatefulSet/engine/ec", "status.readyReplicas", 2),
  )("StatefulSet/engine/ec"),
  fires("CLUSTER-PODS-NOT-READY", "no status yet", (w) =>
    w
      .set("StatefulSet/engine/ec", "status", undefined)
      .set("StatefulSet/engine/ec", "spec.replicas", undefined),
  )("StatefulSet/engine/ec"),
  quiet("CLUSTER-PODS-NOT-READY", "no StatefulSet", (w) => w.remove("StatefulSet/engine/ec")),
  fires("CLUSTER-IMAGE-INCOMPLETE", "no tag, no policy", (w) =>
    w.set(ec, "spec.engineEnterpriseImageSpec", { repository: "engine/engine" }),
  )([ec, ec]),
  fires("CLUSTER-IMAGE-INCOMPLETE", "no policy", (w) =>
    w.set(ec, "spec.engineEnterpriseImageSpec.imagePullPolicy", undefined),
  )(ec),
  fires("CLUSTER-DIGEST-PINNED", "automatic and pinned", (w) =>
    auto(w).set(ec, "spec.engineEnterpriseImageSpec.digestHash", "sha256:00"),
  )(ec),
  quiet("CLUSTER-DIGEST-PINNED", "pinned and manual", (w) =>
    w.set(ec, "spec.engineEnterpriseImageSpec.digestHash", "sha256:00"),
  ),
  fires("CLUSTER-HELPER-IMAGES", "another release", (w) =>
    w.set(ec, "spec.bootstrapperImageSpec", { versionTag: "7.22.0-7" }),
  )(ec),
  quiet("CLUSTER-HELPER-IMAGES", "the operator's own", (w) =>
    w.set(ec, "spec.bootstrapperImageSpec", { versionTag: "v8.0.2-2" }),
  ),
  fires("CLUSTER-PULL-SECRET", "no such Secret", (w) =>
    w.set(ec, "spec.pullSecrets", [{ name: "registry" }, {}]),
  )("Secret/engine/registry"),
  quiet("CLUSTER-PULL-SECRET", "it exists", (w) =>
    w.set(ec, "spec.pullSecrets", [{ name: "registry" }]).add(secret("registry", {})),
  ),
  fires("CLUSTER-POLICY-UNKNOWN", "a misspelt policy", (w) =>
    w.set(ec, "spec.engineUpgradePolicy", "Major"),
  )(ec),
  fires("CLUSTER-AUTO-CONFLICTING", "yes and no", (w) =>
    auto(w).set(ec, "spec.autoUpgradeEngineEnterprise", false),
  )(ec),
  fires("CLUSTER-FIELD-PRUNED", "applied and dropped", (w) =>
    w.note(ec, "annotations", {
      [applied]: JSON.stringify({ spec: { autoUpgradeEngineEnterprise: true } }),
    }),
  )(ec),
  quiet("CLUSTER-FIELD-PRUNED", "an annotation that is none", (w) =>
    w.note(ec, "annotations", { [applied]: "{" }),
  ),
  quiet("CLUSTER-FIELD-PRUNED", "applied and kept", (w) =>
    auto(w).note(ec, "annotations", {
      [applied]: JSON.stringify({ spec: { upgradeSpec: { autoUpgradeEngineEnterprise: true } } }),
    }),
  ),
];

export const licenceRows: readonly Row[] = [
  fires("CLUSTER-LICENSE", "invalid", (w) =>
    w.set(ec, "status.licenseStatus.licenseState", "Expired"),
  )(ec),
  fires("CLUSTER-LICENSE", "invalid and past", (w) =>
    w.set(ec, "status.licenseStatus", {
      licenseState: "Invalid",
      expirationDate: "2020-01-01T00:00:00Z",
    }),
  )(ec),
  fires("CLUSTER-LICENSE-UNKNOWN", "no state", (w) =>
    w.set(ec, "status.licenseStatus.licenseState", undefined),
  )(ec),
  fires("LICENSE-EXPIRED", "valid and past", (w) =>
    w.set(ec, "status.licenseStatus.expirationDate", "2020-01-01T00:00:00Z"),
  )(ec),
  fires("LICENSE-EXPIRES-SOON", "next week", (w) =>
    w.set(
      ec,
      "status.licenseStatus.expirationDate",
      new Date(Date.parse(expiryOf(w)) - 293 * 24 * 3_600_000).toISOString(),
    ),
  )(ec),
  quiet("LICENSE-EXPIRES-SOON", "no date", (w) =>
    w.set(ec, "status.licenseStatus.expirationDate", undefined),
  ),
  fires("LICENSE-SHARDS", "all in use", (w) => w.set(ec, "status.licenseStatus.shardsUsage", 10))(
    ec,
  ),
  quiet("LICENSE-SHARDS", "a text", (w) => w.set(ec, "status.licenseStatus.shardsUsage", "10")),
  quiet("LICENSE-SHARDS", "no limit", (w) =>
    w.set(ec, "status.licenseStatus.shardsLimit", undefined),
  ),
  fires("LICENSE-TWICE", "text and Secret", (w) =>
    w
      .set(ec, "spec.license", "text")
      .set(ec, "spec.licenseSecretName", "license")
      .add(secret("license", { license: "eA==" })),
  )(ec),
  fires("LICENSE-SECRET", "no such Secret", (w) => w.set(ec, "spec.licenseSecretName", "license"))(
    "Secret/engine/license",
  ),
  fires("LICENSE-SECRET", "no such item", (w) =>
    w.set(ec, "spec.licenseSecretName", "license").add(secret("license", { text: "eA==" })),
  )("Secret/engine/license"),
];

function expiryOf(world: World): string {
  const status = world.find(ec)["status"] as { licenseStatus: { expirationDate: string } };
  return status.licenseStatus.expirationDate;
}

export const databaseRows: readonly Row[] = [
  fires("CLUSTER-DATABASE-OLD", "by its spec", (w) => w.set(edb, "spec.engineVersion", "6.2"))(edb),
  fires("CLUSTER-DATABASE-OLD", "by its status", (w) =>
    w.set(edb, "spec.engineVersion", undefined).set(edb, "status.version", "6.2.4"),
  )(edb),
  quiet(
    "CLUSTER-DATABASE-OLD",
    "a target before 7.8.2-6",
    (w) => operatorAt(w.set(edb, "spec.engineVersion", "6.2"), "7.2.4-2").wants("7.4.2-2"),
    { also: ["ACTIVE-ACTIVE-OPERATOR", "PLATFORM-UNKNOWN", "RELEASE-PAIR-UNKNOWN"] },
  ),
  fires("CLUSTER-DATABASE-UNKNOWN", "neither spec nor status", (w) =>
    w.set(edb, "spec.engineVersion", "major").set(edb, "status.version", undefined),
  )(edb),
  fires("DATABASE-VERSION-UNSUPPORTED", "none that the EC has", (w) =>
    w.set(edb, "spec.engineVersion", "9.9"),
  )(edb),
  fires("DATABASE-VERSION-UNSUPPORTED", "a text", (w) =>
    w.set(edb, "spec.engineVersion", "newest"),
  )(edb),
  fires("DATABASE-VERSION-UNSUPPORTED", "the latest, and its EC does not follow it", (w) =>
    w.set(edb, "spec.engineVersion", "latest"),
  )(edb),
  quiet("DATABASE-VERSION-UNSUPPORTED", "the latest, as its EC's policy", (w) =>
    w.set(edb, "spec.engineVersion", "latest").set(ec, "spec.engineUpgradePolicy", "latest"),
  ),
  fires("DATABASE-TWO-VERSIONS", "they differ", (w) =>
    w
      .set(...bothPlaces)
      .set(eaadb, "spec.engineVersion", "7.4")
      .set(eaadb, "spec.globalConfigurations.engineVersion", "8.0"),
  )(eaadb),
  quiet("DATABASE-TWO-VERSIONS", "they are the same", (w) =>
    w
      .set(...bothPlaces)
      .set(eaadb, "spec.engineVersion", "8.0")
      .set(eaadb, "spec.globalConfigurations.engineVersion", "8.0"),
  ),
  fires("DATABASE-CLUSTER-ABSENT", "another name", (w) =>
    w.set(edb, "spec.engineEnterpriseCluster.name", "no-such"),
  )(edb),
  fires("DATABASE-CLUSTER-AMBIGUOUS", "two ECs and no name", (w) =>
    w
      .copy(ec, { name: "two" })
      .copy("Service/engine/ec", { name: "two" })
      .copy("Secret/engine/ec", { name: "two" })
      .set("RoleBinding/shop/edb-role", "subjects.2", {
        kind: "ServiceAccount",
        name: "two",
        namespace: "engine",
      }),
  )(eaadb),
  fires("DATABASE-UNMANAGED", "in a namespace of nobody", (w) =>
    w.copy(edb, { namespace: "other" }),
  )("EngineEnterpriseDatabase/other/orders"),
  quiet("DATABASE-UNMANAGED", "in another operator's", (w) =>
    w
      .copy(edb, { namespace: "other" })
      .copy("RoleBinding/shop/edb-role", { namespace: "other" })
      .set("RoleBinding/other/edb-role", "subjects", [
        { kind: "ServiceAccount", name: "engine-enterprise-operator", namespace: "elsewhere" },
      ]),
  ),
  quiet(
    "DATABASE-UNMANAGED",
    "what is managed is not known",
    (w) =>
      w
        .copy(edb, { namespace: "other" })
        .set(deployment, "spec.template.spec.containers.0.env", [
          { name: "EDB_NAMESPACES", valueFrom: { fieldRef: {} } },
        ]),
    { also: ["RBAC-CONFIGURATION-UNKNOWN"] },
  ),
  fires("DATABASE-NOT-ACTIVE", "a change continues", (w) =>
    w.set(edb, "status.status", "active-change-pending").set(eaadb, "status.status", "pending"),
  )([edb, eaadb]),
  fires("DATABASE-SPEC-INVALID", "not accepted", (w) =>
    w.set(edb, "status.specStatus", "Invalid").set(eaadb, "status.specStatus", "Invalid"),
  )([edb, eaadb]),
  quiet("DATABASE-SPEC-INVALID", "not told", (w) => w.set(edb, "status.specStatus", undefined)),
  fires("DATABASE-NOT-OBSERVED", "an edit before", (w) =>
    w.set(edb, "status.observedGeneration", 1),
  )(edb),
  fires("DATABASE-DELETING", "on its way out", deleting(edb))(edb),
  fires("DATABASE-TYPE", "no engine", (w) => w.set(edb, "spec.type", "memcached"))(edb),
  quiet("DATABASE-TYPE", "no engine, no version", (w) =>
    w.set(edb, "spec.type", "memcached").set(edb, "spec.engineVersion", undefined),
  ),
  fires("DATABASE-VOLATILE", "neither", (w) => w.set(edb, "spec.replication", false))(edb),
  quiet("DATABASE-VOLATILE", "persistent", (w) =>
    w.set(edb, "spec.replication", false).set(edb, "spec.persistence", "aofEverySecond"),
  ),
];

/** A definition of before user-defined modules (domain facts 7). */
const withoutModules = (world: World): World => {
  const old = JSON.parse(
    JSON.stringify(world.find(definition)).replaceAll('"userDefinedModules":', '"other":'),
  ) as Record<string, unknown>;
  return world.set(definition, "spec", old["spec"]);
};

export const moduleRows: readonly Row[] = [
  fires("CLUSTER-AUTO-USER-MODULES", "in use and automatic", (w) =>
    uses(userModule(auto(w)), "rg"),
  )(ec),
  quiet("CLUSTER-AUTO-USER-MODULES", "in use and manual", (w) => uses(userModule(w), "rg")),
  fires("CLUSTER-AUTO-USER-MODULES", "merely installed", (w) =>
    uses(installed(auto(w), "rg"), "rg"),
  )(ec, { also: ["CLUSTER-MODULE-UNDEFINED"] }),
  quiet("CLUSTER-AUTO-USER-MODULES", "bundled, by display name", (w) =>
    uses(installed(auto(w), "search", "EngineSearch"), "EngineSearch"),
  ),
  fires("CLUSTER-MODULE-UNDEFINED", "neither bundled nor defined", (w) => uses(w, "mystery"))(ec),
  fires("CLUSTER-MODULE-UNDEFINED", "installed, not defined", (w) =>
    uses(installed(w, "rg"), "rg"),
  )(ec),
  quiet("CLUSTER-MODULE-UNDEFINED", "installed, and the definition has no place for it", (w) =>
    uses(installed(withoutModules(w), "rg"), "rg"),
  ),
  fires("CLUSTER-MODULE-UNDEFINED", "not installed either, and no place for it", (w) =>
    uses(withoutModules(w), "mystery"),
  )(ec),
  quiet("CLUSTER-MODULE-UNDEFINED", "defined by its other name", (w) =>
    uses(installed(userModule(w), "rg", "EngineGears"), "EngineGears"),
  ),
  fires("MODULE-NAME", "none of the two names", (w) =>
    w.set(ec, "spec.userDefinedModules", [
      { name: "gears", source: { https: { url: "https://x" } } },
    ]),
  )(ec),
  quiet("MODULE-NAME", "the display name", (w) =>
    w.set(ec, "spec.userDefinedModules", [
      { name: "EngineGears", source: { http: { url: "http://x" } } },
    ]),
  ),
  quiet("MODULE-NAME", "nothing installed is told", (w) =>
    userModule(w).set(ec, "status.modules", undefined),
  ),
  fires("MODULE-OS-BASE", "user-defined modules move along", (w) =>
    uses(userModule(operatorAt(w, "7.4.2-2")), "rg").wants("8.0.6-8"),
  )(ec),
  fires("MODULE-OS-BASE", "from a release that is not told", (w) =>
    uses(userModule(w), "rg")
      .set(deployment, "spec.template.spec.containers.0.image", "engine/operator@sha256:0")
      .set(deployment, "spec.template.spec.containers.1.image", "engine/operator@sha256:0")
      .set(ec, "spec.engineEnterpriseImageSpec", undefined)
      .wants("8.0.6-8"),
  )(ec, { also: ["OPERATOR-VERSION-UNKNOWN"] }),
  fires("MODULE-OS-BASE", "merely installed ones too", (w) =>
    uses(installed(operatorAt(w, "7.4.2-2"), "rg"), "rg").wants("8.0.6-8"),
  )(ec, { also: ["CLUSTER-MODULE-UNDEFINED"] }),
  fires("MODULE-OS-BASE", "the operator is on the new base, and the cluster is not", (w) =>
    uses(userModule(w), "rg")
      .set(ec, "spec.engineEnterpriseImageSpec.versionTag", "7.4.2-54")
      .wants("8.0.6-8"),
  )(ec, { also: ["CLUSTER-BEHIND-OPERATOR", "CLUSTER-PODS-BEHIND"] }),
  quiet("MODULE-OS-BASE", "on the new base already", (w) =>
    uses(userModule(w), "rg").wants("8.0.6-8"),
  ),
  fires("MODULE-RELEASE", "8.0.2-2", (w) => uses(userModule(w), "rg").wants("8.0.2-2"))(ec),
  fires("MODULE-RELEASE", "8.0.2-6", (w) => uses(userModule(w), "rg").wants("8.0.2-6"))(ec, {
    also: ["RELEASE-PAIR-UNKNOWN"],
  }),
  quiet("MODULE-RELEASE", "a later one", (w) => uses(userModule(w), "rg").wants("8.0.6-8")),
  fires("MODULE-SOURCE", "two sources", (w) =>
    userModule(w, { https: { url: "https://x" }, http: { url: "http://x" } }),
  )(ec),
  fires("MODULE-SOURCE", "no address", (w) => userModule(w, { https: {} }))(ec),
  fires("MODULE-SOURCE", "no source, no name", (w) => w.set(ec, "spec.userDefinedModules", [{}]))(
    ec,
  ),
  fires("MODULE-CREDENTIALS", "no such Secret", (w) =>
    userModule(w, { https: { url: "https://x", credentialsSecret: "repo" } }),
  )("Secret/engine/repo"),
  fires("MODULE-TWO-LISTS", "both spellings", (w) =>
    w.set(edb, "spec.moduleList", [{ name: "search" }]),
  )(edb),
  fires("MODULE-TO-LATEST", "the field is set", (w) =>
    w.set(edb, "spec.upgradeSpec", { upgradeModulesToLatest: true }),
  )(edb),
];

export const activeActiveRows: readonly Row[] = [
  fires("ACTIVE-ACTIVE-OPERATOR", "too old", (w) => operatorAt(w, "7.22.0-7"))(eaadb, {
    also: ["CLUSTER-BEHIND-OPERATOR", "PLATFORM-EDGE"],
  }),
  quiet(
    "ACTIVE-ACTIVE-OPERATOR",
    "too old, and upgraded",
    (w) => operatorAt(w, "7.22.0-7").wants("8.0.2-2"),
    {
      also: ["CLUSTER-BEHIND-OPERATOR"],
    },
  ),
  quiet("ACTIVE-ACTIVE-OPERATOR", "no operator", (w) => w.remove(deployment), {
    also: ["OPERATOR-ABSENT"],
  }),
  fires("ACTIVE-ACTIVE-REMOTE-UNSEEN", "a cluster elsewhere", (w) =>
    w.set(erc, "status.local", undefined),
  )(eaadb),
  fires("ACTIVE-ACTIVE-NO-REMOTE", "nobody describes it", (w) =>
    w.set(eaadb, "spec.participatingClusters", [{ name: "there" }]),
  )(eaadb, { also: ["ACTIVE-ACTIVE-REMOTE-UNSEEN"] }),
  fires("ACTIVE-ACTIVE-DOWN", "down", (w) => w.set(eaadb, "status.replicationStatus", "down"))(
    eaadb,
  ),
  quiet("ACTIVE-ACTIVE-DOWN", "not told", (w) =>
    w.set(eaadb, "status.replicationStatus", undefined),
  ),
  fires("ACTIVE-ACTIVE-USER-MODULE", "one of one's own", (w) =>
    userModule(w).set(eaadb, "spec.globalConfigurations.modulesList", [
      { name: "rg", version: "1" },
    ]),
  )(eaadb),
  fires("ACTIVE-ACTIVE-MODULE-COMMANDS", "from 7.22 to 8.0", (w) =>
    operatorAt(w, "7.22.0-7")
      .set(eaadb, "spec.globalConfigurations.modulesList", [{ name: "search", version: "1" }])
      .wants("8.0.2-2"),
  )(eaadb, { also: ["CLUSTER-BEHIND-OPERATOR"] }),
  fires("ACTIVE-ACTIVE-MODULE-COMMANDS", "from a release that is not told", (w) =>
    w
      .set(deployment, "spec.template.spec.containers.0.image", "engine/operator@sha256:0")
      .set(deployment, "spec.template.spec.containers.1.image", "engine/operator@sha256:0")
      .set(eaadb, "spec.globalConfigurations.modulesList", [{ name: "search", version: "1" }])
      .wants("8.0.2-2"),
  )(eaadb, { also: ["OPERATOR-VERSION-UNKNOWN"] }),
  quiet(
    "ACTIVE-ACTIVE-MODULE-COMMANDS",
    "without modules",
    (w) => operatorAt(w, "7.22.0-7").wants("8.0.2-2"),
    { also: ["CLUSTER-BEHIND-OPERATOR"] },
  ),
  fires("ACTIVE-ACTIVE-NAMESPACE", "in a managed one, too early", (w) =>
    operatorAt(w, "7.8.2-6").copy(eaadb, { namespace: "shop" }),
  )("EngineEnterpriseActiveActiveDatabase/shop/carts", {
    also: ["ACTIVE-ACTIVE-OPERATOR", "PLATFORM-UNKNOWN"],
  }),
  fires("REMOTE-CLUSTER-STATUS", "not reached", (w) => w.set(erc, "status.status", "Error"))(erc),
  quiet("REMOTE-CLUSTER-STATUS", "not told", (w) => w.set(erc, "status.status", undefined)),
  fires("REMOTE-CLUSTER-SECRET", "the usual name", (w) => w.set(erc, "spec.secretName", undefined))(
    "Secret/engine/engine-enterprise-here",
  ),
  quiet("REMOTE-CLUSTER-SECRET", "of another namespace", (w) =>
    w
      .copy(erc, { namespace: "other" })
      .set("EngineEnterpriseRemoteCluster/other/here", "spec.secretName", "x"),
  ),
];

export const restRows: readonly Row[] = [
  fires("REST-CREDENTIALS", "no Secret", (w) =>
    w
      .remove("Secret/engine/ec")
      .set(erc, "spec.secretName", "r")
      .add(secret("r", { username: "", password: "" })),
  )("Secret/engine/ec"),
  fires("REST-CREDENTIALS", "an item is missing", (w) =>
    w
      .set(ec, "spec.clusterCredentialSecretName", "login")
      .add(secret("login", { username: "dQ==" })),
  )("Secret/engine/login"),
  fires("REST-CREDENTIALS-ELSEWHERE", "in a vault", (w) =>
    w.set(ec, "spec.clusterCredentialSecretType", "vault"),
  )(ec),
  quiet("REST-CREDENTIALS-ELSEWHERE", "said outright", (w) =>
    w.set(ec, "spec.clusterCredentialSecretType", "kubernetes"),
  ),
  fires("REST-SERVICE-ABSENT", "no Service", (w) => w.remove("Service/engine/ec"))(ec),
  fires("REST-SERVICE-PORT", "another port", (w) =>
    w.set("Service/engine/ec", "spec.ports", [{ port: 8001 }]),
  )("Service/engine/ec"),
  fires("REST-DATABASE-UID", "no uid", (w) => w.set(edb, "status.databaseUID", undefined))(edb),
];
