/** Fields of the product's kinds: paths from the root of an object, and keys inside list entries. */
import { field, fieldNames, fieldPath } from "./sorts";

const image = "engineEnterpriseImageSpec";

/** Where each kind keeps what is read, judged and written. */
export const fieldNamesOfKinds = {
  fields: {
    engineVersion: fieldPath(["spec", "engineVersion"], "Database: the version wanted"),
    moduleLists: fieldNames(
      ["moduleList", "modulesList"],
      "Database: its modules, beside the version; every spelling is read",
    ),
    clusterReference: fieldPath(
      ["spec", "engineEnterpriseCluster", "name"],
      "Database: the cluster that holds it",
    ),
    globalConfigurations: fieldPath(
      ["spec", "globalConfigurations"],
      "Active-active database: what stands in the spec of a database",
    ),
    evictionPolicy: fieldPath(["spec", "evictionPolicy"], "Database: what a full memory drops"),
    engineUpgradePolicy: fieldPath(["spec", "engineUpgradePolicy"], "Cluster: upgrade policy"),
    userDefinedModules: fieldPath(["spec", "userDefinedModules"], "Cluster: its own modules"),
    bundledDatabaseVersions: fieldPath(
      ["status", "bundledDatabaseVersions"],
      "Cluster: the versions that databases can have",
    ),
    statusModules: fieldPath(["status", "modules"], "Cluster: the modules that it has"),
    statusVersion: fieldPath(["status", "version"], "Database: the version that runs"),
  },
  entryFields: {
    moduleName: field("name", "Module of a database: its name"),
    moduleVersion: field("version", "Module of a database: its version"),
    bundledType: field("dbType", "Bundled version: the type of database"),
    bundledVersion: field("version", "Bundled version: the version"),
    bundledMajor: field("major", "Bundled version: whether it is a major one"),
    statusModuleName: field("name", "Module of a cluster: its name"),
    statusModuleDisplayName: field("displayName", "Module of a cluster: its display name"),
    userModuleName: field("name", "Module of one's own: its name"),
    userModuleSource: field("source", "Module of one's own: where it is downloaded"),
    userModuleTransports: fieldNames(
      ["https", "http"],
      "Source of a module: the protocols, exactly one is given",
    ),
    userModuleUrl: field("url", "Source of a module, below the protocol: its address"),
    userModuleCredentials: field(
      "credentialsSecret",
      "Source of a module, below the protocol: the Secret with its credentials",
    ),
    participatingName: field("name", "Participating cluster: its remote cluster"),
    participatingNamespace: field("namespace", "Participating cluster: the namespace"),
  },
  ecFields: {
    nodes: fieldPath(["spec", "nodes"], "Number of nodes"),
    versionTag: fieldPath(["spec", image, "versionTag"], "Image tag; a new one is an upgrade"),
    repository: fieldPath(["spec", image, "repository"], "Image repository"),
    imagePullPolicy: fieldPath(["spec", image, "imagePullPolicy"], "Image pull policy"),
    digestHash: fieldPath(["spec", image, "digestHash"], "Image digest"),
    bootstrapperImage: fieldPath(["spec", "bootstrapperImageSpec"], "Image of the bootstrapper"),
    riggerImage: fieldPath(
      ["spec", "engineEnterpriseServicesRiggerImageSpec"],
      "Image of the services rigger",
    ),
    meterImage: fieldPath(
      ["spec", "usageMeter", "callHomeClient", "imageSpec"],
      "Image of the usage meter's client",
    ),
    pullSecrets: fieldPath(["spec", "pullSecrets"], "Secrets for a private registry"),
    autoUpgrade: fieldPath(
      ["spec", "upgradeSpec", "autoUpgradeEngineEnterprise"],
      "Automatic upgrade, where definitions have it",
    ),
    autoUpgradeDirect: fieldPath(
      ["spec", "autoUpgradeEngineEnterprise"],
      "Automatic upgrade, where the specification has it",
    ),
    serviceAccountName: fieldPath(["spec", "serviceAccountName"], "Service account of the pods"),
    allowAutoAdjustment: fieldPath(
      ["spec", "securityContext", "resourceLimits", "allowAutoAdjustment"],
      "Whether pods may raise their limits; they then need the SCC",
    ),
    license: fieldPath(["spec", "license"], "License text"),
    licenseSecretName: fieldPath(["spec", "licenseSecretName"], "Secret with the license"),
    credentialSecretName: fieldPath(
      ["spec", "clusterCredentialSecretName"],
      "Secret with the REST credentials; the cluster's name when absent",
    ),
    credentialSecretType: fieldPath(["spec", "clusterCredentialSecretType"], "Its type"),
    username: fieldPath(["spec", "username"], "Name of the first administrator"),
    state: fieldPath(["status", "state"], "State"),
    specStatus: fieldPath(["status", "specStatus"], "Whether the spec was accepted"),
    licenseState: fieldPath(["status", "licenseStatus", "licenseState"], "State of the license"),
    licenseExpiration: fieldPath(
      ["status", "licenseStatus", "expirationDate"],
      "End of the license",
    ),
    shardsLimit: fieldPath(["status", "licenseStatus", "shardsLimit"], "Shards of the license"),
    shardsUsage: fieldPath(["status", "licenseStatus", "shardsUsage"], "Shards that are in use"),
  },
  edbFields: {
    type: fieldPath(["spec", "type"], "Type of the database"),
    replication: fieldPath(["spec", "replication"], "Whether shards have replicas"),
    persistence: fieldPath(["spec", "persistence"], "How data is kept on disk"),
    upgradeModulesToLatest: fieldPath(
      ["spec", "upgradeSpec", "upgradeModulesToLatest"],
      "Whether modules are raised as well",
    ),
    databaseUid: fieldPath(["status", "databaseUID"], "The uid in the cluster's REST API"),
    status: fieldPath(["status", "status"], "State of the database"),
    specStatus: fieldPath(["status", "specStatus"], "Whether the spec was accepted"),
    lastActionUid: fieldPath(["status", "lastActionUid"], "The last action"),
    lastActionStatus: fieldPath(["status", "lastActionStatus"], "State of the last action"),
    observedGeneration: fieldPath(["status", "observedGeneration"], "Generation acted upon"),
    activeActive: fieldPath(["status", "activeActive"], "Set on an active-active instance"),
  },
  eaadbFields: {
    participatingClusters: fieldPath(["spec", "participatingClusters"], "Where instances are"),
    status: fieldPath(["status", "status"], "State of the database"),
    specStatus: fieldPath(["status", "specStatus"], "Whether the spec was accepted"),
    guid: fieldPath(["status", "guid"], "The guid in the clusters' REST API"),
    lastTaskUid: fieldPath(["status", "lastTaskUid"], "The last task"),
    linkedEdbs: fieldPath(["status", "linkedEdbs"], "Databases that are its instances"),
    replicationStatus: fieldPath(["status", "replicationStatus"], "Whether it replicates"),
  },
  ercFields: {
    ecName: fieldPath(["spec", "ecName"], "Name of the cluster"),
    ecNamespace: fieldPath(["spec", "ecNamespace"], "Namespace of the cluster"),
    secretName: fieldPath(["spec", "secretName"], "Secret with its credentials"),
    apiFqdnUrl: fieldPath(["spec", "apiFqdnUrl"], "Address of its REST API"),
    apiPort: fieldPath(["spec", "apiPort"], "Port of its REST API"),
    dbFqdnSuffix: fieldPath(["spec", "dbFqdnSuffix"], "Ending of its databases' host names"),
    status: fieldPath(["status", "status"], "State of the connection"),
    specStatus: fieldPath(["status", "specStatus"], "Whether the spec was accepted"),
    local: fieldPath(["status", "local"], "Whether it is this operator's own"),
  },
};
