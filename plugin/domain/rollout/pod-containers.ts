/** What keeps the containers of a pod from running, in the kubelet's words (domain facts 11). */
import { conditionOf, type KubeObject, nameOf } from "../kube/objects";
import { getPath, asArray, getOwn, asString, type Json } from "../base/values";
import { describe, line, type Trouble } from "./pod-words";

/** A container's status, and whether it is one of those that run first. */
type OfContainer = (status: Json, pod: KubeObject) => Trouble | undefined;

export function ofContainers(pod: KubeObject, judge: OfContainer): Trouble | undefined {
  const found = ["initContainerStatuses", "containerStatuses"]
    .flatMap((field) => asArray(getPath(pod, ["status", field])))
    .flatMap((status) => judge(Object(status) as Json, pod) ?? []);
  return found.find(({ definite, evident }) => definite === true || evident === true) ?? found[0];
}

function nameIn(status: Json): string {
  return asString(getOwn(status, "name")) ?? "";
}

interface Waiting {
  readonly reason: string;
  /** "ImagePullBackOff: Back-off pulling image …". */
  readonly said: string;
}

function waitingOf(status: Json): Waiting {
  const waiting = getPath(status, ["state", "waiting"]);
  const reason = asString(getOwn(waiting, "reason")) ?? "";
  const message = asString(getOwn(waiting, "message"));
  return { reason, said: `${reason}${message === undefined ? "" : `: ${message}`}` };
}

const imageReasons = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
  "RegistryUnavailable",
  "SignatureValidationFailed",
]);

export function notPulled(status: Json, pod: KubeObject): Trouble | undefined {
  const { reason, said } = waitingOf(status);
  if (!imageReasons.has(reason)) return undefined;
  return {
    because: `the image of container ${nameIn(status)} cannot be pulled (${said})`,
    fix: `${remedyOf(said)}; see ${describe(pod)}`,
    definite: true,
  };
}

/** What the registry said decides what helps. */
const pulls: readonly (readonly [pattern: RegExp, way: string])[] = [
  [
    /unauthorized|authentication required|denied|forbidden|no basic auth/i,
    "the registry refuses the login: fix the Secret for pulling images, or what it may pull",
  ],
  [
    /toomanyrequests|rate limit|429/i,
    "the registry limits how much is pulled: pull with a login, or from a registry of your own",
  ],
  [
    /x509|certificate/i,
    "the node does not trust the registry's certificate: give its CA to the container runtime",
  ],
  [
    /no such host|i\/o timeout|connection refused|dial tcp|deadline exceeded/i,
    "the node does not reach the registry: fix its name, the network or the proxy",
  ],
  [
    /no match for platform|exec format/i,
    "the image is not there for the node's architecture: use one that is, or other nodes",
  ],
  [
    /manifest unknown|not found|no such image/i,
    "the repository does not hold this tag: push it, or set the tag or the repository again",
  ],
];

function remedyOf(said: string): string {
  const found = pulls.find(([pattern]) => pattern.test(said));
  return (
    found?.[1] ??
    "check that the repository holds this tag, and that the pull secret fits; then set the tag or the repository again"
  );
}

const configReasons = new Set(["CreateContainerConfigError", "CreateContainerError"]);

export function notConfigured(status: Json, pod: KubeObject): Trouble | undefined {
  const { reason, said } = waitingOf(status);
  if (!configReasons.has(reason)) return undefined;
  return {
    because: `container ${nameIn(status)} cannot be created (${said})`,
    fix: `create or fix what the message names, and the pod starts automatically; see ${describe(pod)}`,
    definite: true,
  };
}

/** How a container ended, now or last. */
function endOf(status: Json): unknown {
  return getPath(status, ["state", "terminated"]) ?? getPath(status, ["lastState", "terminated"]);
}

function isUp(status: Json): boolean {
  return getOwn(status, "ready") === true;
}

export function outOfMemory(status: Json, pod: KubeObject): Trouble | undefined {
  const ended = endOf(status);
  if (getOwn(ended, "reason") !== "OOMKilled" || isUp(status)) return undefined;
  const name = nameIn(status);
  const container = ["initContainers", "containers"]
    .flatMap((field) => asArray(getPath(pod, ["spec", field])))
    .find((one) => getOwn(one, "name") === name);
  const limit = asString(getPath(container, ["resources", "limits", "memory"]));
  return {
    because: `container ${name} is killed for its memory (OOMKilled)${limit === undefined ? "" : `, its limit is ${limit}`}`,
    fix: `raise its memory limit: no log tells more of it; see ${describe(pod)}`,
    ...looping(status, pod),
  };
}

const crashReasons = new Set(["CrashLoopBackOff", "RunContainerError", "PostStartHookError"]);

export function crashed(status: Json, pod: KubeObject): Trouble | undefined {
  const { reason, said } = waitingOf(status);
  const ended = endOf(status);
  if (
    isUp(status) ||
    (!crashReasons.has(reason) && !isFailed(getPath(status, ["state", "terminated"])))
  )
    return undefined;
  const name = nameIn(status);
  const previous = getPath(status, ["state", "terminated"]) === undefined ? ["--previous"] : [];
  return {
    because: `container ${name} does not stay up (${said === "" ? "Error" : said}${lastWords(ended)})`,
    fix: `find out why in the log of container ${name}: ${line(pod, "logs", nameOf(pod), "-c", name, ...previous)}`,
    ...looping(status, pod),
  };
}

/** ", last exit code 126: ContainerCannotRun: permission denied". */
function lastWords(ended: unknown): string {
  const code = getOwn(ended, "exitCode");
  if (typeof code !== "number") return "";
  const said = ["reason", "message"]
    .flatMap((key) => asString(getOwn(ended, key)) ?? [])
    .filter((word) => word !== "Error");
  return [`, last exit code ${code}`, ...said.map((word) => word.trim())].join(": ");
}

/** A back-off is the kubelet's word for a loop; a first failure may be the last one. */
function looping(status: Json, pod: KubeObject): Pick<Trouble, "since" | "evident"> {
  const restarts = getOwn(status, "restartCount");
  const isLoop = waitingOf(status).reason === "CrashLoopBackOff" && restarts !== 1;
  const made = asString(pod.metadata["creationTimestamp"]);
  const finished = asString(getOwn(endOf(status), "finishedAt"));
  const turned = asString(getOwn(conditionOf(pod, "Ready"), "lastTransitionTime"));
  return {
    since: isLoop ? (turned ?? made ?? finished) : (finished ?? turned),
    ...(isLoop && { evident: true }),
  };
}

function isFailed(terminated: unknown): boolean {
  const code = getOwn(terminated, "exitCode");
  return typeof code === "number" && code !== 0;
}
