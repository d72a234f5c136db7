/** A pod and its node: one that is lost, cordoned or not to be had (domain facts 11). */
import { factNamed, type Facts, isKnown } from "../facts/facts";
import { conditionOf, type KubeObject, nameOf } from "../kube/objects";
import { getPath, asArray, getOwn, asString } from "../base/values";
import { describe, line, type PodContext, type Trouble, unplaced } from "./pod-words";
import { deletedAt } from "./times";

/** A node that is not ready or not there, and since when. */
interface LostNode {
  readonly says: string;
  readonly since: string | undefined;
}

function lostNode(facts: Facts, name: string): LostNode | undefined {
  if (!isKnown(facts, "nodes") || facts.objects.nodes.length === 0) return undefined;
  const node = factNamed(facts, "nodes", { name });
  if (node === undefined) return { says: `its node ${name} no longer exists`, since: undefined };
  const ready = conditionOf(node, "Ready");
  if (ready === undefined || getOwn(ready, "status") === "True") return undefined;
  const told = ["reason", "message"].flatMap((key) => asString(getOwn(ready, key)) ?? []);
  const said = told.length === 0 ? "" : `: ${told.join(": ")}`;
  const times = [
    getOwn(ready, "lastTransitionTime"),
    ...asArray(getPath(node, ["spec", "taints"])).map((taint) => getOwn(taint, "timeAdded")),
  ];
  return { says: `its node ${name} is not ready${said}`, since: times.flatMap(timeOf)[0] };
}

function timeOf(value: unknown): readonly string[] {
  return asString(value) === undefined ? [] : [String(value)];
}

/** A pod that was placed there, or one whose volume is there: no other node takes it. */
export function nodeLost(pod: KubeObject, context?: PodContext): Trouble | undefined {
  if (context === undefined) return undefined;
  const name = asString(getPath(pod, ["spec", "nodeName"]));
  if (name === undefined) return volumeLost(pod, context);
  const found = lostNode(context.facts, name) ?? toldByPod(context.facts, pod, name);
  if (found === undefined) return undefined;
  const isLeaving = pod.metadata.deletionTimestamp !== undefined;
  return {
    because: `${found.says}${isLeaving ? ", and nobody there ends the pod" : ""}`,
    fix: wayBack(name),
    since: found.since ?? deletedAt(pod),
    evident: isLeaving || found.since === undefined,
  };
}

/** The scheduler names the taint, the nodes who has it. */
function volumeLost(pod: KubeObject, { facts }: PodContext): Trouble | undefined {
  const message = unplaced(pod);
  if (message === undefined || !/node\.kubernetes\.io\/(unreachable|not-ready)/.test(message)) {
    return undefined;
  }
  const away = facts.objects.nodes.flatMap((node) => {
    const lost = lostNode(facts, nameOf(node));
    return lost === undefined ? [] : [{ ...lost, name: nameOf(node) }];
  });
  if (away.length === 0) return undefined;
  return {
    because: `no node takes it: ${message}; ${away.map(({ says }) => says.replace("its ", "")).join("; ")}`,
    fix: wayBack(away.map(({ name }) => name).join(" ")),
    since: away[0]?.since,
    evident: true,
  };
}

/** Where nodes may not be read, the pod has the words of those who gave it up. */
function toldByPod(facts: Facts, pod: KubeObject, node: string): LostNode | undefined {
  if (isKnown(facts, "nodes")) return undefined;
  const ready = conditionOf(pod, "Ready");
  const disruption = conditionOf(pod, "DisruptionTarget");
  const reasons = [
    getPath(pod, ["status", "reason"]),
    getOwn(ready, "reason"),
    getOwn(disruption, "reason"),
  ];
  const told = reasons
    .map(asString)
    .find((one) => ["NodeLost", "NodeNotReady", "DeletionByTaintManager"].includes(String(one)));
  if (told === undefined) return undefined;
  const since = asString(getOwn(ready, "lastTransitionTime"));
  return { says: `its node ${node} is lost, as the pod reports: ${told}`, since };
}

function wayBack(nodes: string): string {
  return `bring node ${nodes} back; if it is gone for good, make sure that it is off, then kubectl taint nodes ${nodes} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute releases the pod and its volume, and deleting the node does as well; see it first with kubectl describe nodes ${nodes}`;
}

export function cordoned(pod: KubeObject, context?: PodContext): Trouble | undefined {
  const message = unplaced(pod);
  if (
    message === undefined ||
    !/were unschedulable|node\.kubernetes\.io\/unschedulable/.test(message)
  )
    return undefined;
  const names = (context?.facts.objects.nodes ?? [])
    .filter((node) => getPath(node, ["spec", "unschedulable"]) === true)
    .map(nameOf);
  const who = names.length === 0 ? "" : ` (cordoned: ${names.join(", ")})`;
  const way =
    names.length === 0
      ? "find the cordoned nodes with kubectl get nodes"
      : `its volume may be on one of them: uncordon it when its maintenance is over, with kubectl uncordon ${names.join(" ")}`;
  return { because: `no node takes it: ${message}${who}`, fix: way, ...placing(pod) };
}

/** Since when, and that waiting does not help. */
function placing(pod: KubeObject): Pick<Trouble, "since" | "evident"> {
  const since = asString(getOwn(conditionOf(pod, "PodScheduled"), "lastTransitionTime"));
  return { since, evident: true };
}

const ofVolume = /persistentvolume|volume node affinity|unbound immediate/i;

export function unbound(pod: KubeObject, context?: PodContext): Trouble | undefined {
  const message = unplaced(pod);
  if (message === undefined || !ofVolume.test(message)) return undefined;
  const said = context === undefined ? [] : claimWords(context.facts, pod);
  return {
    because: [`no node takes it: ${message}`, ...said].join("; "),
    fix: `fix the volume or its storage class; see its claims with ${line(pod, "get", "pvc")}`,
    ...placing(pod),
  };
}

/** What the provisioner says of the pod's claims. */
function claimWords({ objects }: Facts, pod: KubeObject): readonly string[] {
  const claims = asArray(getPath(pod, ["spec", "volumes"])).map((volume) =>
    getPath(volume, ["persistentVolumeClaim", "claimName"]),
  );
  const said = objects.events.filter(
    (event) =>
      getOwn(event, "reason") === "ProvisioningFailed" &&
      claims.includes(getPath(event, ["involvedObject", "name"])),
  );
  return said.slice(-1).flatMap((event) => asString(getOwn(event, "message")) ?? []);
}

export function unschedulable(pod: KubeObject): Trouble | undefined {
  const message = unplaced(pod);
  if (message === undefined) return undefined;
  return {
    because: `no node takes it: ${message}`,
    fix: `free capacity on a node, or fix the node selector, taint or affinity that it names; see ${describe(pod)}`,
    ...placing(pod),
  };
}
