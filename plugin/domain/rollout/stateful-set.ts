/** The roll of a StatefulSet, pod by pod (S72; domain facts 11). */
import type { Recognized, Timed } from "./progress";
import { kubectl, look, type Remedy } from "../base/remedy";
import { type Facts, isKnown } from "../facts/facts";
import { buildPatch, type FieldEdit } from "../kube/edits";
import type { Container, Pod, PodSpec, StatefulSet } from "../kube/models";
import { type KubeObject, readName, readNamespace, objectLabel } from "../kube/objects";
import { getPath, asString } from "../base/values";
import { rankCode, type RollCause, rollFinding, rollFindings } from "./findings";
import { findIdle } from "./idle";
import { isReady, podTroubles } from "./pod-causes";
import { checkController, type PodContext } from "./pod-words";
import { findRecreatedAbsent } from "./pod-recreated";
import { findRefusalWay, lastRefusal, listSetEvents } from "./refusals";
import { dropFuture, isBrief, latest, writeTimes } from "./times";

/** The container of a pod's or template's spec, by name; the only one where there is one alone. */
export function findContainer(
  podSpec: PodSpec | null | undefined,
  name: string,
): Container | undefined {
  const all = podSpec?.containers ?? [];
  const named = all.find((each) => each.name === name);
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
export interface RolledPod {
  readonly pod: Pod;
  readonly name: string;
  /** It is of the StatefulSet's new revision. */
  readonly updated: boolean;
  readonly ready: boolean;
}

/** The state of a rollout. */
export interface Roll {
  readonly wanted: number;
  readonly pods: readonly RolledPod[];
  /** Names of pods that are not there, the next to be created last. */
  readonly missing: readonly string[];
  /** Pods that have those names and are not of the StatefulSet. */
  readonly strays: readonly Pod[];
  /** Pods that are both new and ready. */
  readonly done: number;
  /** The status is of the spec's generation. */
  readonly observed: boolean;
  readonly complete: boolean;
  /** Changes whenever a pod or the revision moved; of a pod that is made again and again it repeats. */
  readonly step: string;
}

/** Pods of the StatefulSet: owned by it, by uid where that is known. */
export function listPods({ objects }: Facts, set: StatefulSet): readonly Pod[] {
  const { uid, name, namespace } = set.metadata;
  return objects.pods.filter(
    ({ metadata }) =>
      metadata.namespace === namespace &&
      (metadata.ownerReferences ?? []).some(
        (owner) =>
          owner["kind"] === "StatefulSet" &&
          (uid === undefined ? owner["name"] === name : owner["uid"] === uid),
      ),
  );
}

/** Number of a StatefulSet's pod; -1 where the name ends in none. */
function readOrdinal({ name }: RolledPod): number {
  return Number(/-(\d+)$/.exec(name)?.[1] ?? -1);
}

/** Reads how far the roll is: reverse ordinal order, as the pods are renewed. */
export function readRoll(facts: Facts, set: StatefulSet): Roll {
  const revision = asString(set.status?.updateRevision);
  const wanted = set.spec?.replicas ?? 1;
  const observed = (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0);
  const pods = listPods(facts, set)
    .map((pod) => ({
      pod,
      name: pod.metadata.name ?? "",
      updated:
        revision !== undefined && pod.metadata.labels?.["controller-revision-hash"] === revision,
      ready: isReady(pod),
    }))
    .sort((one, other) => readOrdinal(other) - readOrdinal(one));
  const done = pods.filter(({ updated, ready }) => updated && ready).length;
  const step = [
    revision ?? "",
    String(observed),
    ...pods.map(({ pod, name, updated, ready }) =>
      [name, updated, ready, pod.metadata.deletionTimestamp !== undefined].join("/"),
    ),
  ].join(" ");
  const complete = observed && done >= wanted && pods.length === wanted;
  const missing =
    pods.length >= wanted
      ? []
      : namesOf(set, wanted).filter((name) => pods.every((pod) => pod.name !== name));
  const strays = facts.objects.pods.filter(
    ({ metadata }) =>
      metadata.namespace === set.metadata.namespace && missing.includes(String(metadata.name)),
  );
  return { wanted, pods, missing, strays, done, observed, complete, step };
}

function namesOf(set: StatefulSet, wanted: number): readonly string[] {
  const start = set.spec?.ordinals?.start ?? 0;
  return Array.from({ length: wanted }, (_, at) => `${readName(set)}-${start + at}`);
}

/** The pod at work and what it is about: "pod 2/3 ec-1 (ContainerCreating)". */
export function renderRoll({ pods, missing, wanted, done }: Roll): string {
  const [absent] = missing.slice(-1);
  if (absent !== undefined) return `pod ${Math.min(done + 1, wanted)}/${wanted} ${absent} (absent)`;
  const current = pods.find(({ updated, ready }) => !updated || !ready);
  if (current === undefined) return `pods ${done}/${wanted}`;
  const detail = renderPod(current.pod);
  const at = `pod ${Math.min(done + 1, wanted)}/${wanted} ${current.name}`;
  return detail === undefined ? at : `${at} (${detail})`;
}

function renderPod(pod: Pod): string | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return "terminating";
  if (isReady(pod)) return undefined;
  const reasons = (pod.status?.containerStatuses ?? [])
    .map((status) => asString(status.state?.waiting?.reason))
    .filter((reason) => reason !== undefined);
  return reasons[0] ?? asString(pod.status?.phase) ?? "Pending";
}

