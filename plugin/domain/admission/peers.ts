/**
 * Whom a peer of a NetworkPolicy lets in. The API server is a process of the control plane: it is no pod, it
 * is in no namespace, and no object tells its address. Where its calls come through a tunnel, they come from
 * the tunnel's pods, as a rule in kube-system.
 */
import { asString, getOwn } from "../base/values";
import type { IpBlock, LabelSelector, Namespace, NetworkPolicyPeer, Pod } from "../kube/models";
import { readName, readNamespace } from "../kube/objects";
import { listRequirements, selects } from "../kube/selectors";

/** Whether the API server may be among whom a peer lets in. */
export type Letting = "yes" | "no" | "unknown";

/** Of which pod and among which namespaces a peer is looked at. */
export interface Peers {
  readonly pod: Pod;
  /** All of the cluster; undefined where they could not be read. */
  readonly namespaces: readonly Namespace[] | undefined;
}

interface Place {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The API server sets it on every namespace, and a dump may lack it. */
const nameLabel = "kubernetes.io/metadata.name";

/** OpenShift's labels for what has the network of a node, as its API servers have. */
const hostLabels = {
  "policy-group.network.openshift.io/host-network": "",
  "policy-group.network.openshift.io/ingress": "",
  "network.openshift.io/policy-group": "ingress",
};

/**
 * Namespaces from which the API server may call: of tunnels, of OpenShift's API servers, and those that stand for
 * the nodes' network in OVN-Kubernetes. They count as existing, because a dump may lack them.
 */
const callers: readonly Place[] = [
  makePlace("kube-system"),
  makePlace("openshift-kube-apiserver"),
  makePlace("ovn-host-network"),
  makePlace("openshift-host-network", hostLabels),
];

/** Namespaces of tunnels that were installed elsewhere, by what such are called. */
const tunnel = /konnectivity|tunnel|vpn/;

/** Whether the API server may be among whom the peer lets in. */
export function mayBeServer(peer: NetworkPolicyPeer, among: Peers): Letting {
  if (peer.ipBlock) return isOfFamily(peer.ipBlock, among.pod) ? "yes" : "no";
  if (!isDecided(peer, among)) return "unknown";
  return listSelected(peer, among).some(isCaller) ? "yes" : "no";
}

/** Whom a peer lets in, in words. */
export function listPeerNames(peer: NetworkPolicyPeer, among: Peers): readonly string[] {
  const cidr = asString(peer.ipBlock?.cidr);
  if (cidr !== undefined) return [`addresses of ${cidr}`];
  return listSelected(peer, among).map(({ name }) => `pods of namespace ${name}`);
}

/** A call keeps its family on the way: no address of the other one reaches the pod. */
function isOfFamily({ cidr }: IpBlock, { status }: Pod): boolean {
  const addresses = [status?.podIP, ...(status?.podIPs ?? []).map(({ ip }) => ip)]
    .map(asString)
    .filter((one) => one !== undefined);
  const isSixth = cidr?.includes(":");
  return addresses.length === 0 || addresses.some((one) => one.includes(":") === isSixth);
}

/** False where the peer asks for labels of namespaces that were not read. */
function isDecided({ namespaceSelector }: NetworkPolicyPeer, among: Peers): boolean {
  const certain = [nameLabel, ...Object.keys(hostLabels)];
  return (
    listNamespaces(among) !== undefined ||
    listRequirements(namespaceSelector).every(({ key }) => certain.includes(key))
  );
}

/** The namespaces whose pods the peer is about: without a selector the policy's own. */
function listSelected({ namespaceSelector }: NetworkPolicyPeer, among: Peers): readonly Place[] {
  const own = { matchLabels: { [nameLabel]: readNamespace(among.pod) } };
  const asked = namespaceSelector ?? own;
  return listPlaces(asked, among).filter(({ labels }) => selects(asked, labels));
}

/** Those of the cluster; where they were not read, those that are named. */
function listPlaces(selector: LabelSelector, among: Peers): readonly Place[] {
  const named = listRequirements(selector)
    .filter(({ key }) => key === nameLabel)
    .flatMap(({ values }) => values)
    .map((name) => makePlace(name));
  const places = listNamespaces(among)?.map((one) => makePlace(readName(one), one.metadata.labels));
  const there = places ?? named;
  const known = new Set(there.map(({ name }) => name));
  return [...there, ...callers.filter(({ name }) => !known.has(name))];
}

/** A list without the pod's own namespace is not that of the cluster. */
function listNamespaces({ pod, namespaces }: Peers): readonly Namespace[] | undefined {
  const isWhole = namespaces?.some((one) => readName(one) === readNamespace(pod)) === true;
  return isWhole ? namespaces : undefined;
}

function isCaller({ name, labels }: Place): boolean {
  return (
    callers.some((one) => one.name === name) ||
    tunnel.test(name) ||
    Object.entries(hostLabels).some(([key, value]) => getOwn(labels, key) === value)
  );
}

function makePlace(name: string, labels: Place["labels"] = {}): Place {
  return { name, labels: { ...labels, [nameLabel]: name } };
}
