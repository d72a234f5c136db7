/** What the play is made of: acts that follow from what is stored, each due a while after its cause. */
import { createHash } from "node:crypto";
import { ApiError } from "../../domain/base/errors";
import { readPreconditions, refTo } from "../../domain/kube/objects";
import { isObject, type Json, asString, withValue } from "../../domain/base/values";
import type { Event, Pod, ReplicaSet, StatefulSet } from "../../domain/kube/models";
import type { KubeClient, KubeObject, Resource } from "../../ports/kubernetes";
import type { FieldValue, OperatorSnapshot } from "./snapshot";

/** What an act is done with; `log` writes a line of the operator's log (domain facts 10). */
interface ActionContext {
  readonly cluster: KubeClient;
  readonly log: (line: LogLine) => void;
}

type ActionRun = (hands: ActionContext) => Promise<unknown>;

/** One thing to do: it is wanted as long as what is stored asks for it. */
export interface PlannedAction {
  /** The same for the same cause: the time since it was first wanted is counted by it. */
  readonly key: string;
  readonly afterMs: number;
  readonly run: ActionRun;
}

/** A line of the operator's log as far as the play says it. */
export interface LogLine {
  readonly level: "info" | "error";
  readonly logger: string;
  readonly msg: string;
  readonly error?: string;
  readonly Namespace?: string;
  readonly Name?: string;
}

/** Reactions to one subject: what the first row brings about whose condition holds, told why it does. */
export type Reactions<T> = readonly (readonly [
  holds: (subject: T) => string | boolean | undefined,
  acts: (subject: T, why: string) => readonly PlannedAction[],
])[];

/** What follows from a table of reactions; nothing where no row holds. */
export function react<T>(table: Reactions<T>, subject: T): readonly PlannedAction[] {
  for (const [holds, acts] of table) {
    const why = holds(subject);
    if (why !== undefined && why !== false) return acts(subject, String(why));
  }
  return [];
}

/** Kubernetes' own writers. */
export const controllerManager = "kube-controller-manager";
export const kubelet = "kubelet";

/** A kind, an object of it, and who writes: its controller where nobody else is named. */
export interface ActionTarget {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly manager?: string;
}

/** Creates an object. */
export function createObject(object: KubeObject, fieldManager = controllerManager): ActionRun {
  return ({ cluster }) => cluster.create(object, { fieldManager });
}

/** Writes the whole status, through the subresource, bound to the version that it was decided on. */
export function statusWritten(target: ActionTarget, status: Json): ActionRun {
  const { resource, object, manager = controllerManager } = target;
  const before = object["status"];
  const gone = Object.keys(isObject(before) ? before : {}).filter((key) => !(key in status));
  const nothing = Object.fromEntries(gone.map((key) => [key, null]));
  const { resourceVersion } = object.metadata;
  const body = { metadata: { resourceVersion }, status: { ...status, ...nothing } };
  const options = { type: "merge", subresource: "status", fieldManager: manager } as const;
  return ({ cluster }) => cluster.patch(refTo(resource, object), body, options);
}

/** Changes fields of the object, bound to the version that it was decided on. */
export function fieldsWritten(target: ActionTarget, fields: Json): ActionRun {
  const { resource, object, manager = controllerManager } = target;
  const { resourceVersion } = object.metadata;
  const body = { ...fields, metadata: { resourceVersion } };
  return ({ cluster }) =>
    cluster.patch(refTo(resource, object), body, { type: "merge", fieldManager: manager });
}

/** Deletes the object, and no other of its name. */
export function removeObject({ resource, object }: ActionTarget): ActionRun {
  const { uid } = readPreconditions(object);
  return ({ cluster }) => cluster.delete(refTo(resource, object), uid === undefined ? {} : { uid });
}

/** Brings a status to what it has to be, times aside; nothing where it says so already. */
export function convergeStatus(
  target: ActionTarget,
  status: Json,
  afterMs = 0,
): readonly PlannedAction[] {
  const { object } = target;
  if (sameButTimes(object["status"], status)) return [];
  const key = `${identity(object)} status ${hashValue(status)}`;
  return [{ key, afterMs, run: statusWritten(target, status) }];
}

