/** The kubelet and the StatefulSet controller at play: pods start, become ready or hang, and roll (S72; domain facts 11). */
import { kinds } from "../../domain/kube/kinds";
import { refTo } from "../../domain/kube/objects";
import { asString, omit } from "../../domain/base/values";
import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
  ReplicaSet,
  StatefulSet,
  StatefulSetStatus,
} from "../../domain/kube/models";
import { findCondition } from "../../domain/kube/typed";
import type { KubeObject } from "../../ports/kubernetes";
import {
  type PlannedAction,
  controllerManager,
  convergeStatus,
  hashValue,
  identity,
  kubelet,
  makeOwner,
  podMade,
  removeObject,
  sameButTimes,
  statusWritten,
  timeText,
} from "./acts";
import { listOwned, type OperatorSnapshot, type StuckReason } from "./snapshot";

/** How a pod is, and what its container says where it hangs. */
export interface PodState {
  readonly is: "starting" | "running" | "ready" | StuckReason;
  readonly message?: string;
}

/** What a status says of each state: whether containers run, and what they wait for. */
const podStates: Readonly<
  Record<
    PodState["is"],
    { readonly up: boolean; readonly waits?: (image: string) => ContainerState["waiting"] }
  >
> = {
  starting: { up: false, waits: () => ({ reason: "ContainerCreating" }) },
  running: { up: true },
  ready: { up: true },
  NotReady: { up: true },
  Unschedulable: { up: false },
  // a crashing container leaves its pod Running
  CrashLoopBackOff: {
    up: true,
    waits: () => ({
      reason: "CrashLoopBackOff",
      message: "back-off 40s restarting failed container",
    }),
  },
  ImagePullBackOff: {
    up: false,
    waits: (image) => ({
      reason: "ImagePullBackOff",
      message: `Back-off pulling image "${image}"`,
    }),
  },
};

/** True when the pod's condition Ready is True and it is not on its way out. */
export function isReadyPod(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && conditionIs(pod, "Ready");
}

/** Whether an object's condition is True. */
export function conditionIs(object: KubeObject, type: string): boolean {
  return findCondition(object, type)?.status === "True";
}

/** The status of a pod in a state, as a kubelet writes it; `now` in milliseconds since 1970. */
export function podStatus(pod: Pod, state: PodState, now: number): PodStatus {
  const time = timeText(now);
  const unscheduled = state.is === "Unschedulable";
  const podIP = asString(pod.status?.podIP) ?? chooseAddress(pod);
  return {
    phase: podStates[state.is].up ? "Running" : "Pending",
    conditions: buildConditions(state, time),
    ...(!unscheduled &&
      ({
        startTime: pod.status?.startTime ?? time,
        podIP,
        podIPs: [{ ip: podIP }],
        containerStatuses: pod.spec?.containers?.map((one) => containerStatus(one, state, time)),
      } satisfies PodStatus)),
    qosClass: pod.status?.qosClass ?? "Burstable",
  };
}

function buildConditions({ is }: PodState, lastTransitionTime: string): readonly PodCondition[] {
  const condition = (type: string, status: boolean, why?: PodCondition): PodCondition => ({
    type,
    status: status ? "True" : "False",
    lastTransitionTime,
    ...(!status && why),
  });
  if (is === "Unschedulable") {
    const message = "0/3 nodes are available: 3 Insufficient memory.";
    return [condition("PodScheduled", false, { reason: is, message })];
  }
  const why = { reason: "ContainersNotReady", message: "containers with unready status" };
  return [
    condition("Initialized", true),
    condition("Ready", is === "ready", why),
    condition("ContainersReady", is === "ready", why),
    condition("PodScheduled", true),
  ];
}

function containerStatus(
  container: Container,
  { is, message }: PodState,
  time: string,
): ContainerStatus {
  const image = container.image ?? "";
  const ready = is === "ready";
  const crashed = is === "CrashLoopBackOff";
  const waits = podStates[is].waits?.(image);
  const ended = { exitCode: 1, reason: "Error", startedAt: time, finishedAt: time };
  return {
    name: container.name ?? "",
    image,
    imageID: is === "starting" ? "" : image,
    ready,
    started: ready,
    restartCount: crashed ? 3 : 0,
    state:
      waits === undefined
        ? { running: { startedAt: time } }
        : { waiting: { ...waits, ...(message !== undefined && { message }) } },
    lastState: crashed ? { terminated: ended } : {},
  };
}

/** An address in the pods' network, made of the name. */
function chooseAddress({ metadata }: KubeObject): string {
  const bytes = Buffer.from(metadata.name ?? "");
  const sum = bytes.reduce((so, byte) => (so * 31 + byte) % 62_500, 7);
  return `10.128.${Math.floor(sum / 250)}.${(sum % 250) + 2}`;
}

