/** Reads what an upgrade of the operator is planned from, and stops where it has no ground. */
import { pick } from "../../domain/base/values";
import { unlessForbidden } from "../../ports/forbidden";
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { kinds } from "../../domain/kube/kinds";
import { findLivingOwner, type LeftMarks } from "../../domain/kube/owners";
import { factsOf, withRead } from "../../domain/facts/facts";
import type { KubeObject, Ref, Resource } from "../../domain/kube/objects";
import { ofKind } from "../../domain/kube/typed";
import {
  type ChartHome,
  type ChartStorage,
  chooseStorage,
  listRecordLists,
  readChartMarks,
  type RecordSearch,
} from "../../domain/operator/chart-marks";
import { operatorFinding } from "../../domain/operator/findings";
import { noOlm, olmKeys, readOlm } from "../../domain/operator/olm";
import type { ChartRecords, Installed } from "../../domain/operator/refusals";
import { bundleRef, isOperator, type DesiredObject } from "../../domain/operator/wanted";
import type { Platform } from "../../domain/release/platforms";
import type { KubeClient } from "../../ports/kubernetes";
import { readLeftMarks } from "../../readers/left-marks";
import { readSnapshot } from "../../readers/snapshot";
import { clusterResource } from "./changes";
import type { Skip } from "../../domain/base/skip";
import type { RegistryWish } from "./clusters";
import type { ReleaseContents } from "../../domain/release/contents";
import type { RunPorts, World } from "../../kernel/world";

/** The platform that the API server shows by what it serves. */
export async function readPlatform(cluster: KubeClient): Promise<Platform> {
  const served = await Promise.all([
    cluster.serves("config.openshift.io", "v1"),
    cluster.serves("security.openshift.io", "v1"),
  ]);
  return served.some((resources) => (resources ?? []).length > 0) ? "openshift" : "kubernetes";
}

/** The operator as it is installed, seen by the objects that the bundle would write. */
export async function readInstalled(
  deps: OperatorDeps,
  {
    namespace,
    rehearsed: isCopy = false,
    helmDriver,
  }: Pick<BundleOptions, "namespace" | "rehearsed" | "helmDriver">,
  wanted: readonly DesiredObject[],
): Promise<Installed> {
  const { cluster, names, signal } = deps;
  const refs: readonly Ref[] = wanted.map(({ kind, object }) => bundleRef(kind, object));
  const found = await Promise.all(refs.map((ref) => cluster.get(ref, { signal })));
  const objects = found.filter((object) => object !== undefined);
  const deployment = objects.find((object) => isOperator(object, names));
  const owned = await readOwned(deps, namespace, { deployment, objects });
  const { left } = owned;
  const kept = chooseStorage(helmDriver);
  const records = await readChartRecords(deps, objects, { namespace, left, isCopy, kept });
  return { ...owned, records };
}

/** The objects with what is known of their owners, and what OLM keeps of an operator that it has made. */
export async function readOwned(
  deps: OperatorDeps,
  namespace: string,
  { deployment, objects }: Pick<Installed, "deployment" | "objects">,
): Promise<Installed & { readonly left: LeftMarks }> {
  const left = await readLeftMarks(deps, objects);
  const at = { deployment, objects, left, namespace, names: deps.names };
  if (deployment === undefined || findLivingOwner(deployment, left)?.name !== "OLM") {
    return { ...at, olm: noOlm };
  }
  const read = await readSnapshot(deps, namespace, olmKeys);
  const deployments = ofKind([deployment], "Deployment");
  const facts = withRead(read, factsOf(read, { deployments }), ["deployments"]);
  return { ...at, facts, olm: readOlm(facts) ?? noOlm };
}

/**
 * Whether helm has a record of each release that objects are marked with: it keeps them in the namespace of
 * the release, as Secrets where HELM_DRIVER does not say otherwise. A copy of a cluster may lack the Secrets.
 */
async function readChartRecords(
  { cluster, signal }: OperatorDeps,
  objects: readonly KubeObject[],
  {
    namespace,
    left,
    isCopy,
    kept,
  }: Pick<Installed, "namespace" | "left"> &
    Pick<ChartRecords, "kept"> & { readonly isCopy: boolean },
): Promise<ReadonlyMap<string, ChartRecords>> {
  const marked = objects
    .filter((object) => findLivingOwner(object, left)?.name === "Helm")
    .flatMap((object) => readChartMarks(object) ?? []);
  const releases = new Map(marked.map((marks) => [marks.name, marks.namespace ?? namespace]));
  const found = [...releases].map(
    async ([name, place]): Promise<readonly [string, ChartRecords]> => {
      const labelSelector = `owner=helm,name=${name}`;
      const query = { namespace: place, labelSelector, limit: 1, signal };
      if (kept === undefined) return [name, { namespace: place, isKnown: undefined }];
      const records = await unlessForbidden(cluster.list(resourceOf(kept), query), undefined);
      const isSeen = records !== undefined && records.length > 0;
      const isUnknown = records === undefined || isCopy;
      if (isSeen || isUnknown)
        return [name, { namespace: place, isKnown: isSeen || undefined, kept }];
      const sought = { release: name, namespace: place, home: kept, asked: place };
      const search = await searchRecords({ cluster, signal }, sought);
      return [name, { namespace: place, isKnown: false, kept, search }];
    },
  );
  return new Map(await Promise.all(found));
}

