/** What the scheduler's words ask for, and who sets the taints that it names (domain facts 11). */

/** Who sets a taint, and so what takes it off. */
const taints: readonly (readonly [pattern: RegExp, way: string | undefined])[] = [
  // of the control plane: pods are kept from it on purpose
  [/^node-role\.kubernetes\.io\/(control-plane|master)$/, undefined],
  [
    /^node\.kubernetes\.io\/disk-pressure$/,
    "free disk on the node that the kubelet reports as full: its taint then goes by itself",
  ],
  [
    /^node\.kubernetes\.io\/memory-pressure$/,
    "free memory on the node that the kubelet reports as full: its taint then goes by itself",
  ],
  [
    /^node\.kubernetes\.io\/pid-pressure$/,
    "end processes on the node that the kubelet reports as full: its taint then goes by itself",
  ],
  [
    /^node\.kubernetes\.io\/(not-ready|unreachable|network-unavailable)$/,
    "see why that node is not ready: its taint then goes by itself",
  ],
  [/^node\.kubernetes\.io\/unschedulable$/, "uncordon the node when its maintenance is over"],
  [
    /^node\.cloudprovider\.kubernetes\.io\/(uninitialized|shutdown)$/,
    "see the cloud controller manager, which sets up a new node and takes the taint off itself",
  ],
  [
    /^(ToBeDeletedByClusterAutoscaler|DeletionCandidateOfClusterAutoscaler|karpenter\.sh\/(disrupted|disruption))$/,
    "the autoscaler removes that node: wait for another one, or add it",
  ],
  [
    /(agent-not-ready|startup-taint|karpenter\.sh\/unregistered)$/,
    "see the agent of the network or storage on that node, which takes the taint off itself once it runs",
  ],
];

const anyTaint = "take the taint off, or let the pods tolerate it";

function chooseTaintWays(message: string): readonly string[] {
  // schedulers since 1.34 do not name the taint: the node does
  const named = [...message.matchAll(/taint(?: \{|s? )([^:}=\s]+)(?=[:}=])/gi)].map(([, key]) =>
    String(key).trim(),
  );
  if (named.length === 0) return /taint/i.test(message) ? [anyTaint] : [];
  return named.flatMap((key) => {
    const found = taints.find(([pattern]) => pattern.test(key));
    if (found === undefined) return [anyTaint];
    return found[1] ?? [];
  });
}

/** What each of the scheduler's words asks for. */
const ways: readonly (readonly [pattern: RegExp, way: string])[] = [
  [/insufficient|too many pods/i, "free capacity on a node, add a node, or ask for less"],
  [/no nodes available/i, "add a node: there is none"],
];

const laterWays: readonly (readonly [pattern: RegExp, way: string])[] = [
  [
    /node\(s\) didn't match Pod's node affinity|node selector/i,
    "label a node as the pod asks, or change its node selector",
  ],
  [
    /pod affinity|anti-affinity/i,
    "add a node, or bring one back: each that is left has a pod that it may not share a node or zone with, or lacks one that it asks for",
  ],
  [
    /free ports/i,
    "add a node, or free the port of the node that it asks for (hostPort): another pod holds it on each of them",
  ],
  [
    /topology spread/i,
    "add a node in the zone that has too few of the pods, or relax its topology spread constraints",
  ],
  [/max volume count/i, "add a node: each that is left holds as many volumes as it may"],
];

/** The ways out of what the scheduler says, in the order of its usual words. */
export function chooseNodeWay(message: string): string {
  const pick = (from: typeof ways): readonly string[] =>
    from.filter(([pattern]) => pattern.test(message)).map(([, way]) => way);
  const found = [...new Set([...pick(ways), ...chooseTaintWays(message), ...pick(laterWays)])];
  return found.length > 0
    ? found.join("; ")
    : "free capacity on a node, or fix the node selector, taint or affinity that it names";
}

const ofVolume =
  /persistentvolume|persistent volumes to bind|volume node affinity|unbound immediate|enough free storage|available volume zone|binding volumes|VolumeBinding|storageclass/i;

/** True where only its volume keeps a pod from a node: of nodes elsewhere that could lack something else it is not. */
export function isOnlyVolume(message: string): boolean {
  const all = /^(?:\d+)\/(\d+) nodes are available/.exec(message)?.[1];
  const away =
    /(\d+) node\(s\) (?:had (?:volume node affinity conflict|no available volume zone)|didn't find available persistent volumes)/.exec(
      message,
    )?.[1];
  if (!ofVolume.test(message)) return false;
  return all === undefined || away === undefined || Number(away) >= Number(all);
}
