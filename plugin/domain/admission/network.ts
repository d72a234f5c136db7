/** NetworkPolicies that close the way to the pods behind a Service (Facts 4.5). */
import type { Finding } from "../base/findings";
import { type KubeObject, objectLabel, readNamespace } from "../kube/objects";
import type { LeftMarks } from "../kube/owners";
import { selects } from "../kube/selectors";
import { asArray, few, getOwn, getPath } from "../base/values";
import { webhookFinding } from "./findings";
import { type Letting, listPeerNames, mayBeServer, type Peers } from "./peers";
import { listContainers, isTcp, lineOn, ownerBeside, patchLine, listPorts } from "./service";

/** Policies, and what tells whom they let in. */
interface Limits {
  readonly policies: readonly KubeObject[];
  /** All of the cluster; undefined where they could not be read. */
  readonly namespaces: readonly KubeObject[] | undefined;
  /** The objects whose owner is gone. */
  readonly left?: LeftMarks | undefined;
}

/**
 * The first policy that closes the port of a pod to the API server; a warning where that depends on
 * namespaces that could not be read; undefined where the API server may be let in.
 */
export function judgeNetwork(
  limits: Limits,
  pods: readonly KubeObject[],
  target: unknown,
): Finding | undefined {
  // what a policy does to a pod with its node's network is not defined: most do nothing
  const doubtful = pods
    .filter((one) => getPath(one, ["spec", "hostNetwork"]) !== true)
    .flatMap((pod) => judgePod(limits, pod, target));
  const closed = doubtful.filter(({ lets }) => lets === "no");
  const [first] = closed;
  if (first === undefined) return doubtful.map(reportUnknown)[0];
  const ports = closed.filter((one) => one.policy === first.policy).map(({ port }) => port);
  return reportClosed(first, { numbers: [...new Set(ports)], left: limits.left });
}

/** A pod that a policy closes to the API server, or may close. */
interface Doubtful {
  readonly policy: KubeObject;
  readonly pod: KubeObject;
  readonly port: unknown;
  readonly lets: Exclude<Letting, "yes">;
  /** Who is let in to the port, in words; undefined where no rule is about the port. */
  readonly admitted: readonly string[] | undefined;
}

function judgePod(
  { policies, namespaces }: Limits,
  pod: KubeObject,
  target: unknown,
): readonly Doubtful[] {
  const port = findPortNumber(pod, target);
  const chosen = policies.filter((policy) => closes(policy, pod));
  const [policy] = chosen;
  if (policy === undefined) return [];
  const isOpen = (one: unknown): boolean => covers(one, port, (name) => findPortNumber(pod, name));
  const rules = chosen
    .flatMap((one) => asArray(getPath(one, ["spec", "ingress"])))
    .filter((rule) => opensPort(rule, isOpen));
  const among = { pod, namespaces };
  const answers = rules.flatMap((rule) => letsIn(rule, among));
  if (answers.includes("yes")) return [];
  const lets = answers.includes("unknown") ? "unknown" : "no";
  const peers = rules.flatMap((rule) => asArray(getOwn(rule, "from")));
  const admitted = peers.flatMap((peer) => listPeerNames(peer, among));
  return [{ policy, pod, port, lets, admitted: peers.length > 0 ? admitted : undefined }];
}

/** A rule that names nobody lets in everybody. */
function letsIn(rule: unknown, among: Peers): readonly Letting[] {
  const from = asArray(getOwn(rule, "from"));
  return from.length === 0 ? ["yes"] : from.map((peer) => mayBeServer(peer, among));
}

/** Ports differ where a name leads to another number in each pod: one rule opens them all. */
function reportClosed(
  { policy, pod, admitted }: Doubtful,
  { numbers, left }: { readonly numbers: readonly unknown[]; readonly left: LeftMarks | undefined },
): Finding {
  const rule = { ports: numbers.map((port) => ({ protocol: "TCP", port })) };
  const isList = Array.isArray(getPath(policy, ["spec", "ingress"]));
  const operation = isList
    ? { op: "add", path: "/spec/ingress/-", value: rule }
    : { op: "add", path: "/spec/ingress", value: [rule] };
  const but = admitted === undefined ? "" : `, only ${describeAdmitted(admitted)}`;
  return webhookFinding("networkClosed", {
    object: objectLabel(policy),
    field: "spec.ingress",
    cause: `it selects ${objectLabel(pod)}, and no rule lets the API server reach port ${numbers.map(String).join(" or ")}${but}: every call would time out`,
    fix: `open ${numbers.length === 1 ? "that port" : "those ports"} in it${ownerBeside(policy, left)} with: ${patchLine(policy, [operation])}`,
  });
}

function describeAdmitted(admitted: readonly string[]): string {
  return admitted.length === 0
    ? "pods of namespaces that do not exist"
    : few([...new Set(admitted)]);
}

function reportUnknown({ policy, pod, port }: Doubtful): Finding {
  return webhookFinding("networkClosed", {
    severity: "warning",
    object: objectLabel(policy),
    field: "spec.ingress",
    cause: `it selects ${objectLabel(pod)}, and whether it lets the API server reach port ${String(port)} is not known: its rules ask for labels of namespaces, which could not be read`,
    fix: `ask for the permission to list namespaces, or see whether one of its peers is kube-system, from where a tunnel calls; the policy: ${lineOn("get networkpolicy", policy)} -o yaml`,
  });
}

/** True for a policy that lets in pods by the labels of their namespaces. */
export function asksForNamespaces(policy: KubeObject): boolean {
  return asArray(getPath(policy, ["spec", "ingress"]))
    .flatMap((rule) => asArray(getOwn(rule, "from")))
    .some((peer) => getOwn(peer, "namespaceSelector") !== undefined);
}

/** True where what comes in to the pod is limited by the policy. */
function closes(policy: KubeObject, pod: KubeObject): boolean {
  const types = asArray(getPath(policy, ["spec", "policyTypes"]));
  const limits = types.length === 0 || types.includes("Ingress");
  const isBeside = readNamespace(policy) === readNamespace(pod);
  const selector = getPath(policy, ["spec", "podSelector"]);
  return limits && isBeside && selects(selector, pod.metadata.labels ?? {});
}

function opensPort(rule: unknown, isOpen: (port: unknown) => boolean): boolean {
  const ports = asArray(getOwn(rule, "ports"));
  return ports.length === 0 || ports.some((one) => isTcp(one) && isOpen(one));
}

/** A policy names a port by its number or by its name, whichever of the two the Service has. */
function covers(rule: unknown, port: unknown, numberOf: (name: unknown) => unknown): boolean {
  const first = getOwn(rule, "port");
  const last = getOwn(rule, "endPort");
  if (first === undefined || numberOf(first) === port) return true;
  if (typeof first !== "number" || typeof last !== "number") return false;
  return first <= Number(port) && Number(port) <= last;
}

/** The number behind the name of a port, as the pod's containers declare it. */
function findPortNumber(pod: KubeObject, target: unknown): unknown {
  const named = listContainers(pod)
    .flatMap(listPorts)
    .find(({ name }) => name === target);
  return named?.number ?? target;
}