/** An act that this play does once. */
export function once(
  { seen }: OperatorSnapshot,
  { key, afterMs, run }: PlannedAction,
): PlannedAction {
  return {
    key,
    afterMs: seen.has(key) ? Number.POSITIVE_INFINITY : afterMs,
    run: (hands) => {
      seen.set(key, "");
      return run(hands);
    },
  };
}

/** A Warning event; a second one of the same name is refused by the API server. */
export function warn(
  scene: OperatorSnapshot,
  about: KubeObject,
  { reason, message }: { readonly reason: string; readonly message: string },
): PlannedAction {
  const { apiVersion, kind, metadata } = about;
  const { name = "", namespace = "", uid } = metadata;
  const id = hashValue([kind, name, reason, message]);
  const time = timeText(scene.now);
  const event: Event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.${id}`, namespace },
    type: "Warning",
    reason,
    message,
    involvedObject: { apiVersion, kind, name, namespace, uid },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    source: { component: "controller" },
  };
  const run: ActionRun = ({ cluster }) => cluster.create(event);
  return once(scene, { key: `event ${id}`, afterMs: 0, run });
}

/**
 * The act of a controller that makes a pod: where the API server refuses it, an event says why, and it is
 * tried again when a quota or a pod of the namespace has changed.
 */
export function podMade(
  scene: OperatorSnapshot,
  set: ReplicaSet | StatefulSet,
  { key, pod }: { readonly key: string; readonly pod: Pod },
): PlannedAction {
  const { seen, quotas, pods } = scene;
  const refused = `refused ${key} ${hashValue([quotas.map(({ spec, status }) => [spec, status]), pods.length])}`;
  const what = set.kind === "StatefulSet" ? statefulSetWords(set, pod) : "Error creating: ";
  return {
    key,
    afterMs: seen.has(refused) ? Number.POSITIVE_INFINITY : 0,
    run: async (hands) => {
      try {
        await createObject(pod)(hands);
      } catch (error) {
        if (!(error instanceof ApiError) || otherwise.includes(error.status)) throw error;
        seen.set(refused, "");
        const event = { reason: "FailedCreate", message: `${what}${error.message}` };
        await warn(scene, set, event).run(hands);
      }
    },
  };
}

/** Answers that are no refusal: gone, taken, too many requests, away. */
const otherwise: readonly number[] = [404, 409, 429, 503];

function statefulSetWords(set: StatefulSet, pod: Pod): string {
  return `create Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name ?? ""} failed error: `;
}

/** The status with these fields, whose paths begin at the object. */
export function statusWith(object: KubeObject, fields: readonly FieldValue[]): Json {
  const before: Json = { status: object["status"] ?? {} };
  return fields.reduce((so, [path, value]) => withValue(so, path, value), before)["status"] as Json;
}

/** The reference that makes an object owned. */
export function makeOwner({ apiVersion, kind, metadata }: KubeObject): Json {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The words of an object's identity, for keys of acts. */
export function identity({ kind, metadata }: KubeObject): string {
  return [kind, metadata.name, metadata.uid].map((word) => asString(word) ?? "").join("/");
}

/** A short text that is the same for equal values. */
export function hashValue(value: unknown): string {
  return createHash("sha256").update(stableJson(value)).digest("hex").slice(0, 10);
}

/** Whether two values say the same, the times in them aside. */
export function sameButTimes(left: unknown, right: unknown): boolean {
  return stableJson(left ?? null, times) === stableJson(right ?? null, times);
}

const times: ReadonlySet<string> = new Set([
  ...["lastTransitionTime", "lastUpdateTime", "startTime", "startedAt", "finishedAt"],
]);

/** JSON whose keys are in order at every depth; those that are left out have an empty value. */
export function stableJson(value: unknown, leftOut: ReadonlySet<string> = new Set()): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (leftOut.has(key)) return "";
    return isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner;
  });
}

/** A moment as Kubernetes writes it, in whole seconds. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
