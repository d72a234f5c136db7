/** Whether a node would take a pod if it were uncordoned: selector, affinity, taints and room, as the scheduler filters (domain facts 11). */
import { getPath, asArray, getOwn, asString, isObject } from "../base/values";
import type { Facts } from "../facts/facts";
import { type KubeObject, readName, readNamespace } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { addQuantities, compareQuantities } from "../kube/quantities";
import { meets, selects } from "../kube/selectors";

/** True where only its cordon keeps the node from taking the pod, as far as the facts tell. */
export function wouldTake(node: KubeObject, pod: KubeObject, facts: Facts): boolean {
  return (
    [undefined, "True"].includes(asString(getOwn(findCondition(node, "Ready"), "status"))) &&
    isChosen(node, pod) &&
    against(node, pod, facts).length === 0 &&
    !isKeptApart(node, pod, facts.objects)
  );
}

/** True where a lost node would take the pod once it is back: the taints that its loss brings go with it. */
export function wouldTakeBack(node: KubeObject, pod: KubeObject, facts: Facts): boolean {
  const taints = asArray(getPath(node, ["spec", "taints"])).filter(
    (taint) => !ofNodeState.test(String(getOwn(taint, "key"))),
  );
  return (
    isChosen(node, pod) &&
    against({ ...node, spec: { taints } }, pod, facts).length === 0 &&
    !isKeptApart(node, pod, facts.objects)
  );
}

/** Taints that Kubernetes or a cloud provider sets by a node's state. */
const ofNodeState = /^node\.(cloudprovider\.)?kubernetes\.io\//;

/** What stands against the pod on the nodes that it asks for: the scheduler counts nodes and does not name them. */
export function obstacles(pod: KubeObject, facts: Facts): readonly string[] {
  return facts.objects.nodes
    .filter((node) => isChosen(node, pod))
    .flatMap((node) => {
      const found = against(node, pod, facts);
      return found.length === 0 ? [] : [`node ${readName(node)} ${found.join(" and ")}`];
    });
}

/** Taints and room, in words. */
function against(node: KubeObject, pod: KubeObject, { objects }: Facts): readonly string[] {
  const there = objects.pods.filter(
    (one) => getPath(one, ["spec", "nodeName"]) === readName(node) && !isOver(one),
  );
  return [
    ...untolerated(node, pod).map((taint) => `has taint ${renderTaint(taint)}`),
    ...lacking(node, pod, there).map(
      ({ resource, asked, left }) => `has ${left} of the ${asked} ${resource} that it asks for`,
    ),
  ];
}

function isOver(pod: KubeObject): boolean {
  return ["Succeeded", "Failed"].includes(String(getPath(pod, ["status", "phase"])));
}

function labelsOf({ metadata }: KubeObject): Readonly<Record<string, string>> {
  return metadata.labels ?? {};
}

/** By its nodeSelector and by one of the terms of its required affinity. */
function isChosen(node: KubeObject, pod: KubeObject): boolean {
  const labels = labelsOf(node);
  if (!selects({ matchLabels: getPath(pod, ["spec", "nodeSelector"]) }, labels)) return false;
  const required = getPath(pod, [
    ...["spec", "affinity", "nodeAffinity"],
    "requiredDuringSchedulingIgnoredDuringExecution",
  ]);
  if (required === undefined) return true;
  return asArray(getOwn(required, "nodeSelectorTerms")).some(
    (term) =>
      asArray(getOwn(term, "matchExpressions")).every((one) => isMet(one, labels)) &&
      asArray(getOwn(term, "matchFields")).every((one) =>
        isMet(one, { "metadata.name": readName(node) }),
      ),
  );
}

/** Nodes are compared by numbers too, which label selectors are not. */
function isMet(expression: unknown, labels: Readonly<Record<string, string>>): boolean {
  const key = String(getOwn(expression, "key"));
  const operator = String(getOwn(expression, "operator"));
  const values = asArray(getOwn(expression, "values")).map(String);
  const [found, bound] = [Number(labels[key]), Number(values[0])];
  if (operator === "Gt") return found > bound;
  if (operator === "Lt") return found < bound;
  return meets({ key, operator, values }, labels);
}

