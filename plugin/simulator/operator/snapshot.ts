/** What the operator at play decides on: the cluster as it was read, and how it is to play. */
import { inGroup, kinds, type KnownResource, rbacKinds } from "../../domain/kube/kinds";
import type { Names } from "../../domain/names/names";
import type { BuiltInKind, Job, StatefulSet } from "../../domain/kube/models";
import { getTyped, listTyped } from "../../ports/typed";
import type { EngineVersion } from "../../domain/base/versions";
import type { Clock, KubeClient, KubeObject, Resource } from "../../ports/kubernetes";

/** Why a pod never becomes ready. */
export type StuckReason = "ImagePullBackOff" | "CrashLoopBackOff" | "Unschedulable" | "NotReady";

/** Misbehavior on demand; nothing of it is on by default. */
export interface Misbehavior {
  /** Everything takes so many times as long. */
  readonly slow?: number;
  /** The renewed pod of this ordinal never becomes ready. */
  readonly stuckPod?: number;
  /** Why; a container that crashes when not given. */
  readonly stuckReason?: StuckReason;
  /** The EC says Running all the time, whatever its pods do. */
  readonly lyingStatus?: true;
  /** The image of the new operator cannot be pulled. */
  readonly operatorImagePull?: true;
  /** No quota is left for the pod of the new operator. */
  readonly operatorQuota?: true;
  /** The new operator crashes at its start. */
  readonly operatorCrash?: true;
  /** The pod of the new operator may not be made. */
  readonly operatorForbidden?: true;
  /** How long a stale Running is seen, instead of the usual. */
  readonly staleRunningMs?: number;
  /** The operator does not react to any EC: nothing comes of a new tag. */
  readonly deafOperator?: true;
  /** Pods are renewed, and the EC never leaves Upgrade. */
  readonly endlessUpgrade?: true;
  /** The upgrade of this database never ends. */
  readonly stuckDatabase?: string;
  /** Hook Jobs of a chart fail. */
  readonly failingJobs?: true;
}

/** How long things take; no real durations are published, so these only have an order of size. */
const usualTimes = {
  /** From a fact to the operator's answer to it. */
  reactMs: 1_000,
  /** How long the EC still reads Running after it was told to upgrade (domain facts 7). */
  staleRunningMs: 3_000,
  /** From a new pod to running containers. */
  podStartMs: 2_000,
  /** From running containers to a pod that is ready. */
  podReadyMs: 5_000,
  /** How long a pod drains before it is gone (domain facts 11). */
  drainMs: 2_000,
  /** How long the upgrade of one database takes. */
  databaseMs: 4_000,
  /** How long a hook Job of a chart runs. */
  jobMs: 1_000,
};

type Times = Readonly<typeof usualTimes>;

/** A field of a status, and what it has to be. */
export type FieldValue = readonly [path: readonly string[], value: unknown];

/** An EC with its databases, as they are stored. */
export interface StoredCluster {
  readonly ec: KubeObject;
  readonly edbs: readonly KubeObject[];
  /** The release that runs, where one does. */
  readonly running: string | undefined;
}

/** A module that is installed and did not come with the cluster. */
export interface OwnModule {
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
}

/** A database, as its EDB has to tell it. */
export interface ServedDatabase {
  /** In full, "7.4.0". */
  readonly version: string;
  /** An action is changing it. */
  readonly isBusy: boolean;
  readonly status: readonly FieldValue[];
}

/** The cluster's REST service as the operator asks it: databases are raised there, and told from there. */
export interface RestService {
  /** Name of its EC; absent: the only one. */
  readonly ec?: string | undefined;
  /** Takes on new databases and the cluster's versions, lets go of what was deleted, and works on. */
  follow(stored: StoredCluster): void;
  /** The database behind an EDB; undefined where there is none. */
  find(edb: KubeObject): ServedDatabase | undefined;
  /** Why a version cannot be had; undefined where it can. */
  refusal(edb: KubeObject, version: EngineVersion): string | undefined;
  /** Begins the upgrade. */
  raise(edb: KubeObject, version: EngineVersion): void;
  /** Numbers that databases have. */
  readonly uids: readonly number[];
  readonly modules: readonly OwnModule[];
  /** The license is good at this time. */
  readonly isLicensed: boolean;
  /** When its work continues; undefined where it has none. */
  readonly dueAt: number | undefined;
}

/** Where and how the operator plays. */
export interface PlayOptions {
  /** Its own connection: it needs the rights of the operator and of the controllers. */
  readonly cluster: KubeClient;
  readonly clock: Clock;
  readonly names: Names;
  /** The operator's. */
  readonly namespace: string;
  /** Pairs of operator and cluster releases beside the published ones. */
  readonly versions?: Readonly<Record<string, string>>;
  readonly misbehave?: Misbehavior;
  /** The operator alone where Kubernetes' own controllers run beside it; everything when not given. */
  readonly plays?: "everything" | "operator";
  /** Addresses of the webhook's endpoints instead of the pods' own; false: endpoints are left alone. */
  readonly endpoints?: readonly string[] | false;
  readonly times?: Partial<Times>;
  /** What a hook Job does beside applying the definitions that it mounts. */
  readonly hookWork?: (job: Job) => Promise<void>;
  /** The REST service of a cluster: databases are raised there; without it, the play raises them by itself. */
  readonly rest?: RestService | undefined;
  /** How long `run` waits between two looks. */
  readonly pollMs?: number;
}

