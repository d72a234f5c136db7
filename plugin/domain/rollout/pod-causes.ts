/** What keeps a pod from being ready, in the words of scheduler, kubelet and controller (domain facts 11). */
import { conditionOf, type KubeObject, nameOf, objectLabel } from "../kube/objects";
import { getPath, asArray, getOwn, asString } from "../base/values";
import { rankOf, type RollCause, rollFindings } from "./findings";
import { crashed, notConfigured, notPulled, ofContainers, outOfMemory } from "./pod-containers";
import { evicted, overdue, terminating } from "./pod-ends";
import { cordoned, nodeLost, unbound, unschedulable } from "./pod-nodes";
import {
  describe,
  line,
  type PodContext,
  timesOf,
  type Trouble,
  unplaced,
  warningsOf,
} from "./pod-words";
import type { Problem } from "./progress";
import { latest } from "./times";

/** True when the pod's condition Ready is True and it is not on its way out. */
export function isReady(pod: KubeObject): boolean {
  const ready = conditionOf(pod, "Ready");
  return pod.metadata.deletionTimestamp === undefined && getOwn(ready, "status") === "True";
}

type Recognizer = (pod: KubeObject, context?: PodContext) => Trouble | undefined;

/** How each cause of a pod is recognized, with its words and its remedy. */
const causes: readonly (readonly [cause: RollCause, recognize: Recognizer])[] = [
  ["nodeLost", nodeLost],
  ["nodeCordoned", cordoned],
  ["attach", (pod, context) => eventual(pod, context, "FailedAttachVolume")],
  ["volume", unbound],
  ["outdated", outdated],
  ["unschedulable", unschedulable],
  ["sandbox", (pod, context) => eventual(pod, context, "FailedCreatePodSandBox")],
  ["mount", (pod, context) => eventual(pod, context, "FailedMount")],
  ["config", (pod) => ofContainers(pod, notConfigured)],
  ["image", (pod) => ofContainers(pod, notPulled)],
  ["evicted", evicted],
  ["memory", (pod) => ofContainers(pod, outOfMemory)],
  ["crash", (pod) => ofContainers(pod, crashed)],
  ["overdue", overdue],
  ["terminating", terminating],
  ["gate", gated],
  ["notReady", notReady],
];

/** Every cause of one pod, the first to be handled first; none for one that is ready. */
export function podTroubles(pod: KubeObject, context?: PodContext): readonly Problem[] {
  if (isReady(pod)) return [];
  const object = objectLabel(pod);
  return causes
    .flatMap(([cause, recognize]) => {
      const found = recognize(pod, context);
      return found === undefined ? [] : [{ code: rollFindings[cause].code, object, ...found }];
    })
    .toSorted((one, other) => rankOf(one.code) - rankOf(other.code));
}

/** What keeps a pod from being ready; undefined for one that is. */
export function podTrouble(pod: KubeObject, context?: PodContext): Problem | undefined {
  const [first] = podTroubles(pod, context);
  return first;
}

/** Its own trouble is that of what was asked for before: what is asked for now is not tried until it is deleted. */
function outdated(pod: KubeObject, context?: PodContext): Trouble | undefined {
  const old = context?.outdated;
  if (context === undefined || old === undefined || pod.metadata.deletionTimestamp !== undefined)
    return undefined;
  if (!mayHelp(pod)) return undefined;
  const [own] = podTroubles(pod, { facts: context.facts });
  return {
    because: `${old.says}, and the StatefulSet controller does not replace it while it is not ready: ${String(own?.because)}`,
    fix: `${old.othersReady ? atOnce : afterOthers}: ${line(pod, "delete", "pod", nameOf(pod))}`,
    since: own?.since,
    ...(!old.isParallel && sureness(own)),
  };
}

const again = "it is created again as the StatefulSet asks for it now";
const atOnce = `delete it: its volume stays, every other pod is ready, and ${again}`;
const afterOthers = `make the other pods ready first; then delete it, and ${again}`;

