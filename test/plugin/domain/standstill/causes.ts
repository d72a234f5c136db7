/** Why upgrades came to a stand, each scene with the cause that is to be handled first. */
import type { Facts } from "../../../../plugin/domain/facts/facts";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { anOperator, newTag, oldTag } from "../engine-cluster/scene";
import {
  ago,
  container,
  cordonedNode,
  ecLabel,
  event,
  facts,
  first,
  halfway,
  name,
  node,
  ofPod,
  ofSet,
  pod,
  podLabel,
  second,
  setLabel,
  theEc,
  theSet,
  third,
} from "./scene";

export interface Cause {
  readonly code: string;
  readonly object: string;
  /** In the words of who refused it. */
  readonly says: RegExp;
  readonly step: RegExp;
}

export type Scene = readonly [title: string, facts: Facts, cause: Cause, beside?: string];

const expired = { licenseStatus: { licenseState: "Expired" } };
const waiting = (reason: string, message?: string, more: object = {}) => ({
  container: { state: { waiting: { reason, message } }, ...more },
});
const down = (more: Parameters<typeof pod>[1] = {}) => pod(2, { ready: false, ...more });
const withPod = (more: Parameters<typeof pod>[1]) => [first, second, down(more)];
const place = (message: string) => ({
  spec: { nodeName: undefined },
  conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
});
const leaving = (minutes: number, grace: number) => ({
  deletionTimestamp: ago(minutes),
  deletionGracePeriodSeconds: grace,
});
const partition = (number: number) => ({
  spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: number } } },
});
const heldBy = (manager: string, strategy: object) => ({
  ...{ manager, operation: "Update", time: ago(700) },
  fieldsV1: { "f:spec": { "f:updateStrategy": strategy } },
});
const loop = { state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s" } } };
const ended = (reason: string, exitCode: number, message?: string) => ({
  lastState: { terminated: { reason, exitCode, message, finishedAt: ago(1) } },
});
const lost = [node(0), node(1), node(2, "Unknown")];
const quota = 'pods "vault-2" is forbidden: exceeded quota: small, requested: requests.memory=8Gi';
const image = 'Back-off pulling image "engine/engine:8.0.2-71": manifest unknown';
const allDown = [0, 1, 2].map((ordinal) => pod(ordinal, { ready: false }));

const held = { code: "ROLLOUT-HELD", object: setLabel };
const absent = { code: "POD-ABSENT", object: setLabel };
const notCreated = { code: "POD-NOT-CREATED", object: setLabel };
const of2 = (code: string): Pick<Cause, "code" | "object"> => ({ code, object: podLabel(2) });
const ofEc = (code: string): Pick<Cause, "code" | "object"> => ({ code, object: ecLabel });

export const single: readonly Scene[] = [
  [
    "a partition is left in the strategy",
    facts({ statefulSets: [theSet(partition(2))] }),
    { ...held, says: /partition 2 keeps vault-1, vault-0/, step: /"partition":0.*$/ },
  ],
  [
    "a partition, and who set it",
    facts({
      statefulSets: [
        theSet({
          ...partition(1),
          metadata: {
            managedFields: [
              heldBy("kubectl-patch", { "f:rollingUpdate": { "f:partition": {} } }),
              heldBy("engine-enterprise-operator", { "f:type": {} }),
            ],
          },
        }),
      ],
    }),
    {
      ...held,
      says: /set by manager "kubectl-patch" at 2026/,
      step: /kubectl patch statefulset vault/,
    },
  ],
  [
    "the strategy OnDelete",
    facts({ statefulSets: [theSet({ spec: { updateStrategy: { type: "OnDelete" } } })] }),
    { ...held, says: /OnDelete keeps vault-1, vault-0/, step: /"type":"RollingUpdate"/ },
  ],
  [
    "scaled to nothing",
    facts({ statefulSets: [theSet({ spec: { replicas: 0 } })], pods: [] }),
    { code: "CLUSTER-SCALED", object: setLabel, says: /asks for 0 pods/, step: /--replicas=3/ },
  ],
  [
    "scaled to nothing, and the state is still Running",
    facts({
      ecs: [theEc({ state: "Running" })],
      statefulSets: [theSet({ spec: { replicas: 0 } })],
      pods: [],
    }),
    { code: "CLUSTER-SCALED", object: setLabel, says: /for 3 nodes/, step: /kubectl scale/ },
  ],
  [
    "a pod that is not there, and no event any more",
    facts({ pods: [first, second] }),
    { ...absent, says: /vault-2 does not exist.*for 10h/, step: /describe statefulset vault/ },
  ],
  [
    "two pods that are not there",
    facts({
      pods: [third, pod(0, { old: true })],
      ecs: [theEc({ spec: { nodes: 4 } })],
      statefulSets: [theSet({ spec: { replicas: 4 } })],
    }),
    { ...absent, says: /vault-1, vault-3 do not exist/, step: /quota/ },
  ],
  [
    "the controller does not look",
    facts({ statefulSets: [theSet({ status: { observedGeneration: 1 } })] }),
    {
      code: "ROLLOUT-UNOBSERVED",
      object: setLabel,
      says: /generation 2, it is at 1/,
      step: /controller manager/,
    },
  ],
  [
    "every pod is ready, and nothing renews the old ones",
    facts(),
    {
      code: "ROLLOUT-IDLE",
      object: setLabel,
      says: /vault-1, vault-0 are to be renewed/,
      step: /controller manager/,
    },
  ],
  [
    "one old pod is left, and nothing renews it",
    facts({ pods: [first, pod(1), third] }),
    {
      code: "ROLLOUT-IDLE",
      object: setLabel,
      says: /vault-0 is to be renewed/,
      step: /kube-system/,
    },
  ],
  [
    "terminating on a node that is dead",
    facts({ nodes: lost, pods: withPod({ old: true, metadata: leaving(590, 30) }) }),
    {
      ...of2("POD-NODE-LOST"),
      says: /node n2 is not ready: NodeStatusUnknown.*10h/,
      step: /n2 node\.kubernetes\.io\/out-of-service=nodeshutdown:NoExecute/,
    },
  ],
  [
    "not ready on a node that is dead",
    facts({ nodes: lost, pods: withPod({}) }),
    { ...of2("POD-NODE-LOST"), says: /Kubelet stopped posting/, step: /bring node n2 back/ },
  ],
  [
    "its node is lost, and nodes may not be read",
    facts(
      { nodes: [], pods: withPod({ status: { reason: "NodeLost" } }) },
      { unread: new Map([["nodes", "forbidden"]]) },
    ),
    { ...of2("POD-NODE-LOST"), says: /as the pod reports: NodeLost/, step: /out-of-service/ },
  ],
  [
    "its volume is on a node that is dead",
    facts({
      nodes: lost,
      pods: withPod(
        place(
          "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, 2 node(s) had volume node affinity conflict.",
        ),
      ),
    }),
    {
      ...of2("POD-NODE-LOST"),
      says: /volume node affinity.*node n2 is not ready/,
      step: /bring node n2 back/,
    },
  ],
  [
    "terminating long past its grace on a node that lives",
    facts({ pods: withPod({ old: true, metadata: leaving(300, 30) }) }),
    {
      ...of2("POD-TERMINATION-OVERDUE"),
      says: /grace period of 30 s ended 5h ago/,
      step: /kubectl describe nodes n2/,
    },
  ],
  [
    "held by a finalizer long past its grace",
    facts({
      pods: withPod({ metadata: { ...leaving(300, 30), finalizers: ["backup.example/hold"] } }),
    }),
    {
      ...of2("POD-TERMINATION-OVERDUE"),
      says: /backup\.example\/hold hold it/,
      step: /take the finalizer off/,
    },
  ],
  [
    "draining for hours within a grace of a year",
    facts({ pods: withPod({ old: true, metadata: leaving(-525_000, 31_536_000) }) }),
    {
      ...of2("POD-TERMINATING"),
      says: /drains before it ends, and may take 31536000 s/,
      step: /give it time/,
    },
  ],
  [
    "the quorum is lost",
    facts({ pods: allDown }),
    {
      ...ofEc("CLUSTER-QUORUM-LOST"),
      says: /0 of its 3 nodes are ready/,
      step: /"clusterRecovery":true/,
    },
  ],
  [
    "two of three pods are gone",
    facts({ pods: [pod(0)] }),
    {
      ...ofEc("CLUSTER-QUORUM-LOST"),
      says: /1 of its 3 nodes are ready/,
      step: /recover the cluster/,
    },
  ],
  [
    "a cordoned node",
    facts({
      nodes: [node(0), node(1), cordonedNode(2)],
      pods: withPod(
        place(
          "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had volume node affinity conflict.",
        ),
      ),
    }),
    {
      ...of2("POD-NODE-CORDONED"),
      says: /were unschedulable.*cordoned: n2/,
      step: /kubectl uncordon n2$/,
    },
  ],
  [
    "a cordoned node, and nodes may not be read",
    facts(
      { nodes: [], pods: withPod(place("0/3 nodes are available: 3 node(s) were unschedulable.")) },
      { unread: new Map([["nodes", "forbidden"]]) },
    ),
    { ...of2("POD-NODE-CORDONED"), says: /were unschedulable/, step: /kubectl get nodes/ },
  ],
  [
    "no node has the memory",
    facts({ pods: withPod(place("0/3 nodes are available: 3 Insufficient memory.")) }),
    { ...of2("POD-UNSCHEDULABLE"), says: /3 Insufficient memory/, step: /free capacity/ },
  ],
  [
    "a claim that nobody provisions",
    facts({
      pods: withPod({
        ...place("pod has unbound immediate PersistentVolumeClaims"),
        spec: {
          nodeName: undefined,
          volumes: [{ persistentVolumeClaim: { claimName: "engine-enterprise-storage-vault-2" } }],
        },
      }),
      events: [
        event({ kind: "PersistentVolumeClaim", name: "engine-enterprise-storage-vault-2" }, [
          "ProvisioningFailed",
          'storageclass.storage.k8s.io "fast" not found',
        ]),
      ],
    }),
    {
      ...of2("POD-VOLUME"),
      says: /storageclass.storage.k8s.io "fast" not found/,
      step: /kubectl get pvc/,
    },
  ],
  [
    "a pod that gave its place to one of a higher priority",
    facts({
      pods: withPod(place("0/3 nodes are available: 3 Insufficient memory.")),
      events: [
        {
          ...event(ofPod(2), ["Preempted", "Preempted by pod 77-aa on node n2"], [300, 300]),
          related: { kind: "Pod", namespace: "batch", name: "report-9" },
        },
        event(ofPod(2), ["Preempted", "Preempted by pod 11-bb on node n2"], [500, 500]),
        event(ofPod(1), ["Preempted", "Preempted by pod 99-cc on node n1"], [200, 200]),
        event(ofSet, ["Preempted", "of another kind"], [100, 100]),
      ],
    }),
    {
      ...of2("POD-UNSCHEDULABLE"),
      says: /the pod before it was displaced: Preempted by pod 77-aa on node n2 \(Pod\/batch\/report-9\)/,
      step: /priority class that is not below/,
    },
  ],
  [
    "a pod that gave its place, to whom is not said",
    facts({
      pods: withPod(place("0/3 nodes are available: 3 Insufficient cpu.")),
      events: [event(ofPod(2), ["Preempted", "Preempted by a pod on node n2"], [300, 300])],
    }),
    {
      ...of2("POD-UNSCHEDULABLE"),
      says: /displaced: Preempted by a pod on node n2 \(for/,
      step: /priority class/,
    },
  ],
  [
    "a volume that another node holds",
    facts({
      pods: withPod(waiting("ContainerCreating")),
      events: [
        event(ofPod(2), [
          "FailedAttachVolume",
          'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can\'t be attached to another',
        ]),
      ],
    }),
    {
      ...of2("POD-VOLUME-ATTACH"),
      says: /Multi-Attach error for volume "pvc-1"/,
      step: /volumeattachments/,
    },
  ],
  [
    "a Secret that cannot be mounted",
    facts({
      pods: withPod(waiting("ContainerCreating")),
      events: [
        event(
          ofPod(2),
          [
            "FailedMount",
            'MountVolume.SetUp failed for volume "tls" : secret "proxy-tls" not found',
          ],
          [3, 1],
        ),
      ],
    }),
    { ...of2("POD-MOUNT"), says: /secret "proxy-tls" not found/, step: /create or fix/ },
  ],
  [
    "the network of the node does not set it up",
    facts({
      pods: withPod(waiting("ContainerCreating")),
      events: [
        event(ofPod(2), [
          "FailedCreatePodSandBox",
          'plugin type="calico" failed (add): unauthorized',
        ]),
      ],
    }),
    { ...of2("POD-SANDBOX"), says: /calico/, step: /network plugin.*node n2/ },
  ],
  [
    "a tag that the repository does not hold",
    facts({ pods: withPod(waiting("ImagePullBackOff", image)) }),
    { ...of2("POD-IMAGE"), says: /8\.0\.2-71/, step: /does not hold this tag/ },
  ],
  [
    "a registry that refuses the login",
    facts({ pods: withPod(waiting("ErrImagePull", "unauthorized: authentication required")) }),
    { ...of2("POD-IMAGE"), says: /authentication required/, step: /Secret for pulling images/ },
  ],
  [
    "a registry that limits pulls",
    facts({
      pods: withPod(
        waiting("ErrImagePull", "toomanyrequests: You have reached your pull rate limit"),
      ),
    }),
    { ...of2("POD-IMAGE"), says: /pull rate limit/, step: /limits how much is pulled/ },
  ],
  [
    "a registry that is not reached",
    facts({ pods: withPod(waiting("ErrImagePull", "dial tcp: lookup hub.corp: no such host")) }),
    { ...of2("POD-IMAGE"), says: /no such host/, step: /does not reach the registry/ },
  ],
  [
    "a registry whose certificate is unknown",
    facts({
      pods: withPod(waiting("ErrImagePull", "x509: certificate signed by unknown authority")),
    }),
    { ...of2("POD-IMAGE"), says: /x509/, step: /CA to the container runtime/ },
  ],
  [
    "an image of another architecture",
    facts({ pods: withPod(waiting("ErrImagePull", "no match for platform in manifest")) }),
    { ...of2("POD-IMAGE"), says: /no match for platform/, step: /architecture/ },
  ],
  [
    "the second container crashes",
    facts({
      pods: withPod({
        status: {
          containerStatuses: [
            { name: container, ready: true, state: { running: {} } },
            {
              name: "bootstrapper",
              ready: false,
              restartCount: 9,
              ...loop,
              ...ended("ContainerCannotRun", 126, "exec: permission denied"),
            },
          ],
        },
      }),
    }),
    {
      ...of2("POD-CRASH"),
      says: /bootstrapper.*exit code 126: ContainerCannotRun: exec: permission denied/,
      step: /kubectl logs vault-2 -c bootstrapper --previous -n engine$/,
    },
  ],
  [
    "an init container fails",
    facts({
      pods: withPod({
        status: {
          initContainerStatuses: [
            { name: "prepare", ready: false, restartCount: 4, ...loop, ...ended("Error", 1) },
          ],
        },
      }),
    }),
    { ...of2("POD-CRASH"), says: /prepare/, step: /logs vault-2 -c prepare --previous/ },
  ],
  [
    "killed for its memory again and again",
    facts({
      pods: withPod({
        spec: {
          nodeName: "n2",
          containers: [
            {
              name: container,
              image: `engine/engine:${newTag}`,
              resources: { limits: { memory: "4Gi" } },
            },
          ],
        },
        container: { restartCount: 12, ...loop, ...ended("OOMKilled", 137) },
      }),
    }),
    {
      ...of2("POD-MEMORY"),
      says: /OOMKilled.*its limit is 4Gi/,
      step: /raise its memory limit in the spec of the cluster's resource: no log/,
    },
  ],
  [
    "a Secret that a container refers to is missing",
    facts({ pods: withPod(waiting("CreateContainerConfigError", 'secret "vault" not found')) }),
    { ...of2("POD-CONFIG"), says: /secret "vault" not found/, step: /create or fix/ },
  ],
  [
    "evicted for its ephemeral storage",
    facts({
      pods: withPod({
        status: {
          phase: "Failed",
          reason: "Evicted",
          message: "The node was low on resource: ephemeral-storage.",
        },
      }),
    }),
    { ...of2("POD-EVICTED"), says: /low on resource: ephemeral-storage/, step: /on node n2/ },
  ],
  [
    "a readiness gate that nobody sets",
    facts({
      pods: withPod({
        spec: {
          nodeName: "n2",
          readinessGates: [{ conditionType: "target-health.elbv2.k8s.aws/tg" }],
        },
        conditions: [{ type: "ContainersReady", status: "True" }],
      }),
    }),
    {
      ...of2("POD-READINESS-GATE"),
      says: /target-health\.elbv2\.k8s\.aws\/tg is not set/,
      step: /load balancer/,
    },
  ],
  [
    "a probe that fails for hours",
    facts({
      pods: withPod({
        status: {
          phase: "Running",
          conditions: [
            {
              type: "Ready",
              status: "False",
              lastTransitionTime: ago(600),
              message: "unready: [node]",
            },
          ],
        },
      }),
      events: [event(ofPod(2), ["Unhealthy", "Readiness probe failed: node is not joined"])],
    }),
    { ...of2("POD-NOT-READY"), says: /node is not joined/, step: /kubectl describe pod vault-2/ },
  ],
  [
    "a quota that is exceeded, in events that repeat",
    facts({ pods: [first, second], events: [event(ofSet, ["FailedCreate", quota])] }),
    { ...notCreated, says: /exceeded quota: small/, step: /raise the quota/ },
  ],
  [
    "a quota that demands limits",
    facts({
      pods: [first, second],
      events: [
        event(
          ofSet,
          ["FailedCreate", "failed quota: small: must specify limits.memory for: node"],
          [120, 3],
        ),
      ],
    }),
    { ...notCreated, says: /must specify limits\.memory/, step: /LimitRange/ },
  ],
  [
    "Pod Security refuses the pod",
    facts({
      pods: [first, second],
      events: [
        event(
          ofSet,
          ["FailedCreate", 'pods "vault-2" is forbidden: violates PodSecurity "restricted:latest"'],
          [2, 1],
        ),
      ],
    }),
    { ...notCreated, says: /violates PodSecurity/, step: /Pod Security level/ },
  ],
  [
    "a webhook on pods that nobody answers",
    facts({
      pods: [first, second],
      events: [
        event(ofSet, [
          "FailedCreate",
          'Internal error occurred: failed calling webhook "sidecar.example": no endpoints available',
        ]),
      ],
    }),
    { ...notCreated, says: /sidecar\.example/, step: /repair the webhook/ },
  ],
  [
    "the tag was corrected, the broken pod stays",
    facts({
      pods: withPod({ revision: "wrong", tag: "8.0.2-71", ...waiting("ImagePullBackOff", image) }),
    }),
    {
      ...of2("POD-OUTDATED"),
      says: /revision wrong with image engine\/engine:8\.0\.2-71, and engine\/engine:8\.0\.2-17 is asked for/,
      step: /kubectl delete pod vault-2 -n engine$/,
    },
  ],
  [
    "the broken pod stays although pods are managed in parallel",
    facts({
      statefulSets: [theSet({ spec: { podManagementPolicy: "Parallel" } })],
      pods: withPod({ revision: "wrong", ...waiting("ImagePullBackOff", image) }),
    }),
    { ...of2("POD-OUTDATED"), says: /revision wrong/, step: /kubectl delete pod vault-2/ },
  ],
  [
    "a crash loop of an earlier revision",
    facts({
      pods: withPod({
        revision: "wrong",
        container: { restartCount: 30, ...loop, ...ended("Error", 2) },
      }),
    }),
    {
      ...of2("POD-OUTDATED"),
      says: /does not replace it.*last exit code 2/,
      step: /its volume stays/,
    },
  ],
  [
    "a pod of an earlier revision asked for too much",
    facts({
      pods: withPod({
        revision: "wrong",
        ...place("0/3 nodes are available: 3 Insufficient cpu."),
      }),
    }),
    { ...of2("POD-OUTDATED"), says: /3 Insufficient cpu/, step: /delete it/ },
  ],
  [
    "the operator has not taken up the tag",
    facts({
      ecs: [theEc({ state: "Running", written: 11 })],
      statefulSets: [theSet({ tag: oldTag, status: { updateRevision: "before" } })],
      pods: [0, 1, 2].map((ordinal) => pod(ordinal, { old: true })),
    }),
    {
      ...ofEc("CLUSTER-NOT-TAKEN-UP"),
      says: /does not ask for 8\.0\.2-17.*for 11m/,
      step: /kubectl logs deployment/,
    },
  ],
  [
    "the operator does not run",
    facts({
      deployments: [{ ...anOperator(), spec: { replicas: 0 } }],
      ecs: [theEc({ state: "Running" })],
      statefulSets: [theSet({ tag: oldTag, status: { updateRevision: "before" } })],
      pods: [0, 1, 2].map((ordinal) => pod(ordinal, { old: true })),
    }),
    { ...ofEc("CLUSTER-NOT-TAKEN-UP"), says: /the operator itself does not run/, step: /./ },
  ],
  [
    "an EC in state Running without a StatefulSet",
    facts({ ecs: [theEc({ state: "Running" })], statefulSets: [], pods: [] }),
    {
      ...ofEc("CLUSTER-NOT-TAKEN-UP"),
      says: /has no StatefulSet/,
      step: /kubectl logs deployment/,
    },
  ],
  [
    "every pod is renewed, and the state stays",
    facts({ pods: [pod(0), pod(1), pod(2)] }),
    {
      ...ofEc("CLUSTER-STATE"),
      says: /although all its pods are renewed.*10h/,
      step: /kubectl logs deployment/,
    },
  ],
  [
    "the operator's release as the cluster's tag",
    facts({
      ecs: [theEc({ tag: "8.0.6-8" })],
      statefulSets: [theSet({ tag: "8.0.6-8" })],
      pods: withPod({ tag: "8.0.6-8", ...waiting("ImagePullBackOff") }),
    }),
    {
      ...ofEc("CLUSTER-TAG-OF-OPERATOR"),
      says: /8\.0\.6-8 is a release of the operator.*8\.0\.6-54/,
      step: /upgrade-cluster vault --target 8\.0\.6-54/,
    },
  ],
  [
    "the release of the operator that runs as the cluster's tag, of which no pair is known",
    facts({
      deployments: [anOperator("7.8.2-6")],
      ecs: [theEc({ tag: "7.8.2-6" })],
      statefulSets: [theSet({ tag: "7.8.2-6" })],
      pods: withPod({ tag: "7.8.2-6", ...waiting("ImagePullBackOff") }),
    }),
    {
      ...ofEc("CLUSTER-TAG-OF-OPERATOR"),
      says: /7\.8\.2-6 is a release of the operator.*no pod of the cluster is ready with it/,
      step: /release notes.*upgrade-cluster vault --target TAG/,
    },
  ],
  [
    "an earlier tag asked for again, which pods are past already",
    facts({ ecs: [theEc({ tag: oldTag })] }),
    {
      ...ofEc("CLUSTER-TAG-LOWERED"),
      says: /7\.\S+ is older than 8\.0\.2-17, which pods of it run/,
      step: /upgrade-cluster vault --target 8\.0\.2-17/,
    },
  ],
  [
    "the operator says what it lacks",
    facts({
      ecs: [theEc({ state: "Upgrade" })],
      statefulSets: [theSet({ tag: oldTag, status: { updateRevision: "before" } })],
      pods: [0, 1, 2].map((ordinal) => pod(ordinal, { old: true })),
      events: [
        event({ kind: names.ec.kind, name }, ["Old", "an older word"], [90, 80]),
        event({ kind: names.ec.kind, name }, ["ReconcileError", "cannot patch statefulsets"]),
        event({ kind: names.ec.kind, name: "other" }, ["Other", "another's"]),
        { ...event({ kind: names.ec.kind, name }, ["Fine", "no warning"]), type: "Normal" },
      ],
    }),
    {
      ...ofEc("CLUSTER-NOT-TAKEN-UP"),
      says: /the operator says: cannot patch statefulsets/,
      step: /kubectl logs deployment/,
    },
  ],
  [
    "a pod that has ended",
    facts({ pods: withPod({ status: { phase: "Succeeded" } }) }),
    { ...of2("POD-NOT-READY"), says: /it is Succeeded/, step: /kubectl delete pod vault-2/ },
  ],
  [
    "a container that is not made, and no event",
    facts({ pods: withPod(waiting("ContainerCreating")) }),
    { ...of2("POD-NOT-READY"), says: /ContainerCreating/, step: /kubelet.*of node n2/ },
  ],
  [
    "gates that a queue has set",
    facts({
      pods: withPod({
        conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
        spec: { schedulingGates: [{ name: "example.com/queue" }, {}] },
      }),
    }),
    {
      ...of2("POD-UNSCHEDULABLE"),
      says: /scheduling gates example\.com\/queue are set/,
      step: /controller that sets example\.com\/queue/,
    },
  ],
  [
    "a volume on a node that is gone",
    facts({
      pods: withPod(place("0/2 nodes are available: 2 node(s) had volume node affinity conflict.")),
    }),
    { ...of2("POD-VOLUME"), says: /affinity conflict/, step: /bring that node back/ },
  ],
  [
    "a hook before the end that fails",
    facts({
      pods: withPod({
        metadata: { deletionTimestamp: ago(60), deletionGracePeriodSeconds: 30 },
      }),
      events: [event(ofPod(2), ["FailedPreStopHook", "quorum critical"])],
    }),
    {
      ...of2("POD-TERMINATION-OVERDUE"),
      says: /FailedPreStopHook: quorum critical/,
      step: /kubelet/,
    },
  ],
];

/** Two at once: the one that has to be handled first, and the one beside it. */
export const double: readonly Scene[] = [
  [
    "no node, under an expired license",
    facts({ ecs: [theEc({ status: expired })], pods: withPod(place("3 Insufficient memory")) }),
    { ...of2("POD-UNSCHEDULABLE"), says: /Insufficient/, step: /free capacity/ },
    "CLUSTER-LICENSE",
  ],
  [
    "scaled away, under an expired license",
    facts({
      ecs: [theEc({ status: expired })],
      statefulSets: [theSet({ spec: { replicas: 0 } })],
      pods: [],
    }),
    { code: "CLUSTER-SCALED", object: setLabel, says: /0 pods/, step: /kubectl scale/ },
    "CLUSTER-LICENSE",
  ],
  [
    "a partition, and a wrong tag above it",
    facts({ statefulSets: [theSet(partition(2))], pods: withPod(waiting("ErrImagePull", image)) }),
    { ...of2("POD-IMAGE"), says: /cannot be pulled/, step: /tag/ },
    "ROLLOUT-HELD",
  ],
  [
    "a dead node, and an image on another",
    facts({
      nodes: lost,
      pods: [first, pod(1, { ready: false, ...waiting("ErrImagePull", image) }), down({})],
      ecs: [theEc({ spec: { nodes: 5 } })],
      statefulSets: [theSet({ spec: { replicas: 5 } })],
    }),
    { ...ofEc("CLUSTER-QUORUM-LOST"), says: /1 of its 5/, step: /recover/ },
    "POD-NODE-LOST",
  ],
  [
    "a dead node under one pod, and a crash in another, with a majority",
    facts({
      nodes: lost,
      ecs: [theEc({ spec: { nodes: 5 } })],
      statefulSets: [theSet({ spec: { replicas: 5 } })],
      pods: [
        first,
        pod(1, { ready: false, container: { restartCount: 9, ...loop } }),
        down({}),
        pod(3, { spec: { nodeName: "n0" } }),
        pod(4, { spec: { nodeName: "n0" } }),
      ],
    }),
    { ...of2("POD-NODE-LOST"), says: /n2/, step: /n2/ },
    "POD-CRASH",
  ],
  [
    "the controller does not look, and an image is missing",
    facts({
      statefulSets: [theSet({ status: { observedGeneration: 1 } })],
      pods: withPod(waiting("ErrImagePull", image)),
    }),
    { code: "ROLLOUT-UNOBSERVED", object: setLabel, says: /generation 2/, step: /controller/ },
    "POD-IMAGE",
  ],
  [
    "a cordoned node, and a partition",
    facts({
      nodes: [node(0), node(1), cordonedNode(2)],
      statefulSets: [theSet(partition(1))],
      pods: withPod(place("1 node(s) were unschedulable")),
    }),
    { ...of2("POD-NODE-CORDONED"), says: /n2/, step: /uncordon/ },
    "ROLLOUT-HELD",
  ],
  [
    "an earlier revision's image, and the tag of the operator asked for",
    facts({
      ecs: [theEc({ tag: "8.0.6-8" })],
      statefulSets: [theSet({ tag: "8.0.6-8" })],
      pods: withPod({ revision: "wrong", ...waiting("ErrImagePull", image) }),
    }),
    { ...ofEc("CLUSTER-TAG-OF-OPERATOR"), says: /8\.0\.6-54/, step: /upgrade-cluster/ },
    "POD-OUTDATED",
  ],
  [
    "an earlier revision on a dead node",
    facts({
      nodes: lost,
      pods: withPod({ revision: "wrong", ...waiting("ErrImagePull", image) }),
      ecs: [theEc({ status: expired })],
    }),
    { ...of2("POD-NODE-LOST"), says: /n2/, step: /n2/ },
    "CLUSTER-LICENSE",
  ],
  [
    "an earlier revision, and a pod that is not there",
    facts({
      ecs: [theEc({ spec: { nodes: 5 } })],
      statefulSets: [theSet({ spec: { replicas: 5 } })],
      pods: [...withPod({ revision: "wrong", ...waiting("ErrImagePull", image) }), pod(3)],
    }),
    { ...of2("POD-OUTDATED"), says: /wrong/, step: /kubectl delete pod vault-2/ },
    "POD-ABSENT",
  ],
  [
    "the quorum is lost because of an image",
    facts({
      pods: [0, 1, 2].map((ordinal) =>
        pod(ordinal, { ready: false, ...waiting("ErrImagePull", image) }),
      ),
    }),
    { ...ofEc("CLUSTER-QUORUM-LOST"), says: /no majority/, step: /whose own cause is named/ },
    "POD-IMAGE",
  ],
  [
    "the quorum is lost, and a partition is left",
    facts({
      pods: [first, pod(1, { old: true, ready: false }), down({})],
      statefulSets: [theSet(partition(2))],
    }),
    { ...ofEc("CLUSTER-QUORUM-LOST"), says: /1 of its 3/, step: /clusterRecovery/ },
    "ROLLOUT-HELD",
  ],
  [
    "a quota, and a pod that crashes",
    facts({
      ecs: [theEc({ spec: { nodes: 5 } })],
      statefulSets: [theSet({ spec: { replicas: 5 } })],
      pods: [first, second, down({ container: { restartCount: 9, ...loop } }), pod(3)],
      events: [event(ofSet, ["FailedCreate", quota])],
    }),
    { ...notCreated, says: /exceeded quota/, step: /quota/ },
    "POD-CRASH",
  ],
  [
    "an evicted pod, and a quota",
    facts({
      ecs: [theEc({ spec: { nodes: 5 } })],
      statefulSets: [theSet({ spec: { replicas: 5 } })],
      pods: [first, second, down({ status: { phase: "Failed", reason: "Evicted" } }), pod(3)],
      events: [event(ofSet, ["FailedCreate", quota])],
    }),
    { ...notCreated, says: /exceeded quota/, step: /quota/ },
    "POD-EVICTED",
  ],
  [
    "not taken up by an operator that cannot, under an expired license",
    facts({
      ecs: [theEc({ state: "Running", status: expired })],
      statefulSets: [theSet({ tag: oldTag, status: { updateRevision: "before" } })],
      pods: [0, 1, 2].map((ordinal) => pod(ordinal, { old: true })),
    }),
    { ...ofEc("CLUSTER-LICENSE"), says: /Expired/, step: /license/ },
  ],
  [
    "two pods have no node: the one whose turn it is",
    facts({
      pods: [
        first,
        pod(1, { ready: false, ...place("2 Insufficient cpu") }),
        down(place("1 Insufficient cpu")),
      ],
      ecs: [theEc({ spec: { nodes: 5 } })],
      statefulSets: [theSet({ spec: { replicas: 5 } })],
    }),
    { ...ofEc("CLUSTER-QUORUM-LOST"), says: /./, step: /./ },
    "POD-UNSCHEDULABLE",
  ],
];

const just = (minutes: number) => ({ since: minutes });
const rolling = (third_: ReturnType<typeof pod>, more: Parameters<typeof facts>[0] = {}) =>
  facts({ pods: [first, second, third_], ...more });

/** A roll that is well, and merely slow. */
export const slow: readonly (readonly [title: string, facts: Facts])[] = [
  [
    "the tag was written a minute ago",
    facts({
      ecs: [theEc({ state: "Running", written: 1 })],
      statefulSets: [theSet({ tag: oldTag, status: { updateRevision: "before" } })],
      pods: [0, 1, 2].map((ordinal) => pod(ordinal, { old: true })),
    }),
  ],
  [
    "the template was changed a minute ago, and no pod has moved",
    facts({
      statefulSets: [theSet({ written: 1 })],
      pods: [0, 1, 2].map((ordinal) => pod(ordinal, { old: true })),
    }),
  ],
  [
    "the controller has a minute's delay",
    facts({ statefulSets: [theSet({ written: 1, status: { observedGeneration: 1 } })] }),
  ],
  [
    "a pod drains for 20 minutes of its hour",
    rolling(pod(2, { old: true, ready: false, metadata: leaving(-40, 3600) })),
  ],
  [
    "a pod drains for 50 minutes of a year",
    rolling(pod(2, { old: true, ready: false, metadata: leaving(-525_550, 31_536_000) })),
  ],
  [
    "a pod was created a moment ago",
    rolling(pod(2, { ready: false, ...just(0), ...waiting("ContainerCreating") })),
  ],
  [
    "a pod starts for nine minutes",
    rolling(
      pod(2, {
        ready: false,
        ...just(9),
        container: { state: { running: { startedAt: ago(9) } } },
      }),
    ),
  ],
  [
    "a probe has failed for nine minutes",
    rolling(pod(2, { ready: false, ...just(9) }), {
      events: [event(ofPod(2), ["Unhealthy", "Readiness probe failed"], [9, 0])],
    }),
  ],
  [
    "a volume is attached for three minutes",
    rolling(pod(2, { ready: false, ...just(3), ...waiting("ContainerCreating") }), {
      events: [event(ofPod(2), ["FailedAttachVolume", "Multi-Attach error"], [3, 0])],
    }),
  ],
  [
    "a mount was tried again for three minutes",
    rolling(pod(2, { ready: false, ...just(3), ...waiting("ContainerCreating") }), {
      events: [event(ofPod(2), ["FailedMount", "timed out waiting for the condition"], [3, 0])],
    }),
  ],
  [
    "a readiness gate is open for four minutes",
    rolling(
      pod(2, {
        ready: false,
        ...just(4),
        spec: { nodeName: "n2", readinessGates: [{ conditionType: "lb" }] },
        conditions: [{ type: "ContainersReady", status: "True" }],
      }),
    ),
  ],
  [
    "a container failed once, and starts again",
    rolling(
      pod(2, {
        ready: false,
        ...just(2),
        container: { restartCount: 1, ...loop, ...ended("Error", 1) },
      }),
    ),
  ],
  [
    "its node has not been ready for two minutes",
    rolling(pod(2, { ready: false, ...just(2) }), {
      nodes: [
        node(0),
        node(1),
        {
          ...node(2, "Unknown"),
          status: {
            conditions: [{ type: "Ready", status: "Unknown", lastTransitionTime: ago(2) }],
          },
        },
      ],
    }),
  ],
  [
    "between the old pod and the new one",
    facts({
      pods: [first, second],
      statefulSets: [
        theSet({
          metadata: {
            managedFields: [
              { manager: "kube-controller-manager", subresource: "status", time: ago(0) },
            ],
          },
        }),
      ],
    }),
  ],
  [
    "the second pod became ready three minutes ago",
    facts({ pods: [first, pod(1, just(3)), third] }),
  ],
  [
    "the last pod became ready five minutes ago, and the state follows",
    facts({ pods: [pod(0, just(5)), pod(1), pod(2)] }),
  ],
  [
    "an old event of a quota, and the pod is there",
    facts({
      pods: [first, second, pod(2, just(4))],
      events: [event(ofSet, ["FailedCreate", quota], [50, 30])],
    }),
  ],
  [
    "an old event of a quota, and a pod was created after it",
    facts({
      pods: [first, second],
      statefulSets: [theSet({ written: 2 })],
      events: [
        event(ofSet, ["FailedCreate", quota], [50, 30]),
        { ...event(ofSet, ["SuccessfulCreate", "create Pod"], [5, 5]) },
      ],
    }),
  ],
  [
    "two pods have just lost their nodes' heartbeat",
    facts({ pods: [first, pod(1, { ready: false, ...just(3) }), down(just(3))] }),
  ],
  [
    "volumes are being expanded, and the StatefulSet is made anew",
    facts({
      statefulSets: [],
      pods: halfway,
      ecs: [theEc({ state: "Running", status: { persistenceStatus: { status: "Resizing" } } })],
    }),
  ],
  [
    "a cluster that is being created",
    facts({
      ecs: [theEc({ state: "BootstrappingFirstPod", written: 2 })],
      statefulSets: [theSet({ written: 2 })],
      pods: [pod(0, { ready: false, ...just(2) })],
    }),
  ],
  [
    "every pod is taken up in parallel",
    facts({
      statefulSets: [theSet({ spec: { podManagementPolicy: "Parallel" } })],
      pods: [pod(0, { ready: false, revision: "wrong", ...just(1) }), pod(1), pod(2)],
    }),
  ],
];
