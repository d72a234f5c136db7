/** When something last moved, as far as the objects report it; what only repeats is no movement. */
import { renderAge } from "../base/duration";
import { asString } from "../base/values";
import type { ContainerStatus, Pod, StatefulSet } from "../kube/models";
import type { KubeObject } from "../kube/objects";
import { findCondition } from "../kube/typed";

/** The latest of these moments, RFC 3339; what is no moment counts as absent. */
export function latest(times: readonly unknown[]): string | undefined {
  return times
    .flatMap((time) => asString(time) ?? [])
    .filter((time) => !Number.isNaN(Date.parse(time)))
    .toSorted((one, other) => Date.parse(other) - Date.parse(one))[0];
}

const briefMs = 60_000;

/** So short a time ago that what a first try met may be over with the next; by a clock that is ahead as well. */
export function isBrief(since: string | undefined, now: number): boolean {
  return now - Date.parse(String(since)) < briefMs;
}

/** Undefined for a time that is still to come: the clock that it was told by is ahead. */
export function dropFuture(time: string | undefined, now: number): string | undefined {
  return Date.parse(time ?? "") - now > largestSkewMs ? undefined : time;
}

/** The API server stores when the grace period ends, not when it began. */
export function readDeletionTime({ metadata }: KubeObject): string | undefined {
  const end = Date.parse(metadata.deletionTimestamp ?? "");
  if (Number.isNaN(end)) return undefined;
  const grace = metadata["deletionGracePeriodSeconds"];
  return new Date(end - (typeof grace === "number" ? grace * 1000 : 0)).toISOString();
}

/** The statuses of a pod's containers, of those that run first at the beginning. */
export function listStatuses({ status }: Pod): readonly ContainerStatus[] {
  return [status?.initContainerStatuses, status?.containerStatuses].flatMap((list) => list ?? []);
}

/** A container that is restarted again and again changes its conditions and gets nowhere; one that is ready has got there. */
export function isLooping(pod: Pod): boolean {
  if (findCondition(pod, "Ready")?.status === "True") return false;
  return listStatuses(pod).some(
    ({ restartCount, state }) =>
      Number(restartCount) > 1 || state?.waiting?.reason === "CrashLoopBackOff",
  );
}

/** When a pod last got further. */
function podTimes(pod: Pod): readonly unknown[] {
  const made = [pod.metadata["creationTimestamp"], readDeletionTime(pod)];
  if (isLooping(pod)) return made;
  return [
    ...made,
    ...(pod.status?.conditions ?? []).map((one) => one.lastTransitionTime),
    ...listStatuses(pod).flatMap(({ state }) => [
      state?.running?.startedAt,
      state?.terminated?.finishedAt,
    ]),
  ];
}

/** When the API server noted a write; `status` counts the writes of the status too. */
export function writeTimes(
  { metadata }: KubeObject,
  { status }: { readonly status: boolean },
): readonly unknown[] {
  return [
    metadata["creationTimestamp"],
    ...(metadata.managedFields ?? [])
      .filter(({ subresource }) => status || subresource === undefined)
      .map((entry) => entry["time"]),
  ];
}

/** The last movement of a roll, and what moved; undefined where no object reports a time. */
export interface Movement {
  readonly at: string;
  readonly what: string;
}

interface Moving {
  readonly set: StatefulSet | undefined;
  readonly pods: readonly Pod[];
  /** What asks for the roll. */
  readonly owner?: KubeObject | undefined;
}

/** What moved last: a pod, the StatefulSet, or who asks for it. */
export function lastMovement({ set, pods, owner }: Moving): Movement | undefined {
  const status = !pods.some(isLooping);
  const all = [
    ...pods.map((pod) => ({ object: pod, at: latest(podTimes(pod)) })),
    ...(set === undefined ? [] : [{ object: set, at: latest(writeTimes(set, { status })) }]),
    ...(owner === undefined
      ? []
      : [{ object: owner, at: latest(writeTimes(owner, { status: false })) }]),
  ];
  const newest = latest(all.map(({ at }) => at));
  const found = all.find(({ at }) => at === newest);
  if (newest === undefined || found === undefined) return undefined;
  return { at: newest, what: `${found.object.kind} ${String(found.object.metadata.name)}` };
}

const largestSkewMs = 60_000;

/** A time that is still to come: how long nothing has moved cannot be told. */
export function renderSkew(at: string, now: number): string {
  const ahead = Date.parse(at) - now;
  if (!(ahead > largestSkewMs)) return "";
  return `, which is ${renderAge(ahead)} ahead of the clock here: compare the clocks, for how long nothing has moved is not known`;
}
