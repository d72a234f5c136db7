/** Where the volumes of a pod are attached, in the words of their drivers (domain facts 11). */
import type { Recognized } from "./progress";
import { look, type Remedy } from "../base/remedy";
import { asString } from "../base/values";
import { factNamed, type Facts } from "../facts/facts";
import type { Pod, VolumeAttachment } from "../kube/models";
import { objectLabel, readName, readNamespace } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { findLostNode, waysBack } from "./pod-nodes";
import { checkController, seePod } from "./pod-words";
import { latest, listStatuses } from "./times";
import { attachWay } from "./volume-words";

/** A claim of a pod, and the volume that it is bound to. */
interface BoundClaim {
  readonly claim: string;
  readonly volume: string;
  /** One node at a time may have it. */
  readonly isExclusive: boolean;
}

function claimNames(pod: Pod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap(
    (volume) => asString(volume.persistentVolumeClaim?.claimName) ?? [],
  );
}

function listBound(pod: Pod, facts: Facts): readonly BoundClaim[] {
  return claimNames(pod).flatMap((claim): readonly BoundClaim[] => {
    const found = factNamed(facts, "claims", { name: claim, namespace: readNamespace(pod) });
    const volume = asString(found?.spec?.volumeName);
    if (volume === undefined) return [];
    const modes = found?.spec?.accessModes;
    const isExclusive = modes?.every((mode) => mode.startsWith("ReadWriteOnce")) !== false;
    return [{ claim, volume, isExclusive }];
  });
}

/** The volumes were there: a container of the pod runs, or has run. */
function hasBegun(pod: Pod): boolean {
  return listStatuses(pod).some(({ state, lastState }) =>
    Boolean(state?.running ?? state?.terminated ?? lastState?.terminated),
  );
}

/** One attachment of a volume that the pod needs. */
interface Attached {
  readonly facts: Facts;
  readonly pod: Pod;
  /** The pod's. */
  readonly node: string;
  readonly bound: BoundClaim;
  readonly attachment: VolumeAttachment;
}

/**
 * A volume of the pod that another node holds, or that its driver does not attach; undefined where none shows. That the
 * driver is silent is told only where no event says more.
 */
export function findAttachment(
  pod: Pod,
  facts: Facts,
  { isTold }: { readonly isTold: boolean },
): Recognized | undefined {
  const node = asString(pod.spec?.nodeName);
  if (node === undefined || pod.metadata.deletionTimestamp !== undefined) return undefined;
  if (hasBegun(pod)) return undefined;
  const all = listBound(pod, facts).flatMap((bound) =>
    facts.objects.volumeAttachments
      .filter((one) => one.spec?.source?.persistentVolumeName === bound.volume)
      .map((attachment): Attached => ({ facts, pod, node, bound, attachment })),
  );
  const [first] = [
    ...all.flatMap(findHolder),
    ...all.flatMap(findFailed),
    ...(isTold ? [] : all.flatMap(findSilent)),
  ];
  return first;
}

const nodeNameIn = ({ attachment }: Attached): string => String(attachment.spec?.nodeName);

const seeAttachment = ({ attachment }: Attached, says: string): Remedy =>
  look(says, "describe", "volumeattachments", readName(attachment));

const driverOf = ({ attachment }: Attached): string =>
  `driver ${String(attachment.spec?.attacher)}`;

/** What a driver could not do, and when. */
function readError({ attachment }: Attached, field: "attachError" | "detachError") {
  const found = attachment.status?.[field];
  const message = asString(found?.message)?.trim();
  return message === undefined ? undefined : { message, time: asString(found?.time) };
}

/** Since when the pod could have had its volume. */
function readPlacing({ pod }: Attached): string | undefined {
  const placed = findCondition(pod, "PodScheduled")?.lastTransitionTime;
  return latest([placed, pod.metadata["creationTimestamp"]]);
}

function findHolder(one: Attached): readonly Recognized[] {
  const { bound, node, attachment } = one;
  const holder = nodeNameIn(one);
  if (holder === node || !bound.isExclusive) return [];
  const error = readError(one, "detachError");
  const going = attachment.metadata.deletionTimestamp;
  const state = going === undefined ? "" : `, being detached since ${going}`;
  const said = error === undefined ? "" : `, and ${driverOf(one)} reports: ${error.message}`;
  return [
    {
      cause: `volume ${bound.volume} of claim ${bound.claim} is attached to node ${holder} and not to ${node}${state}${said}`,
      remedies: chooseRelease(one, holder, error !== undefined),
      since: error?.time ?? going ?? readPlacing(one),
    },
  ];
}

/** Who has to let go of it decides what helps. */
function chooseRelease(one: Attached, holder: string, failed: boolean): readonly Remedy[] {
  const { facts, pod, bound } = one;
  const user = facts.objects.pods.find(
    (other) =>
      readName(other) !== readName(pod) &&
      other.metadata.namespace === pod.metadata.namespace &&
      other.spec?.nodeName === holder &&
      claimNames(other).includes(bound.claim) &&
      !["Succeeded", "Failed"].includes(String(other.status?.phase)),
  );
  if (user !== undefined) {
    const says = `end ${objectLabel(user)} on node ${holder}, which uses it, or find out why it does not end`;
    return [seePod(user, says)];
  }
  if (findLostNode(facts, holder) !== undefined) return waysBack(holder);
  if (failed) {
    const says = `fix what ${driverOf(one)} reports about node ${holder}; it detaches the volume then`;
    return [seeAttachment(one, says)];
  }
  const says = `let node ${holder} release it: ${driverOf(one)} or the controller that detaches volumes does not act`;
  return [{ ...seeAttachment(one, says), then: checkController }];
}

/** The attachment to the pod's own node does not come to be. */
function isUnattached(one: Attached): boolean {
  return nodeNameIn(one) === one.node && one.attachment.status?.attached !== true;
}

const unattached = ({ bound, node }: Attached): string =>
  `volume ${bound.volume} of claim ${bound.claim} is not attached to node ${node}`;

function findFailed(one: Attached): readonly Recognized[] {
  const error = readError(one, "attachError");
  if (!isUnattached(one) || error === undefined) return [];
  const again = `fix what ${driverOf(one)} reports; it tries again by itself`;
  return [
    {
      cause: `${unattached(one)}: ${driverOf(one)} reports: ${error.message}`,
      remedies: [seeAttachment(one, attachWay(one.pod, error.message, again))],
      since: latest([one.attachment.metadata["creationTimestamp"], readPlacing(one)]),
    },
  ];
}

function findSilent(one: Attached): readonly Recognized[] {
  if (!isUnattached(one)) return [];
  return [
    {
      cause: `${unattached(one)}, and ${driverOf(one)} reports no error`,
      remedies: [seeAttachment(one, `check whether the controller of ${driverOf(one)} runs`)],
      since: asString(one.attachment.metadata["creationTimestamp"]) ?? readPlacing(one),
    },
  ];
}
