/** Whether a Deployment is 1/1 ready, up to date and available, and why it is not (S19). */
import type { Facts } from "../facts/facts";
import { kubectl } from "../base/remedy";
import type { Deployment, ReplicaSet } from "../kube/models";
import { type KubeObject, objectLabel, type ObjectMeta } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { sameJson, asString } from "../base/values";
import { deploymentFindings, rollFindings } from "./findings";
import { podTroubles } from "./pod-causes";
import { type Problem, type Progress, makeStalled as stall, withRemedies } from "./progress";
import { lastRefusal } from "./refusals";
import { defaultStallAfterMs, isDue } from "./stateful-set";

/** A cause that does not go away by waiting. */
interface DeploymentProblem {
  readonly what: keyof typeof deploymentFindings;
  readonly message?: string | undefined;
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

/** What keeps a pod of that ReplicaSet, judged as every pod is; only what comes up is given time. */
function podProblem(facts: Facts, deployment: Deployment): Problem | undefined {
  const set = newestReplicaSet(facts, deployment);
  if (set === undefined) return undefined;
  const isLate = late(deployment) !== undefined;
  const patience = { stallAfterMs: defaultStallAfterMs };
  const [first] = facts.objects.pods
    .filter((pod) => isOwned(pod, set.metadata) && pod.metadata.deletionTimestamp === undefined)
    .flatMap((pod) => podTroubles(pod, { facts }))
    .filter((one) => {
      const comesUp = one.code === rollFindings.notReady.code || one.patient === true;
      return !comesUp || isLate || isDue(one, { patience, moved: undefined, now: facts.now });
    });
  return first && { ...first, code: asOperators[first.code] ?? first.code };
}

/** The operator's own codes for what any pod may have. */
const asOperators: Readonly<Record<string, string>> = {
  [rollFindings.config.code]: deploymentFindings.configuration.code,
  [rollFindings.crash.code]: deploymentFindings.crash.code,
  [rollFindings.image.code]: deploymentFindings.image.code,
  [rollFindings.memory.code]: deploymentFindings.crash.code,
  [rollFindings.unschedulable.code]: deploymentFindings.unschedulable.code,
};

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
    return { is: "moving", on: `${object}: ${renderCounts(counts)}`, step };
  }
  if (counts.wanted === 0) return makeStalled({ what: "scaledDown", object });
  const says = renderCounts(counts);
  if (isThere(counts)) return { is: "done", says };
  const ofPod = podProblem(facts, found);
  if (ofPod !== undefined) return stall(ofPod);
  const trouble = rejection(facts, found) ?? late(found);
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

/** Its pods as `kubectl get deployment` counts them; a status of an older generation says nothing of this one. */
export function renderCounts(counts: Counts): string {
  if (counts.observed < counts.generation) return "its new generation has not been seen yet";
  const { wanted, all, ready, updated, available } = counts;
  const old = all > updated ? `, ${all - updated} of the old one left` : "";
  return `${ready}/${wanted} ready, ${updated} up to date, ${available} available${old}`;
}

function late(deployment: Deployment): DeploymentProblem | undefined {
  const condition = findCondition(deployment, "Progressing");
  if (condition?.status !== "False") return undefined;
  return { what: "deadline", message: asString(condition.message) };
}

/** The commands that end what a person has done to it. */
const ways: Partial<
  Record<DeploymentProblem["what"], (name: string, place: readonly string[]) => readonly string[]>
> = {
  paused: (name, place) => ["rollout", "resume", "deployment", name, ...place],
  scaledDown: (name, place) => ["scale", "deployment", name, "--replicas=1", ...place],
};

function makeStalled({
  what,
  object,
  message,
}: DeploymentProblem & { readonly object: string }): Progress {
  const { code, cause, fix } = deploymentFindings[what];
  const [, namespace, name] = object.split("/");
  const words = ways[what]?.(String(name), ["-n", String(namespace)]);
  const because = message === undefined ? cause : `${cause}: ${message}`;
  const remedy = words === undefined ? { says: fix } : kubectl(fix, ...words);
  return stall({ code, object, because, ...withRemedies(remedy) });
}

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