/** What keeps a roll, each cause by itself; what has to be handled first comes first. */
export function listTroubles(facts: Facts, set: StatefulSet, roll: Roll): readonly Timed[] {
  const object = objectLabel(set);
  const ofSet = setCauses.flatMap(([cause, recognize]) => {
    const found = recognize({ facts, set, roll });
    return found === undefined ? [] : [rollFinding(cause, { object, ...found })];
  });
  const ofPods = roll.pods.map((one) => {
    const outdated = listOutdated(set, roll, one);
    const all = podTroubles(one.pod, { facts, outdated });
    const at = all.findIndex(({ code }) => code === rollFindings.outdated.code);
    // what it is sick of itself is told with its revision
    return at < 0 || outdated?.othersReady === true
      ? { first: all, last: [] }
      : { first: all.slice(0, at), last: all.slice(at, at + 1) };
  });
  const first = [...ofSet, ...ofPods.flatMap((one) => one.first)].toSorted(
    (one, other) => rankCode(one.code) - rankCode(other.code),
  );
  return [...first, ...ofPods.flatMap(({ last }) => last)];
}

/** When a cause is told. */
interface Deadline {
  readonly patience: StallDeadline;
  /** When anything moved last, RFC 3339. */
  readonly moved: string | undefined;
  readonly now: number;
}

/** Those that may be told: of a pod the first one, of a StatefulSet too, and what holds it beside. */
export function dueOnes(all: readonly Timed[], deadline: Deadline): readonly Timed[] {
  const due = all.filter((one) => isDue(one, deadline));
  // a strategy that holds old pods is no consequence of what keeps a new one
  const isOwn = ({ code }: Timed): boolean => rankCode(code) < 0 || code === rollFindings.held.code;
  return due.filter(
    (one, index) =>
      isOwn(one) ||
      due.findIndex((other) => !isOwn(other) && other.object === one.object) === index,
  );
}

/** True when it may be told: at once, or when nothing has moved for long enough. */
export function isDue(
  { definite, evident, patient, since }: Timed,
  { patience, moved, now }: Deadline,
): boolean {
  if (definite === true || (evident === true && patience.idleMs === undefined)) return true;
  if (patient === true) return false;
  const began = latest([dropFuture(since, now), moved]);
  const idle = patience.idleMs ?? (began === undefined ? NaN : now - Date.parse(began));
  return idle >= patience.stallAfterMs;
}

/** What a cause of the StatefulSet is recognized in. */
interface SetContext {
  readonly facts: Facts;
  readonly set: StatefulSet;
  readonly roll: Roll;
}

/** What it finds of a pod that is not there names that pod. */
type OfSet = (context: SetContext) => Recognized | undefined;

const setCauses: readonly (readonly [cause: RollCause, recognize: OfSet])[] = [
  ["unobserved", findUnobserved],
  ["notCreated", notCreated],
  ["recreated", findAgain],
  ["absent", absent],
  ["held", ({ set, roll }) => findHeld(set, roll)],
  ["idle", idle],
];

