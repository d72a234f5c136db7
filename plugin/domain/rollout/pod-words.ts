/** What scheduler and kubelet say of a pod, in its conditions and events, and the lines that show more of it. */
import { kubectl, look, type Remedy } from "../base/remedy";
import type { Facts } from "../facts/facts";
import type { Event, Pod } from "../kube/models";
import { readName, readNamespace } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { asString } from "../base/values";

/** What a pod is judged in; without it only the pod itself is. */
export interface PodContext {
  readonly facts: Facts;
  /** Of an earlier revision, which its StatefulSet does not replace until it is ready. */
  readonly outdated?:
    | { readonly says: string; readonly othersReady: boolean; readonly isParallel: boolean }
    | undefined;
}

/** What creates a pod again, and whose spec decides what it is made of. */
export interface PodOwner {
  /** Kind of the controller that creates it. */
  readonly kind: string;
  /** Where its containers are described, for a person who is to change them. */
  readonly spec: string;
}

/** The owner by the pod's controller: what a Deployment makes is changed there, other pods in the cluster's resource. */
export function podOwner({ metadata }: Pod): PodOwner {
  const isOfSet = metadata.ownerReferences?.some((one) => one["kind"] === "ReplicaSet");
  return isOfSet === true ? deploymentOwner : setOwner;
}

const deploymentOwner: PodOwner = {
  kind: "Deployment",
  spec: "its Deployment, or the Subscription's spec.config where OLM keeps it",
};

/** The owner of the pods of a cluster. */
export const setOwner: PodOwner = {
  kind: "StatefulSet",
  spec: "the spec of the cluster's resource",
};

/** A remedy, with the line that shows what kubectl knows of the pod. */
export function seePod(pod: Pod, says: string): Remedy {
  return look(says, "describe", "pod", readName(pod), "-n", readNamespace(pod));
}

/** A remedy with a command in the namespace of the pod. */
export function onPod(pod: Pod, says: string, ...words: readonly string[]): Remedy {
  return kubectl(says, ...words, "-n", readNamespace(pod));
}

/** What the scheduler says of a pod that it cannot place. */
export function explainUnplaced(pod: Pod): string | undefined {
  const condition = findCondition(pod, "PodScheduled");
  if (condition?.status !== "False") return undefined;
  return asString(condition.message) ?? asString(condition.reason) ?? "no reason";
}

/** The warnings of one reason about a pod, the newest first. */
export function listWarnings(facts: Facts, pod: Pod, reason: string): readonly Event[] {
  return listEvents(facts, pod)
    .filter((event) => event.reason === reason)
    .toSorted((one, other) => Date.parse(readTimes(other).last) - Date.parse(readTimes(one).last));
}

function listEvents({ objects }: Facts, pod: Pod): readonly Event[] {
  return objects.events.filter(
    (event) =>
      event.involvedObject?.kind === "Pod" &&
      event.involvedObject.name === readName(pod) &&
      [undefined, pod.metadata.uid].includes(asString(event.involvedObject.uid)),
  );
}

/** Who acts for StatefulSets, pods and nodes. */
export const checkController = kubectl(
  "check whether the controller manager of Kubernetes runs",
  ...["get", "lease", "kube-controller-manager", "-n", "kube-system", "-o", "yaml"],
);

const never = new Date(0).toISOString();

/** The first and the last time of an event, whoever wrote it; that of one without is the oldest. */
export function readTimes(event: Event): { readonly first: string; readonly last: string } {
  const [first, last, at, series, made] = [
    event.firstTimestamp,
    event.lastTimestamp,
    event.eventTime,
    event.series?.lastObservedTime,
    event.metadata["creationTimestamp"],
  ].map((time) => asString(time));
  return {
    first: first ?? at ?? made ?? last ?? never,
    last: series ?? last ?? at ?? made ?? first ?? never,
  };
}