/** Brings one pod to the state that it is to end in; undefined: it stays as it is until it is deleted. */
export function podActs(
  scene: OperatorSnapshot,
  pod: Pod,
  end: PodState | undefined,
): readonly PlannedAction[] {
  const { times } = scene;
  if (pod.metadata.deletionTimestamp !== undefined) return endPod(scene, pod);
  if (end === undefined) return [];
  const become = (state: PodState, afterMs: number): readonly PlannedAction[] => {
    const run = statusWritten(asKubelet(pod), podStatus(pod, state, scene.now));
    return [{ key: `${identity(pod)} ${state.is}`, afterMs, run }];
  };
  if (end.is !== "ready") {
    const isSo = sameButTimes(podStatus(pod, end, 0), pod.status);
    return isSo ? [] : become(end, times.podStartMs);
  }
  if (isReadyPod(pod)) return [];
  if (pod.status?.containerStatuses === undefined) return become({ is: "starting" }, 0);
  return pod.status.phase === "Running"
    ? become(end, times.podReadyMs)
    : become({ is: "running" }, times.podStartMs);
}

const asKubelet = (object: Pod) => ({ resource: kinds.pod, object, manager: kubelet });

/** A server keeps a deleted pod that a node has, until its containers have ended. */
function endPod({ times }: OperatorSnapshot, pod: Pod): readonly PlannedAction[] {
  if (pod.status?.phase !== "Succeeded") {
    const status: PodStatus = { ...pod.status, phase: "Succeeded" };
    const run = statusWritten(asKubelet(pod), status);
    return [{ key: `${identity(pod)} ended`, afterMs: times.drainMs, run }];
  }
  if ((pod.metadata.finalizers ?? []).length > 0) return [];
  return [{ key: `${identity(pod)} gone`, afterMs: 0, run: removeObject(asKubelet(pod)) }];
}

/** The act of a controller that takes a pod away. */
export function deletion({ times }: OperatorSnapshot, pod: Pod): PlannedAction {
  const run = removeObject({ resource: kinds.pod, object: pod });
  return { key: `${identity(pod)} delete`, afterMs: times.drainMs, run };
}

/** A pod of a set's template. */
export function podFrom(
  set: ReplicaSet | StatefulSet,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Pod {
  const { namespace = "" } = set.metadata;
  const template = set.spec?.template;
  const { annotations } = template?.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(annotations && { annotations }),
      ...{ name, namespace },
      labels: { ...template?.metadata?.labels, ...labels },
      ownerReferences: [makeOwner(set)],
    },
    spec: template?.spec,
  };
}

/** One pod of a StatefulSet. */
export function podOfSet(set: StatefulSet, ordinal: number, revision: string): Pod {
  const { name = "" } = set.metadata;
  const hostname = `${name}-${ordinal}`;
  const pod = podFrom(set, hostname, {
    "apps.kubernetes.io/pod-index": String(ordinal),
    [revisionLabel]: revision,
    "statefulset.kubernetes.io/pod-name": hostname,
  });
  const subdomain = asString(set.spec?.serviceName) ?? name;
  return { ...pod, spec: { ...pod.spec, hostname, subdomain } };
}

/** Label of the revision that a pod is of. */
const revisionLabel = "controller-revision-hash";

/** The name of the revision that a StatefulSet's template is. */
export function readRevision({ metadata, spec, status }: StatefulSet): string {
  const known = asString(status?.updateRevision);
  // what another controller has named keeps its name
  if (known !== undefined && status?.observedGeneration === metadata.generation) return known;
  return `${metadata.name ?? ""}-${hashValue(spec?.template)}`;
}

function readOrdinal({ metadata }: Pod): number {
  return Number(/-(\d+)$/.exec(metadata.name ?? "")?.[1] ?? -1);
}

/** A StatefulSet of an EC with its pods, the lowest ordinal first. */
interface Rolled {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly wanted: number;
  readonly revision: string;
}

function readRoll(set: StatefulSet, pods: readonly Pod[]): Rolled {
  const own = listOwned(set, pods).toSorted((one, other) => readOrdinal(one) - readOrdinal(other));
  const wanted = set.spec?.replicas ?? 1;
  return { set, pods: own, wanted, revision: readRevision(set) };
}

function hasRevision(revision: string, { metadata }: Pod): boolean {
  return metadata.labels?.[revisionLabel] === revision;
}

function isComplete({ pods, wanted, revision }: Rolled): boolean {
  return (
    pods.length === wanted && pods.every((pod) => isReadyPod(pod) && hasRevision(revision, pod))
  );
}

/** True when all pods are of the present template and ready, and the status says so. */
export function isRolled(set: StatefulSet, pods: readonly Pod[]): boolean {
  const rolled = readRoll(set, pods);
  return isComplete(rolled) && set.status?.currentRevision === rolled.revision;
}