/** A release that is not where it was expected. */
export interface SoughtRelease {
  readonly release: string;
  /** The namespace that it is expected in. */
  readonly namespace: string;
  readonly home: ChartHome | undefined;
  /** The namespace in which it was looked for already. */
  readonly asked: string;
}

/** Looks for the records of a release where helm was not asked. */
export async function searchRecords(
  { cluster, signal }: Pick<OperatorDeps, "cluster" | "signal">,
  { release, namespace, home, asked }: SoughtRelease,
): Promise<RecordSearch> {
  const labelSelector = `owner=helm,name=${release}`;
  const lists = listRecordLists(home, namespace).map(async (list) => {
    const query = { ...pick(list, "namespace"), labelSelector, signal };
    const records = await unlessForbidden(cluster.list(resourceOf(list.storage), query), undefined);
    if (records === undefined) return { found: [], unread: [list] };
    const places = new Set(records.map(({ metadata }) => metadata.namespace ?? ""));
    if (list.storage === home) places.delete(asked);
    const found = [...places].map((place) => ({ namespace: place, storage: list.storage }));
    return { found, unread: [] };
  });
  const all = await Promise.all(lists);
  return {
    found: all.flatMap(({ found }) => found),
    unread: all.flatMap(({ unread }) => unread),
  };
}

function resourceOf(storage: ChartStorage): Resource {
  return storage === "Secrets" ? kinds.secret : kinds.configMap;
}

/** Stops where the operator is another's to upgrade, and tells what is only to be known. */
export function requireOwn(world: Pick<World, "tell">, owned: readonly Finding[]): void {
  if (owned.some(({ severity }) => severity === "error")) {
    throw new BlockedError(exitCodes.conflict, owned);
  }
  world.tell(owned);
}

/** The Secret to pull images with. */
function pullSecretRef(namespace: string, name: string): Ref {
  return { resource: kinds.secret, name, namespace };
}

/** Stops where the Secret to pull with is not there; a copy of a cluster has no other Secrets. */
export async function requirePullSecret(
  { cluster, recorder, command }: OperatorDeps,
  { namespace, pullSecret, rehearsed }: BundleOptions,
): Promise<void> {
  if (pullSecret === undefined) return;
  if ((await cluster.get(pullSecretRef(namespace, pullSecret))) !== undefined) return;
  if (rehearsed === true) {
    recorder.note(
      `Secret/${namespace}/${pullSecret} is not in the copy: whether it exists is not known`,
    );
    return;
  }
  const file = "--from-file=.dockerconfigjson=FILE";
  const words = ["kubectl", "create", "secret", "docker-registry", pullSecret, file];
  throw new BlockedError(exitCodes.blocked, [
    operatorFinding("pullSecret", {
      object: `Secret/${namespace}/${pullSecret}`,
      fix: `create it with ${command(words)}, or correct --pull-secret`,
    }),
  ]);
}

/** The cluster resources of the namespace. */
export async function readClusters(
  deps: OperatorDeps,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const { cluster, names, signal } = deps;
  return (await cluster.list(clusterResource(names), { namespace, signal })) ?? [];
}

/** What both ways of upgrading are told. */
export interface OperatorOptions {
  /** The operator's. */
  readonly namespace: string;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
  readonly timeoutMs: number;
  /** Findings of the prerequisites that are accepted; absent in a whole upgrade, which has judged them. */
  readonly skip?: readonly Skip[];
  /** Wait on while a cause stands in the way, instead of ending with it. */
  readonly wait: boolean;
}

/** The bundle's flags, judged. */
export interface BundleOptions extends OperatorOptions, RegistryWish {
  readonly contents: ReleaseContents;
  readonly takeFields: readonly string[];
  /** Objects of the bundle that are applied although they are unusual, each as `KIND/NAME`. */
  readonly allowObjects: readonly string[];
  /** The cluster is a copy in memory, which may lack what the real one has. */
  readonly rehearsed?: boolean;
  /** Where helm keeps its records, as HELM_DRIVER says it. */
  readonly helmDriver?: string | undefined;
}

/** The world around a run. */
export type OperatorDeps = RunPorts;
