/** Standstills by what a node holds, what a budget keeps and who leads; and the same that is in order. */
import type { Facts } from "../../../../plugin/domain/facts/facts";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { anOperator, ns, oldTag } from "../engine-cluster/scene";
import type { Cause, Scene } from "./causes";
import {
  ago,
  cordonedNode,
  ecLabel,
  event,
  facts,
  first,
  name,
  node,
  ofPod,
  pod,
  podLabel,
  second,
  theEc,
  theSet,
} from "./scene";

type Fields = Readonly<Record<string, unknown>>;

const of2 = (code: string): Pick<Cause, "code" | "object"> => ({ code, object: podLabel(2) });
const ofEc = (code: string): Pick<Cause, "code" | "object"> => ({ code, object: ecLabel });

const claimName = `store-${name}-2`;
const volume = "pv-0a3f";
const useClaim = (node: string | undefined): Fields => ({
  nodeName: node,
  volumes: [{ name: "logs", emptyDir: {} }, { persistentVolumeClaim: { claimName } }],
});
const creating: Fields = { state: { waiting: { reason: "ContainerCreating" } } };
const waits = (more: Parameters<typeof pod>[1] = {}): KubeObject =>
  pod(2, { ready: false, spec: useClaim("n2"), container: creating, ...more });

const claim = (mode = "ReadWriteOnce", volumeName: string | undefined = volume): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: claimName, namespace: ns },
  spec: { accessModes: [mode], volumeName },
});

function attachment(nodeName: string, status: Fields, metadata: Fields = {}): KubeObject {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name: `csi-${nodeName}`, creationTimestamp: ago(700), ...metadata },
    spec: {
      attacher: "disk.csi.example",
      nodeName,
      source: { persistentVolumeName: volume },
    },
    status,
  };
}
const attached = { attached: true };

const stored = (
  volumeAttachments: readonly KubeObject[],
  rest: Parameters<typeof facts>[0] = {},
): Facts =>
  facts({ pods: [first, second, waits()], claims: [claim()], volumeAttachments, ...rest });

const budget = (counts: Fields, spec: Fields = {}, title = "keep"): KubeObject => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: title, namespace: ns, generation: 1 },
  spec: { selector: { matchLabels: { app: name } }, ...spec },
  status: { observedGeneration: 1, ...counts },
});
const closed = { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 3 };

const labels = (revision: string) => ({ app: name, "controller-revision-hash": revision });
const ownerReferences = second.metadata.ownerReferences;
const labelled = (ordinal: number, more: Parameters<typeof pod>[1], revision: string) =>
  pod(ordinal, {
    ...more,
    metadata: {
      ...{ name: `${name}-${ordinal}`, namespace: ns, uid: `pod-${ordinal}`, ownerReferences },
      ...{ creationTimestamp: ago(600), labels: labels(revision) },
      ...more?.metadata,
    },
  });
const unplaced = (message: string): Fields => ({
  ...{ type: "PodScheduled", status: "False", reason: "Unschedulable", message },
});
const noNode = labelled(
  2,
  {
    ready: false,
    spec: { nodeName: undefined },
    conditions: [unplaced("0/3 nodes are available: 3 node(s) were unschedulable.")],
  },
  "new",
);
/** Beside the cluster's own pod, or in its place, a pod that is on the node to be drained. */
const drained = (
  disruptionBudgets: readonly KubeObject[],
  side?: Parameters<typeof pod>[1],
): Facts =>
  facts({
    nodes: [node(0), cordonedNode(1), node(2)],
    pods:
      side === undefined
        ? [first, labelled(1, { old: true }, "before"), noNode]
        : [first, second, noNode, sidePod(side)],
    disruptionBudgets,
  });
const sidePod = (more: Parameters<typeof pod>[1]): KubeObject =>
  pod(1, {
    status: { phase: "Running" },
    ...more,
    metadata: { name: "side", namespace: ns, labels: { app: name }, ...more?.metadata },
  });
const cordoned = of2("POD-NODE-CORDONED");
const plainStep = /maintenance is over: .*: kubectl uncordon n1$/;

