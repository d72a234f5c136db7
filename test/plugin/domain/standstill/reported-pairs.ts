/** Two causes at once, after public reports: the one that has to be handled first, and the one beside it. */
import type { Scene } from "./causes";
import {
  cordonedNode,
  ecLabel,
  event,
  facts,
  first,
  node,
  nodes,
  ofPod,
  ofSet,
  pod,
  podLabel,
  second,
  theEc,
  theSet,
  third,
} from "./scene";
import {
  brokenOperator,
  down,
  early,
  ending,
  expired,
  fiveNodes,
  lastDayOver,
  lastEnd,
  loop,
  noOperator,
  of2,
  ofTheEc,
  ofTheSet,
  onDelete,
  partition,
  podOf,
  refused,
  running,
  staying,
  unplaced,
  waits,
  withPod,
} from "./wishes";

const claimed = {
  volumes: [{ name: "journal", persistentVolumeClaim: { claimName: "journal-vault-2" } }],
};
const five = (third_: ReturnType<typeof pod>, fourth: ReturnType<typeof pod>, more = {}) =>
  facts({ ...fiveNodes, pods: [first, second, third_, fourth, pod(4)], ...more });
const attachLimit =
  'AttachVolume.Attach failed for volume "pv-9" : rpc error: code = ResourceExhausted desc = maximum number of volumes (8) already attached';