/** A pod of a StatefulSet or EC of this name that a StatefulSet has left behind. */
export function isOrphan({ metadata: { name, namespace } }: KubeObject, pod: KubeObject): boolean {
  const { metadata } = pod;
  const [, owner] = /^(.+)-\d+$/.exec(metadata.name ?? "") ?? [];
  return (
    pod.kind === "Pod" &&
    metadata.namespace === namespace &&
    owner === name &&
    (metadata.ownerReferences ?? []).length === 0
  );
}

/** A StatefulSet that is made anew takes over the pods that are there. */
function adoption(set: StatefulSet, pod: Pod): PlannedAction {
  const body = { metadata: { ownerReferences: [makeOwner(set)] } };
  const options = { type: "merge", fieldManager: controllerManager } as const;
  return {
    key: `${identity(pod)} adopted by ${identity(set)}`,
    afterMs: 0,
    run: ({ cluster }) => cluster.patch(refTo(kinds.pod, pod), body, options),
  };
}

/** What the controller of one StatefulSet has to do now. */
export function statefulSetActs(
  scene: OperatorSnapshot,
  set: StatefulSet,
): readonly PlannedAction[] {
  const orphans = scene.pods.filter((pod) => isOrphan(set, pod));
  if (orphans.length > 0) return orphans.map((pod) => adoption(set, pod));
  const rolled = readRoll(set, scene.pods);
  return [
    ...convergeStatus({ resource: kinds.statefulSet, object: set }, setStatus(set, scene.pods)),
    ...rolled.pods.flatMap((pod) => podActs(scene, pod, chooseEnd(scene, rolled, pod))),
    ...nextPod(scene, rolled),
  ];
}

/** The status of a StatefulSet, as its controller reckons it from its pods. */
export function setStatus(set: StatefulSet, all: readonly Pod[]): StatefulSetStatus {
  const rolled = readRoll(set, all);
  const { pods, revision } = rolled;
  const before = asString(set.status?.currentRevision) ?? revision;
  const currentRevision = isComplete(rolled) ? revision : before;
  const ready = pods.filter(isReadyPod).length;
  return {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    ...dropZeros({
      readyReplicas: ready,
      currentReplicas: pods.filter((pod) => hasRevision(currentRevision, pod)).length,
      updatedReplicas: pods.filter((pod) => hasRevision(revision, pod)).length,
    } satisfies StatefulSetStatus),
    availableReplicas: ready,
    currentRevision,
    updateRevision: revision,
    collisionCount: 0,
  };
}

/** As the API server stores counts: those of nothing are left out. */
export function dropZeros<Name extends string>(
  counts: Readonly<Record<Name, number>>,
): Readonly<Partial<Record<Name, number>>> {
  const names = Object.keys(counts) as Name[]; // TypeScript knows the keys of an object as texts only
  return omit(counts, ...names.filter((name) => counts[name] === 0));
}

/** A renewed pod may be told to hang; those of before stay as they are. */
function chooseEnd({ misbehave }: OperatorSnapshot, { revision, set }: Rolled, pod: Pod): PodState {
  const { stuckPod, stuckReason = "CrashLoopBackOff" } = misbehave;
  const renewed = hasRevision(revision, pod) && set.status?.currentRevision !== revision;
  return { is: renewed && readOrdinal(pod) === stuckPod ? stuckReason : "ready" };
}

/** Missing pods first, then those too many, then the highest one that is not renewed. */
function nextPod(scene: OperatorSnapshot, rolled: Rolled): readonly PlannedAction[] {
  const { set, pods, wanted, revision } = rolled;
  const present = new Set(pods.map(readOrdinal));
  const ordinals = Array.from({ length: wanted }, (_, ordinal) => ordinal);
  const missing = ordinals.find((ordinal) => !present.has(ordinal));
  if (missing !== undefined) {
    const pod = podOfSet(set, missing, revision);
    return [podMade(scene, set, { key: `${identity(set)} pod ${missing} ${revision}`, pod })];
  }
  const last = pods.find((pod) => readOrdinal(pod) >= wanted) ?? nextToRenew(rolled);
  if (last === undefined || last.metadata.deletionTimestamp !== undefined) return [];
  return [deletion(scene, last)];
}

function nextToRenew({ set, pods, revision }: Rolled): Pod | undefined {
  const strategy = set.spec?.updateStrategy;
  if (strategy?.type === "OnDelete") return undefined;
  const partition = strategy?.rollingUpdate?.partition ?? 0;
  const old = pods.findLast((pod) => !hasRevision(revision, pod));
  if (old === undefined || readOrdinal(old) < partition) return undefined;
  const above = pods.filter((pod) => readOrdinal(pod) > readOrdinal(old));
  return above.every(isReadyPod) ? old : undefined;
}
