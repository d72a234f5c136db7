/** The roll of a StatefulSet, pod by pod (S72; domain facts 11). */
import { type Facts, isKnown } from "../facts/facts";
import { type KubeObject, nameOf, namespaceOf, objectLabel } from "../kube/objects";
import { getPath, type Json, asArray, getOwn, asString, numberAt } from "../base/values";
import { rankOf, type RollCause, rollFindings } from "./findings";
import { isReady, podTroubles } from "./pod-causes";
import { type PodContext, timesOf, type Trouble } from "./pod-words";
import type { Problem, Progress } from "./progress";
import { stalledBy } from "./progress";
import { lastMovement, latest, writeTimes } from "./times";

/** The container of a pod's or template's spec, by name; the only one where there is one alone. */
export function containerOf(podSpec: unknown, name: string): Json | undefined {
  const all = asArray(getOwn(podSpec, "containers")).filter((each): each is Json => each !== null);
  const named = all.find((each) => getOwn(each, "name") === name);
  return named ?? (all.length === 1 ? all[0] : undefined);
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
  const moved = lastMovement({ set, pods: roll.pods.map(({ pod }) => pod) })?.at;
  const [found] = dueOnes(troublesOf(facts, set, roll), { patience, moved, now: facts.now });
  if (found !== undefined) return stalledBy(found);
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

/** What keeps a roll, each cause by itself; what has to be handled first comes first. */
export function troublesOf(facts: Facts, set: KubeObject, roll: Roll): readonly Problem[] {
  const object = objectLabel(set);
  const ofSet = setCauses.flatMap(([cause, recognize]) => {
    const found = recognize({ facts, set, roll });
    return found === undefined ? [] : [{ code: rollFindings[cause].code, object, ...found }];
  });
  const ofPods = roll.pods.flatMap((one) =>
    podTroubles(one.pod, { facts, outdated: outdatedBy(set, roll, one) }),
  );
  return [...ofSet, ...ofPods].toSorted((one, other) => rankOf(one.code) - rankOf(other.code));
}

/** When a cause is told. */
interface Deadline {
  readonly patience: StallDeadline;
  /** When anything moved last, RFC 3339. */
  readonly moved: string | undefined;
  readonly now: number;
}

/** Those that may be told, of a pod or a StatefulSet the first one. */
export function dueOnes(all: readonly Problem[], deadline: Deadline): readonly Problem[] {
  const due = all.filter((one) => isDue(one, deadline));
  return due.filter(
    ({ code, object }, index) =>
      rankOf(code) < 0 ||
      due.findIndex((other) => rankOf(other.code) >= 0 && other.object === object) === index,
  );
}

/** True when it may be told: at once, or when nothing has moved for long enough. */
export function isDue(
  { definite, evident, patient, since }: Problem,
  { patience, moved, now }: Deadline,
): boolean {
  if (definite === true || (evident === true && patience.idleMs === undefined)) return true;
  if (patient === true) return false;
  const began = latest([since, moved]);
  const idle = patience.idleMs ?? (began === undefined ? NaN : now - Date.parse(began));
  return idle >= patience.stallAfterMs;
}

/** What a cause of the StatefulSet is recognized in. */
interface SetContext {
  readonly facts: Facts;
  readonly set: KubeObject;
  readonly roll: Roll;
}

type OfSet = (context: SetContext) => Trouble | undefined;

const setCauses: readonly (readonly [cause: RollCause, recognize: OfSet])[] = [
  ["unobserved", unobserved],
  ["notCreated", notCreated],
  ["absent", absent],
  ["held", ({ set, roll }) => held(set, roll)],
  ["idle", idle],
];

const controllerLog =
  "see whether the controller manager of Kubernetes runs: kubectl get lease kube-controller-manager -n kube-system -o yaml";

function unobserved({ set, roll }: SetContext): Trouble | undefined {
  if (roll.observed) return undefined;
  const generation = numberAt(set, ["metadata", "generation"]);
  return {
    because: `the StatefulSet controller has not taken up generation ${generation}, it is at ${numberAt(set, ["status", "observedGeneration"])}`,
    fix: controllerLog,
    since: latest(writeTimes(set, { status: false })),
  };
}

/** The revision that a pod is of, where it is not the one that is asked for and the controller waits for it. */
function outdatedBy(
  set: KubeObject,
  roll: Roll,
  { pod, updated, ready, name }: RolledPod,
): PodContext["outdated"] {
  const revision = getOwn(pod.metadata.labels, "controller-revision-hash");
  const wanted = getPath(set, ["status", "updateRevision"]);
  const isParallel = getPath(set, ["spec", "podManagementPolicy"]) === "Parallel";
  if (updated || ready || !roll.observed) return undefined;
  if (typeof revision !== "string" || typeof wanted !== "string") return undefined;
  if (heldNames(set, roll).byPartition.includes(name)) return undefined;
  const images = [getOwn(pod, "spec"), getPath(set, ["spec", "template", "spec"])].map(imagesIn);
  const [has, asks] = [0, 1].map((at) => images[at]?.find((one) => !images[1 - at]?.includes(one)));
  const differs = has === undefined ? "" : ` with image ${has}, and ${String(asks)} is asked for`;
  return {
    says: `it is of revision ${revision}${differs}, not of ${wanted}`,
    isParallel,
    othersReady:
      roll.pods.length === roll.wanted && roll.pods.every((one) => one.name === name || one.ready),
  };
}

function imagesIn(podSpec: unknown): readonly string[] {
  return asArray(getOwn(podSpec, "containers")).flatMap((one) => {
    return asString(getOwn(one, "image")) ?? [];
  });
}

/** Old pods that the update strategy keeps. */
function heldNames(set: KubeObject, { pods }: Roll) {
  const strategy = getPath(set, ["spec", "updateStrategy"]);
  const partition = numberAt(strategy, ["rollingUpdate", "partition"]);
  const old = pods.filter(({ updated }) => !updated);
  const isOnDelete = getOwn(strategy, "type") === "OnDelete";
  return {
    isOnDelete,
    partition,
    byPartition: isOnDelete
      ? []
      : old.filter((pod) => ordinalOf(pod) < partition).map(({ name }) => name),
    byDeletion: isOnDelete ? old.map(({ name }) => name) : [],
  };
}

/** What holds a roll of this StatefulSet, now or once it begins. */
export function held(set: KubeObject, roll: Roll): Trouble | undefined {
  const { isOnDelete, partition, byPartition, byDeletion } = heldNames(set, roll);
  const kept = [...byPartition, ...byDeletion];
  if (kept.length === 0) return undefined;
  const what = isOnDelete ? "strategy OnDelete" : `partition ${partition}`;
  return {
    because: `its update ${what} keeps ${kept.join(", ")} as they are${writtenBy(set, ["f:spec", "f:updateStrategy"])}`,
    fix: `remove it with ${unholding(set)}`,
    definite: true,
  };
}

/** What would hold a roll that is still to come; undefined where nothing does. */
export function holdAhead(set: KubeObject, roll: Roll): Trouble | undefined {
  const pods = roll.pods.map((one) => ({ ...one, updated: false }));
  return held(set, { ...roll, pods });
}

/** The write that takes a partition or OnDelete away. */
export const unheld = { type: "RollingUpdate", rollingUpdate: { partition: 0 } } as const;

function unholding(set: KubeObject): string {
  const patch = JSON.stringify({ spec: { updateStrategy: unheld } });
  return `kubectl patch statefulset ${nameOf(set)} -n ${namespaceOf(set)} --type=merge -p '${patch}'`;
}

/** Who wrote a field last, and when, as the API server has noted it. */
export function writtenBy({ metadata }: KubeObject, path: readonly string[]): string {
  const entry = (metadata.managedFields ?? []).findLast(
    ({ fieldsV1 }) => getPath(fieldsV1, path) !== undefined,
  );
  if (entry === undefined) return "";
  const time = asString(getOwn(entry, "time"));
  const how = entry.subresource === undefined ? "" : ` through ${entry.subresource}`;
  return `; set by manager "${entry.manager ?? ""}"${how}${time === undefined ? "" : ` at ${time}`}`;
}

/** A pod that its StatefulSet may not create shows in events only: quota, security constraint, webhook. */
function notCreated({ facts: { objects }, set, roll }: SetContext): Trouble | undefined {
  const { pods, wanted } = roll;
  if (pods.length >= wanted) return undefined;
  const events = objects.events.filter(
    (event) =>
      getPath(event, ["involvedObject", "kind"]) === "StatefulSet" &&
      getPath(event, ["involvedObject", "name"]) === set.metadata.name,
  );
  const last = lastRefusal(events);
  if (last === undefined) return undefined;
  const { message = "", count, first } = last;
  const isRefused = refusals.find(([pattern]) => pattern.test(message));
  return {
    because: `${wanted - pods.length} of its pods may not be created: ${message}`,
    fix:
      isRefused?.[1] ??
      "fix what the API server names: a quota, a security constraint, or a webhook on pods",
    since: first,
    evident: isRefused !== undefined || count > 1,
  };
}

/** What a refusal says decides what helps; a second try would be refused as well. */
const refusals: readonly (readonly [pattern: RegExp, way: string])[] = [
  [
    /failed quota.*must specify|must specify/i,
    "give the containers the requests and limits that the quota demands, in the spec of the cluster's resource or by a LimitRange",
  ],
  [/exceeded quota|failed quota/i, "raise the quota, or free what it counts"],
  [
    /violates PodSecurity|security context constraint|unable to validate against any/i,
    "let the namespace's Pod Security level or a security context constraint allow these pods",
  ],
  [
    /failed calling webhook/i,
    "repair the webhook that is named, or the Service behind it: it is asked about every pod",
  ],
  [
    /denied the request|forbidden/i,
    "change what the message refuses, or the policy that refuses it",
  ],
  [/serviceaccount .*not found/i, "create the service account that is named"],
];

/** A pod that is not there, without an event that says why: those are kept for about an hour. */
function absent({ facts, set, roll }: SetContext): Trouble | undefined {
  if (roll.pods.length >= roll.wanted || !roll.observed) return undefined;
  const start = numberAt(set, ["spec", "ordinals", "start"]);
  const there = roll.pods.map(({ name }) => name);
  const names = Array.from(
    { length: roll.wanted },
    (_, at) => `${nameOf(set)}-${start + at}`,
  ).filter((name) => !there.includes(name));
  return {
    because: `${names.join(", ")} ${names.length === 1 ? "does" : "do"} not exist, and ${isKnown(facts, "events") ? "no event says why" : "events could not be read"}`,
    fix: `see the quota, webhooks on pods and the claims of its volumes, and kubectl describe statefulset ${nameOf(set)} -n ${namespaceOf(set)}`,
  };
}

/** Every pod is well and some are old: only the controller can go ahead. */
function idle({ set, roll }: SetContext): Trouble | undefined {
  const { pods, wanted, observed } = roll;
  const old = pods.filter(({ updated }) => !updated);
  if (!observed || old.length === 0 || pods.length !== wanted) return undefined;
  if (pods.some(({ ready }) => !ready) || held(set, roll) !== undefined) return undefined;
  return {
    because: `${old.map(({ name }) => name).join(", ")} ${old.length === 1 ? "is" : "are"} to be renewed, all pods are ready, and nothing renews them`,
    fix: controllerLog,
  };
}

/** Why a pod could not be created, as often as it was tried. */
interface Refusal {
  readonly message: string | undefined;
  readonly first: string | undefined;
  readonly count: number;
}

const unknownTime = new Date(0).toISOString();

/** The newest event that says why a pod may not be created; one without a time is the oldest. */
export function lastRefusal(events: readonly KubeObject[]): Refusal | undefined {
  const created = events.filter((event) => getOwn(event, "reason") === "SuccessfulCreate");
  const done = latest(created.map((event) => timesOf(event).last));
  const all = events
    .filter((event) => getOwn(event, "reason") === "FailedCreate")
    .toSorted((one, other) => Date.parse(timesOf(other).last) - Date.parse(timesOf(one).last));
  const [newest] = all;
  if (newest === undefined || isAfter(done, timesOf(newest).last)) return undefined;
  const message = asString(getOwn(newest, "message"));
  const first = all.map((event) => timesOf(event).first).toSorted()[0];
  return {
    message,
    first: first === unknownTime ? undefined : first,
    count: Math.max(
      all.length,
      numberAt(newest, ["count"], 1),
      numberAt(newest, ["series", "count"]),
    ),
  };
}

function isAfter(one: string | undefined, other: string): boolean {
  return one !== undefined && Date.parse(one) >= Date.parse(other);
}
