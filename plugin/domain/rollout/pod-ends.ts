/** How a pod ends: evicted, still draining, or still there after its time (domain facts 11). */
import type { Facts } from "../facts/facts";
import { conditionOf, type KubeObject, nameOf } from "../kube/objects";
import { getPath, asArray, getOwn, asString } from "../base/values";
import { renderAge } from "../base/duration";
import { describe, line, type PodContext, type Trouble } from "./pod-words";
import { deletedAt } from "./times";

export function evicted(pod: KubeObject): Trouble | undefined {
  if (getPath(pod, ["status", "reason"]) !== "Evicted") return undefined;
  const said = asString(getPath(pod, ["status", "message"])) ?? "it was evicted";
  const node = asString(getPath(pod, ["spec", "nodeName"]));
  const where = node === undefined ? "the node" : `node ${node}`;
  return {
    because: `Evicted: ${said.trim()}`,
    fix: `free what the message names on ${where}, or raise the request and the limit; see ${describe(pod)}`,
    since: asString(getPath(pod, ["status", "startTime"])),
    evident: true,
  };
}

/** How long a pod may take to end, and how long ago that was over. */
function graceOf(pod: KubeObject, facts: Facts | undefined) {
  const { deletionTimestamp } = pod.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const grace = getOwn(pod.metadata, "deletionGracePeriodSeconds");
  const overMs = facts === undefined ? NaN : facts.now - Date.parse(deletionTimestamp);
  return { grace: typeof grace === "number" ? grace : undefined, overMs };
}

const overdueMs = 120_000;

/** Nobody drains any more: the kubelet has not ended it although its time is over. */
export function overdue(pod: KubeObject, context?: PodContext): Trouble | undefined {
  const found = graceOf(pod, context?.facts);
  if (found?.grace === undefined || !(found.overMs > overdueMs)) return undefined;
  const node = asString(getPath(pod, ["spec", "nodeName"]));
  const finalizers = asArray(getOwn(pod.metadata, "finalizers"));
  const held = finalizers.length === 0 ? "" : `; finalizers ${finalizers.join(", ")} hold it`;
  const see = node === undefined ? describe(pod) : `kubectl describe nodes ${node}`;
  return {
    because: `its grace period of ${found.grace} s ended ${renderAge(found.overMs)} ago, and it is still there${held}`,
    fix:
      held === ""
        ? `see the kubelet and the container runtime of its node: ${see}`
        : `find out who has to take the finalizer off: ${describe(pod)}`,
    since: pod.metadata.deletionTimestamp,
  };
}

const longestDrainMs = 3_600_000;

export function terminating(pod: KubeObject, context?: PodContext): Trouble | undefined {
  const found = graceOf(pod, context?.facts);
  if (found === undefined) return undefined;
  const disruption = asString(getOwn(conditionOf(pod, "DisruptionTarget"), "message"));
  const may = found.grace === undefined ? "" : `, and may take ${found.grace} s`;
  const began = deletedAt(pod);
  const isDraining =
    context !== undefined &&
    found.overMs < 0 &&
    context.facts.now - Date.parse(String(began)) < longestDrainMs;
  return {
    because: `it drains before it ends${may}${disruption === undefined ? "" : `: ${disruption}`}`,
    fix: `it moves its shards away first, so give it time before you force its deletion; check what it is doing with ${line(pod, "logs", nameOf(pod), "--tail=20")}`,
    since: began,
    // what it may still take is no standstill
    ...(isDraining && { patient: true }),
  };
}
