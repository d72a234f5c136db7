/** The roll of a StatefulSet, pod by pod (S72; domain facts 11). */
import type { Facts } from "../facts/facts";
import { conditionOf, type KubeObject, objectLabel } from "../kube/objects";
import { getPath, type Json, asArray, getOwn, asString, numberAt } from "../base/values";
import { type Problem, type Progress, stalledBy } from "./progress";

type Trouble = Omit<Problem, "object">;

/** The container of a pod's or template's spec, by name; the only one where there is one alone. */
export function containerOf(podSpec: unknown, name: string): Json | undefined {
  const all = asArray(getOwn(podSpec, "containers")).filter((each): each is Json => each !== null);
  const named = all.find((each) => getOwn(each, "name") === name);
  return named ?? (all.length === 1 ? all[0] : undefined);
}

/** True when the pod's condition Ready is True and it is not on its way out. */
export function isReady(pod: KubeObject): boolean {
  const ready = conditionOf(pod, "Ready");
  return pod.metadata.deletionTimestamp === undefined && getOwn(ready, "status") === "True";
}

/** What keeps a pod from being ready; undefined for one that is. */
export function podTrouble(pod: KubeObject): Problem | undefined {
  if (isReady(pod)) return undefined;
  const found = terminating(pod) ?? unscheduled(pod) ?? ofContainers(pod) ?? notReady(pod);
  return { object: objectLabel(pod), ...found };
}

function terminating(pod: KubeObject): Trouble | undefined {
  const { deletionTimestamp } = pod.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const disruption = asString(getOwn(conditionOf(pod, "DisruptionTarget"), "message"));
  const grace = getOwn(pod.metadata, "deletionGracePeriodSeconds");
  const may = typeof grace === "number" ? `, and may take ${grace} s` : "";
  return {
    code: "POD-TERMINATING",
    because: `it drains before it ends${may}${disruption === undefined ? "" : `: ${disruption}`}`,
    fix: "check with kubectl logs what it is doing; it moves its shards away first, so give it time before you force its deletion",
    since: beganAt(deletionTimestamp, grace),
  };
}

/** The API server stores when the grace ends, not when it began. */
function beganAt(deletionTimestamp: string, grace: unknown): string | undefined {
  const end = Date.parse(deletionTimestamp);
  if (Number.isNaN(end)) return undefined;
  return new Date(end - (typeof grace === "number" ? grace * 1000 : 0)).toISOString();
}

function unscheduled(pod: KubeObject): Trouble | undefined {
  const condition = conditionOf(pod, "PodScheduled");
  if (getOwn(condition, "status") !== "False") return undefined;
  const message =
    asString(getOwn(condition, "message")) ?? asString(getOwn(condition, "reason")) ?? "no reason";
  const volume = /persistentvolume|volume node affinity|unbound immediate/i.test(message);
  return {
    code: volume ? "POD-VOLUME" : "POD-UNSCHEDULABLE",
    because: `no node takes it: ${message}`,
    fix: volume
      ? "look at its claims with kubectl get pvc; fix the volume or its storage class"
      : "free capacity on a node, or fix the node selector, taint or affinity that it names",
    since: asString(getOwn(condition, "lastTransitionTime")),
  };
}

const imageReasons = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
  "RegistryUnavailable",
  "SignatureValidationFailed",
]);

const crashReasons = new Set([
  "CrashLoopBackOff",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
  "PostStartHookError",
]);

function ofContainers(pod: KubeObject): Trouble | undefined {
  const statuses = ["initContainerStatuses", "containerStatuses"].flatMap((field) =>
    asArray(getPath(pod, ["status", field])),
  );
  const troubles = statuses.map(ofContainer).filter((trouble) => trouble !== undefined);
  return troubles.find(({ definite }) => definite) ?? troubles[0];
}

function ofContainer(status: unknown): Trouble | undefined {
  const name = asString(getOwn(status, "name")) ?? "";
  const waiting = getPath(status, ["state", "waiting"]);
  const reason = asString(getOwn(waiting, "reason")) ?? "";
  const message = asString(getOwn(waiting, "message"));
  const said = `${reason}${message === undefined ? "" : `: ${message}`}`;
  if (imageReasons.has(reason)) {
    return {
      code: "POD-IMAGE",
      because: `the image of container ${name} cannot be pulled (${said})`,
      fix: "check that the repository holds this tag, and that the pull secret fits; then set the tag or the repository again",
      definite: true,
    };
  }
  const ended =
    getPath(status, ["state", "terminated"]) ?? getPath(status, ["lastState", "terminated"]);
  if (!crashReasons.has(reason) && !failed(getPath(status, ["state", "terminated"])))
    return undefined;
  const code = getOwn(ended, "exitCode");
  const last = typeof code === "number" ? `, last exit code ${code}` : "";
  return {
    code: "POD-CRASH",
    because: `container ${name} does not stay up (${said === "" ? "Error" : said}${last})`,
    fix: `find out why with kubectl logs, container ${name}, also with --previous`,
    since: asString(getOwn(ended, "finishedAt")),
  };
}

