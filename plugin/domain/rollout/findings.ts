/** The finding codes of a roll and of its pods, each with its cause, way out and source; the first is to be handled first. */
import { error } from "../base/findings";

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
  unschedulable: error("POD-UNSCHEDULABLE", "Facts 11", {
    cause: "no node takes a pod",
    fix: "free capacity on a node, or fix the selector, taint or affinity that is named",
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
    fix: "see the kubelet and the container runtime of its node",
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
} as const;

/** What may keep a roll, by its short name. */
export type RollCause = keyof typeof rollFindings;

const order: readonly string[] = Object.values(rollFindings).map(({ code }) => code);

/** Which of several is to be handled first: the lowest number. */
export function rankOf(code: string): number {
  return order.indexOf(code);
}