function findUnobserved({ set, roll }: SetContext): Recognized | undefined {
  if (roll.observed) return undefined;
  const generation = String(set.metadata.generation);
  return {
    cause: `the StatefulSet controller has not taken up generation ${generation}, it is at ${set.status?.observedGeneration ?? 0}`,
    remedies: [checkController],
    since: latest(writeTimes(set, { status: false })),
  };
}

/** The revision that a pod is of, where it is not the one that is asked for and the controller waits for it. */
function listOutdated(
  set: StatefulSet,
  roll: Roll,
  { pod, updated, ready, name }: RolledPod,
): PodContext["outdated"] {
  const revision = pod.metadata.labels?.["controller-revision-hash"];
  const wanted = set.status?.updateRevision;
  const isParallel = set.spec?.podManagementPolicy === "Parallel";
  if (updated || ready || !roll.observed) return undefined;
  if (revision === undefined || typeof wanted !== "string") return undefined;
  if (listHeldNames(set, roll).byPartition.includes(name)) return undefined;
  const images = [pod.spec, set.spec?.template?.spec].map(imagesIn);
  const [has, asks] = [0, 1].map((at) => images[at]?.find((one) => !images[1 - at]?.includes(one)));
  const differs = has === undefined ? "" : ` with image ${has}, and ${String(asks)} is asked for`;
  return {
    says: `it is of revision ${revision}${differs}, not of ${wanted}`,
    isParallel,
    // a pod that is not there is created once this one is ready
    othersReady: roll.pods.every((one) => one.name === name || one.ready),
  };
}

function imagesIn(podSpec: PodSpec | null | undefined): readonly string[] | undefined {
  return podSpec?.containers?.flatMap(({ image }) => asString(image) ?? []);
}

/** Old pods that the update strategy keeps. */
function listHeldNames(set: StatefulSet, { pods }: Roll) {
  const strategy = set.spec?.updateStrategy;
  const partition = strategy?.rollingUpdate?.partition ?? 0;
  const old = pods.filter(({ updated }) => !updated);
  const isOnDelete = strategy?.type === "OnDelete";
  return {
    isOnDelete,
    partition,
    byPartition: isOnDelete
      ? []
      : old.filter((pod) => readOrdinal(pod) < partition).map(({ name }) => name),
    byDeletion: isOnDelete ? old.map(({ name }) => name) : [],
  };
}

/** What holds a roll of this StatefulSet, now or once it begins. */
export function findHeld(set: StatefulSet, roll: Roll): Recognized | undefined {
  const { isOnDelete, partition } = listHeldNames(set, roll);
  const kept = keptNames(set, roll);
  if (kept.length === 0) return undefined;
  const what = isOnDelete ? "strategy OnDelete" : `partition ${partition}`;
  return {
    cause: `its update ${what} keeps ${kept.join(", ")} as they are${findWriter(set, holdingField(isOnDelete))}`,
    remedies: [unhold(set)],
    definite: true,
  };
}

/** As managedFields name it: who holds the rest of the strategy has not set it. */
export function holdingField(isOnDelete: boolean): readonly string[] {
  const strategy = ["f:spec", "f:updateStrategy"];
  return [...strategy, ...(isOnDelete ? ["f:type"] : ["f:rollingUpdate", "f:partition"])];
}

/** Old pods that the update strategy keeps, for whichever reason. */
export function keptNames(set: StatefulSet, roll: Roll): readonly string[] {
  const { byPartition, byDeletion } = listHeldNames(set, roll);
  return [...byPartition, ...byDeletion];
}

/** What would hold a roll that is still to come; undefined where nothing does. */
export function holdAhead(set: StatefulSet, roll: Roll): Recognized | undefined {
  const pods = roll.pods.map((one) => ({ ...one, updated: false }));
  return findHeld(set, { ...roll, pods });
}

const strategy = ["spec", "updateStrategy"] as const;

/** What takes a partition, or the strategy OnDelete, away. */
export function releasingEdits(set: StatefulSet): readonly FieldEdit[] {
  const has = set.spec?.updateStrategy;
  if (has?.type === "OnDelete") {
    return [{ path: [...strategy, "type"], from: has.type, to: "RollingUpdate" }];
  }
  const path = [...strategy, "rollingUpdate", "partition"];
  return [{ path, from: has?.rollingUpdate?.partition, to: 0 }];
}

