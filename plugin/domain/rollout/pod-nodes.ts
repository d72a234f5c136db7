/** A pod and its node: one that is lost, cordoned or not to be had (domain facts 11). */
import type { Recognized } from "./progress";
import { kubectl, look, type Remedy } from "../base/remedy";
import { factNamed, type Facts, isKnown } from "../facts/facts";
import type { Pod, Condition } from "../kube/models";
import { readName } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { asString } from "../base/values";
import { type PodContext, explainUnplaced, checkController, onPod, seePod } from "./pod-words";
import { isBrief, readDeletionTime } from "./times";
import { findDrainHeld } from "./budgets";
import { obstacles, wouldTake, wouldTakeBack } from "./node-fit";
import { readTimes } from "./pod-words";
import { chooseNodeWay, isOnlyVolume } from "./node-words";
import { findScaleUp } from "./pod-waits";

/** A node that is not ready or not there, and since when. */
interface LostNode {
  readonly says: string;
  readonly since: string | undefined;
  /** There is no such node any more. */
  readonly isGone?: true;
  /** Its kubelet reports that it is not ready, and why. */
  readonly isReported?: true;
}

export function findLostNode(facts: Facts, name: string): LostNode | undefined {
  if (!isKnown(facts, "nodes") || facts.objects.nodes.length === 0) return undefined;
  const node = factNamed(facts, "nodes", { name });
  if (node === undefined) {
    return { says: `node ${name} no longer exists`, since: undefined, isGone: true };
  }
  const ready = findCondition(node, "Ready");
  if (ready === undefined || ready.status === "True") return undefined;
  const told = [ready.reason, ready.message].flatMap((word) => asString(word) ?? []);
  const said = told.length === 0 ? "" : `: ${told.join(": ")}`;
  const times = [
    ready.lastTransitionTime,
    ...(node.spec?.taints ?? []).map((taint) => taint.timeAdded),
  ];
  return {
    says: `node ${name} is not ready${said}`,
    since: times.flatMap((time) => asString(time) ?? [])[0],
    ...(isReported(ready) && { isReported: true }),
  };
}

/** Of a node that no longer reports, others say Unknown. */
function isReported(ready: Condition): boolean {
  return ready.status === "False" && ready.reason === "KubeletNotReady";
}

/** A pod that was placed there, or one whose volume is there: no other node takes it. */
export function nodeLost(pod: Pod, context?: PodContext): Recognized | undefined {
  if (context === undefined) return undefined;
  const name = asString(pod.spec?.nodeName);
  if (name === undefined) return volumeLost(pod, context);
  const found = findLostNode(context.facts, name) ?? findLostByPod(context.facts, pod, name);
  if (found === undefined) return undefined;
  const isLeaving = pod.metadata.deletionTimestamp !== undefined;
  return {
    cause: `its ${found.says}${isLeaving ? ", and nobody there ends the pod" : ""}`,
    remedies: chooseWays(pod, name, found),
    since: found.since ?? readDeletionTime(pod) ?? readTurn(pod),
  };
}

function chooseWays(pod: Pod, node: string, { isGone, isReported }: LostNode): readonly Remedy[] {
  if (isGone === true) return waysOn(pod, node);
  if (isReported !== true) return waysBack(node);
  const says = `fix what its kubelet reports, which still answers: the network plugin or the container runtime of node ${node}, for example`;
  return [look(says, "describe", "nodes", node)];
}

/** The scheduler names the taint or none, the nodes who has it: one that would not take the pod is no cause. */
function volumeLost(pod: Pod, { facts }: PodContext): Recognized | undefined {
  const message = explainUnplaced(pod);
  if (
    message === undefined ||
    !/node\.kubernetes\.io\/(unreachable|not-ready)|untolerated taint\(s\)/.test(message)
  ) {
    return undefined;
  }
  const away = facts.objects.nodes.flatMap((node) => {
    const lost = findLostNode(facts, readName(node));
    return lost !== undefined && wouldTakeBack(node, pod, facts)
      ? [{ ...lost, name: readName(node) }]
      : [];
  });
  if (away.length === 0) return undefined;
  return {
    cause: `no node takes it: ${message}; ${away.map(({ says }) => says).join("; ")}`,
    remedies: [...waysBack(...away.map(({ name }) => name))],
    since: away[0]?.since,
    evident: true,
  };
}

