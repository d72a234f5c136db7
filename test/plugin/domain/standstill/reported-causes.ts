/** Causes of a standstill, each after a public report of somebody else's rollout; names and words are made anew. */
import { anOperator } from "../engine-cluster/scene";
import type { Scene } from "./causes";
import { event, facts, first, ofPod, ofSet, pod, second, third } from "./scene";
import {
  brokenOperator,
  down,
  early,
  ending,
  lastEnd,
  loop,
  of2,
  ofTheEc,
  ofTheSet,
  refused,
  running,
  staying,
  unplaced,
  untaken,
  waits,
  withPod,
} from "./wishes";

const claimName = "journal-vault-2";
const claimed = { volumes: [{ name: "journal", persistentVolumeClaim: { claimName } }] };
const ofClaim = { kind: "PersistentVolumeClaim", name: claimName };
const provisioning = (message: string, why: string) =>
  withPod(unplaced(message, { spec: claimed }), {
    events: [event(ofClaim, ["ProvisioningFailed", why])],
  });
const remade = (reason: string, message: string) =>
  facts({
    pods: [first, second, down({ since: 0, status: { conditions: [] } })],
    events: [
      event(ofSet, [
        "RecreatingFailedPod",
        "StatefulSet engine/vault is recreating failed Pod vault-2",
      ]),
      event(ofPod(2), [reason, message], [1, 1]),
    ],
  });
const oomOperator = brokenOperator({
  name: "engine-enterprise-operator",
  restartCount: 61,
  ...loop,
  ...lastEnd(137, "OOMKilled"),
});
const watching = (value: string) => {
  const env = [{ name: "WATCH_NAMESPACE", value }];
  const containers = [
    { name: "engine-enterprise-operator", image: "engine/operator:8.0.2-2", env },
  ];
  return { ...anOperator(), spec: { replicas: 1, template: { spec: { containers } } } };
};

/** A time that is still to come for whoever looks: the clock of the node is ahead. */
const ahead = [-190, -185] as const;