function unhold(set: StatefulSet): Remedy {
  const patch = JSON.stringify(buildPatch(releasingEdits(set)));
  return kubectl("remove it", "patch", ...namedWords(set), "--type=merge", "-p", patch);
}

/** How kubectl names it. */
function namedWords(set: StatefulSet): readonly string[] {
  return ["statefulset", readName(set), "-n", readNamespace(set)];
}

/** What a person does, with what kubectl tells of the StatefulSet. */
function seeSet(set: StatefulSet, says: string): Remedy {
  return look(says, "describe", ...namedWords(set));
}

/** Who wrote a field last, and when, as the API server has noted it. */
export function findWriter({ metadata }: KubeObject, path: readonly string[]): string {
  const entry = (metadata.managedFields ?? []).findLast(
    ({ fieldsV1 }) => getPath(fieldsV1, path) !== undefined,
  );
  if (entry === undefined) return "";
  const time = asString(entry["time"]);
  const how = entry.subresource === undefined ? "" : ` through ${entry.subresource}`;
  return `; set by manager "${entry.manager ?? ""}"${how}${time === undefined ? "" : ` at ${time}`}`;
}

/** A pod that its StatefulSet may not create shows in events only: quota, security constraint, webhook. */
function notCreated({ facts, set, roll }: SetContext): Recognized | undefined {
  const { pods, wanted } = roll;
  if (pods.length >= wanted) return undefined;
  const last = lastRefusal(listSetEvents(facts, readName(set)));
  if (last === undefined) return undefined;
  const { message = "", count, first } = last;
  const known = findRefusalWay(message);
  const way =
    known ?? "fix what the API server names: a quota, a security constraint, or a webhook on pods";
  return {
    cause: `${wanted - pods.length} of its pods may not be created: ${message}`,
    remedies: [typeof way === "string" ? seeSet(set, way) : way],
    since: first,
    // what the first try meets may be over with the next
    evident:
      (known !== undefined || count > 1) && !isBrief(dropFuture(first, facts.now), facts.now),
  };
}

/** A pod that is not there in this moment. */
function findAgain({ facts, set, roll }: SetContext): Recognized | undefined {
  if (!roll.observed) return undefined;
  const [first] = roll.missing.flatMap(
    (name) => findRecreatedAbsent(facts, { name, set: readName(set) }) ?? [],
  );
  return first;
}

/** A pod that is not there, without an event that says why: those are kept for about an hour. */
function absent(context: SetContext): Recognized | undefined {
  const { facts, set, roll } = context;
  const names = roll.missing;
  if (names.length === 0 || !roll.observed || findAgain(context) !== undefined) return undefined;
  if (roll.strays.length > 0) return findStrays(set, roll.strays);
  return {
    cause: `${names.join(", ")} ${names.length === 1 ? "does" : "do"} not exist, and ${isKnown(facts, "events") ? "no event says why" : "events could not be read"}`,
    remedies: [seeSet(set, "look at the quota, webhooks on pods and the claims of its volumes")],
  };
}

/** The controller adopts a pod that fits its selector and belongs to nobody; others keep the name from it. */
function findStrays(set: StatefulSet, strays: readonly Pod[]): Recognized {
  const shown = strays.map((pod) => {
    const [owner] = pod.metadata.ownerReferences ?? [];
    const of = owner === undefined ? "nobody" : `${String(owner["kind"])} ${String(owner["name"])}`;
    return `${readName(pod)} (owned by ${of}${isReady(pod) ? ", ready" : ""})`;
  });
  return {
    cause: `there are pods with the names of its own that it does not own: ${shown.join(", ")}`,
    remedies: [
      seeSet(
        set,
        "do not delete them while they serve: give them the labels of the StatefulSet's selector, and it takes them over where nobody owns them; see whether its controller runs",
      ),
    ],
  };
}

/** Every pod is well and some are old: only the controller can go ahead. */
function idle({ facts, set, roll }: SetContext): Recognized | undefined {
  const { pods, wanted, observed } = roll;
  const old = pods.filter(({ updated }) => !updated).map(({ name }) => name);
  if (!observed || old.length === 0 || pods.length !== wanted) return undefined;
  if (pods.some(({ ready }) => !ready) || findHeld(set, roll) !== undefined) return undefined;
  return findIdle(facts, set, { pods: pods.map(({ pod }) => pod), old });
}