function failed(terminated: unknown): boolean {
  const code = getOwn(terminated, "exitCode");
  return typeof code === "number" && code !== 0;
}

function notReady(pod: KubeObject): Trouble {
  const condition = conditionOf(pod, "Ready");
  const told =
    asString(getOwn(condition, "message")) ?? asString(getPath(pod, ["status", "message"]));
  const reason =
    asString(getPath(pod, ["status", "reason"])) ?? asString(getOwn(condition, "reason"));
  const phase = asString(getPath(pod, ["status", "phase"])) ?? "Pending";
  return {
    code: "POD-NOT-READY",
    because: [`it is ${phase} and not ready`, reason, told].filter(Boolean).join(": "),
    fix: "see its events and its probe with kubectl describe pod",
    since:
      asString(getOwn(condition, "lastTransitionTime")) ??
      asString(pod.metadata["creationTimestamp"]),
  };
}

/** How long nothing has moved, and how long that may be. */
export interface StallDeadline {
  /** Absent: nobody watched; then the times that the objects tell are judged. */
  readonly idleMs?: number;
  readonly stallAfterMs: number;
}

/** The stall rule's default: ten minutes without progress. */
export const defaultStallAfterMs = 600_000;

/** A pod as the rollout sees it. */
interface RolledPod {
  readonly pod: KubeObject;
  readonly name: string;
  /** It is of the StatefulSet's new revision. */
  readonly updated: boolean;
  readonly ready: boolean;
}

/** The state of a rollout. */
export interface Roll {
  readonly wanted: number;
  readonly pods: readonly RolledPod[];
  /** Pods that are both new and ready. */
  readonly done: number;
  /** The status is of the spec's generation. */
  readonly observed: boolean;
  readonly complete: boolean;
  /** Changes whenever a pod or the revision moved; of a pod that is made again and again it repeats. */
  readonly step: string;
}

/** Pods of the StatefulSet: owned by it, by uid where that is known. */
export function podsOf({ objects }: Facts, set: KubeObject): readonly KubeObject[] {
  const { uid, name, namespace } = set.metadata;
  return objects.pods.filter(
    ({ metadata }) =>
      metadata.namespace === namespace &&
      (metadata.ownerReferences ?? []).some(
        (owner) =>
          getOwn(owner, "kind") === "StatefulSet" &&
          (uid === undefined ? getOwn(owner, "name") === name : getOwn(owner, "uid") === uid),
      ),
  );
}

/** Number of a StatefulSet's pod; -1 where the name ends in none. */
function ordinalOf({ name }: RolledPod): number {
  return Number(/-(\d+)$/.exec(name)?.[1] ?? -1);
}

/** Reads how far the roll is: reverse ordinal order, as the pods are renewed. */
export function rollOf(facts: Facts, set: KubeObject): Roll {
  const revision = asString(getPath(set, ["status", "updateRevision"]));
  const wanted = numberAt(set, ["spec", "replicas"], 1);
  const observed =
    numberAt(set, ["status", "observedGeneration"]) >= numberAt(set, ["metadata", "generation"]);
  const pods = podsOf(facts, set)
    .map((pod) => ({
      pod,
      name: pod.metadata.name ?? "",
      updated:
        revision !== undefined &&
        getOwn(pod.metadata.labels, "controller-revision-hash") === revision,
      ready: isReady(pod),
    }))
    .sort((one, other) => ordinalOf(other) - ordinalOf(one));
  const done = pods.filter(({ updated, ready }) => updated && ready).length;
  const step = [
    revision ?? "",
    String(observed),
    ...pods.map(({ pod, name, updated, ready }) =>
      [name, updated, ready, pod.metadata.deletionTimestamp !== undefined].join("/"),
    ),
  ].join(" ");
  const complete = observed && done >= wanted && pods.length === wanted;
  return { wanted, pods, done, observed, complete, step };
}