/** A node that is missing for another reason than what the pod asks for is missing for its successor too. */
function mayHelp(pod: KubeObject): boolean {
  const message = unplaced(pod);
  return message === undefined || /insufficient/i.test(message);
}

/** With pods in parallel the controller of some releases still replaces such a pod: then only time tells. */
function sureness(own: Problem | undefined): Pick<Trouble, "definite" | "evident"> {
  return { definite: own?.definite === true, evident: own?.evident === true };
}

const remedies: Readonly<Record<string, (pod: KubeObject) => string>> = {
  FailedAttachVolume: () =>
    "let the node that holds the volume release it: see which one with kubectl get volumeattachments",
  FailedMount: (pod) => `create or fix what the message names; see ${describe(pod)}`,
  FailedCreatePodSandBox: (pod) =>
    `see the network plugin and the container runtime of node ${String(getPath(pod, ["spec", "nodeName"]))}: ${describe(pod)}`,
};

/** What only an event reports: it repeats while the cause is there, so its first time counts. */
function eventual(
  pod: KubeObject,
  context: PodContext | undefined,
  reason: keyof typeof remedies,
): Trouble | undefined {
  const isStarted = asArray(getPath(pod, ["status", "containerStatuses"])).some(
    (status) => getPath(status, ["state", "running"]) !== undefined,
  );
  if (context === undefined || isStarted || pod.metadata.deletionTimestamp !== undefined)
    return undefined;
  const found = warningsOf(context.facts, pod, reason);
  const [newest] = found;
  if (newest === undefined) return undefined;
  const message = asString(getOwn(newest, "message")) ?? reason;
  const first = found.map((event) => timesOf(event).first).toSorted()[0];
  return {
    because: `${reason}: ${message.trim()}`,
    fix: String(remedies[reason]?.(pod)),
    since: first,
    ...(/not found|does not exist/.test(message) && reason === "FailedMount" && { definite: true }),
  };
}

/** A condition that somebody else has to set before the pod counts as ready. */
function gated(pod: KubeObject): Trouble | undefined {
  const ready = conditionOf(pod, "ContainersReady");
  if (getOwn(ready, "status") !== "True" || pod.metadata.deletionTimestamp !== undefined)
    return undefined;
  const open = asArray(getPath(pod, ["spec", "readinessGates"]))
    .flatMap((gate) => asString(getOwn(gate, "conditionType")) ?? [])
    .filter((type) => getOwn(conditionOf(pod, type), "status") !== "True");
  if (open.length === 0) return undefined;
  const said = open.flatMap((type) => asString(getOwn(conditionOf(pod, type), "message")) ?? []);
  return {
    because: `all its containers are ready, and its readiness gate ${open.join(", ")} is not set${said.length === 0 ? "" : `: ${said.join("; ")}`}`,
    fix: `see the controller that sets ${open.join(", ")}, a load balancer's for example: ${describe(pod)}`,
    since: asString(getOwn(ready, "lastTransitionTime")),
  };
}

function notReady(pod: KubeObject, context?: PodContext): Trouble | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return undefined;
  const condition = conditionOf(pod, "Ready");
  const told =
    asString(getOwn(condition, "message")) ?? asString(getPath(pod, ["status", "message"]));
  const reason =
    asString(getPath(pod, ["status", "reason"])) ?? asString(getOwn(condition, "reason"));
  const phase = asString(getPath(pod, ["status", "phase"])) ?? "Pending";
  const [event] = context === undefined ? [] : warningsOf(context.facts, pod, "Unhealthy");
  const probe = asString(getOwn(event, "message"))?.trim();
  return {
    because: [`it is ${phase} and not ready`, reason, told, probe].filter(Boolean).join(": "),
    fix: `see its events and its probe with ${describe(pod)}`,
    since: latest([getOwn(condition, "lastTransitionTime") ?? pod.metadata["creationTimestamp"]]),
  };
}
