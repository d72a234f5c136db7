/** The StatefulSet controller at play: pods roll one by one, in reverse ordinal order (S72; domain facts 11). */
import { at, type Json, own, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { Act } from "./act";
import { podActs } from "./pods";
import { isReadyPod, type PodState } from "./pod-status";
import { identity, numberAt, ownedBy, ownerOf, played, type Scene } from "./scene";
import { controllerManager, hashOf, remove, sameButTimes, writeStatus } from "./writes";

/** Label of the revision that a pod is of. */
export const revisionLabel = "controller-revision-hash";

/** A StatefulSet of an EC with its pods, the lowest ordinal first. */
interface Rolled {
  readonly scene: Scene;
  readonly set: KubeObject;
  readonly pods: readonly KubeObject[];
  readonly wanted: number;
  readonly revision: string;
}

/** The name of the revision that a StatefulSet's template is. */
export function revisionOf(set: KubeObject): string {
  const known = text(at(set, ["status", "updateRevision"]));
  const observed = numberAt(set, ["status", "observedGeneration"], 0);
  // what another controller has named keeps its name
  if (known !== undefined && observed === set.metadata.generation) return known;
  return `${set.metadata.name ?? ""}-${hashOf(at(set, ["spec", "template"]))}`;
}

/** The number at the end of a pod's name. */
export function ordinalOf({ metadata }: KubeObject): number {
  return Number(/-(\d+)$/.exec(metadata.name ?? "")?.[1] ?? -1);
}

/** Pods of a StatefulSet, the lowest ordinal first. */
export function podsOfSet(set: KubeObject, pods: readonly KubeObject[]): readonly KubeObject[] {
  return ownedBy(set, pods).toSorted((one, other) => ordinalOf(one) - ordinalOf(other));
}

/** True when all pods are of the present template and ready, and the status says so. */
export function isRolled(set: KubeObject, all: readonly KubeObject[]): boolean {
  const revision = revisionOf(set);
  const pods = podsOfSet(set, all);
  const wanted = numberAt(set, ["spec", "replicas"], 1);
  return (
    pods.length === wanted &&
    pods.every((pod) => isReadyPod(pod) && isOf(revision, pod)) &&
    text(at(set, ["status", "currentRevision"])) === revision
  );
}

/** What the controller of one StatefulSet has to do now. */
export function statefulSetActs(scene: Scene, set: KubeObject): readonly Act[] {
  const pods = podsOfSet(set, scene.pods);
  const wanted = numberAt(set, ["spec", "replicas"], 1);
  const rolled: Rolled = { scene, set, pods, wanted, revision: revisionOf(set) };
  return [
    ...statusAct(rolled),
    ...pods.flatMap((pod) => podActs(scene, pod, endOf(rolled, pod))),
    ...nextPod(rolled),
  ];
}

function isOf(revision: string, { metadata }: KubeObject): boolean {
  return own(metadata.labels, revisionLabel) === revision;
}

function statusAct({ scene, set, pods, wanted, revision }: Rolled): readonly Act[] {
  const ready = pods.filter(isReadyPod).length;
  const updated = pods.filter((pod) => isOf(revision, pod));
  const complete = updated.length === wanted && updated.every(isReadyPod) && pods.length === wanted;
  const before = text(at(set, ["status", "currentRevision"]));
  const currentRevision = complete ? revision : (before ?? revision);
  const counts = {
    readyReplicas: ready,
    availableReplicas: ready,
    currentReplicas: pods.filter((pod) => isOf(currentRevision, pod)).length,
    updatedReplicas: updated.length,
  };
  const status: Json = {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    availableReplicas: ready,
    currentRevision,
    updateRevision: revision,
    collisionCount: 0,
  };
  if (sameButTimes(set["status"], status)) return [];
  const target = { resource: played.statefulSet, object: set, manager: controllerManager };
  return [
    {
      key: `${identity(set)} status ${hashOf([status, scene.namespace])}`,
      afterMs: 0,
      run: ({ cluster }) => writeStatus(cluster, target, status),
    },
  ];
}

/** A renewed pod may be told to hang; those of before stay as they are. */
function endOf({ scene, revision, set }: Rolled, pod: KubeObject): PodState {
  const { stuckPod, stuckReason = "CrashLoopBackOff" } = scene.misbehave;
  const renewed = isOf(revision, pod) && text(at(set, ["status", "currentRevision"])) !== revision;
  if (renewed && ordinalOf(pod) === stuckPod) return { is: "stuck", reason: stuckReason };
  return { is: "ready" };
}

/** Missing pods first, then those too many, then the highest one that is not renewed. */
function nextPod(rolled: Rolled): readonly Act[] {
  const { scene, set, pods, wanted, revision } = rolled;
  const present = new Set(pods.map(ordinalOf));
  const missing = Array.from({ length: wanted }, (_, ordinal) => ordinal).find(
    (ordinal) => !present.has(ordinal),
  );
  if (missing !== undefined) {
    const pod = podOfSet(set, missing, revision);
    const run: Act["run"] = ({ cluster }) =>
      cluster.create(pod, { fieldManager: controllerManager });
    return [{ key: `${identity(set)} pod ${missing} ${revision}`, afterMs: 0, run }];
  }
  const last = pods.find((pod) => ordinalOf(pod) >= wanted) ?? nextToRenew(rolled);
  if (last === undefined || last.metadata.deletionTimestamp !== undefined) return [];
  return [
    {
      key: `${identity(last)} delete`,
      afterMs: scene.times.drainMs,
      run: ({ cluster }) =>
        remove(cluster, { resource: played.pod, object: last, manager: controllerManager }),
    },
  ];
}

function nextToRenew({ set, pods, revision }: Rolled): KubeObject | undefined {
  const strategy = at(set, ["spec", "updateStrategy"]);
  if (own(strategy, "type") === "OnDelete") return undefined;
  const partition = numberAt(strategy, ["rollingUpdate", "partition"], 0);
  const old = pods.findLast((pod) => !isOf(revision, pod));
  if (old === undefined || ordinalOf(old) < partition) return undefined;
  const above = pods.filter((pod) => ordinalOf(pod) > ordinalOf(old));
  return above.every(isReadyPod) ? old : undefined;
}

/** One pod of a StatefulSet. */
export function podOfSet(set: KubeObject, ordinal: number, revision: string): KubeObject {
  const { name = "", namespace } = set.metadata;
  const template = at(set, ["spec", "template"]) as Json;
  const podName = `${name}-${ordinal}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(template["metadata"] as object),
      name: podName,
      ...(namespace !== undefined && { namespace }),
      labels: {
        ...(at(template, ["metadata", "labels"]) as Readonly<Record<string, string>>),
        "apps.kubernetes.io/pod-index": String(ordinal),
        [revisionLabel]: revision,
        "statefulset.kubernetes.io/pod-name": podName,
      },
      ownerReferences: [ownerOf(set) as Json],
    },
    spec: {
      ...(template["spec"] as object),
      hostname: podName,
      subdomain: text(at(set, ["spec", "serviceName"])) ?? name,
    },
  };
}
