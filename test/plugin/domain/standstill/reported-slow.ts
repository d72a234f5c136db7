/** Rollouts that take their time and are well, after public reports of tools that gave them up. */
import type { Facts } from "../../../../plugin/domain/facts/facts";
import { anOperator, ns } from "../engine-cluster/scene";
import {
  ago,
  container,
  cordonedNode,
  event,
  facts,
  first,
  name,
  node,
  ofPod,
  ofSet,
  pod,
  second,
  theEc,
  theSet,
} from "./scene";
import {
  down,
  early,
  ending,
  lastEnd,
  normal,
  once,
  running,
  staying,
  unplaced,
  waits,
  withPod,
} from "./wishes";

const young = (minutes: number) => ({ since: minutes });
const probed = (probe: object) => ({
  nodeName: "n2",
  containers: [{ name: container, image: "engine/engine:8.0.2-17", ...probe }],
});
const claimName = "journal-vault-2";
const claimed = { volumes: [{ name: "journal", persistentVolumeClaim: { claimName } }] };
const ofClaim = { kind: "PersistentVolumeClaim", name: claimName };
const mountFails = (message: string, count = 1) => ({
  ...event(ofPod(2), ["FailedMount", message], [1, 1]),
  count,
});
const closedBudget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "serve", namespace: ns, generation: 1 },
  spec: { selector: { matchLabels: { app: name } } },
  status: {
    observedGeneration: 1,
    disruptionsAllowed: 0,
    currentHealthy: 2,
    desiredHealthy: 2,
    expectedPods: 3,
  },
};
const pressed = {
  ...node(2),
  spec: {
    taints: [
      { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule", timeAdded: ago(2) },
    ],
  },
};

export const reportedSlow: readonly (readonly [title: string, facts: Facts])[] = [
  [
    "a large image is pulled for 40 minutes, after a first try that failed",
    withPod(
      { ...young(45), ...waits("ErrImagePull", "read tcp: connection reset by peer") },
      {
        events: [
          event(ofPod(2), ["Failed", "Failed to pull image: connection reset by peer"], [44, 44]),
          normal(ofPod(2), ["Pulling", 'Pulling image "engine/engine:8.0.2-17"'], [40, 40]),
        ],
        pods: [first, second, down({ ...young(45), ...waits("ContainerCreating") })],
      },
    ),
  ],
  [
    "the engine loads for 70 of the 120 minutes that its startup probe gives it, beside a container that stays",
    withPod({
      ...young(75),
      spec: {
        ...probed({ startupProbe: { failureThreshold: 720, periodSeconds: 10 } }),
        initContainers: [staying],
      },
      container: { started: false, ...running(70) },
      status: {
        initContainerStatuses: [
          { name: "audit-shipper", ready: true, started: true, ...running(74) },
        ],
      },
    }),
  ],
  [
    "the kubelet limits its pulls, in a container that runs first", // cortexlabs/cortex 1989
    withPod({
      ...young(5),
      ...early({ state: { waiting: { reason: "ErrImagePull", message: "pull QPS exceeded" } } }),
    }),
  ],
  [
    "a pod of two minutes, on a node whose clock is five hours behind",
    withPod(
      { ...young(2), ...waits("ContainerCreating") },
      {
        events: [
          event(
            ofPod(2),
            ["FailedMount", "MountVolume.SetUp failed: timed out waiting"],
            [302, 300],
          ),
        ],
      },
    ),
  ],
  [
    "a container that runs first failed twice before the name service answered",
    withPod({
      ...young(4),
      ...early({ restartCount: 2, ...running(1), ...lastEnd(1) }),
    }),
  ],
  [
    "a volume is being made for two minutes",
    withPod(
      {
        ...young(2),
        ...unplaced('running PreBind plugin "VolumeBinding": binding volumes: waiting', {
          spec: claimed,
        }),
      },
      {
        events: [
          once(
            normal(
              ofClaim,
              [
                "ExternalProvisioning",
                "Waiting for a volume to be created either by the external provisioner 'disk.csi.example' or manually",
              ],
              [2, 0],
            ),
          ),
        ],
      },
    ),
  ],
  [
    "one group of nodes is full, and another one gets a node since nine minutes",
    withPod(
      { ...young(12), ...unplaced("0/3 nodes are available: 3 Insufficient memory.") },
      {
        events: [
          once(event(ofPod(2), ["FailedScaleUp", "pool-a: out of capacity in zone a"], [11, 11])),
          normal(
            ofPod(2),
            ["TriggeredScaleUp", "pod triggered scale-up: [{pool-b 3->4 (max: 6)}]"],
            [9, 9],
          ),
        ],
      },
    ),
  ],
  [
    "a new operator waits for the lease of the one before, since a minute", // operator-framework/operator-sdk 1643
    facts({
      ecs: [theEc({ written: 3 })],
      statefulSets: [theSet({ tag: "7.22.0-28", status: { updateRevision: "before" } })],
      pods: [0, 1, 2].map((ordinal) => pod(ordinal, { old: true })),
      deployments: [anOperator()],
      leases: [
        {
          ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
          metadata: { name: "engine-lock", namespace: ns },
          spec: {
            holderIdentity: "engine-enterprise-operator-5c8f7d9b66-q8wzr_1",
            ...{ leaseDurationSeconds: 60, renewTime: ago(1.5) },
          },
        },
      ],
    }),
  ],
  [
    "nobody has looked at a pod for fifteen seconds that no node has room for",
    withPod({ ...young(0.25), ...unplaced("0/3 nodes are available: 3 Insufficient cpu.") }),
  ],
  [
    "others make room for the pod on a node that is chosen already", // kubernetes/kubernetes 112347
    withPod({
      ...young(3),
      ...unplaced(
        "0/3 nodes are available: 3 Insufficient memory. preemption: not eligible due to terminating pod on the nominated node.",
      ),
      status: { nominatedNodeName: "n2" },
    }),
  ],
  [
    "a container started again once, hours ago, and loads for eight minutes since a second time",
    withPod({
      ...young(8),
      container: { restartCount: 2, ...running(8), ...lastEnd(0, "Completed") },
    }),
  ],
  [
    "a cluster is being recovered, and its first pod starts since six minutes",
    facts({
      ecs: [theEc({ state: "RecoveringFirstPod", spec: { clusterRecovery: true } })],
      pods: [
        pod(0, { ready: false, since: 6, container: running(6) }),
        pod(1, { ready: false, since: 7 }),
        pod(2, { ready: false, since: 7 }),
      ],
    }),
  ],
  [
    "a drain waits for a budget, and the pod of the roll starts elsewhere since three minutes",
    facts({
      nodes: [node(0), cordonedNode(1), node(2)],
      pods: [first, second, down({ ...young(3), ...waits("ContainerCreating") })],
      disruptionBudgets: [closedBudget],
    }),
  ],
  [
    "a pod found its node after nine minutes, and starts since one",
    withPod(
      {
        ...young(1),
        ...waits("ContainerCreating"),
        conditions: [{ type: "PodScheduled", status: "True" }],
      },
      {
        events: [
          event(
            ofPod(2),
            ["FailedScheduling", "0/3 nodes are available: 3 Insufficient memory."],
            [10, 2],
          ),
        ],
      },
    ),
  ],
  [
    "a node says that its memory is short, and a pod is on it and starts",
    withPod({ ...young(4), container: running(4) }, { nodes: [node(0), node(1), pressed] }),
  ],
  [
    "the driver of a volume is not up yet on a node that has just started", // kubernetes-sigs/aws-ebs-csi-driver
    withPod(
      { ...young(1), ...waits("ContainerCreating") },
      {
        events: [
          mountFails(
            'MountVolume.MountDevice failed for volume "pv-8" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name disk.csi.example not found in the list of registered CSI drivers',
            3,
          ),
        ],
      },
    ),
  ],
  [
    "a kubelet has not seen a ConfigMap yet",
    withPod(
      { ...young(1), ...waits("ContainerCreating") },
      {
        events: [
          mountFails(
            'MountVolume.SetUp failed for volume "conf" : object "engine"/"vault-conf" not registered',
            2,
          ),
        ],
      },
    ),
  ],
  [
    "the network of a node that has just started is not set up yet",
    withPod(
      { ...young(1), ...waits("ContainerCreating") },
      {
        events: [
          {
            ...event(
              ofPod(2),
              ["FailedCreatePodSandBox", "plugin type=cni failed: network agent is not running"],
              [1, 0],
            ),
            count: 4,
          },
        ],
      },
    ),
  ],
  [
    "a pod ends for nine minutes of its fifteen, while its hook drains",
    withPod({ ...young(600), ...ending(-6, 900) }),
  ],
  [
    "a finalizer is taken off a minute after the grace period",
    withPod({ ...young(2), ...ending(1, 30, { finalizers: ["backup.example/copy"] }) }),
  ],
  [
    "an eviction of an hour ago, and the pod that was made in its place starts",
    withPod(
      { ...young(3), ...waits("ContainerCreating") },
      {
        events: [
          {
            ...event(
              ofPod(2),
              ["Evicted", "The node was low on resource: ephemeral-storage."],
              [60, 60],
            ),
            involvedObject: { ...ofPod(2), namespace: ns, uid: "the one before" },
          },
          once(
            event(
              ofSet,
              [
                "RecreatingFailedPod",
                `StatefulSet engine/${name} is recreating failed Pod ${name}-2`,
              ],
              [4, 4],
            ),
          ),
        ],
      },
    ),
  ],
];