/** Where nodes may not be read, the pod has the words of those who gave it up. */
function findLostByPod(facts: Facts, pod: Pod, node: string): LostNode | undefined {
  if (isKnown(facts, "nodes")) return undefined;
  const ready = findCondition(pod, "Ready");
  const disruption = findCondition(pod, "DisruptionTarget");
  const reasons = [pod.status?.reason, ready?.reason, disruption?.reason];
  const told = reasons
    .map(asString)
    .find((one) => ["NodeLost", "NodeNotReady", "DeletionByTaintManager"].includes(String(one)));
  if (told === undefined) return undefined;
  const since = asString(ready?.lastTransitionTime);
  return { says: `node ${node} is lost, as the pod reports: ${told}`, since };
}

/** What brings nodes back, or lets go of what is on them. */
export function waysBack(...nodes: readonly string[]): readonly Remedy[] {
  const outOfService = "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute";
  return [
    look(`bring node ${nodes.join(" ")} back`, "describe", "nodes", ...nodes),
    {
      says: "if it is gone for good, make sure that it is off",
      then: kubectl(
        "release the pod and its volume, as deleting the node would",
        ...["taint", "nodes", ...nodes, outOfService],
      ),
    },
  ];
}

/** When the pod was given up, as it reports. */
function readTurn(pod: Pod): string | undefined {
  return asString(findCondition(pod, "Ready")?.lastTransitionTime);
}

/** No kubelet is left that could end the pod, and no node that could be marked. */
function waysOn(pod: Pod, node: string): readonly Remedy[] {
  const force = ["delete", "pod", readName(pod), "--force", "--grace-period=0"];
  return [
    { says: `let node ${node} join again under its name` },
    checkController,
    {
      says: "if it is gone for good, make sure that its machine is off",
      then: onPod(pod, "delete the pod, and another one is created", ...force),
    },
  ];
}

/** Only a node that would take the pod counts: a cordon that stands elsewhere is no cause. */
export function findCordoned(pod: Pod, context?: PodContext): Recognized | undefined {
  const message = explainUnplaced(pod);
  if (
    message === undefined ||
    !/were unschedulable|node\.kubernetes\.io\/unschedulable/.test(message)
  )
    return undefined;
  const cause = `no node takes it: ${message}`;
  if (context === undefined || !isKnown(context.facts, "nodes")) {
    const says = "find the cordoned nodes, which could not be read, and uncordon one that fits";
    const remedy = look(says, "get", "nodes");
    return { cause, remedies: [remedy], ...describePlacing(pod, context?.facts) };
  }
  const { facts } = context;
  const names = facts.objects.nodes
    .filter((node) => node.spec?.unschedulable === true)
    .filter((node) => wouldTake(node, pod, facts))
    .map(readName);
  if (names.length === 0) return undefined;
  const drain = findDrainHeld(facts, names);
  const held = drain === undefined ? "" : `; ${drain.because}`;
  const maintained =
    "uncordon the nodes when their maintenance is over: the volume of the pod may be on one of them";
  return {
    cause: `${cause} (cordoned: ${names.join(", ")})${held}`,
    remedies: [kubectl(drain?.way ?? maintained, "uncordon", ...names)],
    ...describePlacing(pod, facts),
  };
}

/** Since when, and that waiting does not help once the scheduler has tried for a while. */
export function describePlacing(
  pod: Pod,
  facts: Facts | undefined,
): Pick<Recognized, "since" | "evident"> {
  const since = asString(findCondition(pod, "PodScheduled")?.lastTransitionTime);
  return { since, evident: facts === undefined || !isBrief(since, facts.now) };
}

/** So many nodes are named: the message counts the others. */
const mostNamed = 3;

