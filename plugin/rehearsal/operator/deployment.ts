/** The Deployment controller at play, for the operator's Deployment alone: strategy Recreate (S19). */
import { kinds } from "../../domain/kinds";
import { at, isObject, type Json, own, sameJson } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { Act } from "./act";
import { omit } from "../memory/omit";
import { deploymentStatus } from "./deployment-status";
import { warningAct } from "./events";
import { operatorPodEnd, operatorPods } from "./operator-pod";
import { podActs } from "./pods";
import { isReadyPod } from "./pod-status";
import { identity, numberAt, ownedBy, ownerOf, played, type Scene } from "./scene";
import {
  controllerManager,
  hashOf,
  remove,
  sameButTimes,
  writeFields,
  writeStatus,
} from "./writes";

const hashLabel = "pod-template-hash";

/** The Deployment, and what belongs to it. */
interface Held {
  readonly scene: Scene;
  readonly deployment: KubeObject;
  readonly sets: readonly KubeObject[];
  /** The ReplicaSet of the present template. */
  readonly current: KubeObject | undefined;
  readonly pods: readonly KubeObject[];
}

/** What the controllers of the operator's Deployment have to do now. */
export function deploymentActs(scene: Scene): readonly Act[] {
  const { deployment } = scene;
  if (deployment === undefined) return [];
  const sets = ownedBy(deployment, scene.replicaSets);
  const current = sets.find((set) => sameJson(templateOf(set), templateOf(deployment)));
  const held = { scene, deployment, sets, current, pods: operatorPods(scene) };
  return [
    ...statusActs(held),
    ...setActs(held),
    ...sets.flatMap((set) => countActs(held, set)),
    ...held.pods.flatMap((pod) =>
      podActs(scene, pod, isOf(current, pod) ? operatorPodEnd(scene, pod) : undefined),
    ),
  ];
}

/** Without the label that tells one revision from another. */
function templateOf(object: KubeObject): unknown {
  const template = at(object, ["spec", "template"]);
  const labels = at(template, ["metadata", "labels"]);
  if (!isObject(template) || !isObject(labels)) return template;
  const metadata = { ...(own(template, "metadata") as object), labels: omit(labels, hashLabel) };
  return { ...template, metadata };
}

function isOf(set: KubeObject | undefined, pod: KubeObject): boolean {
  return ownedBy(set, [pod]).length > 0;
}

function statusActs(held: Held): readonly Act[] {
  const { scene, deployment, sets } = held;
  const wanted = deploymentStatus({ ...held, refusal: refusalOf(scene), now: scene.now });
  const ofSets = sets.flatMap((set) => {
    const pods = ownedBy(set, scene.pods);
    const ready = pods.filter(isReadyPod).length;
    const status = {
      replicas: pods.length,
      fullyLabeledReplicas: pods.length,
      readyReplicas: ready,
      availableReplicas: ready,
      observedGeneration: set.metadata.generation,
    };
    return synced(set, { resource: played.replicaSet, status: withoutZeros(status) });
  });
  return [...ofSets, ...synced(deployment, { resource: kinds.deployment, status: wanted })];
}

/** As the API server stores counts: those of nothing are left out. */
function withoutZeros({ replicas, ...status }: Json): Json {
  const kept = Object.entries(status).filter(([, value]) => value !== 0);
  return { replicas, ...Object.fromEntries(kept) };
}

function synced(
  object: KubeObject,
  {
    resource,
    status,
  }: {
    readonly resource: (typeof played)["replicaSet"] | (typeof kinds)["deployment"];
    readonly status: Json;
  },
): readonly Act[] {
  if (sameButTimes(object["status"], status)) return [];
  const target = { resource, object, manager: controllerManager };
  const run: Act["run"] = ({ cluster }) => writeStatus(cluster, target, status);
  return [{ key: `${identity(object)} status ${hashOf(status)}`, afterMs: 0, run }];
}