/** The kind that the play reads beside those of the commands. */
export const jobKind = inGroup("batch")("jobs", "Job");

/** Kinds that the play writes. */
export const played = {
  pod: kinds.pod,
  event: kinds.event,
  replicaSet: kinds.replicaSet,
  statefulSet: kinds.statefulSet,
  job: jobKind,
} as const;

/** The product's kinds as they are addressed. */
export function productKinds({ group, version, ec, edb, eaadb }: Names) {
  const toResource = ({ kind, plural }: Names["ec"]): Resource => ({
    group,
    version,
    plural,
    kind,
  });
  return { ec: toResource(ec), edb: toResource(edb), eaadb: toResource(eaadb) };
}

/** The cluster as it was read, and how it is to be played on. */
export interface OperatorSnapshot extends PlayOptions, Objects {
  readonly now: number;
  readonly times: Times;
  readonly misbehave: Misbehavior;
  /** What was done or seen once: modules of each EC at the first look, events and attempts by their keys. */
  readonly seen: Map<string, string>;
}

/** Reads what every act is decided on; nothing else is remembered than what is in `seen`. */
export async function readScene(
  options: PlayOptions,
  seen: OperatorSnapshot["seen"],
): Promise<OperatorSnapshot> {
  const { misbehave = {}, times } = options;
  const now = options.clock.now();
  const { slow = 1, staleRunningMs } = misbehave;
  const slowed = Object.fromEntries(
    Object.entries({ ...usualTimes, ...times }).map(([what, ms]) => [what, ms * slow]),
  ) as Times;
  return {
    ...options,
    ...(await readObjects(options)),
    ...{ now, seen, misbehave },
    times: { ...slowed, ...(staleRunningMs !== undefined && { staleRunningMs }) },
  };
}

type Objects = Awaited<ReturnType<typeof readObjects>>;

/** A kind that is not served has no objects. */
async function readObjects({ cluster, names, namespace }: PlayOptions) {
  const product = productKinds(names);
  const { webhook, rbac, operator, configMap } = names;
  const list = async (resource: Resource, options = {}): Promise<readonly KubeObject[]> =>
    (await cluster.list(resource, options)) ?? [];
  const listOwn = async <Kind extends BuiltInKind>(resource: KnownResource<Kind>, options = {}) =>
    (await listTyped(cluster, resource, options)) ?? [];
  const get = <Kind extends BuiltInKind>(
    resource: KnownResource<Kind>,
    name: string,
    scope: { readonly namespace?: string } = { namespace },
  ) => getTyped(cluster, { resource, name, ...scope });
  const here = { namespace };
  const served = { namespace, labelSelector: `kubernetes.io/service-name=${webhook.service}` };
  const selectName = (name: string): object => ({ fieldSelector: `metadata.name=${name}` });
  return settle({
    deployment: get(kinds.deployment, operator.deployment),
    settings: get(kinds.configMap, configMap.name),
    service: get(kinds.service, webhook.service),
    replicaSets: listOwn(kinds.replicaSet, here),
    statefulSets: listOwn(kinds.statefulSet, here),
    pods: listOwn(kinds.pod, here),
    quotas: listOwn(kinds.resourceQuota, here),
    slices: listOwn(kinds.endpointSlice, served),
    jobs: listOwn(jobKind, here),
    ecs: list(product.ec, here),
    edbs: list(product.edb),
    eaadbs: list(product.eaadb),
    namespaces: listOwn(kinds.namespace),
    roles: listOwn(rbacKinds.role, selectName(rbac.consumerRole)),
    bindings: listOwn(rbacKinds.roleBinding, selectName(rbac.consumerBinding)),
    /** The definition of the EC. */
    definition: get(kinds.definition, `${names.ec.plural}.${names.group}`, {}),
  });
}

/** All that were begun together, by their names. */
async function settle<T extends object>(
  begun: T,
): Promise<{ readonly [K in keyof T]: Awaited<T[K]> }> {
  const entries = Object.entries(begun).map(async ([key, value]) => [key, await value] as const);
  return Object.fromEntries(await Promise.all(entries)) as {
    readonly [K in keyof T]: Awaited<T[K]>;
  };
}

/** The objects that an object owns, by its uid. */
export function listOwned<T extends KubeObject>(
  owner: KubeObject | undefined,
  objects: readonly T[],
): readonly T[] {
  const uid = owner?.metadata.uid;
  if (uid === undefined) return [];
  return objects.filter(
    ({ metadata }) =>
      metadata.ownerReferences?.some((reference) => reference["uid"] === uid) === true,
  );
}

/** The StatefulSet of an EC has its name. */
export function setOfCluster(
  { statefulSets }: Pick<OperatorSnapshot, "statefulSets">,
  ec: KubeObject,
): StatefulSet | undefined {
  return statefulSets.find(({ metadata }) => metadata.name === ec.metadata.name);
}
