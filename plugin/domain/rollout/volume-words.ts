/** What helps a volume that cannot be attached or mounted, by what the storage and the kubelet say (domain facts 11). */
import type { Pod } from "../kube/models";

type Ways = readonly (readonly [pattern: RegExp, way: string])[];

const noDriver: Ways[number] = [
  /does not contain driver|registered CSI drivers/i,
  "check that the driver of its storage runs on node NODE (kubectl get csinodes NODE -o yaml)",
];

const attachWays: Ways = [
  noDriver,
  [
    /unauthorized|not authorized|access ?denied|forbidden/i,
    "give the driver of the storage its rights in the cloud back; its log says which it lacks",
  ],
  [
    /maximum number|too many|limit exceeded|volume limit/i,
    "node NODE holds as many volumes as it may: let the pod go to another node, or take volumes off this one",
  ],
  [
    /code = NotFound|(volume|disk) .*(not found|does not exist)/i,
    "the storage no longer has the disk: restore it; where its data is on the other nodes as well, delete the claim and the pod instead, and both are made new with an empty volume",
  ],
];

const mountWays: Ways = [
  noDriver,
  [
    /superblock|wrong fs type|needs cleaning|corrupt|fsck/i,
    "the file system of the volume is damaged: check and repair it where it is attached, or restore the volume from a copy",
  ],
];

function choose(ways: Ways, message: string, pod: Pod): string | undefined {
  const found = ways.find(([pattern]) => pattern.test(message))?.[1];
  return found?.replaceAll("NODE", String(pod.spec?.nodeName));
}

const release = "let the node that holds the volume release it";

/** `otherwise` is for a message that is none of the usual ones. */
export function attachWay(pod: Pod, message: string, otherwise = release): string {
  return choose(attachWays, message, pod) ?? otherwise;
}

export function mountWay(pod: Pod, message: string): string {
  const found = choose(mountWays, message, pod) ?? "create or fix what the message names";
  return mayChangeOwner(pod) && /timed out|timeout|deadline/i.test(message)
    ? `${found}; the kubelet may still be changing the owner of every file of the volume (fsGroup), which takes long with many files and ends by itself`
    : found;
}

function mayChangeOwner(pod: Pod): boolean {
  const context = pod.spec?.securityContext;
  return context?.fsGroup !== undefined && context.fsGroupChangePolicy !== "OnRootMismatch";
}

/** A sandbox is the network of a pod. */
export function sandboxWay(pod: Pod, message: string): string {
  const node = String(pod.spec?.nodeName);
  return /assign an ip|ip address|ippool|no (available|free) ip/i.test(message)
    ? `the network has no address left for the pod: free some, or give the network or node ${node} more; check the network plugin too`
    : `check the network plugin and the container runtime of node ${node}`;
}
