/**
 * Every brand name, object name, field path, placeholder and label, as data (S2; domain facts
 * chapter 3). Real operators carry a brand: a names file replaces any subset of these values.
 */

/** A kind that the API server serves: how it is written in a manifest and in a URL. */
export interface KindNames {
  readonly kind: string;
  readonly plural: string;
  readonly short: string;
}

/** The full set of names; every value is a string, a list of strings or a group of those. */
export interface Names {
  readonly group: string;
  readonly version: string;
  readonly ecVersion: string;
  readonly ec: KindNames;
  readonly edb: KindNames;
  readonly eaadb: KindNames;
  readonly erc: KindNames;
  readonly webhook: {
    readonly configuration: string;
    readonly entry: string;
    readonly oldConfiguration: string;
    readonly oldEntry: string;
    readonly path: string;
    readonly service: string;
    readonly secret: string;
    readonly secretCert: string;
    readonly secretKey: string;
  };
  readonly placeholders: {
    readonly namespace: readonly string[];
    readonly serviceAccount: readonly string[];
  };
  readonly operator: {
    readonly deployment: string;
    readonly namespace: string;
    readonly appLabel: string;
  };
  readonly companion: { readonly namespace: string; readonly deployment: string };
  readonly fieldManager: string;
  readonly webhookFieldManager: string;
  readonly fields: {
    readonly engineVersion: readonly string[];
    readonly moduleLists: readonly string[];
    readonly clusterReference: readonly string[];
    readonly globalConfigurations: readonly string[];
    readonly engineUpgradePolicy: readonly string[];
    readonly userDefinedModules: readonly string[];
    readonly bundledDatabaseVersions: readonly string[];
    readonly statusModules: readonly string[];
    readonly statusVersion: readonly string[];
  };
  readonly engineDbType: string;
  readonly bundledModules: readonly string[];
  readonly engineVersions: readonly string[];
  readonly majorChannel: string;
  readonly latestChannel: string;
}

/** The specification's words, and the field's where the specification gives none. */
export const defaultNames: Names = {
  group: "app.engine.com",
  version: "v1alpha1",
  ecVersion: "v1",
  ec: { kind: "EngineEnterpriseCluster", plural: "engineenterpriseclusters", short: "ec" },
  edb: { kind: "EngineEnterpriseDatabase", plural: "engineenterprisedatabases", short: "edb" },
  eaadb: {
    kind: "EngineEnterpriseActiveActiveDatabase",
    plural: "engineenterpriseactiveactivedatabases",
    short: "eaadb",
  },
  erc: {
    kind: "EngineEnterpriseRemoteCluster",
    plural: "engineenterpriseremoteclusters",
    short: "erc",
  },
  webhook: {
    configuration: "engine-enterprise-admission",
    entry: "redisenterprise.admission.engine", // literal in the specification (S30), odd as it is
    oldConfiguration: "edb-admission",
    oldEntry: "edb.admission.engine",
    path: "/admission",
    service: "admission",
    secret: "admission-tls",
    secretCert: "cert",
    secretKey: "privateKey",
  },
  placeholders: {
    namespace: ["OPERATOR_NAMESPACE", "NAMESPACE_OF_SERVICE_ACCOUNT", "<ec-namespace>"],
    serviceAccount: ["NAME_OF_EC_SERVICE_ACCOUNT", "<service-account-name>"],
  },
  operator: {
    deployment: "engine-enterprise-operator",
    namespace: "engine",
    appLabel: "engine-enterprise",
  },
  companion: { namespace: "engine-admission", deployment: "engine-webhook" },
  fieldManager: "kubectl-engine",
  webhookFieldManager: "engine-webhook",
  fields: {
    engineVersion: ["spec", "engineVersion"],
    moduleLists: ["moduleList", "modulesList"],
    clusterReference: ["spec", "engineEnterpriseCluster", "name"],
    globalConfigurations: ["spec", "globalConfigurations"],
    engineUpgradePolicy: ["spec", "engineUpgradePolicy"],
    userDefinedModules: ["spec", "userDefinedModules"],
    bundledDatabaseVersions: ["status", "bundledDatabaseVersions"],
    statusModules: ["status", "modules"],
    statusVersion: ["status", "version"],
  },
  engineDbType: "engine",
  bundledModules: ["search", "ReJSON", "timeseries", "bf"],
  engineVersions: ["7.2", "7.4", "8.0", "8.2"],
  majorChannel: "major",
  latestChannel: "latest",
};