/** The scheduler does not look at it before whoever has set the gates takes them off. */
function findGates(pod: Pod): Pick<Recognized, "cause" | "remedies"> | undefined {
  if (findCondition(pod, "PodScheduled")?.reason !== "SchedulingGated") return undefined;
  const gates = [pod.spec?.schedulingGates]
    .flat()
    .flatMap((gate) => asString(gate?.name) ?? [])
    .join(", ");
  return {
    cause: `the scheduler does not look at it: its scheduling gates ${gates} are set`,
    remedies: [
      seePod(
        pod,
        `find out why the controller that sets ${gates} holds it back, a queue for example, or exempt the pods of the cluster from it`,
      ),
    ],
  };
}

export function unschedulable(pod: Pod, context?: PodContext): Recognized | undefined {
  const message = explainUnplaced(pod);
  if (message === undefined) return findUnseen(pod);
  if (isOnlyVolume(message)) return undefined;
  const placing = describePlacing(pod, context?.facts);
  const held = findGates(pod);
  return held === undefined
    ? { ...placing, ...explainNoNode(pod, message, context?.facts) }
    : { ...held, ...placing };
}

function explainNoNode(pod: Pod, message: string, facts: Facts | undefined): Recognized {
  const named = facts === undefined ? [] : obstacles(pod, facts).slice(0, mostNamed);
  const displaced = facts === undefined ? [] : findDisplaced(pod, facts);
  const chosen = findNominated(pod);
  const scaleUp = facts && findScaleUp(pod, facts);
  const words = [...named, ...displaced, ...chosen];
  const said = [`no node takes it: ${message.replace(/[.\s]*$/, "")}`, ...words];
  const priority = displaced.length > 0 ? `${higherPriority}; ` : "";
  return {
    cause: [...said, ...(scaleUp === undefined ? [] : [scaleUp.says])].join("; "),
    remedies: [seePod(pod, `${priority}${chooseNodeWay([message, ...named].join("; "))}`)],
    ...(chosen.length > 0 && { evident: false }),
    ...(scaleUp?.isComing === true && { evident: false, patient: true }),
  };
}

/** The scheduler has chosen a node, and waits there until pods of lower priority have ended. */
function findNominated(pod: Pod): readonly string[] {
  const node = asString(pod.status?.nominatedNodeName) ?? "";
  return node === "" ? [] : [`node ${node} is to take it once other pods have ended there`];
}

const higherPriority =
  "give the pods a priority class that is not below that of the pod that took their place";

/** The pod before it gave its place to another; the event is of that pod, which had another uid. */
function findDisplaced(pod: Pod, { objects }: Facts): readonly string[] {
  const [event] = objects.events
    .filter(
      (one) =>
        one.reason === "Preempted" &&
        one.involvedObject?.kind === "Pod" &&
        one.involvedObject.name === readName(pod),
    )
    .toSorted((one, other) => Date.parse(readTimes(other).last) - Date.parse(readTimes(one).last));
  if (event === undefined) return [];
  const { namespace, name } = event.related ?? {};
  const by = name ? ` (Pod/${String(namespace)}/${name})` : "";
  return [`the pod before it was displaced: ${String(event.message)}${by}`];
}

const usualScheduler = "default-scheduler";

/** No node, and no word of a scheduler: the one that it asks for does not run. */
function findUnseen(pod: Pod): Recognized | undefined {
  const isPlaced = pod.spec?.nodeName !== undefined;
  const isPending = pod.status?.phase === "Pending";
  if (isPlaced || !isPending || findCondition(pod, "PodScheduled") !== undefined) return undefined;
  const name = asString(pod.spec?.schedulerName) ?? usualScheduler;
  const says = `check whether scheduler ${name} runs`;
  const lease = ["get", "lease", "kube-scheduler", "-n", "kube-system", "-o", "yaml"];
  const remedy = name === usualScheduler ? kubectl(says, ...lease) : seePod(pod, says);
  return {
    cause: `no scheduler has looked at it; it asks for ${name}`,
    remedies: [remedy],
    since: asString(pod.metadata["creationTimestamp"]),
  };
}
