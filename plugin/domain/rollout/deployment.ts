/** Whether a Deployment is 1/1 ready, up to date and available, and why it is not (S19). */
import type { Facts } from "../facts/facts";
import type { Condition, ContainerStatus, Deployment, Pod, ReplicaSet } from "../kube/models";
import { type KubeObject, objectLabel, type ObjectMeta } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { sameJson, asString } from "../base/values";
import { deploymentFindings } from "./findings";
import type { Progress } from "./progress";
import { lastRefusal } from "./refusals";
import { listStatuses } from "./times";

/** A cause that does not go away by waiting. */
interface DeploymentProblem {
  readonly what: keyof typeof deploymentFindings;
  /** What it was seen on, where that is not the Deployment. */
  readonly object?: string;
  readonly message?: string | undefined;
  /** Words that show the log of the container that keeps ending, where its name is told. */
  readonly log?: readonly string[] | undefined;
}

const revision = "deployment.kubernetes.io/revision";

/** The ReplicaSet of the Deployment's present template, undefined where none is known. */
function newestReplicaSet({ objects }: Facts, deployment: Deployment): ReplicaSet | undefined {
  const { metadata } = deployment;
  const wanted = metadata.annotations?.[revision];
  const sets = objects.replicaSets.filter((set) => isOwned(set, metadata));
  const isMarked = (set: ReplicaSet): boolean => set.metadata.annotations?.[revision] === wanted;
  return (
    (wanted === undefined ? undefined : sets.find(isMarked)) ??
    sets.find((set) => sameJson(readTemplate(set), readTemplate(deployment)))
  );
}

/** Without the label that tells one revision from another. */
function readTemplate(object: Deployment | ReplicaSet): unknown {
  const template = object.spec?.template;
  const labels = Object.entries(template?.metadata?.labels ?? {});
  const kept = labels.filter(([key]) => key !== "pod-template-hash");
  return [Object.fromEntries(kept), template?.spec];
}

function isOwned({ metadata }: KubeObject, { uid }: ObjectMeta): boolean {
  return (metadata.ownerReferences ?? []).some((owner) => owner["uid"] === uid);
}

/** The first trouble of a pod of that ReplicaSet. */
function podTrouble(facts: Facts, deployment: Deployment): DeploymentProblem | undefined {
  const set = newestReplicaSet(facts, deployment);
  if (set === undefined) return undefined;
  const pods = facts.objects.pods.filter(
    (pod) => isOwned(pod, set.metadata) && pod.metadata.deletionTimestamp === undefined,
  );
  for (const pod of pods) {
    const found = containerTrouble(pod) ?? findUnplaced(pod);
    if (found !== undefined) return { object: objectLabel(pod), ...found };
  }
  return undefined;
}

const waitingFor: readonly (readonly [pattern: RegExp, what: DeploymentProblem["what"]])[] = [
  [/^(ErrImage|ImagePull|InvalidImage|ImageInspect|RegistryUnavailable|ErrRegistry)/, "image"],
  [/^(CreateContainer|CreatePodSandbox|RunContainer|PreStart|PostStart)/, "configuration"],
  [/^CrashLoopBackOff$/, "crash"],
];

function containerTrouble(pod: Pod): DeploymentProblem | undefined {
  for (const status of listStatuses(pod)) {
    const reason = String(status.state?.waiting?.reason);
    const what = waitingFor.find(([pattern]) => pattern.test(reason))?.[1];
    if (what !== undefined) {
      return { what, message: explainWaiting(status, what), log: logWords(status, "--previous") };
    }
    if (status.state?.terminated?.exitCode) {
      return { what: "crash", message: explainEnd(status, status.state), log: logWords(status) };
    }
  }
  return undefined;
}

/** A pod of an operator has two containers. */
function logWords(
  status: ContainerStatus,
  ...more: readonly string[]
): readonly string[] | undefined {
  const name = asString(status.name);
  return name === undefined ? undefined : ["-c", name, ...more];
}

function explainWaiting(status: ContainerStatus, what: DeploymentProblem["what"]): string {
  if (what === "crash") return explainEnd(status, status.lastState);
  const image = asString(status.image);
  const said = listWords(status.state?.waiting).join(", ");
  return image === undefined ? said : `${image}: ${said}`;
}

/** How a container ended last: its exit code, and its last words where it left some. */
function explainEnd({ name }: ContainerStatus, state: ContainerStatus["state"]): string {
  const last = state?.terminated;
  const called = asString(name) ?? "container";
  if (!last) return `${called} is started again and again`;
  const said = listWords(last);
  const words = said.length === 0 ? "" : ` (${said.join(": ").trim()})`;
  return `${called} ended with code ${String(last.exitCode)}${words}`;
}

function listWords(state: Pick<Condition, "reason" | "message"> | null | undefined) {
  return [state?.reason, state?.message].flatMap((word) => asString(word) ?? []);
}

function findUnplaced(pod: Pod): DeploymentProblem | undefined {
  const condition = findCondition(pod, "PodScheduled");
  if (condition?.reason !== "Unschedulable") return undefined;
  return { what: "unschedulable", message: asString(condition.message) };
}

