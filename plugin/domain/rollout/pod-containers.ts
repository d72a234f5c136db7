/** What keeps the containers of a pod from running, in the kubelet's words (domain facts 11). */
import type { Recognized } from "./progress";
import type { Pod, ContainerState, ContainerStatus } from "../kube/models";
import { readName } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { countNoun, asString } from "../base/values";
import { listWarnings, podOwner, type PodContext, onPod, seePod } from "./pod-words";
import { listStatuses } from "./times";

/** A container's status, and whether it is one of those that run first. */
type OfContainer = (status: ContainerStatus, pod: Pod) => Recognized | undefined;

export function ofContainers(pod: Pod, judge: OfContainer): Recognized | undefined {
  const found = listStatuses(pod).flatMap((status) => judge(status, pod) ?? []);
  return found.find(({ definite, evident }) => definite === true || evident === true) ?? found[0];
}

function nameIn(status: ContainerStatus): string {
  return asString(status.name) ?? "";
}

/** Why a container waits. */
interface Waiting {
  readonly reason: string;
  /** "ImagePullBackOff: Back-off pulling image …". */
  readonly said: string;
}

/** Why a container waits; empty where it does not. */
export function readWaiting(status: ContainerStatus): Waiting {
  const waiting = status.state?.waiting;
  const reason = asString(waiting?.reason) ?? "";
  const message = asString(waiting?.message);
  return { reason, said: `${reason}${message === undefined ? "" : `: ${message}`}` };
}

const configReasons = new Set(["CreateContainerConfigError", "CreateContainerError"]);

export function notConfigured(status: ContainerStatus, pod: Pod): Recognized | undefined {
  const { reason, said } = readWaiting(status);
  if (!configReasons.has(reason)) return undefined;
  const found = configWays.find(({ pattern }) => pattern.test(said));
  const way = (found?.way ?? missing)
    .replaceAll("NODE", String(pod.spec?.nodeName))
    .replaceAll("SPEC", podOwner(pod).spec);
  return {
    cause: `container ${nameIn(status)} cannot be created (${said})`,
    remedies: [seePod(pod, way)],
    ...(found?.isPassing === true ? { since: readTurn(pod) } : { definite: true }),
  };
}

const missing = "create or fix what the message names, and the pod starts automatically";

/** What the kubelet says decides what helps, and whether time does. */
const configWays: readonly {
  readonly pattern: RegExp;
  readonly way: string;
  readonly isPassing?: true;
}[] = [
  { pattern: /failed to sync \w+ cache/i, way: missing, isPassing: true },
  {
    pattern: /runAsNonRoot|run as root|runAsUser/i,
    way: "change the security context in SPEC, or use an image that fits it",
  },
  {
    pattern: /CreateContainerError: .*(deadline exceeded|name is reserved|rpc error|unavailable)/i,
    way: "find out why the container runtime of node NODE does not create it",
    isPassing: true,
  },
];

/** When the pod ceased to be ready. */
function readTurn(pod: Pod): string | undefined {
  return asString(findCondition(pod, "Ready")?.lastTransitionTime);
}

/** How a container ended, now or last. */
function readEnd(status: ContainerStatus): ContainerState["terminated"] {
  return status.state?.terminated ?? status.lastState?.terminated;
}

function isUp(status: ContainerStatus): boolean {
  return status.ready === true;
}

export function outOfMemory(status: ContainerStatus, pod: Pod): Recognized | undefined {
  const ended = readEnd(status);
  if (ended?.reason !== "OOMKilled" || isUp(status)) return undefined;
  const name = nameIn(status);
  const all = [pod.spec?.initContainers, pod.spec?.containers].flatMap((list) => list ?? []);
  const limit = all.find((one) => one.name === name)?.resources?.limits?.["memory"];
  return {
    cause: `container ${name} is killed for its memory (OOMKilled)${limit ? `, its limit is ${limit}` : ""}`,
    remedies: [
      seePod(pod, `raise its memory limit in ${podOwner(pod).spec}: no log tells more of it`),
    ],
    ...describeLoop(status, pod),
  };
}

const crashReasons = new Set(["CrashLoopBackOff", "RunContainerError", "PostStartHookError"]);

