/** What a pod takes time for and is well: a pull, a probe's own patience, the owner of its files, a node on its way (domain facts 11). */
import type { Facts } from "../facts/facts";
import type { KubeObject } from "../kube/objects";
import { asArray, getOwn, getPath, numberAt } from "../base/values";
import { renderAge } from "../base/duration";
import { listWarnings, readTimes } from "./pod-words";
import { findNewestEvent } from "./refusals";

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
export function findWait(pod: KubeObject, facts: Facts): Wait | undefined {
  return findOwnership(pod, facts) ?? findPull(pod, facts) ?? findProbed(pod, facts);
}

/** The newest event of one of these reasons, and how long ago it came last. */
function findNewest(facts: Facts, pod: KubeObject, reasons: readonly string[]) {
  const told = reasons.flatMap((reason) => listWarnings(facts, pod, reason));
  const event = findNewestEvent(told, reasons);
  if (event === undefined) return undefined;
  const agoMs = facts.now - Date.parse(readTimes(event).last);
  return { event, reason: getOwn(event, "reason"), agoMs };
}

function findPull(pod: KubeObject, facts: Facts): Wait | undefined {
  const newest = findNewest(facts, pod, ["Pulling", "Pulled", "Failed", "BackOff"]);
  if (newest?.reason !== "Pulling" || newest.agoMs > longestPullMs) return undefined;
  return { says: `an image is being pulled (for ${renderAge(newest.agoMs)})` };
}

/** With many files this takes longer than anything else of a start. */
export function findOwnership(pod: KubeObject, facts: Facts): Wait | undefined {
  const newest = findNewest(facts, pod, ["VolumePermissionChangeInProgress"]);
  if (newest === undefined || newest.agoMs > silenceMs) return undefined;
  return { says: "the files of a volume get their owner" };
}

/** The time that a probe gives a container before it counts, since the container runs. */
function findProbed(pod: KubeObject, facts: Facts): Wait | undefined {
  const found = (
    [
      ["initContainers", "initContainerStatuses"],
      ["containers", "containerStatuses"],
    ] as const
  )
    .flatMap(([specs, statuses]) =>
      asArray(getPath(pod, ["status", statuses])).flatMap((status) => {
        const name = getOwn(status, "name");
        const spec = asArray(getPath(pod, ["spec", specs])).find(
          (one) => getOwn(one, "name") === name,
        );
        const until = readProbeEnd(status, spec);
        return until > facts.now ? [{ name: String(name), until }] : [];
      }),
    )
    .at(0);
  if (found === undefined) return undefined;
  return {
    says: `the probe of container ${found.name} gives it until ${new Date(found.until).toISOString()}`,
  };
}

/** NaN where no probe gives it time, or it does not run. */
function readProbeEnd(status: unknown, spec: unknown): number {
  const began = Date.parse(String(getPath(status, ["state", "running", "startedAt"])));
  const startup = getOwn(spec, "startupProbe");
  const delays = ["readinessProbe", "startupProbe"].map((probe) =>
    numberAt(spec, [probe, "initialDelaySeconds"]),
  );
  const isStarting = startup !== undefined && getOwn(status, "started") !== true;
  const tries = isStarting
    ? numberAt(startup, ["failureThreshold"], 3) * numberAt(startup, ["periodSeconds"], 10)
    : 0;
  const seconds = Math.max(Number(delays[0]), Number(delays[1]) + tries);
  return seconds === 0 ? NaN : began + seconds * 1000;
}

/** What an autoscaler has said last of a pod without a node. */
export interface ScaleUp extends Wait {
  /** A node is on its way. */
  readonly isComing: boolean;
}

export function findScaleUp(pod: KubeObject, facts: Facts): ScaleUp | undefined {
  const coming = ["TriggeredScaleUp", "Nominated"];
  const newest = findNewest(facts, pod, [...coming, "NotTriggerScaleUp", "FailedScaleUp"]);
  if (newest === undefined) return undefined;
  const message = String(getOwn(newest.event, "message"));
  const isCalled = coming.includes(String(newest.reason));
  return {
    says: `the autoscaler says: ${message.trim()} (${renderAge(newest.agoMs)} ago)`,
    isComing: isCalled && newest.agoMs < longestScaleUpMs,
  };
}