export const reportedDouble: readonly Scene[] = [
  [
    "a login that the registry refuses, and a partition",
    withPod(waits("ImagePullBackOff", "unauthorized: access token has expired"), {
      statefulSets: [partition(2)],
    }),
    { ...of2("POD-IMAGE"), says: /token has expired/, step: /Secret for pulling/ },
    "ROLLOUT-HELD",
  ],
  [
    "an evicted pod, and a controller that does not look",
    withPod(
      {
        status: {
          phase: "Failed",
          reason: "Evicted",
          message: "The node was low on resource: ephemeral-storage.",
        },
      },
      { statefulSets: [theSet({ status: { observedGeneration: 1 } })] },
    ),
    { ...ofTheSet("ROLLOUT-UNOBSERVED"), says: /generation 2/, step: /controller manager/ },
    "POD-EVICTED",
  ],
  [
    "a spread over zones that cannot be, under an expired license",
    withPod(
      unplaced("0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints."),
      { ecs: [expired] },
    ),
    { ...of2("POD-UNSCHEDULABLE"), says: /topology spread/, step: /zone that has too few/ },
    "CLUSTER-LICENSE",
  ],
  [
    "too few nodes for pods that keep apart, the free one without disk, and a partition",
    withPod(
      unplaced(
        "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }, 2 node(s) didn't match pod anti-affinity rules.",
      ),
      { statefulSets: [partition(1)] },
    ),
    { ...of2("POD-UNSCHEDULABLE"), says: /anti-affinity/, step: /free disk on the node/ },
    "ROLLOUT-HELD",
  ],
  [
    "the zone of its volume is gone, and OnDelete is left",
    withPod(
      unplaced("0/2 nodes are available: 2 node(s) had volume node affinity conflict.", {
        spec: claimed,
      }),
      {
        nodes: nodes.slice(0, 2),
        statefulSets: [onDelete],
      },
    ),
    { ...of2("POD-VOLUME"), says: /volume node affinity/, step: /add one in that zone/ },
    "ROLLOUT-HELD",
  ],
  [
    "a node with as many volumes as it may hold, and a gate at another pod",
    five(
      down(waits("ContainerCreating")),
      podOf(3, {
        spec: { nodeName: "n3", readinessGates: [{ conditionType: "lb.example/registered" }] },
        conditions: [{ type: "ContainersReady", status: "True" }],
      }),
      { events: [event(ofPod(2), ["FailedAttachVolume", attachLimit])] },
    ),
    { ...of2("POD-VOLUME-ATTACH"), says: /ResourceExhausted/, step: /as many volumes as it may/ },
    "POD-READINESS-GATE",
  ],
  [
    "no service account, under a license whose last day is over",
    refused(
      'create Pod vault-2 in StatefulSet vault failed error: pods "vault-2" is forbidden: error looking up service account engine/vault: serviceaccount "vault" not found',
      { ecs: [lastDayOver] },
    ),
    { ...ofTheSet("POD-NOT-CREATED"), says: /service account/, step: /create the service account/ },
    "LICENSE-EXPIRED",
  ],
  [
    "a security constraint, and a partition below",
    refused(
      'pods "vault-2" is forbidden: unable to validate against any security context constraint: []',
      { statefulSets: [partition(1)] },
    ),
    {
      ...ofTheSet("POD-NOT-CREATED"),
      says: /security context constraint/,
      step: /constraint allow/,
    },
    "ROLLOUT-HELD",
  ],
  [
    "the namespace is being deleted, and a finalizer holds a pod",
    facts({
      ...fiveNodes,
      pods: [first, second, down(ending(240, 30, { finalizers: ["backup.example/copy"] })), pod(3)],
      events: [
        event(ofSet, [
          "FailedCreate",
          'pods "vault-4" is forbidden: unable to create new content in namespace engine because it is being terminated',
        ]),
      ],
    }),
    {
      ...ofTheSet("POD-NOT-CREATED"),
      says: /being terminated/,
      step: /namespace is being deleted/,
    },
    "POD-TERMINATION-OVERDUE",
  ],
  [
    "OnDelete is left, under an expired license",
    facts({ statefulSets: [onDelete], ecs: [expired] }),
    { ...ofTheSet("ROLLOUT-HELD"), says: /OnDelete keeps/, step: /kubectl patch statefulset/ },
    "CLUSTER-LICENSE",
  ],
  [
    "the quorum is lost for an image, and no operator runs that could change it",
    facts({
      pods: [0, 1, 2].map((ordinal) => podOf(ordinal, waits("ErrImagePull", "manifest unknown"))),
      deployments: [noOperator],
    }),
    {
      ...ofTheEc("CLUSTER-QUORUM-LOST"),
      says: /0 of its 3/,
      step: /only it takes a change.*scale deployment/,
    },
    "POD-IMAGE",
  ],
  [
    "the operator's own release as the tag, and the operator crashes",
    (() => {
      const operator = brokenOperator({
        name: "engine-enterprise-operator",
        restartCount: 12,
        ...loop,
        ...lastEnd(2),
      });
      const tag = "8.0.6-8";
      return facts({
        ecs: [theEc({ tag })],
        statefulSets: [theSet({ tag })],
        deployments: operator.deployments,
        replicaSets: operator.replicaSets ?? [],
        pods: [first, second, down(waits("ErrImagePull", "manifest unknown")), ...operator.pods],
      });
    })(),
    {
      ...ofTheEc("CLUSTER-TAG-OF-OPERATOR"),
      says: /8\.0\.6-8/,
      step: /first .*kubectl logs|read its log/,
    },
  ],
  [
    "no address for the pod, and a partition",
    withPod(waits("ContainerCreating"), {
      events: [
        event(ofPod(2), [
          "FailedCreatePodSandBox",
          "plugin type=cni failed (add): no available IP addresses in range set 10.4.2.0/24",
        ]),
      ],
      statefulSets: [partition(2)],
    }),
    { ...of2("POD-SANDBOX"), says: /no available IP/, step: /no address left/ },
    "ROLLOUT-HELD",
  ],
  [
    "a claim that lost its volume, under an expired license",
    withPod(
      unplaced(
        '0/3 nodes are available: persistentvolumeclaim "journal-vault-2" bound to non-existent persistentvolume "pv-4".',
        { spec: claimed },
      ),
      { ecs: [expired] },
    ),
    { ...of2("POD-VOLUME"), says: /non-existent/, step: /restore that volume/ },
    "CLUSTER-LICENSE",
  ],
  [
    "a broken pod of an earlier revision, under a license whose last day is over", // kubernetes/kubernetes 100094
    withPod(
      { revision: "typo", ...early({ restartCount: 30, ...loop, ...lastEnd(1) }) },
      { ecs: [lastDayOver] },
    ),
    {
      ...of2("POD-OUTDATED"),
      says: /revision typo.*unpack does not stay up/,
      step: /kubectl delete pod vault-2/,
    },
    "LICENSE-EXPIRED",
  ],
  [
    "a stranger has the name of a pod, and a partition",
    facts({
      pods: [
        first,
        second,
        {
          ...third,
          metadata: {
            ...third.metadata,
            ownerReferences: [{ kind: "Job", name: "copy", uid: "job" }],
          },
        },
      ],
      statefulSets: [partition(1)],
    }),
    { ...ofTheSet("POD-ABSENT"), says: /owned by Job copy/, step: /do not delete them/ },
    "ROLLOUT-HELD",
  ],
  [
    "one pod is scaled away, and a finalizer holds another",
    facts({
      ...fiveNodes,
      statefulSets: [theSet({ spec: { replicas: 4 } })],
      pods: [first, second, down(ending(240, 30, { finalizers: ["backup.example/copy"] })), pod(3)],
    }),
    { ...ofTheSet("CLUSTER-SCALED"), says: /4 pods/, step: /--replicas=5/ },
    "POD-TERMINATION-OVERDUE",
  ],
  [
    "the EC is being deleted, and a pod crashes",
    withPod(
      { container: { restartCount: 8, ...loop, ...lastEnd(1) } },
      {
        ecs: [
          {
            ...theEc(),
            metadata: {
              ...theEc().metadata,
              deletionTimestamp: "2026-08-01T01:00:00Z",
              finalizers: ["finalizer.app"],
            },
          },
        ],
      },
    ),
    { code: "CLUSTER-DELETING", object: ecLabel, says: /delet/, step: /./ },
    "POD-CRASH",
  ],
  [
    "a cordoned node whose drain a budget keeps from ending, under an expired license",
    facts({
      nodes: [node(0), cordonedNode(1), node(2)],
      ecs: [expired],
      pods: [
        first,
        pod(1, {
          old: true,
          metadata: {
            ...second.metadata,
            labels: { app: "vault", "controller-revision-hash": "before" },
          },
        }),
        down(
          unplaced(
            "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod anti-affinity rules.",
          ),
        ),
      ],
      disruptionBudgets: [
        {
          ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget" },
          metadata: { name: "two-up", namespace: "engine", generation: 1 },
          spec: { minAvailable: 2, selector: { matchLabels: { app: "vault" } } },
          status: {
            observedGeneration: 1,
            disruptionsAllowed: 0,
            currentHealthy: 1,
            desiredHealthy: 2,
            expectedPods: 3,
          },
        },
      ],
    }),
    { ...of2("POD-NODE-CORDONED"), says: /two-up lets no pod be evicted/, step: /uncordon/ },
    "CLUSTER-LICENSE",
  ],
  [
    "a ConfigMap that is not there, and OnDelete",
    withPod(waits("ContainerCreating"), {
      events: [
        event(ofPod(2), [
          "FailedMount",
          'MountVolume.SetUp failed for volume "conf" : configmap "vault-conf" not found',
        ]),
      ],
      statefulSets: [onDelete],
    }),
    { ...of2("POD-MOUNT"), says: /vault-conf/, step: /create or fix/ },
    "ROLLOUT-HELD",
  ],
  [
    "the network of one pod, and the disk of another's node",
    five(
      down(waits("ContainerCreating")),
      podOf(3, {
        status: {
          phase: "Failed",
          reason: "Evicted",
          message: "The node was low on resource: ephemeral-storage.",
        },
      }),
      { events: [event(ofPod(2), ["FailedCreatePodSandBox", "cni plugin not initialized"])] },
    ),
    { ...of2("POD-SANDBOX"), says: /cni plugin/, step: /network plugin/ },
    "POD-EVICTED",
  ],
  [
    "a container that stays crashes, and another pod's node is lost",
    facts({
      ...fiveNodes,
      nodes: [node(0), node(1), node(2), node(3, "Unknown"), node(4)],
      pods: [
        first,
        second,
        down(early({ restartCount: 20, ...loop, ...lastEnd(1) }, staying)),
        podOf(3, {}),
        pod(4),
      ],
    }),
    { code: "POD-NODE-LOST", object: podLabel(3), says: /n3/, step: /bring node n3 back/ },
    "POD-CRASH",
  ],
  [
    "a policy refuses the third pod, and a node keeps the fourth from ending",
    facts({
      ...fiveNodes,
      pods: [
        first,
        second,
        pod(3, {
          ready: false,
          metadata: {
            ...pod(3).metadata,
            deletionTimestamp: "2026-08-01T05:00:00Z",
            deletionGracePeriodSeconds: 30,
          },
        }),
        pod(4),
      ],
      events: [
        event(ofSet, [
          "FailedCreate",
          'admission webhook "images.policy.example" denied the request: registry hub.example is not allowed',
        ]),
      ],
    }),
    {
      ...ofTheSet("POD-NOT-CREATED"),
      says: /hub\.example is not allowed/,
      step: /policy that refuses it/,
    },
    "POD-TERMINATION-OVERDUE",
  ],
  [
    "killed for its memory, and no operator that could give it more",
    withPod(
      { container: { restartCount: 14, ...loop, ...lastEnd(137, "OOMKilled") } },
      { deployments: [], ecs: [expired] },
    ),
    { ...of2("POD-MEMORY"), says: /OOMKilled/, step: /memory limit.*only it takes a change/ },
    "CLUSTER-LICENSE",
  ],
  [
    "a probe that fails, and an image of another pod that is limited",
    five(
      down({ container: { ...running(580) }, status: { phase: "Running" } }),
      podOf(3, waits("ImagePullBackOff", "toomanyrequests: pull rate limit")),
      {
        events: [
          event(ofPod(2), ["Unhealthy", "Readiness probe failed: node is not in the cluster"]),
        ],
      },
    ),
    { code: "POD-IMAGE", object: podLabel(3), says: /toomanyrequests/, step: /login/ },
    "POD-NOT-READY",
  ],
];