/** Old sets are emptied, and only then is there a new one. */
function setActs({ scene, deployment, sets, current, pods }: Held): readonly Act[] {
  const replicas = numberAt(deployment, ["spec", "replicas"], 1);
  const wantedOf = (set: KubeObject): number => (set === current ? replicas : 0);
  const scaled = sets
    .filter((set) => numberAt(set, ["spec", "replicas"], 1) !== wantedOf(set))
    .filter((set) => set !== current || pods.every((pod) => isOf(current, pod)));
  const scale = scaled.map((set): Act => ({
    key: `${identity(set)} scale ${wantedOf(set)}`,
    afterMs: 0,
    run: ({ cluster }) =>
      writeFields(
        cluster,
        { resource: played.replicaSet, object: set, manager: controllerManager },
        { spec: { replicas: wantedOf(set) } },
      ),
  }));
  if (current !== undefined || pods.length > 0 || scaled.length > 0) return scale;
  const made = replicaSetOf(deployment, replicas);
  const run: Act["run"] = ({ cluster }) =>
    cluster.create(made, { fieldManager: controllerManager });
  return [
    {
      key: `${identity(deployment)} set ${made.metadata.name ?? ""}`,
      afterMs: scene.times.reactMs,
      run,
    },
  ];
}

/** The ReplicaSet of a Deployment's template, and what its name ends in. */
export function replicaSetOf(deployment: KubeObject, replicas: number): KubeObject {
  const { name = "", namespace } = deployment.metadata;
  const template = templateOf(deployment) as Json;
  const hash = hashOf(template);
  const labels = { ...(at(template, ["metadata", "labels"]) as object), [hashLabel]: hash };
  const selector = at(deployment, ["spec", "selector", "matchLabels"]) as object;
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace !== undefined && { namespace }),
      labels: labels,
      ownerReferences: [ownerOf(deployment) as Json],
    },
    spec: {
      replicas,
      selector: { matchLabels: { ...selector, [hashLabel]: hash } },
      template: { ...template, metadata: { ...(template["metadata"] as object), labels } },
    },
  };
}

function countActs({ scene }: Held, set: KubeObject): readonly Act[] {
  const wanted = numberAt(set, ["spec", "replicas"], 1);
  const pods = ownedBy(set, scene.pods);
  const living = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const surplus = living.slice(wanted).map((pod): Act => ({
    key: `${identity(pod)} delete`,
    afterMs: scene.times.drainMs,
    run: ({ cluster }) =>
      remove(cluster, { resource: played.pod, object: pod, manager: controllerManager }),
  }));
  if (living.length >= wanted) return surplus;
  const refusal = refusalOf(scene);
  if (refusal !== undefined) {
    return [warningAct(scene, { about: set, reason: "FailedCreate", message: refusal })];
  }
  const pod = podOf(set, scene.pods);
  const run: Act["run"] = ({ cluster }) => cluster.create(pod, { fieldManager: controllerManager });
  return [{ key: `${identity(set)} pod ${pod.metadata.name ?? ""}`, afterMs: 0, run }];
}

/** A pod of a ReplicaSet, under the first name that is free. */
export function podOf(set: KubeObject, others: readonly KubeObject[]): KubeObject {
  const { name = "", namespace } = set.metadata;
  const taken = new Set(others.map(({ metadata }) => metadata.name));
  const nameAt = (index: number): string => `${name}-${hashOf([name, index]).slice(0, 5)}`;
  let index = 0;
  while (taken.has(nameAt(index))) index += 1;
  const template = at(set, ["spec", "template"]) as Json;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(template["metadata"] as object),
      name: nameAt(index),
      ...(namespace !== undefined && { namespace }),
      ownerReferences: [ownerOf(set) as Json],
    },
    spec: template["spec"],
  };
}

/** Why the API server would not take the operator's pod. */
function refusalOf({ misbehave, deployment }: Scene): string | undefined {
  const name = deployment?.metadata.name ?? "";
  if (misbehave.operatorQuota === true) {
    return `pods "${name}" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=10, limited: pods=10`;
  }
  if (misbehave.operatorForbidden !== true) return undefined;
  return `pods "${name}" is forbidden: unable to validate against any security context constraint`;
}
