/** NetworkPolicies that close the way to the pods behind a Service (Facts 4.5). */
import type { Finding } from "../base/findings";
import { type KubeObject, objectLabel } from "../kube/objects";
import type { LeftMarks } from "../kube/owners";
import { selects } from "../kube/selectors";
import { asArray, getOwn, getPath } from "../base/values";
import { webhookFinding } from "./findings";
import { listContainers, isTcp, ownerBeside, patchLine, listPorts } from "./service";

/** The policies of a namespace, and the objects whose owner is gone. */
interface Limits {
  readonly policies: readonly KubeObject[];
  readonly left?: LeftMarks | undefined;
}

/**
 * The first policy that closes the port of a pod to the API server; undefined where none is known
 * to. Who calls from an address or from another namespace may be the API server, by its tunnel.
 */
export function judgeNetwork(
  { policies, left }: Limits,
  pods: readonly KubeObject[],
  target: unknown,
): Finding | undefined {
  // what a policy does to a pod with its node's network is not defined: most do nothing
  const closed = pods
    .filter((one) => getPath(one, ["spec", "hostNetwork"]) !== true)
    .flatMap((pod) => findClosed(policies, pod, target));
  const [first] = closed;
  if (first === undefined) return undefined;
  const { policy, pod } = first;
  const ports = closed.filter((one) => one.policy === policy).map(({ port }) => port);
  return reportClosed(policy, pod, { numbers: [...new Set(ports)], left });
}

interface Closed {
  readonly policy: KubeObject;
  readonly pod: KubeObject;
  readonly port: unknown;
}

function findClosed(
  policies: readonly KubeObject[],
  pod: KubeObject,
  target: unknown,
): readonly Closed[] {
  const port = findPortNumber(pod, target);
  const chosen = policies.filter((policy) => closes(policy, pod));
  const [policy] = chosen;
  const rules = chosen.flatMap((one) => asArray(getPath(one, ["spec", "ingress"])));
  const isOpen = (one: unknown): boolean => covers(one, port, (name) => findPortNumber(pod, name));
  return policy === undefined || rules.some((rule) => admits(rule, isOpen))
    ? []
    : [{ policy, pod, port }];
}

/** Ports differ where a name leads to another number in each pod: one rule opens them all. */
function reportClosed(
  policy: KubeObject,
  pod: KubeObject,
  { numbers, left }: { readonly numbers: readonly unknown[]; readonly left: LeftMarks | undefined },
): Finding {
  const rule = { ports: numbers.map((port) => ({ protocol: "TCP", port })) };
  const isList = Array.isArray(getPath(policy, ["spec", "ingress"]));
  const operation = isList
    ? { op: "add", path: "/spec/ingress/-", value: rule }
    : { op: "add", path: "/spec/ingress", value: [rule] };
  return webhookFinding("networkClosed", {
    object: objectLabel(policy),
    field: "spec.ingress",
    cause: `it selects ${objectLabel(pod)}, and no rule lets the API server reach port ${numbers.map(String).join(" or ")}: every call would time out`,
    fix: `open ${numbers.length === 1 ? "that port" : "those ports"} in it${ownerBeside(policy, left)} with: ${patchLine(policy, [operation])}`,
  });
}

/** True where what comes in to the pod is limited by the policy. */
function closes(policy: KubeObject, { metadata }: KubeObject): boolean {
  const types = getPath(policy, ["spec", "policyTypes"]);
  const limits = types === undefined || asArray(types).includes("Ingress");
  return limits && selects(getPath(policy, ["spec", "podSelector"]), metadata.labels ?? {});
}

function admits(rule: unknown, isOpen: (port: unknown) => boolean): boolean {
  const from = asArray(getOwn(rule, "from"));
  const ports = asArray(getOwn(rule, "ports"));
  const everybody = from.length === 0;
  const mayBeServer = from.some((peer) =>
    ["ipBlock", "namespaceSelector"].some((key) => getOwn(peer, key) !== undefined),
  );
  if (!everybody && !mayBeServer) return false;
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
