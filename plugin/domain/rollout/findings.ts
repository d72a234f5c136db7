/** The finding codes of a roll and of its pods, each with its cause, way out and source; the first is to be handled first. */
import { error, type Explained } from "../base/findings";
import { bindFindings } from "../names/codes";
import { readTiming, type Recognized, type Timed } from "./progress";

/** What keeps a roll, in the order in which it has to be handled. */
export const rollFindings = {
  unobserved: error("ROLLOUT-UNOBSERVED", "Facts 11", {
    cause: "the StatefulSet controller has not taken up the newest generation of the StatefulSet",
    fix: "see whether the cluster's controller manager runs, and what its log says",
  }),
  nodeLost: error("POD-NODE-LOST", "Facts 11", {
    cause: "the node of a pod is not ready or gone: the pod neither ends nor moves by itself",
    fix: "bring the node back, or mark it as out of service once it is certainly off",
  }),
  nodeCordoned: error("POD-NODE-CORDONED", "Facts 11", {
    cause: "no node takes a pod, because nodes are cordoned",
    fix: "uncordon the node that the pod needs",
  }),
  attach: error("POD-VOLUME-ATTACH", "Facts 11", {
    cause: "a volume of a pod cannot be attached to its node",
    fix: "see which node holds the volume with kubectl get volumeattachments",
  }),
  volume: error("POD-VOLUME", "Facts 11", {
    cause: "no node takes a pod because of its volume",
    fix: "look at its claims with kubectl get pvc; fix the volume or its storage class",
  }),
  outdated: error("POD-OUTDATED", "Facts 11", {
    cause:
      "a pod of an earlier revision is not ready, and the StatefulSet controller does not replace it",
    fix: "delete the pod: its volume stays, and it is created again as the StatefulSet asks for it now",
  }),
  notCreated: error("POD-NOT-CREATED", "Facts 11", {
    cause: "a pod may not be created: a quota, a security constraint or a webhook prevents it",
    fix: "fix what the API server names",
  }),
  recreated: error("POD-RECREATED", "Facts 11", {
    cause: "a pod fails as soon as it is created, and is created again and again",
    fix: "find out what its node refuses it for; free that on the node, or take the node out",
  }),
  unschedulable: error("POD-UNSCHEDULABLE", "Facts 11", {
    cause: "no node takes a pod",
    fix: "free capacity on a node, or fix what the scheduler names",
  }),
  sandbox: error("POD-SANDBOX", "Facts 11", {
    cause: "the node cannot set up a pod's network or sandbox",
    fix: "see the node's network plugin and container runtime",
  }),
  mount: error("POD-MOUNT", "Facts 11", {
    cause: "a volume, Secret or ConfigMap of a pod cannot be mounted",
    fix: "create what the message names",
  }),
  config: error("POD-CONFIG", "Facts 11", {
    cause:
      "a container cannot be created: something that it refers to does not exist or does not fit",
    fix: "create or fix what the message names; the pod then starts automatically",
  }),
  image: error("POD-IMAGE", "S17", {
    cause: "the image of a pod cannot be pulled",
    fix: "check that the repository holds the tag, and that the pull secret fits",
  }),
  evicted: error("POD-EVICTED", "Facts 11", {
    cause: "the kubelet evicted a pod because its node runs out of a resource",
    fix: "free that resource on the node, or raise the request and the limit",
  }),
  memory: error("POD-MEMORY", "Facts 11", {
    cause: "a container is killed because it uses more memory than its limit",
    fix: "raise the memory limit: the log of a container that is killed shows no cause",
  }),
  crash: error("POD-CRASH", "Facts 11", {
    cause: "a container of a pod does not stay up",
    fix: "find out why with kubectl logs, also with --previous",
  }),
  overdue: error("POD-TERMINATION-OVERDUE", "Facts 11", {
    cause: "a pod is still there long after its grace period: the kubelet has not ended it",
    fix: "check the kubelet and the container runtime of its node",
  }),
  terminating: error("POD-TERMINATING", "Facts 11", {
    cause: "a pod has been terminating for a long time",
    fix: "check with kubectl logs what it is doing; give it time before you force its deletion",
  }),
  gate: error("POD-READINESS-GATE", "Facts 11", {
    cause: "all containers of a pod are ready, and a readiness gate of it is not",
    fix: "see the controller that sets that condition: the pod is not ready until it does",
  }),
  notReady: error("POD-NOT-READY", "Facts 11", {
    cause: "a pod runs and does not become ready",
    fix: "see its events and its probe with kubectl describe pod",
  }),
  absent: error("POD-ABSENT", "Facts 11", {
    cause: "a pod of the StatefulSet does not exist, and nothing creates it",
    fix: "see kubectl describe statefulset; events that say why are kept for about an hour",
  }),
  held: error("ROLLOUT-HELD", "S72", {
    cause: "the update strategy of the StatefulSet keeps pods as they are",
    fix: "set it back to a rolling update without a partition",
  }),
  idle: error("ROLLOUT-IDLE", "S72", {
    cause: "all pods are ready, old ones are left, and nothing renews them",
    fix: "see whether the cluster's controller manager runs, and what its log says",
  }),
} as const satisfies Readonly<Record<string, Explained>>;

