/** A pod that no node takes because of its volumes, in the words of scheduler and provisioner (domain facts 11). */
import type { Recognized } from "./progress";
import { readNamespace } from "../kube/objects";
import type { Facts } from "../facts/facts";
import type { Pod } from "../kube/models";
import { asString } from "../base/values";
import { isOnlyVolume } from "./node-words";
import { describePlacing } from "./pod-nodes";
import { findScaleUp } from "./pod-waits";
import { type PodContext, explainUnplaced } from "./pod-words";

/** What the scheduler says of the volume decides what helps. */
const ways: readonly (readonly [pattern: RegExp, way: string])[] = [
  [
    /node "[^"]*" not found/i,
    "its claim is to be made for a node that is gone: take the annotation volume.kubernetes.io/selected-node off the claim, and the scheduler chooses a node again",
  ],
  [
    /quota|ResourceExhausted/i,
    "raise the quota of the storage that its provisioner names, or free some of it",
  ],
  [
    /ReadWriteOncePod/,
    "another pod uses the claim, which only one pod may use: see which one with kubectl describe pvc, and delete that pod if nothing needs it",
  ],
  [
    /persistent volumes to bind/i,
    "create a volume that fits its claim on a node that may take the pod: its storage class makes none itself",
  ],
  [
    /storageclass.*not found/i,
    "create the storage class that is named: a claim keeps the one that it was made with",
  ],
  [
    /no storage class is set/i,
    "the claim names no storage class and the cluster has no default one: set a default storage class, or create a volume that fits",
  ],
  [
    /enough free storage/i,
    "free space in the storage that its class uses, or add a node that has some",
  ],
  [
    /binding volumes|VolumeBinding|external provisioner/i,
    "check whether the provisioner of its storage class runs, and what its log says",
  ],
  [
    /volume node affinity|available volume zone/i,
    "its volume is on a node or in a zone that no node here is in: bring that node back, or add one in that zone; see where it is with kubectl describe pv",
  ],
  [
    /is being deleted/i,
    "its claim was deleted, and stays only while a pod uses it: with the pod deleted it goes too, and both are made new with an empty volume; before that, see whether the data of the volume is on the other nodes as well, and keep the volume where it is not",
  ],
  [
    /non-existent|lost/i,
    "its volume is gone, and its claim does not bind to another one: restore that volume; where its data is on the other nodes as well, delete the claim and the pod instead, and both are made new with an empty volume",
  ],
  [/persistentvolumeclaim .*not found/i, "create the claim that is named"],
];

function chooseWay(message: string): string {
  const found = ways.find(([pattern]) => pattern.test(message));
  return found?.[1] ?? "fix the volume or its storage class";
}

export function unbound(pod: Pod, context?: PodContext): Recognized | undefined {
  const message = explainUnplaced(pod);
  if (message === undefined || !isOnlyVolume(message)) return undefined;
  const said = context === undefined ? [] : claimWords(context.facts, pod);
  const scaleUp = context && findScaleUp(pod, context.facts);
  const asked = scaleUp === undefined ? [] : [scaleUp.says];
  return {
    cause: [`no node takes it: ${message.replace(/[.\s]*$/, "")}`, ...said, ...asked].join("; "),
    remedies: [
      {
        says: chooseWay([message, ...said].join("; ")),
        see: { of: "kubectl", words: ["get", "pvc", "-n", readNamespace(pod)] },
      },
    ],
    ...describePlacing(pod, context?.facts),
    ...(isBeingMade(said) && { evident: false }),
    ...(scaleUp?.isComing === true && { evident: false, patient: true }),
  };
}

/** Nothing has failed: its volume is asked for, and a provisioner takes its time. */
function isBeingMade([said]: readonly string[]): boolean {
  return /^waiting for a volume to be created/i.test(said ?? "");
}

/** What the provisioner says of the pod's claims. */
function claimWords({ objects }: Facts, pod: Pod): readonly string[] {
  const claims = (pod.spec?.volumes ?? []).map((volume) => volume.persistentVolumeClaim?.claimName);
  const said = provisioning.flatMap((reason) =>
    objects.events
      .filter((event) => event.reason === reason && claims.includes(event.involvedObject?.name))
      .slice(-1),
  );
  return said.slice(0, 1).flatMap((event) => asString(event.message) ?? []);
}

/** The reasons of those events, a failure first. */
const provisioning = ["ProvisioningFailed", "FailedBinding", "ExternalProvisioning"];
