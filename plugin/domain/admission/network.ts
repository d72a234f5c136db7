/** NetworkPolicies that close the way to the pods behind a Service (Facts 4.5). */
import type { Finding } from "../base/findings";
import type {
  IngressRule,
  Namespace,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  Pod,
} from "../kube/models";
import { objectLabel, readNamespace } from "../kube/objects";
import type { LeftMarks } from "../kube/owners";
import { selects } from "../kube/selectors";
import { few } from "../base/values";
import { webhookFinding } from "./findings";
import { type Letting, listPeerNames, mayBeServer } from "./peers";
import { listContainers, isTcp, byPatch, seeObject, listPorts, type Target } from "./service";

/** Policies, and what tells whom they let in. */
interface Limits {
  readonly policies: readonly NetworkPolicy[];
  /** All of the cluster; undefined where they could not be read. */
  readonly namespaces: readonly Namespace[] | undefined;
  /** The objects whose owner is gone. */
  readonly left?: LeftMarks | undefined;
}

/**
 * The first policy that closes the port of a pod to the API server; a warning where that depends on
 * namespaces that could not be read; undefined where the API server may be let in.
 */
export function judgeNetwork(
  limits: Limits,
  pods: readonly Pod[],
  target: Target,
): Finding | undefined {
  // what a policy does to a pod with its node's network is not defined: most do nothing
  const doubtful = pods
    .filter(({ spec }) => spec?.hostNetwork !== true)
    .flatMap((pod) => judgePod(limits, pod, target));
  const closed = doubtful.filter(({ lets }) => lets === "no");
  const [first] = closed;
  if (first === undefined) return doubtful.map(reportUnknown)[0];
  const ports = closed.filter((one) => one.policy === first.policy).map(({ port }) => port);
  return reportClosed(first, { numbers: [...new Set(ports)], left: limits.left });
}

/** A pod that a policy closes to the API server, or may close. */
interface Doubtful {
  readonly policy: NetworkPolicy;
  readonly pod: Pod;
  readonly port: Target;
  readonly lets: Exclude<Letting, "yes">;
  /** Who is let in to the port, in words; undefined where no rule is about the port. */
  readonly admitted: readonly string[] | undefined;
}

function judgePod({ policies, namespaces }: Limits, pod: Pod, target: Target): readonly Doubtful[] {
  const port = findPortNumber(pod, target);
  const chosen = policies.filter((policy) => closes(policy, pod));
  const [policy] = chosen;
  if (policy === undefined) return [];
  const isOpen = (one: NetworkPolicyPort): boolean =>
    covers(one, port, (name) => findPortNumber(pod, name));
  const rules = chosen
    .flatMap(({ spec }) => spec?.ingress ?? [])
    .filter((rule) => opensPort(rule, isOpen));
  const among = { pod, namespaces };
  const named = rules.map(({ from }) => from ?? []);
  const peers = named.flat();
  const answers = peers.map((peer) => mayBeServer(peer, among));
  // a rule that names nobody lets in everybody
  if (named.some(({ length }) => length === 0) || answers.includes("yes")) return [];
  const lets = answers.includes("unknown") ? "unknown" : "no";
  const admitted = peers.flatMap((peer) => listPeerNames(peer, among));
  return [{ policy, pod, port, lets, admitted: peers.length > 0 ? admitted : undefined }];
}

/** Ports differ where a name leads to another number in each pod: one rule opens them all. */
function reportClosed(
  { policy, pod, admitted }: Doubtful,
  { numbers, left }: { readonly numbers: readonly Target[]; readonly left: LeftMarks | undefined },
): Finding {
  const rule = { ports: numbers.map((port) => ({ protocol: "TCP", port })) };
  const isList = Array.isArray(policy.spec?.ingress);
  const operation = isList
    ? { op: "add", path: "/spec/ingress/-", value: rule }
    : { op: "add", path: "/spec/ingress", value: [rule] };
  const but = admitted === undefined ? "" : `, only ${describeAdmitted(admitted)}`;
  return webhookFinding("networkClosed", {
    object: objectLabel(policy),
    field: "spec.ingress",
    cause: `it selects ${objectLabel(pod)}, and no rule lets the API server reach port ${numbers.map(String).join(" or ")}${but}: every call would time out`,
    remedies: [
      byPatch(`open ${numbers.length === 1 ? "that port" : "those ports"} in it`, policy, {
        ...{ patch: [operation], left },
      }),
    ],
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
    remedies: [
      seeObject(
        "ask for the permission to list namespaces, or see whether one of its peers is kube-system, from where a tunnel calls",
        policy,
      ),
    ],
  });
}

/** True for a policy that lets in pods by the labels of their namespaces. */
export function asksForNamespaces({ spec }: NetworkPolicy): boolean {
  const asks = ({ namespaceSelector }: NetworkPolicyPeer): boolean =>
    namespaceSelector !== undefined;
  return spec?.ingress?.some(({ from }) => from?.some(asks)) === true;
}

/** True where what comes in to the pod is limited by the policy. */
function closes(policy: NetworkPolicy, pod: Pod): boolean {
  const types = policy.spec?.policyTypes ?? [];
  const limits = types.length === 0 || types.includes("Ingress");
  const isBeside = readNamespace(policy) === readNamespace(pod);
  return limits && isBeside && selects(policy.spec?.podSelector, pod.metadata.labels ?? {});
}

function opensPort({ ports }: IngressRule, isOpen: (port: NetworkPolicyPort) => boolean): boolean {
  const all = ports ?? [];
  return all.length === 0 || all.some((one) => isTcp(one) && isOpen(one));
}

/** A policy names a port by its number or by its name, whichever of the two the Service has. */
function covers(
  { port: first, endPort: last }: NetworkPolicyPort,
  port: Target,
  numberOf: (name: Target) => Target,
): boolean {
  if (first === undefined || numberOf(first) === port) return true;
  if (typeof first !== "number" || typeof last !== "number") return false;
  return first <= Number(port) && Number(port) <= last;
}

/** The number behind the name of a port, as the pod's containers declare it. */
export function findPortNumber(pod: Pod, target: Target): Target {
  const named = listContainers(pod)
    .flatMap(listPorts)
    .find(({ name }) => name === target);
  return named?.containerPort ?? target;
}