const cordon = "node.kubernetes.io/unschedulable";

/** Its cordon is a taint as well, which goes with it. */
function untolerated(node: KubeObject, pod: KubeObject): readonly unknown[] {
  const tolerations = asArray(getPath(pod, ["spec", "tolerations"]));
  return asArray(getPath(node, ["spec", "taints"])).filter(
    (taint) =>
      getOwn(taint, "key") !== cordon &&
      getOwn(taint, "effect") !== "PreferNoSchedule" &&
      !tolerations.some((one) => tolerates(one, taint)),
  );
}

/** As kubectl shows it: key=value:effect. */
function renderTaint(taint: unknown): string {
  const [key, value, effect] = ["key", "value", "effect"].map((field) =>
    asString(getOwn(taint, field)),
  );
  return `${String(key)}${value === undefined ? "" : `=${value}`}:${String(effect)}`;
}

function tolerates(toleration: unknown, taint: unknown): boolean {
  const [key, effect, operator] = ["key", "effect", "operator"].map((field) =>
    asString(getOwn(toleration, field)),
  );
  return (
    [undefined, "", getOwn(taint, "key")].includes(key) &&
    [undefined, "", getOwn(taint, "effect")].includes(effect) &&
    (operator === "Exists" ||
      (getOwn(toleration, "value") ?? "") === (getOwn(taint, "value") ?? ""))
  );
}

/** A resource of which a node has less than a pod asks for. */
interface Lack {
  readonly resource: string;
  readonly asked: string;
  readonly left: string;
}

/** Only pods that were read are counted: what others take makes it less. */
function lacking(node: KubeObject, pod: KubeObject, there: readonly KubeObject[]): readonly Lack[] {
  const allocatable = getPath(node, ["status", "allocatable"]);
  return Object.entries(requestsOf(pod)).flatMap(([resource, asked]) => {
    const whole = getOwn(allocatable, resource);
    if (whole === undefined) return [];
    const left = there.reduce<unknown>(
      (rest, one) => addQuantities(rest, requestsOf(one)[resource], -1),
      whole,
    );
    return compareQuantities(asked, left) === 1 ? [{ resource, asked, left: String(left) }] : [];
  });
}

/** What its containers ask for together. */
function requestsOf(pod: KubeObject): Readonly<Record<string, string>> {
  const sums = new Map<string, string>();
  for (const container of asArray(getPath(pod, ["spec", "containers"]))) {
    const requests = getPath(container, ["resources", "requests"]);
    for (const [resource, asked] of Object.entries(isObject(requests) ? requests : {})) {
      sums.set(resource, addQuantities(sums.get(resource), asked, 1));
    }
  }
  return Object.fromEntries(sums);
}

/** A pod that it may not be beside, by its own required anti-affinity, runs on a node of the same domain. */
function isKeptApart(node: KubeObject, pod: KubeObject, objects: Facts["objects"]): boolean {
  const terms = asArray(
    getPath(pod, [
      ...["spec", "affinity", "podAntiAffinity"],
      "requiredDuringSchedulingIgnoredDuringExecution",
    ]),
  );
  return terms.some((term) => {
    const domain = domainOf(node, getOwn(term, "topologyKey"));
    const selector = getOwn(term, "labelSelector");
    return objects.pods.some((one) => {
      const host = objects.nodes.find(
        (each) => readName(each) === getPath(one, ["spec", "nodeName"]),
      );
      return (
        host !== undefined &&
        !isOver(one) &&
        readNamespace(one) === readNamespace(pod) &&
        selects(selector, labelsOf(one)) &&
        domain !== undefined &&
        domainOf(host, getOwn(term, "topologyKey")) === domain
      );
    });
  });
}

function domainOf(node: KubeObject, key: unknown): string | undefined {
  return labelsOf(node)[String(key)];
}
