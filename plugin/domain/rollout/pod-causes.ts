/** What keeps a pod from being ready, in the words of scheduler, kubelet and controller (domain facts 11). */
import type { Recognized, Timed } from "./progress";
import { look, type Remedy } from "../base/remedy";
import type { Event, Pod } from "../kube/models";
import { readName, objectLabel } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { asString } from "../base/values";
import { type Facts, isKnown } from "../facts/facts";
import { findAttachment } from "./attachments";
import { rankCode, type RollCause, rollFinding, rollFindings } from "./findings";
import { findCrashed, findEarly, notConfigured, ofContainers, outOfMemory } from "./pod-containers";
import { notPulled } from "./pod-images";
import { findRecreated } from "./pod-recreated";
import { attachWay, mountWay, sandboxWay } from "./volume-words";
import { findOwnership, findWait } from "./pod-waits";
import { findEvicted, overdue, findTerminating } from "./pod-ends";
import { findCordoned, nodeLost, unschedulable } from "./pod-nodes";
import { unbound } from "./pod-claims";
import {
  type PodContext,
  readTimes,
  explainUnplaced,
  listWarnings,
  podOwner,
  onPod,
  seePod,
} from "./pod-words";
import { latest } from "./times";

/** True when the pod's condition Ready is True and it is not on its way out. */
export function isReady(pod: Pod): boolean {
  const ready = findCondition(pod, "Ready");
  return pod.metadata.deletionTimestamp === undefined && ready?.status === "True";
}

type Recognizer = (pod: Pod, context?: PodContext) => Recognized | undefined;

/** How each cause of a pod is recognized, with its words and its remedy. */
const causes: readonly (readonly [cause: RollCause, recognize: Recognizer])[] = [
  ["nodeLost", nodeLost],
  ["nodeCordoned", findCordoned],
  ["attach", findUnattached],
  ["volume", unbound],
  ["outdated", findOutdated],
  ["recreated", findRecreated],
  ["unschedulable", unschedulable],
  ["sandbox", (pod, context) => eventual(pod, context, "FailedCreatePodSandBox")],
  ["mount", (pod, context) => eventual(pod, context, "FailedMount")],
  ["config", (pod) => ofContainers(pod, notConfigured)],
  ["image", (pod, context) => ofContainers(pod, (one) => notPulled(one, pod, context))],
  ["evicted", findEvicted],
  ["memory", (pod) => ofContainers(pod, outOfMemory)],
  ["crash", (pod, context) => ofContainers(pod, (one) => findCrashed(one, pod, context))],
  ["overdue", overdue],
  ["terminating", findTerminating],
  ["gate", findGated],
  ["notReady", notReady],
];

/** Every cause of one pod, the first to be handled first; none for one that is ready. */
export function podTroubles(pod: Pod, context?: PodContext): readonly Timed[] {
  if (isReady(pod)) return [];
  const object = objectLabel(pod);
  const found = causes.flatMap(([cause, recognize]): readonly Timed[] => {
    const seen = recognize(pod, context);
    return seen === undefined ? [] : [rollFinding(cause, { object, ...seen })];
  });
  // what it is given time for is why it is not ready
  const isGivenTime = found.some(({ patient }) => patient === true);
  return found
    .filter(({ code }) => !isGivenTime || code !== rollFindings.notReady.code)
    .toSorted((one, other) => rankCode(one.code) - rankCode(other.code));
}

/** What keeps a pod from being ready; undefined for one that is. */
export function podTrouble(pod: Pod, context?: PodContext): Timed | undefined {
  const [first] = podTroubles(pod, context);
  return first;
}

/** Its own trouble is that of what was asked for before: what is asked for now is not tried until it is deleted. */
function findOutdated(pod: Pod, context?: PodContext): Recognized | undefined {
  const old = context?.outdated;
  if (context === undefined || old === undefined || pod.metadata.deletionTimestamp !== undefined)
    return undefined;
  if (!mayHelp(pod)) return undefined;
  const [own] = podTroubles(pod, { facts: context.facts });
  return {
    cause: `${old.says}, and the StatefulSet controller does not replace it while it is not ready: ${String(own?.cause)}`,
    remedies: [onPod(pod, old.othersReady ? atOnce : afterOthers, "delete", "pod", readName(pod))],
    since: own?.since,
    ...(!old.isParallel && sureness(own)),
  };
}

