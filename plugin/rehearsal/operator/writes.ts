/** The writes of the played controllers: bound to the version that they were decided on. */
import { createHash } from "node:crypto";
import { preconditionsOf, refTo } from "../../domain/objects";
import { isObject, type Json, withValue } from "../../domain/values";
import type { Cluster, KubeObject, Resource } from "../../run/ports";
import type { FieldValue } from "./rest-service";

/** Kubernetes' own writers. */
export const controllerManager = "kube-controller-manager";
export const kubelet = "kubelet";

/** A kind, an object of it, and who writes. */
export interface Target {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly manager: string;
}

/** Writes the whole status, through the subresource. */
export async function writeStatus(cluster: Cluster, target: Target, status: Json): Promise<void> {
  const { resource, object, manager } = target;
  const before = object["status"];
  const gone = Object.keys(isObject(before) ? before : {}).filter((key) => !(key in status));
  const nothing = Object.fromEntries(gone.map((key) => [key, null]));
  const { resourceVersion } = object.metadata;
  const body = { metadata: { resourceVersion }, status: { ...status, ...nothing } };
  const options = { type: "merge", subresource: "status", fieldManager: manager } as const;
  await cluster.patch(refTo(resource, object), body, options);
}

/** Changes fields of the object. */
export async function writeFields(cluster: Cluster, target: Target, fields: Json): Promise<void> {
  const { resource, object, manager } = target;
  const { resourceVersion } = object.metadata;
  const { metadata, ...rest } = fields;
  const body = { ...rest, metadata: { ...(metadata as Json | undefined), resourceVersion } };
  await cluster.patch(refTo(resource, object), body, { type: "merge", fieldManager: manager });
}

/** Deletes the object, and no other of its name. */
export async function remove(cluster: Cluster, { resource, object }: Target): Promise<void> {
  const { uid } = preconditionsOf(object);
  await cluster.delete(refTo(resource, object), uid === undefined ? {} : { uid });
}

/** The status with these fields, whose paths begin at the object. */
export function statusWith(object: KubeObject, fields: readonly FieldValue[]): Json {
  const before: Json = { status: object["status"] ?? {} };
  return fields.reduce((so, [path, value]) => withValue(so, path, value), before)["status"] as Json;
}

/** A short text that is the same for equal values. */
export function hashOf(value: unknown): string {
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