const operatorPod = `${names.operator.deployment}-7d9c5b6f4-x2x9k`;
const ghost = `${names.operator.deployment}-5c8f7d9b66-q8wzr`;
const running = (title: string, ready = true): KubeObject => ({
  ...pod(0, { ready }),
  metadata: { name: title, namespace: ns },
});
const lease = (holderIdentity: string, minutes?: number, more: Fields = {}): KubeObject => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "engine-lock", namespace: ns },
  spec: {
    holderIdentity,
    leaseDurationSeconds: 30,
    ...(minutes !== undefined && { renewTime: ago(minutes) }),
    ...more,
  },
});
/** The operator has not taken up the tag. */
const untaken = (leases: readonly KubeObject[], rest: Parameters<typeof facts>[0] = {}): Facts =>
  facts({
    statefulSets: [theSet({ tag: oldTag, status: { updateRevision: "before" } })],
    pods: [...[0, 1, 2].map((ordinal) => pod(ordinal, { old: true })), running(operatorPod)],
    leases,
    ...rest,
  });
const notTaken = ofEc("CLUSTER-NOT-TAKEN-UP");
const silent = /its state is Upgrade; an operator before/;
const logStep = /^check whether the operator runs and what it says: kubectl logs/;

export const heldSingle: readonly Scene[] = [
  [
    "a volume is still attached to another node, and no event tells it any more",
    stored([attachment("n1", attached)]),
    {
      ...of2("POD-VOLUME-ATTACH"),
      says: /^volume pv-0a3f of claim store-vault-2 is attached to node n1 and not to n2 \(for 10h/,
      step: /^let node n1 release it: .*kubectl describe volumeattachments csi-n1; then .*lease kube-controller-manager/,
    },
  ],
  [
    "a volume is still attached to another node, and an event tells it as well",
    stored([attachment("n1", attached)], {
      events: [event(ofPod(2), ["FailedAttachVolume", "Multi-Attach error for volume"])],
    }),
    {
      ...of2("POD-VOLUME-ATTACH"),
      says: /^FailedAttachVolume: Multi-Attach error for volume; volume pv-0a3f .* node n1/,
      step: /^let node n1 release it/,
    },
  ],
  [
    "a driver cannot detach a volume from another node",
    stored([
      attachment(
        "n1",
        { ...attached, detachError: { message: "rpc error: disk is busy", time: ago(400) } },
        { deletionTimestamp: ago(500) },
      ),
    ]),
    {
      ...of2("POD-VOLUME-ATTACH"),
      says: /being detached since 2026.*, and driver disk\.csi\.example reports: rpc error: disk is busy/,
      step: /^fix what driver disk\.csi\.example reports about node n1/,
    },
  ],
  [
    "a volume is being detached, and its driver is silent",
    stored([attachment("n1", attached, { deletionTimestamp: ago(500) })]),
    {
      ...of2("POD-VOLUME-ATTACH"),
      says: /being detached since 2026-08-01T01:55:30.000Z \(for 8h/,
      step: /controller that detaches volumes/,
    },
  ],
  [
    "a volume is attached to a node that is lost",
    stored([attachment("n1", attached)], { nodes: [node(0), node(1, "Unknown"), node(2)] }),
    { ...of2("POD-VOLUME-ATTACH"), says: /node n1 and not to n2/, step: /out-of-service/ },
  ],
  [
    "a pod of another owner uses the volume on another node",
    stored([attachment("n1", attached)], {
      pods: [
        first,
        second,
        waits(),
        {
          ...pod(7),
          metadata: { name: "dump-store", namespace: ns },
          spec: useClaim("n1"),
        },
      ],
    }),
    {
      ...of2("POD-VOLUME-ATTACH"),
      says: /node n1 and not to n2/,
      step: /^end Pod\/engine\/dump-store on node n1, which uses it.*describe pod dump-store/,
    },
  ],
  [
    "a driver cannot attach a volume",
    stored([
      attachment("n2", { attached: false, attachError: { message: "the storage is busy" } }),
    ]),
    {
      ...of2("POD-VOLUME-ATTACH"),
      says: /is not attached to node n2: driver disk\.csi\.example reports: the storage is busy/,
      step: /tries again by itself; see kubectl describe volumeattachments csi-n2/,
    },
  ],
  [
    "the storage no longer has the disk, as the attachment tells",
    stored([
      attachment("n2", { attached: false, attachError: { message: "disk pv-0a3f not found" } }),
    ]),
    {
      ...of2("POD-VOLUME-ATTACH"),
      says: /not found \(/,
      step: /^the storage no longer has the disk/,
    },
  ],
  [
    "a driver does not act, and an event tells more",
    stored([attachment("n2", { attached: false })], {
      events: [event(ofPod(2), ["FailedAttachVolume", "maximum number of disks is attached"])],
    }),
    { ...of2("POD-VOLUME-ATTACH"), says: /^FailedAttachVolume: maximum/, step: /^node n2 holds/ },
  ],
  [
    "a driver does not act",
    stored([attachment("n2", { attached: false }, { creationTimestamp: undefined })]),
    {
      ...of2("POD-VOLUME-ATTACH"),
      says: /is not attached to node n2, and driver disk\.csi\.example reports no error/,
      step: /whether the controller of driver disk\.csi\.example runs/,
    },
  ],
  [
    "a budget keeps a drain from ending while the roll waits for its node",
    drained([budget(closed)]),
    {
      ...cordoned,
      says: /no drain of node n1 ends: PodDisruptionBudget\/engine\/keep lets no pod be evicted, Pod\/engine\/vault-1 among them \(2 of 3 pods are healthy, 2 have to be\)/,
      step: /^the drain and the roll wait for each other: .*kubectl uncordon n1$/,
    },
  ],
  [
    "a budget that never lets a pod go",
    drained([budget({ ...closed, desiredHealthy: 3 })]),
    {
      ...cordoned,
      says: /3 have to be/,
      step: /^PodDisruptionBudget\/engine\/keep never allows an eviction/,
    },
  ],
  [
    "two budgets for one pod",
    drained([budget({ disruptionsAllowed: 1 }), budget({ disruptionsAllowed: 1 }, {}, "other")]),
    { ...cordoned, says: /more than one PodDisruptionBudget \(keep, other\)/, step: /one budget/ },
  ],
  [
    "a budget over a pod that is not ready",
    drained([budget({ ...closed, currentHealthy: 1 })], { ready: false }),
    { ...cordoned, says: /no drain of node n1 ends/, step: /wait for each other/ },
  ],
  ...(
    [
      ["with room", budget({ ...closed, disruptionsAllowed: 1 }), undefined],
      ["of other pods", budget(closed, { selector: { matchLabels: { app: "shop" } } }), undefined],
      [
        "of another namespace",
        { ...budget(closed), metadata: { name: "keep", namespace: "shop" } },
        undefined,
      ],
      [
        "and a pod without labels",
        budget(closed),
        { metadata: { labels: undefined, ownerReferences: undefined } },
      ],
      ["without a selector", budget(closed, { selector: undefined }), undefined],
      ["that nobody has counted yet", { ...budget(closed), status: {} }, undefined],
      [
        "that lets sick pods go",
        budget({ ...closed, currentHealthy: 1 }, { unhealthyPodEvictionPolicy: "AlwaysAllow" }),
        { ready: false },
      ],
      ["that is met without the sick pod", budget(closed), { old: true, ready: false }],
      ["and a pod that is over", budget(closed), { status: { phase: "Succeeded" } }],
      [
        "and a pod of a DaemonSet",
        budget(closed),
        { metadata: { ownerReferences: [{ kind: "DaemonSet", name: "agent", uid: "1" }] } },
      ],
    ] as const
  ).map(([title, one, pods]): Scene => [
    `a cordoned node, and a budget ${title}`,
    drained([one], pods),
    { ...cordoned, says: /\(cordoned: n1\) \(/, step: plainStep },
  ]),
  [
    "the lease of the operator is held by a pod that is gone",
    untaken([lease(`${ghost}_3f6a`, 300)]),
    {
      ...notTaken,
      says: /the operator does not act: Lease\/engine\/engine-lock is held by Pod engine-enterprise-operator-5c8f7d9b66-q8wzr, which does not exist, last renewed at 2026-08-01T05:15:30.000Z \(5h/,
      step: /kubectl logs deployment.*; then delete the lease, .*kubectl delete lease engine-lock -n engine$/,
    },
  ],
  [
    "the lease of the operator is held for good by a pod that is gone",
    untaken([lease(ghost)]),
    {
      ...notTaken,
      says: /which does not exist; an operator before/,
      step: /kubectl delete lease engine-lock/,
    },
  ],
  [
    "the lease of the operator is held by a pod that is not ready",
    untaken([lease(`${ghost}_1`, 300)], {
      pods: [
        ...[0, 1, 2].map((ordinal) => pod(ordinal, { old: true })),
        running(operatorPod),
        running(ghost, false),
      ],
    }),
    { ...notTaken, says: /which is not ready, last renewed/, step: /kubectl delete lease/ },
  ],
  [
    "the operator's pod is ready and does not renew its lease",
    untaken([lease(`${operatorPod}_9`, 90, { leaseDurationSeconds: undefined })]),
    {
      ...notTaken,
      says: /held by Pod engine-enterprise-operator-7d9c5b6f4-x2x9k, last renewed at .* \(90m ago\)/,
      step: /kubectl delete pod engine-enterprise-operator-7d9c5b6f4-x2x9k -n engine/,
    },
  ],
  [
    "every pod is renewed, and the operator's lease is stale",
    facts({
      pods: [pod(0), pod(1), pod(2), running(operatorPod)],
      leases: [lease(`${ghost}_7`, 60)],
    }),
    { ...ofEc("CLUSTER-STATE"), says: /Lease\/engine\/engine-lock/, step: /delete lease/ },
  ],
  ...(
    [
      ["is renewed", [lease(`${operatorPod}_9`, 0)]],
      ["was renewed by a pod that has just ended", [lease(`${ghost}_9`, 1)]],
      ["has no time, and its holder runs", [lease(operatorPod)]],
      ["is one of two", [lease(ghost, 300), lease(operatorPod, 300)]],
      ["is of somebody else", [lease("engine-enterprise-operator-ui-7d9c5b6f4-x2x9k_1", 300)]],
      ["is nobody's", [lease("", 300), { ...lease("", 300), spec: {} }]],
      ["is of a cluster node", [lease("vault-0", 300)]],
      [
        "is of another namespace",
        [{ ...lease(ghost, 300), metadata: { name: "engine-lock", namespace: "shop" } }],
      ],
    ] as const
  ).map(([title, leases]): Scene => [
    `the operator is silent, and its lease ${title}`,
    untaken(leases),
    { ...notTaken, says: silent, step: logStep },
  ]),
  [
    "the operator is being started, and its lease is stale",
    untaken([lease(ghost, 300)], { deployments: [anOperator("8.0.2-2", 0)] }),
    { ...notTaken, says: silent, step: logStep },
  ],
];

/** How many minutes ago everything of the pod happened. */
const just = (minutes: number) => ({ since: minutes });
const rolls = (last: KubeObject, lists: Parameters<typeof facts>[0] = {}): Facts =>
  facts({
    ecs: [theEc({ written: 30 })],
    statefulSets: [theSet({ written: 30 })],
    pods: [pod(0, { old: true, since: 600 }), pod(1, { old: true, since: 600 }), last],
    claims: [claim()],
    ...lists,
  });

/** A pod of a roll that merely takes its time, or whose trouble is another one. */
export const heldSlow: readonly (readonly [title: string, facts: Facts])[] = [
  [
    "a volume has been attached to another node for four minutes",
    rolls(waits(just(4)), { volumeAttachments: [attachment("n1", attached)] }),
  ],
  [
    "a volume is being attached for four minutes",
    rolls(waits(just(4)), {
      volumeAttachments: [attachment("n2", { attached: false }, { creationTimestamp: ago(4) })],
    }),
  ],
  [
    "a budget with no room, and a roll that goes its way",
    rolls(pod(2, { ready: false, since: 4 }), {
      disruptionBudgets: [budget(closed, { selector: {} })],
      nodes: [node(0), cordonedNode(1), node(2)],
    }),
  ],
];

/** What an attachment shows although it is in order: the pod's trouble is told as it is without it. */
export const inOrder: readonly (readonly [title: string, facts: Facts])[] = [
  ["attached where the pod is", stored([attachment("n2", attached)])],
  [
    "a volume that several nodes may have",
    stored([attachment("n1", attached)], { claims: [claim("ReadWriteMany")] }),
  ],
  ["a claim without a volume", stored([attachment("n1", attached)], { claims: [claim("", "")] })],
  ["a claim that is not known", stored([attachment("n1", attached)], { claims: [] })],
  [
    "a volume of another pod",
    stored([
      {
        ...attachment("n1", attached),
        spec: { nodeName: "n1", source: { persistentVolumeName: "pv-other" } },
      },
    ]),
  ],
  [
    "a container that has run",
    stored([attachment("n1", attached)], {
      pods: [
        first,
        second,
        waits({ container: { ...creating, lastState: { terminated: { exitCode: 0 } } } }),
      ],
    }),
  ],
];