const again = "it is created again as the StatefulSet asks for it now";
const atOnce = `delete it: its volume stays, no pod that is ready is touched, and ${again}`;
const afterOthers = `make the other pods ready first; then delete it, and ${again}`;

/** A node that is missing for another reason than what the pod asks for is missing for its successor too. */
function mayHelp(pod: Pod): boolean {
  const message = explainUnplaced(pod);
  return message === undefined || /insufficient/i.test(message);
}

/** With pods in parallel the controller of some releases still replaces such a pod: then only time tells. */
function sureness(own: Timed | undefined): Pick<Recognized, "definite" | "evident"> {
  return { definite: own?.definite === true, evident: own?.evident === true };
}

const eventWays = {
  FailedAttachVolume: (pod, message) => look(attachWay(pod, message), "get", "volumeattachments"),
  FailedMount: (pod, message) => seePod(pod, mountWay(pod, message)),
  FailedCreatePodSandBox: (pod, message) => seePod(pod, sandboxWay(pod, message)),
} as const satisfies Readonly<Record<string, (pod: Pod, message: string) => Remedy>>;

/** What only an event reports: it repeats while the cause is there, so its first time counts. */
function eventual(
  pod: Pod,
  context: PodContext | undefined,
  reason: keyof typeof eventWays,
): Recognized | undefined {
  if (context === undefined || pod.metadata.deletionTimestamp !== undefined) return undefined;
  const found = listWarnings(context.facts, pod, reason);
  const [newest] = found;
  if (newest === undefined || isOver(pod, context.facts, newest)) return undefined;
  const message = asString(newest.message) ?? reason;
  const first = found.map((event) => readTimes(event).first).toSorted()[0];
  return {
    cause: `${reason}: ${message.trim()}`,
    remedies: [eventWays[reason](pod, message)],
    since: first,
    ...readPatience(message, reason, findOwnership(pod, context.facts) !== undefined),
  };
}

/** What is missing does not come by waiting; a mount that runs into its time limit may still be at work. */
function readPatience(
  message: string,
  reason: keyof typeof eventWays,
  isAtWork: boolean,
): Pick<Recognized, "definite" | "patient"> {
  // the driver of a node that has just started comes up a little later
  const isMissing = /not found|does not exist/.test(message) && !/CSI drivers/.test(message);
  if (isMissing) return { definite: reason === "FailedMount" };
  return { patient: isAtWork && /timed out|deadline/.test(message) };
}

/** What comes after volumes and network in the start of a pod. */
const laterSteps = ["Pulling", "Pulled", "Created", "Started"];

/** Something that comes later has begun since. */
function isOver(pod: Pod, facts: Facts, event: Event): boolean {
  const { last } = readTimes(event);
  const later = laterSteps.flatMap((reason) => listWarnings(facts, pod, reason));
  return (
    hasStartedSince(pod, last) ||
    later.some((one) => Date.parse(readTimes(one).last) > Date.parse(last))
  );
}

/** The events say that it failed, the attachments which node holds the volume, and for whom. */
function findUnattached(pod: Pod, context?: PodContext): Recognized | undefined {
  const told = eventual(pod, context, "FailedAttachVolume");
  const isTold = told !== undefined;
  const seen = context && findAttachment(pod, context.facts, { isTold });
  if (told === undefined || seen === undefined) return told ?? seen;
  return { ...told, cause: `${told.cause}; ${seen.cause}`, remedies: seen.remedies };
}

/** A container runs, or one that runs first has begun after that time: what the event tells of is over. */
function hasStartedSince(pod: Pod, time: string): boolean {
  const { status } = pod;
  return (
    status?.containerStatuses?.some(({ state }) => state?.running) === true ||
    status?.initContainerStatuses?.some(
      ({ state }) => Date.parse(String(state?.running?.startedAt)) >= Date.parse(time),
    ) === true
  );
}

