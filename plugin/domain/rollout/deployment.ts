/** Whether a Deployment is 1/1 ready, up to date and available, and why it is not (S19). */
import type { Facts } from "../facts/facts";
import { kubectl, renderFix } from "../base/remedy";
import type { Condition, Deployment, ReplicaSet } from "../kube/models";
import { type KubeObject, objectLabel, type ObjectMeta } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { sameJson, asString, pick } from "../base/values";
import { deploymentFindings, rollFindings } from "./findings";
import { podTroubles } from "./pod-causes";
import { makeStalled, type Progress, type Stalled, type Timed } from "./progress";
import { lastRefusal } from "./refusals";
import { defaultStallAfterMs, isDue } from "./stateful-set";

type Cause = keyof typeof deploymentFindings;

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

/** What keeps a pod of that ReplicaSet, judged as every pod is; only what comes up is given time. */
function findPodCause(facts: Facts, deployment: Deployment): Timed | undefined {
  const set = newestReplicaSet(facts, deployment);
  if (set === undefined) return undefined;
  const isLate = findOverdue(deployment) !== undefined;
  const patience = { stallAfterMs: defaultStallAfterMs };
  const [first] = facts.objects.pods
    .filter((pod) => isOwned(pod, set.metadata) && pod.metadata.deletionTimestamp === undefined)
    .flatMap((pod) => podTroubles(pod, { facts }))
    .filter((one) => {
      const comesUp = one.code === rollFindings.notReady.code || one.patient === true;
      return !comesUp || isLate || isDue(one, { patience, moved: undefined, now: facts.now });
    });
  return first && { ...first, ...pickCode(asOperators[first.code]) };
}

/** The operator's own codes for what any pod may have. */
const asOperators: Readonly<Record<string, Cause>> = {
  [rollFindings.config.code]: "configuration",
  [rollFindings.crash.code]: "crash",
  [rollFindings.image.code]: "image",
  [rollFindings.memory.code]: "crash",
  [rollFindings.unschedulable.code]: "unschedulable",
};

function pickCode(what: Cause | undefined): Partial<Pick<Timed, "code" | "source">> {
  return what === undefined ? {} : pick(deploymentFindings[what], "code", "source");
}

/** Judges the operator's Deployment from the lists of Deployments, ReplicaSets, pods and events. */
export function judgeDeployment(facts: Facts, name: string): Progress {
  const { namespace, objects } = facts;
  const found = objects.deployments.find(({ metadata }) => metadata.name === name);
  if (found === undefined) return stall("gone", `Deployment/${namespace}/${name}`);
  const object = objectLabel(found);
  const counts = countReplicas(found);
  const step = JSON.stringify(counts);
  if (found.spec?.paused === true) return stall("paused", object);
  // a status of an older generation says nothing of this one
  if (counts.observed < counts.generation) {
    return { is: "moving", on: `${object}: ${renderCounts(counts)}`, step };
  }
  if (counts.wanted === 0) return stall("scaledDown", object);
  const says = renderCounts(counts);
  if (isThere(counts)) return { is: "done", says };
  const ofPod = findPodCause(facts, found);
  if (ofPod !== undefined) return makeStalled(ofPod);
  const refused = findRejection(facts, found);
  if (refused !== undefined) {
    const reason = reasons.find(([pattern]) => pattern.test(refused));
    return stall(reason?.[1] ?? "rejected", object, refused);
  }
  const overdue = findOverdue(found);
  if (overdue !== undefined) return stall("deadline", object, asString(overdue.message));
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

/** Its pods as `kubectl get deployment` counts them; a status of an older generation says nothing of this one. */
export function renderCounts(counts: Counts): string {
  if (counts.observed < counts.generation) return "its new generation has not been seen yet";
  const { wanted, all, ready, updated, available } = counts;
  const old = all > updated ? `, ${all - updated} of the old one left` : "";
  return `${ready}/${wanted} ready, ${updated} up to date, ${available} available${old}`;
}

function findOverdue(deployment: Deployment): Condition | undefined {
  const condition = findCondition(deployment, "Progressing");
  return condition?.status === "False" ? condition : undefined;
}

/** The commands that end what a person has done to it. */
const ways: Partial<Record<Cause, (name: string) => readonly string[]>> = {
  paused: (name) => ["rollout", "resume", "deployment", name],
  scaledDown: (name) => ["scale", "deployment", name, "--replicas=1"],
};

/** What does not go away by waiting. */
function stall(what: Cause, object: string, message?: string): Stalled {
  const { code, severity, cause: says, fix, source } = deploymentFindings[what];
  const [, namespace, name] = object.split("/");
  const words = ways[what]?.(String(name));
  const remedies = [words ? kubectl(fix, ...words, "-n", String(namespace)) : { says: fix }];
  const cause = message === undefined ? says : `${says}: ${message}`;
  const about = { object, cause, fix: renderFix(remedies), remedies };
  return { is: "stalled", code, severity, ...about, source };
}

/** From the conditions of the Deployment and its ReplicaSet, else from the events of the latter. */
function findRejection(facts: Facts, deployment: Deployment): string | undefined {
  const set = newestReplicaSet(facts, deployment);
  return readRefusal(deployment) ?? readRefusal(set) ?? latestEvent(facts, set);
}

const reasons: readonly (readonly [pattern: RegExp, what: Cause])[] = [
  [/exceeded quota|failed quota/, "quota"],
  [/forbidden|security context constraint|serviceaccount .*not found/, "forbidden"],
];

/** Why its pods may not be created, by its own condition. */
export function readRefusal(object: KubeObject | undefined): string | undefined {
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
