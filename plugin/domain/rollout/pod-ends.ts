/** How a pod ends: evicted, still draining, or still there after its time (domain facts 11). */
import type { Recognized } from "./progress";
import { look, type Remedy } from "../base/remedy";
import type { Facts } from "../facts/facts";
import type { Pod } from "../kube/models";
import { readName, readNamespace } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { asArray, asString } from "../base/values";
import { renderAge } from "../base/duration";
import { listWarnings, type PodContext, type PodOwner, podOwner, seePod } from "./pod-words";
import { readDeletionTime } from "./times";

/** A pod over a limit of its own is evicted wherever it runs: no node helps. */
const ownLimit =
  /exceed(s|ed) (the total limit of containers|the limit|its local ephemeral storage limit)/i;

/** What ends evictions, by what the kubelet says of one. */
export function evictionWay(said: string, where: string, { spec }: Pick<PodOwner, "spec">): string {
  return ownLimit.test(said)
    ? `it writes more onto its node than it may: raise the limit of ephemeral-storage that is named in ${spec}, or find out what writes so much`
    : `free what the message names on ${where}, or raise the request and the limit`;
}

export function findEvicted(pod: Pod): Recognized | undefined {
  if (pod.status?.reason !== "Evicted") return undefined;
  const said = asString(pod.status.message) ?? "it was evicted";
  const node = asString(pod.spec?.nodeName);
  const where = node === undefined ? "the node" : `node ${node}`;
  return {
    cause: `Evicted: ${said.trim()}`,
    remedies: [seePod(pod, evictionWay(said, where, podOwner(pod)))],
    since: asString(pod.status.startTime),
    evident: true,
  };
}

/** How long a pod may take to end, and how long ago that was over. */
function readGrace(pod: Pod, facts: Facts | undefined) {
  const { deletionTimestamp } = pod.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const grace = pod.metadata["deletionGracePeriodSeconds"];
  const overMs = facts === undefined ? NaN : facts.now - Date.parse(deletionTimestamp);
  return { grace: typeof grace === "number" ? grace : undefined, overMs };
}

const overdueMs = 120_000;

/** Nobody drains any more: the kubelet has not ended it although its time is over. */
export function overdue(pod: Pod, context?: PodContext): Recognized | undefined {
  const found = readGrace(pod, context?.facts);
  if (found?.grace === undefined || !(found.overMs > overdueMs)) return undefined;
  const node = asString(pod.spec?.nodeName);
  const finalizers = asArray(pod.metadata["finalizers"]);
  const held = finalizers.length === 0 ? "" : `; finalizers ${finalizers.join(", ")} hold it`;
  const runtime = "check the kubelet and the container runtime of its node";
  const remedy = held === "" ? seeNode(pod, runtime, node) : seePod(pod, holders);
  const hook = describeFailedEnd(pod, context);
  return {
    cause: `its grace period of ${found.grace} s ended ${renderAge(found.overMs)} ago, and it is still there${held}${hook}`,
    remedies: [remedy],
    since: pod.metadata.deletionTimestamp,
  };
}

const holders = "find out who has to take the finalizer off";

/** A remedy on the pod's node, where it has one. */
function seeNode(pod: Pod, says: string, node: string | undefined): Remedy {
  return node === undefined ? seePod(pod, says) : look(says, "describe", "nodes", node);
}

/** What its container was to do before it ends and did not, or why the runtime cannot end it. */
function describeFailedEnd(pod: Pod, context: PodContext | undefined): string {
  if (context === undefined) return "";
  return ["FailedPreStopHook", "FailedKillPod"]
    .map((reason) => {
      const [event] = listWarnings(context.facts, pod, reason);
      const said = asString(event?.message);
      return said === undefined ? "" : `; ${reason}: ${said.trim()}`;
    })
    .join("");
}

const longestDrainMs = 3_600_000;
/** A longer grace period is no time that anybody waits for: it only keeps the pod from being killed. */
const longestGrace = 43_200;

export function findTerminating(pod: Pod, context?: PodContext): Recognized | undefined {
  const found = readGrace(pod, context?.facts);
  if (found === undefined) return undefined;
  const disruption = asString(findCondition(pod, "DisruptionTarget")?.message);
  const may = found.grace === undefined ? "" : `, and may take ${found.grace} s`;
  const began = readDeletionTime(pod);
  const isDraining =
    context !== undefined &&
    found.overMs < 0 &&
    (Number(found.grace) <= longestGrace ||
      context.facts.now - Date.parse(String(began)) < longestDrainMs);
  const container = context === undefined ? [] : ["-c", context.facts.names.pods.container];
  const log = ["logs", readName(pod), ...container, "--tail=20"];
  return {
    cause: `it drains before it ends${may}${disruption === undefined ? "" : `: ${disruption}`}${describeFailedEnd(pod, context)}`,
    remedies: [
      {
        says: "give it time before you force its deletion: it moves its shards away first",
        see: { of: "kubectl", words: [...log, "-n", readNamespace(pod)] },
      },
    ],
    since: began,
    // what it may still take is no standstill
    ...(isDraining && { patient: true }),
  };
}