/** What may keep a roll, by its short name. */
export type RollCause = keyof typeof rollFindings;

const makeFinding = bindFindings(rollFindings);

/** A finding of one of the codes, and when it may be told. */
export function rollFinding(cause: RollCause, found: Recognized & Pick<Timed, "object">): Timed {
  const { object, cause: says, remedies } = found;
  return { ...makeFinding(cause, { object, cause: says, remedies }), object, ...readTiming(found) };
}

const order: readonly string[] = Object.values(rollFindings).map(({ code }) => code);

/** Which of several is to be handled first: the lowest number. */
export function rankCode(code: string): number {
  return order.indexOf(code);
}

/** Why a Deployment does not get ready by waiting; the tools roll only the operator's. */
export const deploymentFindings = {
  configuration: error("OPERATOR-POD-CONFIGURATION", "S19", {
    cause: "a container of the new pod cannot be created: something that it refers to is not there",
    fix: "create what the message names; the pod then starts automatically",
  }),
  crash: error("OPERATOR-CRASH", "S19", {
    cause: "a container of the new pod keeps crashing",
    fix: "read the log of the container that crashes, of its last start (kubectl logs POD -c CONTAINER --previous), and fix what it names",
  }),
  deadline: error("OPERATOR-DEADLINE", "S19", {
    cause:
      "the Deployment made no progress within its deadline, and neither pods nor events show why",
    fix: "look at it with kubectl describe deployment and its pods, then run again",
  }),
  forbidden: error("OPERATOR-POD-FORBIDDEN", "S19", {
    cause:
      "the API server refuses the new pod: its service account is missing, or admission does not allow what it asks for",
    fix: "restore the account or grant what the message names; the pod is then created automatically",
  }),
  gone: error("OPERATOR-DEPLOYMENT-GONE", "S19", {
    cause: "the operator's Deployment was deleted",
    fix: "find who deletes it, then run again",
  }),
  image: error("OPERATOR-IMAGE-PULL", "S17", {
    cause: "the image of the new pod cannot be pulled",
    fix: "put the image into the registry, or give the registry with --image-registry and its secret with --pull-secret",
  }),
  paused: error("OPERATOR-PAUSED", "S19", {
    cause: "the Deployment is paused: it creates no new pod",
    fix: "resume it",
  }),
  quota: error("OPERATOR-QUOTA", "S19", {
    cause: "a quota of the namespace leaves no room for the new pod",
    fix: "raise the quota, or free what it counts; the pod is then created automatically",
  }),
  rejected: error("OPERATOR-POD-REJECTED", "S19", {
    cause: "the new pod cannot be created",
    fix: "fix what the message names; the pod is then created automatically",
  }),
  scaledDown: error("OPERATOR-SCALED-DOWN", "S19", {
    cause: "the Deployment is scaled to zero",
    fix: "scale it to one",
  }),
  unschedulable: error("OPERATOR-UNSCHEDULABLE", "S19", {
    cause: "no node has room for the new pod, or none fits what it asks for",
    fix: "free or add a node that fits; the pod is then scheduled automatically",
  }),
} as const satisfies Readonly<Record<string, Explained>>;