/** A condition that somebody else has to set before the pod counts as ready. */
function findGated(pod: Pod): Recognized | undefined {
  const ready = findCondition(pod, "ContainersReady");
  if (ready?.status !== "True" || pod.metadata.deletionTimestamp !== undefined) return undefined;
  const open = pod.spec?.readinessGates
    ?.flatMap(({ conditionType }) => asString(conditionType) ?? [])
    .filter((type) => findCondition(pod, type)?.status !== "True");
  if (open === undefined || open.length === 0) return undefined;
  const said = open.flatMap((type) => asString(findCondition(pod, type)?.message) ?? []);
  return {
    cause: `all its containers are ready, and its readiness gate ${open.join(", ")} is not set${said.length === 0 ? "" : `: ${said.join("; ")}`}`,
    remedies: [
      seePod(
        pod,
        `check the controller that sets ${open.join(", ")}, a load balancer's for example`,
      ),
    ],
    since: asString(ready.lastTransitionTime),
  };
}

function notReady(pod: Pod, context?: PodContext): Recognized | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return undefined;
  const phase = readPhase(pod);
  const early = findEarly(pod);
  const wait = context && findWait(pod, context.facts);
  const seen = readProbe(pod, context) ?? early?.says ?? findWaitingReason(pod);
  const words = [`it is ${phase} and not ready`, ...listWords(pod), seen, wait?.says];
  return {
    cause: words.filter(Boolean).join(": "),
    remedies: early?.remedies ?? [chooseNextLook(pod, phase, context)],
    since: latest([readTurn(pod), early?.since]),
    patient: wait !== undefined,
  };
}

function readPhase(pod: Pod): string {
  return asString(pod.status?.phase) ?? "Pending";
}

/** When it ceased to be ready, else when it was created. */
function readTurn(pod: Pod): unknown {
  const turned = findCondition(pod, "Ready")?.lastTransitionTime;
  return turned ?? pod.metadata["creationTimestamp"];
}

/** What a probe says of it. */
function readProbe(pod: Pod, context: PodContext | undefined): string | undefined {
  const [event] = context === undefined ? [] : listWarnings(context.facts, pod, "Unhealthy");
  return asString(event?.message)?.trim();
}

/** Reason and message, of the pod itself or of its condition. */
function listWords(pod: Pod): readonly string[] {
  const condition = findCondition(pod, "Ready");
  const reasons = [pod.status?.reason, condition?.reason];
  const messages = [condition?.message, pod.status?.message];
  return [reasons, messages].flatMap(
    (found) => found.flatMap((one) => asString(one) ?? [])[0] ?? [],
  );
}

/** A container that the kubelet has not made yet, and no event says why. */
function findWaitingReason(pod: Pod): string | undefined {
  return (pod.status?.containerStatuses ?? [])
    .map((status) => asString(status.state?.waiting?.reason))
    .find(Boolean);
}

function chooseNextLook(pod: Pod, phase: string, context?: PodContext): Remedy {
  if (["Succeeded", "Failed"].includes(phase)) {
    const says = `delete it, since it has ended and does not start again: its ${podOwner(pod).kind} creates it again, and its volume stays`;
    return onPod(pod, says, "delete", "pod", readName(pod));
  }
  if (findWaitingReason(pod) === "ContainerCreating") {
    const where = `of node ${String(pod.spec?.nodeName)}`;
    const isSeen = context !== undefined && isKnown(context.facts, "events");
    const events = isSeen ? ", of which no event tells" : " (events not read)";
    return seePod(pod, `check the kubelet, the volumes and the network ${where}${events}`);
  }
  const [beside] = findUnreadyBeside(pod);
  const look = seePod(pod, "look at its events and its probe");
  if (beside === undefined) return look;
  const log = ["logs", readName(pod), "-c", beside];
  return { ...look, then: onPod(pod, `see what container ${beside} says`, ...log) };
}

/** Containers that run and are not ready, while another one is: the pod waits for them only. */
function findUnreadyBeside(pod: Pod): readonly string[] {
  const all = pod.status?.containerStatuses ?? [];
  if (all.every((status) => status.ready !== true)) return [];
  return all
    .filter((status) => status.ready !== true)
    .filter((status) => status.state?.running)
    .map((status) => String(status.name));
}
