/** Whether a node would take a pod if it were uncordoned: selector, affinity, taints and room, as the scheduler filters (domain facts 11). */
import { asString } from "../base/values";
import type { Facts } from "../facts/facts";
import type { Node, Pod, NodeRequirement, Taint, Toleration } from "../kube/models";
import { type KubeObject, readName, readNamespace } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { addQuantities, compareQuantities } from "../kube/quantities";
import { meets, selects } from "../kube/selectors";

/** True where only its cordon keeps the node from taking the pod, as far as the facts tell. */
export function wouldTake(node: Node, pod: Pod, facts: Facts): boolean {
  const uncordoned = { ...node, spec: { ...node.spec, unschedulable: false } };
  const isReady = [undefined, "True"].includes(asString(findCondition(node, "Ready")?.status));
  return isReady && listObstacles(uncordoned, pod, facts).length === 0;
}

/** True where a lost node would take the pod once it is back: the taints that its loss brings go with it. */
export function wouldTakeBack(node: Node, pod: Pod, facts: Facts): boolean {
  const taints = (node.spec?.taints ?? []).filter((taint) => !ofNodeState.test(String(taint.key)));
  return listObstacles({ ...node, spec: { taints } }, pod, facts).length === 0;
}

/** What keeps the scheduler from putting the pod on the node, in words; none where it fits. */
export function listObstacles(node: Node, pod: Pod, facts: Facts): readonly string[] {
  return [
    ...(node.spec?.unschedulable === true ? ["is cordoned"] : []),
    ...(isChosen(node, pod) ? [] : ["is not one that it asks for"]),
    ...against(node, pod, facts),
    ...(isKeptApart(node, pod, facts.objects) ? ["has a pod that it is kept apart from"] : []),
  ];
}

/** Taints that Kubernetes or a cloud provider sets by a node's state. */
const ofNodeState = /^node\.(cloudprovider\.)?kubernetes\.io\//;

/** What stands against the pod on the nodes that it asks for: the scheduler counts nodes and does not name them. */
export function obstacles(pod: Pod, facts: Facts): readonly string[] {
  return facts.objects.nodes
    .filter((node) => isChosen(node, pod))
    .flatMap((node) => {
      const found = against(node, pod, facts);
      return found.length === 0 ? [] : [`node ${readName(node)} ${found.join(" and ")}`];
    });
}

/** Taints and room, in words. */
function against(node: Node, pod: Pod, { objects }: Facts): readonly string[] {
  const there = objects.pods.filter((one) => one.spec?.nodeName === readName(node) && !isOver(one));
  return [
    ...untolerated(node, pod).map((taint) => `has taint ${renderTaint(taint)}`),
    ...lacking(node, pod, there).map(
      ({ resource, asked, left }) => `has ${left} of the ${asked} ${resource} that it asks for`,
    ),
  ];
}

function isOver(pod: Pod): boolean {
  return ["Succeeded", "Failed"].includes(String(pod.status?.phase));
}

function labelsOf({ metadata }: KubeObject): Readonly<Record<string, string>> {
  return metadata.labels ?? {};
}

/** By its nodeSelector and by one of the terms of its required affinity. */
function isChosen(node: Node, pod: Pod): boolean {
  const labels = labelsOf(node);
  if (!selects({ matchLabels: pod.spec?.nodeSelector }, labels)) return false;
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return true;
  const fields = { "metadata.name": readName(node) };
  const isMatched = required.nodeSelectorTerms?.some(
    ({ matchExpressions, matchFields }) =>
      matchExpressions?.every((one) => isMet(one, labels)) !== false &&
      matchFields?.every((one) => isMet(one, fields)) !== false,
  );
  return isMatched === true;
}

/** Nodes are compared by numbers too, which label selectors are not. */
function isMet(expression: NodeRequirement, labels: Readonly<Record<string, string>>): boolean {
  const key = String(expression.key);
  const operator = String(expression.operator);
  const values = expression.values ?? [];
  const [found, bound] = [Number(labels[key]), Number(values[0])];
  if (operator === "Gt") return found > bound;
  if (operator === "Lt") return found < bound;
  return meets({ key, operator, values }, labels);
}

const cordon = "node.kubernetes.io/unschedulable";

/** Its cordon is a taint as well, which goes with it. */
function untolerated(node: Node, pod: Pod): readonly Taint[] {
  const tolerations = pod.spec?.tolerations ?? [];
  return (node.spec?.taints ?? []).filter(
    (taint) =>
      taint.key !== cordon &&
      taint.effect !== "PreferNoSchedule" &&
      !tolerations.some((one) => tolerates(one, taint)),
  );
}

/** As kubectl shows it: key=value:effect. */
function renderTaint({ key, value, effect }: Taint): string {
  return `${String(key)}${value ? `=${value}` : ""}:${String(effect)}`;
}

function tolerates({ key, effect, operator, value }: Toleration, taint: Taint): boolean {
  return (
    (!key || key === taint.key) &&
    (!effect || effect === taint.effect) &&
    (operator === "Exists" || (value ?? "") === (taint.value ?? ""))
  );
}

/** A resource of which a node has less than a pod asks for. */
interface Lack {
  readonly resource: string;
  readonly asked: string;
  readonly left: string;
}

/** Only pods that were read are counted: what others take makes it less. */
function lacking(node: Node, pod: Pod, there: readonly Pod[]): readonly Lack[] {
  const allocatable = node.status?.allocatable;
  return Object.entries(requestsOf(pod)).flatMap(([resource, asked]) => {
    const whole = allocatable?.[resource];
    if (whole === undefined) return [];
    const left = there.reduce<unknown>(
      (rest, one) => addQuantities(rest, requestsOf(one)[resource], -1),
      whole,
    );
    return compareQuantities(asked, left) === 1 ? [{ resource, asked, left: String(left) }] : [];
  });
}

/** What its containers ask for together. */
function requestsOf(pod: Pod): Readonly<Record<string, string>> {
  const sums = new Map<string, string>();
  for (const { resources } of pod.spec?.containers ?? []) {
    for (const [resource, asked] of Object.entries(resources?.requests ?? {})) {
      sums.set(resource, addQuantities(sums.get(resource), asked, 1));
    }
  }
  return Object.fromEntries(sums);
}

/** A pod that it is kept apart from, by its own required anti-affinity, runs on a node of the same domain. */
function isKeptApart(node: Node, pod: Pod, objects: Facts["objects"]): boolean {
  const { requiredDuringSchedulingIgnoredDuringExecution: terms } =
    pod.spec?.affinity?.podAntiAffinity ?? {};
  return (terms ?? []).some(({ topologyKey, labelSelector }) => {
    const domain = domainOf(node, topologyKey);
    return objects.pods.some((one) => {
      const host = objects.nodes.find((each) => readName(each) === one.spec?.nodeName);
      return (
        host !== undefined &&
        !isOver(one) &&
        readNamespace(one) === readNamespace(pod) &&
        selects(labelSelector, labelsOf(one)) &&
        domain !== undefined &&
        domainOf(host, topologyKey) === domain
      );
    });
  });
}

function domainOf(node: Node, key: string | null | undefined): string | undefined {
  return labelsOf(node)[String(key)];
}
