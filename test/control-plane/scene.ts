import { type Api, ApiError, personsManager } from "./api";
import { caBundleOf, makePair, type Pair } from "./certificate";
import { applyCrds, crdsDir } from "./crds";
import { cluster, clusterStatus, database, databaseStatus } from "./databases";
import type { KubeObject } from "./objects";
import {
  admissionEndpoints,
  admissionService,
  namespaceOf,
  operatorDeployment,
  writeOperatorStatus,
} from "./operator";
import { admissionSecret } from "./secrets";

export interface SceneDatabase {
  readonly name: string;
  readonly version: string;
  readonly modules?: readonly string[];
}

export interface SceneOptions {
  readonly namespace?: string;
  readonly pair?: Pair;
  readonly crds?: string;
  /** engineUpgradePolicy of the cluster resource. */
  readonly policy?: string;
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

export const sceneDatabases: readonly SceneDatabase[] = [
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
  await applyCrds(api, options.crds ?? crdsDir);
  await ensure(api, namespaceOf(namespace));
  const service = await ensure(api, admissionService(namespace));
  await Promise.all([
    api.apply(admissionEndpoints(namespace)),
    api.replace(admissionSecret(namespace, pair)),
    ensure(api, operatorDeployment(namespace)).then(() => writeOperatorStatus(api, namespace)),
    seedCluster(api, namespace, options.policy),
    ...databases.map((item, index) => seedDatabase(api, namespace, { ...item, uid: index + 1 })),
  ]);
  const { clusterIP = "" } = service["spec"] as { readonly clusterIP?: string };
  return { namespace, pair, caBundle: caBundleOf(pair.cert), clusterIP, databases };
}

async function seedCluster(api: Api, namespace: string, policy?: string): Promise<void> {
  const object = cluster({ namespace, ...(policy === undefined ? {} : { policy }) });
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
