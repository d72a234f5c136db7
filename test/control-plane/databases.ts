import type { KubeObject } from "./objects";
import { appGroup } from "./objects";

export const clusterName = "ec";

export interface ClusterOptions {
  readonly namespace: string;
  readonly name?: string;
  /** engineUpgradePolicy; absent when not given. */
  readonly policy?: string;
  readonly userModules?: readonly string[];
}

/** The cluster resource without its status, which is a separate write. */
export function cluster({
  namespace,
  name = clusterName,
  policy,
  userModules = [],
}: ClusterOptions): KubeObject {
  return {
    apiVersion: `${appGroup}/v1`,
    kind: "EngineEnterpriseCluster",
    metadata: { name, namespace },
    spec: {
      nodes: 3,
      engineEnterpriseImageSpec: {
        repository: "engine/engine",
        versionTag: "8.0.20-44.23",
        imagePullPolicy: "IfNotPresent",
      },
      ...(policy === undefined ? {} : { engineUpgradePolicy: policy }),
      ...(userModules.length === 0 ? {} : { userDefinedModules: userModules.map(userModule) }),
    },
  };
}

function userModule(name: string): object {
  return { name, source: { https: { url: `https://modules.example/${name}.zip` } } };
}

/** A cluster at rest that bundles the four versions of the specification. */
export const clusterStatus = {
  state: "Running",
  specStatus: "Valid",
  licenseStatus: {
    licenseState: "Valid",
    activationDate: "2026-01-01T00:00:00Z",
    expirationDate: "2030-01-01T00:00:00Z",
    shardsLimit: 100,
  },
  bundledDatabaseVersions: ["7.2", "7.4", "8.0", "8.2"].map((version) => ({
    dbType: "engine",
    version,
  })),
  modules: [
    { name: "search", displayName: "EngineSearch", versions: ["8.2.0"] },
    { name: "ReJSON", displayName: "EngineJSON", versions: ["8.2.0"] },
  ],
};

export interface DatabaseOptions {
  readonly namespace: string;
  readonly name: string;
  readonly engineVersion?: string;
  readonly modules?: readonly string[];
  readonly cluster?: string;
}

export function database({
  namespace,
  name,
  engineVersion,
  modules = [],
  cluster: ec = clusterName,
}: DatabaseOptions): KubeObject {
  return {
    apiVersion: `${appGroup}/v1alpha1`,
    kind: "EngineEnterpriseDatabase",
    metadata: { name, namespace },
    spec: {
      engineEnterpriseCluster: { name: ec },
      memorySize: "100MB",
      ...(engineVersion === undefined ? {} : { engineVersion }),
      ...(modules.length === 0 ? {} : { modulesList: modules.map((module) => ({ name: module })) }),
    },
  };
}

/** What the operator reports of a database that runs the given version and is left alone. */
export function databaseStatus(uid: number, version: string): object {
  return {
    databaseUID: String(uid),
    version: `${version}.0`,
    status: "active",
    specStatus: "Valid",
    observedGeneration: 1,
  };
}