export const reportedSingle: readonly Scene[] = [
  [
    "the image of a container that runs first is not pulled for its registry's limit", // litmuschaos/litmus 2846, openshift/lvm-operator 88
    withPod(
      early({
        state: { waiting: { reason: "ImagePullBackOff", message: "Back-off pulling image" } },
      }),
      {
        events: [
          event(ofPod(2), [
            "Failed",
            "Failed to pull image: reading manifest 3.1 in hub.example/tools/unpack: toomanyrequests: You have reached your pull rate limit",
          ]),
        ],
      },
    ),
    {
      ...of2("POD-IMAGE"),
      says: /unpack.*toomanyrequests/,
      step: /login, or from a registry of your own/,
    },
  ],
  [
    "a container that stays beside the engine is ended by its own startup probe", // grafana/rollout-operator 466
    withPod(
      early(
        { name: "audit-shipper", restartCount: 44, started: false, ...running(1), ...lastEnd(143) },
        staying,
      ),
      {
        events: [
          event(ofPod(2), [
            "Unhealthy",
            "Startup probe failed: HTTP probe failed with statuscode: 503",
          ]),
        ],
      },
    ),
    {
      ...of2("POD-CRASH"),
      says: /audit-shipper does not stay up.*Startup probe failed/,
      step: /-c audit-shipper --previous/,
    },
  ],
  [
    "a pod that writes more than it may onto its node, and is made again each time", // kubernetes/kubernetes 93649
    remade(
      "Evicted",
      "Pod ephemeral local storage usage exceeds the total limit of containers 2Gi.",
    ),
    {
      ...of2("POD-RECREATED"),
      says: /Evicted: Pod ephemeral/,
      step: /raise the limit of ephemeral-storage/,
    },
  ],
  [
    "a pod that its kubelet gives up, for its node holds as many volumes as it may", // kubernetes/kubernetes 132933
    remade("VolumeAttachmentLimitExceeded", "Volume attachment limit exceeded for pv-31"),
    {
      ...of2("POD-RECREATED"),
      says: /attachment limit exceeded/,
      step: /as many volumes as it may/,
    },
  ],
  [
    "a claim that is to be made for a node which is gone", // kubernetes/kubernetes 100485, sig-storage-lib-external-provisioner 121
    provisioning(
      'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
      'error getting node "n7": node "n7" not found',
    ),
    { ...of2("POD-VOLUME"), says: /"n7" not found/, step: /volume\.kubernetes\.io\/selected-node/ },
  ],
  [
    "the cloud's own quota leaves no disk",
    provisioning(
      "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
      "failed to provision volume: rpc error: code = ResourceExhausted desc = Quota 'SSD_TOTAL_GB' exceeded. Limit: 2000.0",
    ),
    { ...of2("POD-VOLUME"), says: /SSD_TOTAL_GB/, step: /quota of the storage/ },
  ],
  [
    "no volume is left that was made by hand",
    withPod(
      unplaced(
        "0/3 nodes are available: 3 node(s) didn't find available persistent volumes to bind.",
        { spec: claimed },
      ),
    ),
    { ...of2("POD-VOLUME"), says: /persistent volumes to bind/, step: /create a volume that fits/ },
  ],
  [
    "a claim that one pod alone may use, and another one does",
    withPod(
      unplaced(
        "0/3 nodes are available: 3 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.",
        { spec: claimed },
      ),
    ),
    { ...of2("POD-VOLUME"), says: /ReadWriteOncePod/, step: /another pod uses the claim/ },
  ],
  [
    "a security constraint that the pods may not use", // rabbitmq/cluster-operator 1692, pulp/pulp-operator 1319
    refused(
      'create Pod vault-2 in StatefulSet vault failed error: pods "vault-2" is forbidden: unable to validate against any security context constraint: [provider "anyuid": Forbidden: not usable by user or serviceaccount, provider restricted-v2: .containers[0].runAsUser: Invalid value: 1001: must be in the ranges: [1000680000, 1000689999]]',
    ),
    {
      ...ofTheSet("POD-NOT-CREATED"),
      says: /1001: must be in the ranges/,
      step: /security context constraint allow/,
    },
  ],
  [
    "a runtime class that is not there",
    refused(
      'create Pod vault-2 in StatefulSet vault failed error: pods "vault-2" is forbidden: pod rejected: RuntimeClass "sealed" not found',
    ),
    {
      ...ofTheSet("POD-NOT-CREATED"),
      says: /RuntimeClass "sealed"/,
      step: /create the runtime class/,
    },
  ],
  [
    "a key that the Secret does not have",
    withPod(waits("ContainerCreating"), {
      events: [
        event(ofPod(2), [
          "FailedMount",
          'MountVolume.SetUp failed for volume "tls" : references non-existent secret key: chain.pem',
        ]),
      ],
    }),
    { ...of2("POD-MOUNT"), says: /chain\.pem/, step: /create or fix what the message names/ },
  ],
  [
    "a container that the runtime cannot end", // kubernetes/kubernetes 122342, 72604
    withPod(ending(300, 60), {
      events: [
        event(ofPod(2), [
          "FailedKillPod",
          'error killing pod: failed to "KillContainer" for "engine-enterprise-node": context deadline exceeded',
        ]),
      ],
    }),
    {
      ...of2("POD-TERMINATION-OVERDUE"),
      says: /FailedKillPod: .*KillContainer/,
      step: /describe nodes n2/,
    },
  ],
  [
    "a mount that fails by a clock that is three hours ahead",
    withPod(waits("ContainerCreating"), {
      events: [
        event(
          ofPod(2),
          ["FailedMount", 'MountVolume.SetUp failed for volume "conf" : stale NFS file handle'],
          ahead,
        ),
      ],
    }),
    { ...of2("POD-MOUNT"), says: /stale NFS file handle/, step: /describe pod vault-2/ },
  ],
  [
    "an operator that looks after other namespaces alone", // gravitational/teleport 35005, Kong/kong-operator 1975
    facts({ ...untaken, deployments: [watching("shop,billing")] }),
    {
      ...ofTheEc("CLUSTER-NOT-TAKEN-UP"),
      says: /watches shop, billing/,
      step: /WATCH_NAMESPACE.*engine/,
    },
  ],
  [
    "an operator that is killed for its memory again and again", // strimzi/strimzi-kafka-operator 2907, cryostatio/cryostat-operator 716
    facts({ ...untaken, ...oomOperator, pods: [...(untaken.pods ?? []), ...oomOperator.pods] }),
    {
      ...ofTheEc("CLUSTER-NOT-TAKEN-UP"),
      says: /does not run: .*OOMKilled/,
      step: /raise its memory limit in its Deployment, or the Subscription/,
    },
  ],
  [
    "a pod that another one of higher priority put out, seen while it waits for a node", // kubernetes/kubernetes 112347
    withPod(
      unplaced(
        "0/3 nodes are available: 3 Insufficient memory. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
      ),
      {
        pods: [
          first,
          second,
          {
            ...down(unplaced("0/3 nodes are available: 3 Insufficient memory.")),
            metadata: { ...third.metadata, uid: "a later one" },
          },
          pod(3),
        ].slice(0, 3),
        events: [
          {
            ...event(ofPod(2), ["Preempted", "Preempted by pod 9f2c on node n2"], [600, 600]),
            involvedObject: { ...ofPod(2), namespace: "engine", uid: "the one before" },
          },
        ],
      },
    ),
    {
      ...of2("POD-UNSCHEDULABLE"),
      says: /displaced: Preempted by pod 9f2c/,
      step: /priority class/,
    },
  ],
];
