/** What a pod takes time for and is well: a pull, a probe's own patience, the owner of its files, a node on its way (domain facts 11). */
import type { Facts } from "../facts/facts";
import type { Pod, Container, ContainerStatus } from "../kube/models";
import { renderAge } from "../base/duration";
import { listWarnings, readTimes } from "./pod-words";
import { findNewestEvent } from "./refusals";
import { listStatuses } from "./times";

/** What it waits for, for people, and that this is no standstill yet. */
export interface Wait {
  readonly says: string;
}

const minuteMs = 60_000;
/** A runtime that gets no further with a pull says so long before. */
const longestPullMs = 60 * minuteMs;
/** The kubelet repeats itself while it changes the owner of files. */
const silenceMs = 10 * minuteMs;
/** By then an autoscaler has given a node up that did not come. */
const longestScaleUpMs = 15 * minuteMs;

/** Undefined where nothing shows that a pod which is placed still gets on. */
export function findWait(pod: Pod, facts: Facts): Wait | undefined {
  return findOwnership(pod, facts) ?? findPull(pod, facts) ?? findProbed(pod, facts);
}

/** The newest event of one of these reasons, and how long ago it came last. */
function findNewest(facts: Facts, pod: Pod, reasons: readonly string[]) {
  const told = reasons.flatMap((reason) => listWarnings(facts, pod, reason));
  const event = findNewestEvent(told, reasons);
  if (event === undefined) return undefined;
  const agoMs = facts.now - Date.parse(readTimes(event).last);
  return { event, reason: event.reason, agoMs };
}

function findPull(pod: Pod, facts: Facts): Wait | undefined {
  const newest = findNewest(facts, pod, ["Pulling", "Pulled", "Failed", "BackOff"]);
  if (newest?.reason !== "Pulling" || newest.agoMs > longestPullMs) return undefined;
  return { says: `an image is being pulled (for ${renderAge(newest.agoMs)})` };
}

/** With many files this takes longer than anything else of a start. */
export function findOwnership(pod: Pod, facts: Facts): Wait | undefined {
  const newest = findNewest(facts, pod, ["VolumePermissionChangeInProgress"]);
  if (newest === undefined || newest.agoMs > silenceMs) return undefined;
  return { says: "the files of a volume get their owner" };
}

/** The time that a probe gives a container before it counts, since the container runs. */
function findProbed(pod: Pod, facts: Facts): Wait | undefined {
  const specs = [pod.spec?.initContainers, pod.spec?.containers].flatMap((list) => list ?? []);
  const [found] = listStatuses(pod).flatMap((status) => {
    const spec = specs.find(({ name }) => name === status.name);
    const until = readProbeEnd(status, spec);
    return until > facts.now ? [{ name: String(status.name), until }] : [];
  });
  if (found === undefined) return undefined;
  return {
    says: `the probe of container ${found.name} gives it until ${new Date(found.until).toISOString()}`,
  };
}

/** NaN where no probe gives it time, or it does not run. */
function readProbeEnd(status: ContainerStatus, spec: Container | undefined): number {
  const began = Date.parse(String(status.state?.running?.startedAt));
  const [readiness, startup] = [spec?.readinessProbe, spec?.startupProbe];
  const tries =
    startup && status.started !== true
      ? (startup.failureThreshold ?? 3) * (startup.periodSeconds ?? 10)
      : 0;
  const seconds = Math.max(
    readiness?.initialDelaySeconds ?? 0,
    (startup?.initialDelaySeconds ?? 0) + tries,
  );
  return seconds === 0 ? NaN : began + seconds * 1000;
}

/** What an autoscaler has said last of a pod without a node. */
export interface ScaleUp extends Wait {
  /** A node is on its way. */
  readonly isComing: boolean;
}

export function findScaleUp(pod: Pod, facts: Facts): ScaleUp | undefined {
  const coming = ["TriggeredScaleUp", "Nominated"];
  const newest = findNewest(facts, pod, [...coming, "NotTriggerScaleUp", "FailedScaleUp"]);
  if (newest === undefined) return undefined;
  const message = String(newest.event.message);
  const isCalled = coming.includes(String(newest.reason));
  return {
    says: `the autoscaler says: ${message.trim()} (${renderAge(newest.agoMs)} ago)`,
    isComing: isCalled && newest.agoMs < longestScaleUpMs,
  };
}