/** Judges the operator's Deployment from the lists of Deployments, ReplicaSets, pods and events. */
export function judgeDeployment(facts: Facts, name: string): Progress {
  const { namespace, objects } = facts;
  const found = objects.deployments.find(({ metadata }) => metadata.name === name);
  if (found === undefined) {
    return makeStalled({ what: "gone", object: `Deployment/${namespace}/${name}` });
  }
  const object = objectLabel(found);
  const counts = countReplicas(found);
  const step = JSON.stringify(counts);
  if (found.spec?.paused === true) return makeStalled({ what: "paused", object });
  // a status of an older generation says nothing of this one
  if (counts.observed < counts.generation) {
    return { is: "moving", on: `${object}: its new generation has not been seen yet`, step };
  }
  if (counts.wanted === 0) return makeStalled({ what: "scaledDown", object });
  const says = renderCounts(counts);
  if (isThere(counts)) return { is: "done", says };
  const trouble = podTrouble(facts, found) ?? rejection(facts, found) ?? late(found);
  if (trouble !== undefined) return makeStalled({ object, ...trouble });
  return { is: "moving", on: `${object}: ${says}`, step };
}

/** How many pods a Deployment wants and has, and which generation its status is of. */
export interface Counts {
  readonly generation: number;
  readonly observed: number;
  readonly wanted: number;
  /** Of every generation. */
  readonly all: number;
  readonly ready: number;
  readonly updated: number;
  readonly available: number;
}

/** Reads them; what is not told is none, and one is wanted. */
export function countReplicas(deployment: Deployment): Counts {
  return {
    generation: deployment.metadata.generation ?? 0,
    observed: deployment.status?.observedGeneration ?? 0,
    wanted: deployment.spec?.replicas ?? 1,
    all: deployment.status?.replicas ?? 0,
    ready: deployment.status?.readyReplicas ?? 0,
    updated: deployment.status?.updatedReplicas ?? 0,
    available: deployment.status?.availableReplicas ?? 0,
  };
}

export function isThere({ wanted, all, ready, updated, available }: Counts): boolean {
  return Math.min(ready, updated, available) >= wanted && all <= updated;
}

function renderCounts({ wanted, all, ready, updated, available }: Counts): string {
  const old = all > updated ? `, ${all - updated} of the old one left` : "";
  return `${ready}/${wanted} ready, ${updated} up to date, ${available} available${old}`;
}

function late(deployment: Deployment): DeploymentProblem | undefined {
  const condition = findCondition(deployment, "Progressing");
  if (condition?.status !== "False") return undefined;
  return { what: "deadline", message: asString(condition.message) };
}

/** The commands that end what a person has done to it. */
const ways: Partial<Record<DeploymentProblem["what"], string>> = {
  paused: "rollout resume deployment NAME",
  scaledDown: "scale deployment NAME --replicas=1",
};

function makeStalled(problem: DeploymentProblem & { readonly object: string }): Progress {
  const { what, object, message } = problem;
  const { code, cause } = deploymentFindings[what];
  const because = message === undefined ? cause : `${cause}: ${message}`;
  return { is: "stalled", code, object, because, fix: chooseFix(problem) };
}

function chooseFix({
  what,
  object,
  message,
  log,
}: DeploymentProblem & { readonly object: string }): string {
  const { fix } = deploymentFindings[what];
  const [, namespace, name] = object.split("/");
  const place = ["-n", String(namespace)];
  if (what === "crash") {
    if (/OOMKilled/.test(String(message))) return moreMemory;
    if (log === undefined) return fix;
    const words = ["kubectl", "logs", String(name), ...log, ...place];
    return `fix what its log names: ${words.join(" ")}`;
  }
  const way = ways[what];
  if (way === undefined) return fix;
  return `${fix}: ${["kubectl", way.replace("NAME", String(name)), ...place].join(" ")}`;
}

const moreMemory =
  "raise the memory limit of that container in its Deployment, or in the Subscription's spec.config.resources where OLM keeps it: no log tells more of it";

/** From the conditions of the Deployment and its ReplicaSet, else from the events of the latter. */
function rejection(facts: Facts, deployment: Deployment): DeploymentProblem | undefined {
  const set = newestReplicaSet(facts, deployment);
  const message = failure(deployment) ?? failure(set) ?? latestEvent(facts, set);
  if (message === undefined) return undefined;
  return { what: reasons.find(([pattern]) => pattern.test(message))?.[1] ?? "rejected", message };
}

const reasons: readonly (readonly [pattern: RegExp, what: DeploymentProblem["what"]])[] = [
  [/exceeded quota|failed quota/, "quota"],
  [/forbidden|security context constraint|serviceaccount .*not found/, "forbidden"],
];

function failure(object: KubeObject | undefined): string | undefined {
  const condition = findCondition(object, "ReplicaFailure");
  if (condition?.status !== "True") return undefined;
  return asString(condition.message);
}

/** Without a pod, the last refusal stands. */
function latestEvent({ objects }: Facts, set: ReplicaSet | undefined): string | undefined {
  if (set === undefined || (set.status?.replicas ?? 0) > 0) return undefined;
  const { uid } = set.metadata;
  const events = objects.events.filter((event) => event.involvedObject?.uid === uid);
  return lastRefusal(events)?.message;
}