export function findCrashed(
  status: ContainerStatus,
  pod: Pod,
  context?: PodContext,
): Recognized | undefined {
  const { reason, said } = readWaiting(status);
  const isBetween = isStartedAgain(status, context);
  const isDown = crashReasons.has(reason) || isFailed(status.state?.terminated);
  if (isUp(status) || !(isDown || isBetween)) return undefined;
  const name = nameIn(status);
  const times = isBetween ? `restarted ${countNoun(Number(status.restartCount), "time")}` : "Error";
  const words = `${said === "" ? times : said}${lastWords(readEnd(status))}`;
  const previous = status.state?.terminated ? [] : ["--previous"];
  return {
    cause: `container ${name} does not stay up (${words})${describeProbe(pod, context)}`,
    remedies: [
      onPod(
        pod,
        `find out why in the log of container ${name}`,
        ...["logs", readName(pod), "-c", name, ...previous],
      ),
    ],
    ...describeLoop(status, pod),
  };
}

/** From so many restarts on the kubelet starts it again later and later. */
const manyRestarts = 3;
/** After so long it counts as up, and the kubelet begins to count anew. */
const settledMs = 600_000;

/** It runs just now, and has failed again and again before: the state between two failures. */
function isStartedAgain(status: ContainerStatus, context: PodContext | undefined): boolean {
  const started = asString(status.state?.running?.startedAt);
  if (started === undefined || context === undefined || !hasManyRestarts(status)) return false;
  const failed = isFailed(status.lastState?.terminated);
  return failed && context.facts.now - Date.parse(started) < settledMs;
}

function hasManyRestarts(status: ContainerStatus): boolean {
  return Number(status.restartCount) >= manyRestarts;
}

/** A container that is ended because a probe says so, in the kubelet's words. */
function describeProbe(pod: Pod, context: PodContext | undefined): string {
  if (context === undefined) return "";
  const said = listWarnings(context.facts, pod, "Unhealthy")
    .map((event) => String(event.message))
    .find((message) => /^(Liveness|Startup) probe/.test(message));
  return said === undefined ? "" : `; ${said.trim()}`;
}

/** ", last exit code 126: ContainerCannotRun: permission denied". */
function lastWords(ended: ContainerState["terminated"]): string {
  if (!ended) return "";
  const said = [ended.reason, ended.message]
    .flatMap((word) => asString(word) ?? [])
    .filter((word) => word !== "Error");
  return [`, last exit code ${String(ended.exitCode)}`, ...said.map((word) => word.trim())].join(
    ": ",
  );
}

/** A back-off is the kubelet's word for a loop; a first failure may be the last one. */
function describeLoop(status: ContainerStatus, pod: Pod): Pick<Recognized, "since" | "evident"> {
  const restarts = status.restartCount;
  const isBackOff = readWaiting(status).reason === "CrashLoopBackOff" && restarts !== 1;
  const isRunning = Boolean(status.state?.running);
  const isLoop = isBackOff || hasManyRestarts(status);
  const made = asString(pod.metadata["creationTimestamp"]);
  const finished = asString(readEnd(status)?.finishedAt);
  const turned = readTurn(pod);
  return {
    since: isLoop ? (turned ?? made ?? finished) : (finished ?? turned),
    // one that runs just now may have come up for good
    ...(isLoop && !isRunning && { evident: true }),
  };
}

function isFailed(terminated: ContainerState["terminated"]): boolean {
  return Boolean(terminated?.exitCode);
}

/** A container that runs before the others and has not got there: which, since when, and where it says why. */
export function findEarly(
  pod: Pod,
): (Pick<Recognized, "remedies" | "since"> & { readonly says: string }) | undefined {
  const stays = (pod.spec?.initContainers ?? [])
    .filter((one) => one.restartPolicy === "Always")
    .map((one) => one.name);
  const found = (pod.status?.initContainerStatuses ?? []).find(
    (status) => status.state?.running && status.started !== true,
  );
  if (found === undefined) return undefined;
  const name = String(found.name);
  const has = stays.includes(name) ? "has not started" : "has not ended";
  return {
    says: `container ${name}, which runs before the others, ${has}`,
    remedies: [onPod(pod, "see in its log what it waits for", "logs", readName(pod), "-c", name)],
    since: asString(found.state?.running?.startedAt),
  };
}
