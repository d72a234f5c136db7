/** What scheduler and kubelet say of a pod, in its conditions and events, and the lines that show more of it. */
import type { Facts } from "../facts/facts";
import { conditionOf, type KubeObject, nameOf, namespaceOf } from "../kube/objects";
import { getPath, getOwn, asString } from "../base/values";
import type { Problem } from "./progress";

/** A cause without the object that it was seen on. */
export type Trouble = Omit<Problem, "object" | "code">;

/** What a pod is judged in; without it only the pod itself is. */
export interface PodContext {
  readonly facts: Facts;
  /** Of an earlier revision, which its StatefulSet does not replace until it is ready. */
  readonly outdated?:
    | { readonly says: string; readonly othersReady: boolean; readonly isParallel: boolean }
    | undefined;
}

/** `kubectl VERB WORDS -n NAMESPACE`, for a pod. */
export function line(pod: KubeObject, ...words: readonly string[]): string {
  return ["kubectl", ...words, "-n", namespaceOf(pod)].join(" ");
}

/** The line that shows what kubectl knows of the pod. */
export function describe(pod: KubeObject): string {
  return line(pod, "describe", "pod", nameOf(pod));
}

/** What the scheduler says of a pod that it cannot place. */
export function unplaced(pod: KubeObject): string | undefined {
  const condition = conditionOf(pod, "PodScheduled");
  if (getOwn(condition, "status") !== "False") return undefined;
  return (
    asString(getOwn(condition, "message")) ?? asString(getOwn(condition, "reason")) ?? "no reason"
  );
}

/** The warnings of one reason about a pod, the newest first. */
export function warningsOf(facts: Facts, pod: KubeObject, reason: string): readonly KubeObject[] {
  return eventsOf(facts, pod)
    .filter((event) => getOwn(event, "reason") === reason)
    .toSorted((one, other) => Date.parse(timesOf(other).last) - Date.parse(timesOf(one).last));
}

function eventsOf({ objects }: Facts, pod: KubeObject): readonly KubeObject[] {
  return objects.events.filter(
    (event) =>
      getPath(event, ["involvedObject", "kind"]) === "Pod" &&
      getPath(event, ["involvedObject", "name"]) === nameOf(pod) &&
      [undefined, pod.metadata.uid].includes(
        asString(getPath(event, ["involvedObject", "uid"])) ?? undefined,
      ),
  );
}

const never = new Date(0).toISOString();

/** The first and the last time of an event, whoever wrote it; that of one without is the oldest. */
export function timesOf(event: KubeObject): { readonly first: string; readonly last: string } {
  const [first, last, at, series, made] = [
    getOwn(event, "firstTimestamp"),
    getOwn(event, "lastTimestamp"),
    getOwn(event, "eventTime"),
    getPath(event, ["series", "lastObservedTime"]),
    event.metadata["creationTimestamp"],
  ].map((time) => asString(time));
  return {
    first: first ?? at ?? made ?? last ?? never,
    last: series ?? last ?? at ?? made ?? first ?? never,
  };
}
