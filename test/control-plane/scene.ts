import { type Api, ApiError, appGroup, type KubeObject, personsManager } from "./api";
import { admissionSecret, caBundleOf, makePair, type Pair } from "./certificate";
import {
  admissionEndpoints,
  admissionService,
  namespaceOf,
  operatorDeployment,
  writeOperatorStatus,
} from "./operator";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { repositoryRoot } from "./pins";
import { until } from "./until";

interface SceneDatabase {
  readonly name: string;
  readonly version: string;
  readonly modules?: readonly string[];
}

export interface SceneOptions {
  readonly namespace?: string;
  readonly pair?: Pair;
  readonly databases?: readonly SceneDatabase[];
}

export interface Scene {
  readonly namespace: string;
  readonly pair: Pair;
  /** The pair's certificate as a webhook configuration carries it. */
  readonly caBundle: string;
  /** The address at which the API server calls the Service `admission`. */
  readonly clusterIP: string;
  readonly databases: readonly SceneDatabase[];
}

const sceneDatabases: readonly SceneDatabase[] = [
  { name: "orders", version: "7.4", modules: ["search"] },
  { name: "sessions", version: "7.2" },
];

/**
 * An operator's namespace as it is found on a cluster before the swap, without any webhook
 * configuration: those are laid over it by the functions below. Seeding twice is harmless.
 */
export async function seedScene(api: Api, options: SceneOptions = {}): Promise<Scene> {
  const { namespace = "engine", databases = sceneDatabases } = options;
  const { pair = makePair({ namespace }) } = options;
  await applyCrds(api);
  await ensure(api, namespaceOf(namespace));
  const service = await ensure(api, admissionService(namespace));
  await Promise.all([
    api.apply(admissionEndpoints(namespace)),
    api.replace(admissionSecret(namespace, pair)),
    ensure(api, operatorDeployment(namespace)).then(() => writeOperatorStatus(api, namespace)),
    seedCluster(api, namespace),
    ...databases.map((item, index) => seedDatabase(api, namespace, { ...item, uid: index + 1 })),
  ]);
  const { clusterIP = "" } = service["spec"] as { readonly clusterIP?: string };
  return { namespace, pair, caBundle: caBundleOf(pair.cert), clusterIP, databases };
}

async function seedCluster(api: Api, namespace: string): Promise<void> {
  const object = cluster({ namespace });
  await api.replace(object, personsManager);
  await api.writeStatus(object, clusterStatus);
}

async function seedDatabase(
  api: Api,
  namespace: string,
  { name, version, modules = [], uid }: SceneDatabase & { readonly uid: number },
): Promise<void> {
  const object = database({ namespace, name, engineVersion: version, modules });
  await api.replace(object, personsManager);
  await api.writeStatus(object, databaseStatus(uid, version));
}

/** Creates what is not there and leaves alone what is: a Service keeps its address. */
async function ensure(api: Api, object: KubeObject): Promise<KubeObject> {
  try {
    return await api.create(object, personsManager);
  } catch (error) {
    const present = error instanceof ApiError && error.answer.status === 409;
    const found = present ? await api.read(object) : undefined;
    if (found === undefined) {
      throw error;
    }
    return found;
  }
}

export const crdsDir = join(repositoryRoot, "manifests", "crds");

export interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

const ownDefinitions = (): readonly string[] =>
  readdirSync(crdsDir)
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => join(crdsDir, name));

/** Applies every definition of the files and waits until each served version answers. */
export async function applyCrds(api: Api, files = ownDefinitions()): Promise<void> {
  const objects = files.flatMap((file) => loadAll(readFileSync(file, "utf8")));
  const definitions = (objects as readonly (Definition | null | undefined)[]).filter(
    (object): object is Definition => object?.kind === "CustomResourceDefinition",
  );
  if (definitions.length === 0) {
    throw new Error(`no CustomResourceDefinition in ${files.join(", ")}`);
  }
  await serveDefinitions(api, definitions);
}

/** Writes definitions and waits until each served version answers. */
export async function serveDefinitions(
  api: Api,
  definitions: readonly Definition[],
  write = (definition: Definition) => api.apply(definition),
): Promise<void> {
  await Promise.all(definitions.map(write));
  await Promise.all(definitions.map((definition) => served(api, definition)));
}

/** Waits until all that is defined answers: what kubectl or helm has applied does not at first. */
export async function untilServed(api: Api): Promise<void> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const { items } = (await api.send("GET", path)).body as { readonly items: readonly Definition[] };
  await Promise.all(items.map((definition) => served(api, definition)));
}

/** Established alone is not enough: the server installs the handler a moment later. */
async function served(api: Api, { metadata, spec }: Definition): Promise<void> {
  const versions = spec.versions.filter((version) => version.served);
  for (const { name } of versions) {
    const path = `/apis/${spec.group}/${name}/${spec.names.plural}?limit=1`;
    await until(`${metadata.name} ${name} to be served`, async () => {
      const answer = await api.send("GET", path);
      return answer.status === 200 || undefined;
    });
  }
}

interface ClusterOptions {
  readonly namespace: string;
  readonly name?: string;
  /** engineUpgradePolicy; absent when not given. */
  readonly policy?: string;
  readonly userModules?: readonly string[];
}

/** The cluster resource without its status, which is a separate write. */
export function cluster({
  namespace,
  name = "ec",
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
      engineUpgradePolicy: policy,
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
  cluster: ec = "ec",
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