/** How far a StatefulSet's roll is, and what stands against it. */
export function judgeStatefulSet(facts: Facts, set: KubeObject, patience: StallDeadline): Progress {
  const roll = rollOf(facts, set);
  if (roll.complete) return { is: "done", says: `${roll.done}/${roll.wanted} pods are renewed` };
  const found = troubleOf(facts, set, roll);
  if (found !== undefined && isDue(found, patience, facts.now)) return stalledBy(found);
  return { is: "moving", on: renderRoll(roll), step: roll.step };
}

/** The pod at work and what it is about: "pod 2/3 ec-1 (ContainerCreating)". */
export function renderRoll({ pods, wanted, done }: Roll): string {
  const current = pods.find(({ updated, ready }) => !updated || !ready);
  if (current === undefined) return `pods ${done}/${wanted}`;
  const detail = renderPod(current.pod);
  const at = `pod ${Math.min(done + 1, wanted)}/${wanted} ${current.name}`;
  return detail === undefined ? at : `${at} (${detail})`;
}

function renderPod(pod: KubeObject): string | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return "terminating";
  if (isReady(pod)) return undefined;
  const reasons = asArray(getPath(pod, ["status", "containerStatuses"]))
    .map((status) => asString(getPath(status, ["state", "waiting", "reason"])))
    .filter((reason) => reason !== undefined);
  return reasons[0] ?? asString(getPath(pod, ["status", "phase"])) ?? "Pending";
}

/** What keeps a roll from going on, the surest first. */
export function troubleOf(facts: Facts, set: KubeObject, roll: Roll): Problem | undefined {
  const ofSet = heldBack(set, roll) ?? notCreated(facts, set, roll);
  const all = [
    ...roll.pods.flatMap(({ pod }) => podTrouble(pod) ?? []),
    ...(ofSet === undefined ? [] : [{ object: objectLabel(set), ...ofSet }]),
  ];
  return all.find(({ definite }) => definite) ?? all[0];
}

/** True when it may be said: at once, or when nothing has moved for long enough. */
export function isDue({ definite, since }: Problem, patience: StallDeadline, now: number): boolean {
  if (definite === true) return true;
  const idle = patience.idleMs ?? now - Date.parse(since ?? "");
  return idle >= patience.stallAfterMs;
}

function heldBack(set: KubeObject, { pods }: Roll): Trouble | undefined {
  const strategy = getPath(set, ["spec", "updateStrategy"]);
  const old = pods.filter(({ updated }) => !updated);
  if (old.length === 0) return undefined;
  const partition = getPath(strategy, ["rollingUpdate", "partition"]);
  const onDelete = getOwn(strategy, "type") === "OnDelete";
  const behind = typeof partition === "number" && old.some((pod) => ordinalOf(pod) < partition);
  if (!onDelete && !behind) return undefined;
  const what = onDelete ? "strategy OnDelete" : `partition ${String(partition)}`;
  return {
    code: "ROLLOUT-HELD",
    because: `its update ${what} keeps ${old.map(({ name }) => name).join(", ")} as they are`,
    fix: "ask who set it; the operator's own setting lets all pods roll",
  };
}

/** A pod that its StatefulSet may not make shows in events alone: quota, security constraint, webhook. */
function notCreated(
  { objects }: Facts,
  set: KubeObject,
  { pods, wanted }: Roll,
): Trouble | undefined {
  if (pods.length >= wanted) return undefined;
  const events = objects.events.filter(
    (event) =>
      getPath(event, ["involvedObject", "kind"]) === "StatefulSet" &&
      getPath(event, ["involvedObject", "name"]) === set.metadata.name,
  );
  const last = lastRefusal(events);
  if (last === undefined) return undefined;
  return {
    code: "POD-NOT-CREATED",
    because: `${wanted - pods.length} of its pods may not be created: ${last.message ?? ""}`,
    fix: "fix what the API server names: a quota, a security constraint, or a webhook on pods",
    since: last.at,
  };
}

/** The last event that says why a pod may not be made; one without a time is the oldest. */
export function lastRefusal(
  events: readonly KubeObject[],
): { readonly at: string; readonly message: string | undefined } | undefined {
  return events
    .filter((event) => getOwn(event, "reason") === "FailedCreate")
    .map((event) => ({
      at: asString(getOwn(event, "lastTimestamp")) ?? asString(getOwn(event, "eventTime")) ?? "",
      message: asString(getOwn(event, "message")),
    }))
    .sort((one, other) => Number(one.at < other.at) - Number(one.at > other.at))[0];
}
