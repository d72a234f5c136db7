/** Causes of a standstill as clusters in the field show them: sidecars, registries, storage, node conditions, admission of others. */
import type { Facts } from "../../../../plugin/domain/facts/facts";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { anOperator, newTag, oldTag } from "../engine-cluster/scene";
import type { Cause, Scene } from "./causes";
import {
  ago,
  container,
  ecLabel,
  event,
  facts,
  first,
  halfway,
  name,
  node,
  nodes,
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

type PodWish = NonNullable<Parameters<typeof pod>[1]>;
type Lists = NonNullable<Parameters<typeof facts>[0]>;

const down = (more: PodWish = {}) => pod(2, { ready: false, ...more });
const withPod = (more: PodWish, rest: Lists = {}): Facts =>
  facts({ pods: [first, second, down(more)], ...rest });
const of2 = (code: string): Pick<Cause, "code" | "object"> => ({ code, object: podLabel(2) });
const ofTheSet = (code: string): Pick<Cause, "code" | "object"> => ({ code, object: setLabel });
const ofTheEc = (code: string): Pick<Cause, "code" | "object"> => ({ code, object: ecLabel });

const waits = (reason: string, message?: string, more: object = {}): PodWish => ({
  container: { state: { waiting: { reason, message } }, ...more },
});
const pull = (message: string, reason = "ErrImagePull") => waits(reason, message);
const unplaced = (message: string, more: PodWish = {}): PodWish => ({
  ...more,
  spec: { nodeName: undefined, ...more.spec },
  conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
});
const inPool = (one: KubeObject): KubeObject => ({
  ...one,
  metadata: { ...one.metadata, labels: { pool: "data" } },
});
const normal = (...args: Parameters<typeof event>): KubeObject => ({
  ...event(...args),
  type: "Normal",
});
const once = (one: KubeObject): KubeObject => ({ ...one, count: 1 });
const loop = { state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s" } } };
const ended = (exitCode: number, reason = "Error", message?: string) => ({
  lastState: { terminated: { reason, exitCode, message, finishedAt: ago(1) } },
});
const refused = (why: string): Facts =>
  facts({ pods: [first, second], events: [event(ofSet, ["FailedCreate", why])] });
const attach = (message: string, rest: Lists = {}): Facts =>
  withPod(waits("ContainerCreating"), {
    events: [event(ofPod(2), ["FailedAttachVolume", message])],
    ...rest,
  });
const mount = (message: string): Facts =>
  withPod(waits("ContainerCreating"), { events: [event(ofPod(2), ["FailedMount", message])] });
const claimName = `engine-enterprise-storage-${name}-2`;
const ofClaim = { kind: "PersistentVolumeClaim", name: claimName };
const claimed: PodWish["spec"] = {
  volumes: [{ persistentVolumeClaim: { claimName } }],
};
const partition = (number: number) =>
  theSet({
    spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: number } } },
  });
const expired = theEc({ status: { licenseStatus: { licenseState: "Expired" } } });
const over = theEc({
  status: { licenseStatus: { licenseState: "Valid", expirationDate: "2026-06-01T00:00:00Z" } },
});
const fiveNodes: Lists = {
  nodes: [0, 1, 2, 3, 4].map((ordinal) => node(ordinal)),
  ecs: [theEc({ spec: { nodes: 5 } })],
  statefulSets: [theSet({ spec: { replicas: 5 } })],
};
const oldOnes = [0, 1, 2].map((ordinal) => pod(ordinal, { old: true }));
const untaken: Lists = {
  ecs: [theEc({ state: "Running" })],
  statefulSets: [theSet({ tag: oldTag, status: { updateRevision: "before" } })],
  pods: oldOnes,
};
const scaledDown = { ...anOperator(), spec: { replicas: 0 } };
const leaving = (minutes: number, grace: number) => ({
  deletionTimestamp: ago(minutes),
  deletionGracePeriodSeconds: grace,
});
const terminating = (minutes: number, grace: number, more: object = {}) => ({
  metadata: { ...third.metadata, ...leaving(minutes, grace), ...more },
});
const undeletable = event(ofSet, [
  "FailedDelete",
  'delete Pod vault-1 in StatefulSet vault failed error: admission webhook "guard.policy.example" denied the request: pods of production are not deleted by day',
]);
const noDisk =
  "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }, 2 node(s) had volume node affinity conflict.";
const recreated = event(
  ofSet,
  ["RecreatingFailedPod", `StatefulSet engine/${name} is recreating failed Pod ${name}-2`],
  [180, 1],
);
const rejectedBy = (reason: string, message: string): KubeObject => ({
  ...event(ofPod(2), [reason, message], [1, 1]),
  involvedObject: { ...ofPod(2), namespace: "engine", uid: "an earlier one" },
});
const again = (more: Lists = {}): Facts =>
  facts({
    pods: [first, second, down({ since: 0, status: { conditions: [] } })],
    events: [
      recreated,
      rejectedBy("OutOfmemory", "Node didn't have enough resource: memory, requested: 8, used: 9"),
    ],
    ...more,
  });

const sidecar = (status: object): PodWish => ({
  spec: {
    nodeName: "n2",
    initContainers: [{ name: "mesh-proxy", restartPolicy: "Always" }],
    containers: [{ name: container, image: `engine/engine:${newTag}` }],
  },
  container: { state: { waiting: { reason: "PodInitializing" } } },
  status: { initContainerStatuses: [{ name: "mesh-proxy", ready: false, ...status }] },
});
const besideEngine = (status: object): PodWish => ({
  status: {
    phase: "Running",
    containerStatuses: [
      { name: container, ready: true, state: { running: { startedAt: ago(590) } } },
      { name: "mesh-proxy", ready: false, ...status },
    ],
    conditions: [
      {
        ...{ type: "Ready", status: "False", lastTransitionTime: ago(590) },
        ...{
          reason: "ContainersNotReady",
          message: "containers with unready status: [mesh-proxy]",
        },
      },
    ],
  },
});

export const fieldSingle: readonly Scene[] = [
  [
    "a sidecar that starts first crashes",
    withPod(sidecar({ restartCount: 40, ...loop, ...ended(2, "Error", "no route to the mesh") })),
    {
      ...of2("POD-CRASH"),
      says: /mesh-proxy.*no route to the mesh/,
      step: /logs vault-2 -c mesh-proxy --previous -n engine$/,
    },
  ],
  [
    "a sidecar beside the engine is not ready, and its probe has no event any more",
    withPod(besideEngine({ state: { running: { startedAt: ago(590) } } })),
    {
      ...of2("POD-NOT-READY"),
      says: /mesh-proxy/,
      step: /kubectl logs vault-2 -c mesh-proxy -n engine/,
    },
  ],
  [
    "a container that runs first is killed for its memory",
    withPod(sidecar({ name: "fetch", restartCount: 7, ...loop, ...ended(137, "OOMKilled") })),
    { ...of2("POD-MEMORY"), says: /container fetch.*OOMKilled/, step: /raise its memory limit/ },
  ],
  [
    "an entrypoint that the image does not have",
    withPod(
      waits("RunContainerError", 'exec: "/opt/start.sh": stat /opt/start.sh: no such file', {
        restartCount: 12,
      }),
    ),
    { ...of2("POD-CRASH"), says: /no such file/, step: /logs vault-2/ },
  ],
  [
    "the Secret for pulling does not exist",
    withPod(pull("pull access denied, repository does not exist or may require authorization"), {
      events: [
        event(ofPod(2), [
          "FailedToRetrieveImagePullSecret",
          "Unable to retrieve some image pull secrets (regcred); attempting to pull the image may not succeed.",
        ]),
      ],
    }),
    { ...of2("POD-IMAGE"), says: /regcred/, step: /Secret for pulling/ },
  ],
  [
    "the token in the Secret for pulling has expired",
    withPod(pull("denied: Your authorization token has expired. Reauthenticate and try again.")),
    { ...of2("POD-IMAGE"), says: /token has expired/, step: /refuses the login/ },
  ],
  [
    "a kubelet that backs off, and only its event says why",
    withPod(pull('Back-off pulling image "engine/engine:8.0.2-17"', "ImagePullBackOff"), {
      events: [
        event(ofPod(2), ["Failed", "Error: ImagePullBackOff"], [600, 1]),
        event(
          ofPod(2),
          [
            "Failed",
            'Failed to pull image "engine/engine:8.0.2-17": rpc error: code = Unknown desc = unauthorized',
          ],
          [600, 2],
        ),
      ],
    }),
    { ...of2("POD-IMAGE"), says: /desc = unauthorized/, step: /refuses the login/ },
  ],
  [
    "a kubelet that backs off, and no event says why any more",
    withPod(pull('Back-off pulling image "engine/engine:8.0.2-17"', "ImagePullBackOff")),
    { ...of2("POD-IMAGE"), says: /Back-off pulling/, step: /holds this tag, and that the pull/ },
  ],
  [
    "a name of an image that is none",
    withPod(
      pull(
        'Failed to apply default image tag "engine/Engine:8": couldn\'t parse image name: repository name must be lowercase',
        "InvalidImageName",
      ),
    ),
    { ...of2("POD-IMAGE"), says: /must be lowercase/, step: /not a valid name/ },
  ],
  [
    "an image that is never to be pulled",
    withPod(
      pull(
        'Container image "engine/engine:8.0.2-17" is not present with pull policy of Never',
        "ErrImageNeverPull",
      ),
    ),
    { ...of2("POD-IMAGE"), says: /pull policy of Never/, step: /IfNotPresent/ },
  ],
  [
    "no room on the node for the image",
    withPod(
      pull(
        "failed to pull and unpack image: failed to extract layer sha256:1: write /var/lib/containerd/io: no space left on device",
      ),
    ),
    { ...of2("POD-IMAGE"), says: /no space left/, step: /disk of node n2/ },
  ],
  [
    "a policy on the node that refuses the signature",
    withPod(
      pull(
        "image signature validation failed: Source image rejected: A signature was required, but no signature exists",
        "SignatureValidationFailed",
      ),
    ),
    { ...of2("POD-IMAGE"), says: /no signature exists/, step: /signature/ },
  ],
  [
    "a registry that fails itself",
    withPod(
      pull("unexpected status from HEAD request to https://hub.corp/v2/: 503 Service Unavailable"),
    ),
    { ...of2("POD-IMAGE"), says: /503/, step: /the registry itself fails/ },
  ],
  [
    "a registry without TLS",
    withPod(pull("http: server gave HTTP response to HTTPS client")),
    { ...of2("POD-IMAGE"), says: /HTTP response/, step: /without TLS/ },
  ],
  [
    "the container runtime does not answer",
    withPod(waits("CreateContainerError", "context deadline exceeded")),
    { ...of2("POD-CONFIG"), says: /deadline/, step: /container runtime of node n2/ },
  ],
  [
    "the container runtime holds the name of the container",
    withPod(
      waits(
        "CreateContainerError",
        'failed to reserve container name "node_vault-2": name is reserved for "0af"',
      ),
    ),
    { ...of2("POD-CONFIG"), says: /reserved/, step: /container runtime of node n2/ },
  ],
  [
    "an image that would run as root",
    withPod(
      waits(
        "CreateContainerConfigError",
        "container has runAsNonRoot and image will run as root (pod: vault-2)",
      ),
    ),
    { ...of2("POD-CONFIG"), says: /runAsNonRoot/, step: /security context/ },
  ],
  [
    "a pod that its node would not have, and nobody makes it again",
    withPod({
      status: {
        phase: "Failed",
        reason: "NodeAffinity",
        message: "Pod was rejected: Predicate NodeAffinity failed",
      },
    }),
    { ...of2("POD-NOT-READY"), says: /NodeAffinity failed/, step: /kubectl delete pod vault-2/ },
  ],
  [
    "a pod that is made again and again, since its node has no room",
    again(),
    {
      ...of2("POD-RECREATED"),
      says: /created again 34 times.*Node didn't have enough resource: memory/,
      step: /node/,
    },
  ],
  [
    "a pod that is made again and again, and its failure is seen",
    facts({
      pods: [
        first,
        second,
        down({
          since: 0,
          status: {
            ...{ phase: "Failed", reason: "UnexpectedAdmissionError", conditions: [] },
            message: "Allocate failed due to no healthy devices present",
          },
        }),
      ],
      events: [{ ...recreated, reason: "RecreatingTerminatedPod" }],
    }),
    { ...of2("POD-RECREATED"), says: /no healthy devices/, step: /describe pod vault-2/ },
  ],
  [
    "a pod that is made again and again, in the moment in which it is not there",
    facts({
      pods: [first, second],
      events: [recreated, rejectedBy("NodeAffinity", "Predicate NodeAffinity failed")],
    }),
    {
      ...of2("POD-RECREATED"),
      says: /created again 34 times: NodeAffinity: Predicate/,
      step: /describe pod vault-2 -n engine$/,
    },
  ],
  [
    "a pod that is made again and again, by a controller that does not say so",
    again({
      events: [
        {
          ...event(
            ofSet,
            ["SuccessfulCreate", "create Pod vault-2 in StatefulSet vault successful"],
            [50, 0],
          ),
          type: "Normal",
        },
        rejectedBy("OutOfcpu", "Node didn't have enough resource: cpu"),
      ],
    }),
    { ...of2("POD-RECREATED"), says: /again 34 times: OutOfcpu/, step: /describe nodes n2/ },
  ],
  [
    "a pod that is made again and again, and the scheduler was slower than its deletion",
    again({
      events: [
        recreated,
        rejectedBy("OutOfpods", "Node didn't have enough resource: pods"),
        {
          ...rejectedBy(
            "FailedScheduling",
            'running Bind plugin "DefaultBinder": Operation cannot be fulfilled on pods/binding "vault-2": pod vault-2 is being deleted, cannot be assigned to a host',
          ),
          ...{ lastTimestamp: ago(0), count: 1 },
        },
      ],
    }),
    { ...of2("POD-RECREATED"), says: /again 34 times: OutOfpods/, step: /describe nodes n2/ },
  ],
  [
    "the only node that has the volume has no memory for the new pod",
    withPod(
      unplaced(
        "0/3 nodes are available: 1 Insufficient memory, 2 node(s) had volume node affinity conflict.",
      ),
    ),
    { ...of2("POD-UNSCHEDULABLE"), says: /volume node affinity/, step: /^free capacity/ },
  ],
  [
    "no node is in the zone of its volume, and the autoscaler adds none",
    withPod(unplaced("0/2 nodes are available: 2 node(s) had no available volume zone."), {
      events: [
        normal(
          ofPod(2),
          ["NotTriggerScaleUp", "pod didn't trigger scale-up (it wouldn't fit if a node is added)"],
          [300, 1],
        ),
      ],
    }),
    { ...of2("POD-VOLUME"), says: /volume zone.*wouldn't fit/, step: /add one in that zone/ },
  ],
  [
    "a password for the registry that is wrong",
    withPod(pull("unable to retrieve auth token: invalid username/password")),
    { ...of2("POD-IMAGE"), says: /invalid username/, step: /refuses the login/ },
  ],
  [
    "a mount that runs into its time limit, with an owner of files",
    withPod(
      {
        ...waits("ContainerCreating"),
        spec: { nodeName: "n2", securityContext: { fsGroup: 1001 } },
      },
      {
        events: [
          event(ofPod(2), ["FailedMount", "Unable to attach or mount volumes: timed out waiting"]),
        ],
      },
    ),
    { ...of2("POD-MOUNT"), says: /timed out/, step: /owner of every file.*fsGroup/ },
  ],
  [
    "a mount that runs into its time limit, with an owner that is only set once",
    withPod(
      {
        ...waits("ContainerCreating"),
        spec: {
          nodeName: "n2",
          securityContext: { fsGroup: 1001, fsGroupChangePolicy: "OnRootMismatch" },
        },
      },
      { events: [event(ofPod(2), ["FailedMount", "timed out waiting for the condition"])] },
    ),
    { ...of2("POD-MOUNT"), says: /timed out/, step: /^create or fix what the message names; see/ },
  ],
  [
    "no address is left for the pod",
    withPod(waits("ContainerCreating"), {
      events: [
        event(ofPod(2), [
          "FailedCreatePodSandBox",
          "plugin cni failed to set up pod network: add cmd: failed to assign an IP address to container",
        ]),
      ],
    }),
    { ...of2("POD-SANDBOX"), says: /assign an IP/, step: /no address left/ },
  ],
  [
    "a claim that is expanded once its pod starts, and the pod is not created",
    facts({
      pods: [first, second],
      ecs: [theEc({ status: { persistenceStatus: { status: "Resizing" } } })],
      claims: [
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          metadata: { name: claimName, namespace: "engine" },
          spec: { resources: { requests: { storage: "60Gi" } } },
          status: {
            phase: "Bound",
            capacity: { storage: "40Gi" },
            conditions: [{ type: "FileSystemResizePending", status: "True" }],
          },
        },
      ],
    }),
    { ...ofTheSet("POD-ABSENT"), says: /vault-2 does not exist/, step: /describe statefulset/ },
  ],
  [
    "a pod that is made again and again, and nothing says why",
    facts({
      pods: [first, second, down({ since: 0, spec: { nodeName: undefined } })],
      events: [{ ...recreated, count: undefined, series: { count: 5 } }],
    }),
    {
      ...of2("POD-RECREATED"),
      says: /again 5 times \(for 3h/,
      step: /describe pod vault-2 -n engine$/,
    },
  ],
  [
    "a pod without a finalizer, in a StatefulSet that is being deleted",
    facts({ statefulSets: [theSet({ metadata: { deletionTimestamp: ago(300) } })] }),
    { ...ofTheSet("ROLLOUT-IDLE"), says: /is being deleted/, step: /operator creates it again/ },
  ],
  [
    "a pod that counts after a while, which is over",
    facts({ statefulSets: [theSet({ spec: { minReadySeconds: 60 } })] }),
    {
      ...ofTheSet("ROLLOUT-IDLE"),
      says: /nothing renews them \(for 9h, since 2026-08-01T00:16:30/,
      step: /controller manager/,
    },
  ],
  [
    "the disk of the node is full",
    withPod(unplaced(noDisk)),
    {
      ...of2("POD-UNSCHEDULABLE"),
      says: /disk-pressure/,
      step: /free disk on the node.*goes by itself/,
    },
  ],
  [
    "the memory of the nodes is full",
    withPod(
      unplaced(
        "0/3 nodes are available: 3 node(s) had untolerated taint {node.kubernetes.io/memory-pressure: }.",
      ),
    ),
    { ...of2("POD-UNSCHEDULABLE"), says: /memory-pressure/, step: /free memory on the node/ },
  ],
  [
    "a node that its cloud has not set up",
    withPod(
      unplaced(
        "0/3 nodes are available: 1 node(s) had untolerated taint {node.cloudprovider.kubernetes.io/uninitialized: true}, 2 Insufficient memory.",
      ),
    ),
    {
      ...of2("POD-UNSCHEDULABLE"),
      says: /uninitialized/,
      step: /free capacity.*cloud controller manager/,
    },
  ],
  [
    "a node that the autoscaler removes",
    withPod(
      unplaced(
        "0/4 nodes are available: 1 node(s) had untolerated taint {ToBeDeletedByClusterAutoscaler: 1785000000}, 3 Insufficient cpu.",
      ),
    ),
    {
      ...of2("POD-UNSCHEDULABLE"),
      says: /ToBeDeleted/,
      step: /^free capacity[^;]*; the autoscaler removes that node/,
    },
  ],
  [
    "the taint of the control plane stays",
    withPod(
      unplaced(
        "0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 3 Insufficient cpu.",
      ),
    ),
    { ...of2("POD-UNSCHEDULABLE"), says: /Insufficient cpu/, step: /^free capacity[^;]*; see / },
  ],
  [
    "the network of a node is not set up",
    withPod(
      unplaced(
        "0/3 nodes are available: 3 node(s) had untolerated taint {node.cilium.io/agent-not-ready: }.",
      ),
    ),
    { ...of2("POD-UNSCHEDULABLE"), says: /cilium/, step: /agent.*takes the taint off itself/ },
  ],
  [
    "a taint that a later scheduler does not name",
    withPod(
      unplaced("0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu."),
      {
        nodes: [
          node(0),
          node(1),
          {
            ...node(2),
            spec: {
              taints: [
                {
                  ...{ key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true" },
                  effect: "NoSchedule",
                },
              ],
            },
          },
        ],
      },
    ),
    { ...of2("POD-UNSCHEDULABLE"), says: /uninitialized/, step: /cloud controller manager/ },
  ],
  [
    "a lost node whose taint a later scheduler does not name",
    withPod(
      unplaced(
        "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) had volume node affinity conflict.",
      ),
      { nodes: [node(0), node(1), node(2, "Unknown")] },
    ),
    { ...of2("POD-NODE-LOST"), says: /n2 is not ready/, step: /bring node n2 back/ },
  ],
  [
    "a lost node of another pool, beside a node of its own with too little memory",
    withPod(
      unplaced(
        "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 2 Insufficient memory.",
        { spec: { nodeSelector: { pool: "data" } } },
      ),
      { nodes: [inPool(node(0)), inPool(node(1)), node(2, "Unknown")] },
    ),
    { ...of2("POD-UNSCHEDULABLE"), says: /Insufficient memory/, step: /capacity/ },
  ],
  [
    "a lost node that the pod would not be let on either",
    withPod(
      unplaced("0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu."),
      {
        nodes: [
          node(0),
          node(1),
          {
            ...node(2, "Unknown"),
            spec: { taints: [{ key: "dedicated", value: "gpu", effect: "NoSchedule" }] },
          },
        ],
      },
    ),
    { ...of2("POD-UNSCHEDULABLE"), says: /dedicated=gpu/, step: /take the taint off/ },
  ],
  [
    "no node at all",
    withPod(unplaced("no nodes available to schedule pods"), { nodes: [] }),
    { ...of2("POD-UNSCHEDULABLE"), says: /no nodes available/, step: /add a node/ },
  ],
  [
    "the autoscaler may not add a node",
    withPod(unplaced("0/3 nodes are available: 3 Insufficient memory."), {
      events: [
        normal(
          ofPod(2),
          [
            "NotTriggerScaleUp",
            "pod didn't trigger scale-up: 2 max node group size reached, 1 node(s) didn't match Pod's node affinity/selector",
          ],
          [300, 1],
        ),
      ],
    }),
    {
      ...of2("POD-UNSCHEDULABLE"),
      says: /max node group size reached/,
      step: /free capacity/,
    },
  ],
  [
    "the autoscaler was to bring a node, an hour ago",
    withPod(unplaced("0/3 nodes are available: 3 Insufficient memory."), {
      events: [
        normal(
          ofPod(2),
          ["TriggeredScaleUp", "pod triggered scale-up: [{pool-1 3->4 (max: 6)}]"],
          [58, 58],
        ),
      ],
    }),
    { ...of2("POD-UNSCHEDULABLE"), says: /pool-1 3->4.*58m ago/, step: /free capacity/ },
  ],
  [
    "the storage has no room for a new volume",
    withPod(
      unplaced(
        "0/3 nodes are available: 3 node(s) did not have enough free storage. preemption: 0/3 nodes are available",
        { spec: claimed },
      ),
    ),
    { ...of2("POD-VOLUME"), says: /enough free storage/, step: /space in the storage.*get pvc/ },
  ],
  [
    "a volume that is not made in time",
    withPod(
      unplaced(
        'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
        { spec: claimed },
      ),
      {
        events: [
          normal(ofClaim, [
            "ExternalProvisioning",
            "Waiting for a volume to be created either by the external provisioner 'ebs.csi.aws.com' or manually",
          ]),
        ],
      },
    ),
    {
      ...of2("POD-VOLUME"),
      says: /binding volumes.*ebs\.csi\.aws\.com/,
      step: /provisioner.*get pvc/,
    },
  ],
  [
    "a claim without a storage class",
    withPod(
      unplaced("0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.", {
        spec: claimed,
      }),
      {
        events: [
          normal(ofClaim, [
            "FailedBinding",
            "no persistent volumes available for this claim and no storage class is set",
          ]),
        ],
      },
    ),
    { ...of2("POD-VOLUME"), says: /no storage class is set/, step: /storage class/ },
  ],
  [
    "a storage class that is gone",
    withPod(
      unplaced('0/3 nodes are available: 3 storageclass.storage.k8s.io "gp9" not found.', {
        spec: claimed,
      }),
    ),
    { ...of2("POD-VOLUME"), says: /gp9/, step: /create the storage class/ },
  ],
  [
    "a node without the driver of its volume",
    attach(
      'AttachVolume.Attach failed for volume "pv-1" : CSINode n2 does not contain driver ebs.csi.aws.com',
    ),
    {
      ...of2("POD-VOLUME-ATTACH"),
      says: /does not contain driver/,
      step: /driver.*runs on node n2/,
    },
  ],
  [
    "a disk that the cloud no longer has",
    attach(
      'AttachVolume.Attach failed for volume "pv-1" : rpc error: code = NotFound desc = Volume "vol-7" not found',
    ),
    { ...of2("POD-VOLUME-ATTACH"), says: /vol-7/, step: /no longer has the disk/ },
  ],
  [
    "a cloud that refuses to attach",
    attach(
      'AttachVolume.Attach failed for volume "pv-1" : rpc error: code = Internal desc = UnauthorizedOperation: You are not authorized to perform: ec2:AttachVolume',
    ),
    { ...of2("POD-VOLUME-ATTACH"), says: /UnauthorizedOperation/, step: /driver.*rights/ },
  ],
  [
    "a driver that is not registered on the node",
    mount(
      'MountVolume.MountDevice failed for volume "pv-1" : kubernetes.io/csi: driver name rook.cephfs not found in the list of registered CSI drivers',
    ),
    { ...of2("POD-MOUNT"), says: /registered CSI drivers/, step: /driver.*runs on node n2/ },
  ],
  [
    "a file system that is broken",
    mount(
      'MountVolume.MountDevice failed for volume "pv-1" : mount failed: exit status 32: wrong fs type, bad option, bad superblock on /dev/nvme1n1',
    ),
    { ...of2("POD-MOUNT"), says: /bad superblock/, step: /file system/ },
  ],
  [
    "the network of the node is not ready",
    withPod(
      {},
      {
        nodes: [
          node(0),
          node(1),
          {
            ...node(2, "False"),
            status: {
              conditions: [
                {
                  ...{ type: "Ready", status: "False", lastTransitionTime: ago(300) },
                  ...{
                    reason: "KubeletNotReady",
                    message: "container runtime network not ready: cni plugin not initialized",
                  },
                },
              ],
            },
          },
        ],
      },
    ),
    {
      ...of2("POD-NODE-LOST"),
      says: /cni plugin not initialized/,
      step: /^fix what its kubelet reports/,
    },
  ],
  [
    "nobody may delete the next pod",
    facts({ events: [undeletable] }),
    {
      ...ofTheSet("ROLLOUT-IDLE"),
      says: /may not delete.*guard\.policy\.example/,
      step: /what refuses the deletion/,
    },
  ],
  [
    "the StatefulSet is being deleted",
    facts({
      statefulSets: [
        theSet({
          metadata: { deletionTimestamp: ago(300), finalizers: ["backup.example/hold"] },
        }),
      ],
    }),
    {
      ...ofTheSet("ROLLOUT-IDLE"),
      says: /is being deleted.*backup\.example\/hold/,
      step: /finalizer/,
    },
  ],
  [
    "the quota is not counted",
    refused(
      'pods "vault-2" is forbidden: status unknown for quota: compute, resources: limits.cpu',
    ),
    { ...ofTheSet("POD-NOT-CREATED"), says: /status unknown/, step: /controller manager/ },
  ],
  [
    "the store of the API server is full",
    refused(
      "create Pod vault-2 in StatefulSet vault failed error: etcdserver: mvcc: database space exceeded",
    ),
    { ...ofTheSet("POD-NOT-CREATED"), says: /space exceeded/, step: /etcd/ },
  ],
  [
    "a template that no API server takes",
    refused(
      'create Pod vault-2 in StatefulSet vault failed error: Pod "vault-2" is invalid: spec.containers[0].resources.requests: Invalid value: "8Gi": must be less than or equal to memory limit of 4Gi',
    ),
    {
      ...ofTheSet("POD-NOT-CREATED"),
      says: /less than or equal to memory limit/,
      step: /spec of the cluster's resource/,
    },
  ],
  [
    "a policy engine refuses the pod",
    refused(
      'create Pod vault-2 in StatefulSet vault failed error: admission webhook "validation.gatekeeper.sh" denied the request: [must-have-owner] label owner is missing',
    ),
    { ...ofTheSet("POD-NOT-CREATED"), says: /must-have-owner/, step: /policy/ },
  ],
  [
    "the certificate of a webhook on pods has expired",
    refused(
      'Internal error occurred: failed calling webhook "inject.mesh.example": Post "https://mesh": tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
    ),
    { ...ofTheSet("POD-NOT-CREATED"), says: /inject\.mesh\.example/, step: /repair the webhook/ },
  ],
  [
    "a claim of the new pod exceeds the quota of storage",
    refused(
      `create Claim ${claimName} for Pod vault-2 in StatefulSet vault failed error: persistentvolumeclaims "${claimName}" is forbidden: exceeded quota: disks, requested: requests.storage=100Gi`,
    ),
    { ...ofTheSet("POD-NOT-CREATED"), says: /exceeded quota: disks/, step: /raise the quota/ },
  ],
  [
    "the operator cannot pull its own image",
    facts({
      ...untaken,
      deployments: [
        {
          ...anOperator("8.0.2-2", 0),
          status: {
            ...{ observedGeneration: 1, replicas: 1, updatedReplicas: 1 },
            conditions: [
              {
                ...{ type: "ReplicaFailure", status: "True", reason: "FailedCreate" },
                message: 'pods "engine-enterprise-operator-7" is forbidden: exceeded quota: small',
              },
            ],
          },
        },
      ],
    }),
    {
      ...ofTheEc("CLUSTER-NOT-TAKEN-UP"),
      says: /the operator itself does not run:.*exceeded quota: small/,
      step: /quota/,
    },
  ],
  [
    "numbers of pods that begin at five, and one is not there",
    facts({
      statefulSets: [theSet({ spec: { ordinals: { start: 5 } } })],
      pods: [pod(5, { old: true }), pod(7)],
      nodes: [],
    }),
    { ...ofTheSet("POD-ABSENT"), says: /vault-6 does not exist/, step: /describe statefulset/ },
  ],
  [
    "more pods than nodes, and the last has no room",
    facts({
      statefulSets: [theSet({ spec: { replicas: 4 } })],
      pods: [
        ...halfway,
        pod(3, { ready: false, ...unplaced("0/3 nodes are available: 3 Insufficient cpu.") }),
      ],
    }),
    {
      code: "POD-UNSCHEDULABLE",
      object: podLabel(3),
      says: /Insufficient cpu/,
      step: /free capacity/,
    },
  ],
];

/** Two at once. */
export const fieldDouble: readonly Scene[] = [
  [
    "a sidecar that crashes, and a partition",
    withPod(sidecar({ restartCount: 40, ...loop, ...ended(2) }), { statefulSets: [partition(2)] }),
    { ...of2("POD-CRASH"), says: /mesh-proxy/, step: /-c mesh-proxy/ },
    "ROLLOUT-HELD",
  ],
  [
    "a container that runs first is killed for its memory, under an expired license",
    withPod(sidecar({ name: "fetch", restartCount: 7, ...loop, ...ended(137, "OOMKilled") }), {
      ecs: [expired],
    }),
    { ...of2("POD-MEMORY"), says: /fetch/, step: /memory limit/ },
    "CLUSTER-LICENSE",
  ],
  [
    "an image that is not there, under a license whose last day is over",
    withPod(pull("manifest unknown"), { ecs: [over] }),
    { ...of2("POD-IMAGE"), says: /manifest unknown/, step: /push it/ },
    "LICENSE-EXPIRED",
  ],
  [
    "every pod is renewed, and the last day of the license is over",
    facts({ ecs: [over], pods: [pod(0), pod(1), pod(2)] }),
    { ...ofTheEc("CLUSTER-STATE"), says: /although all its pods/, step: /logs/ },
  ],
  [
    "a full disk, under an expired license",
    withPod(unplaced(noDisk), { ecs: [expired] }),
    { ...of2("POD-UNSCHEDULABLE"), says: /disk-pressure/, step: /free disk/ },
    "CLUSTER-LICENSE",
  ],
  [
    "nobody may delete the next pod, under an expired license",
    facts({ events: [undeletable], ecs: [expired] }),
    { ...ofTheSet("ROLLOUT-IDLE"), says: /guard\.policy/, step: /deletion/ },
    "CLUSTER-LICENSE",
  ],
  [
    "a pod that is made again and again, and a partition",
    again({ statefulSets: [partition(1)] }),
    { ...of2("POD-RECREATED"), says: /created again/, step: /node/ },
    "ROLLOUT-HELD",
  ],
  [
    "a quota, and a node that is lost under another pod",
    facts({
      ...fiveNodes,
      nodes: [node(0), node(1), node(2, "Unknown"), node(3), node(4)],
      pods: [first, second, down(), pod(3)],
      events: [event(ofSet, ["FailedCreate", 'pods "vault-4" is forbidden: exceeded quota: q'])],
    }),
    { ...of2("POD-NODE-LOST"), says: /n2/, step: /bring node n2 back/ },
    "POD-NOT-CREATED",
  ],
  [
    "a finalizer on one pod, and no room for another",
    facts({
      ...fiveNodes,
      pods: [
        first,
        second,
        down(terminating(300, 30, { finalizers: ["mesh.example/drain"] })),
        pod(3),
        pod(4, { ready: false, ...unplaced("0/5 nodes are available: 5 Insufficient cpu.") }),
      ],
    }),
    {
      code: "POD-UNSCHEDULABLE",
      object: podLabel(4),
      says: /Insufficient cpu/,
      step: /free capacity/,
    },
    "POD-TERMINATION-OVERDUE",
  ],
  [
    "a node without the driver, under an expired license",
    attach("AttachVolume.Attach failed : CSINode n2 does not contain driver disk.csi.azure.com", {
      ecs: [expired],
    }),
    { ...of2("POD-VOLUME-ATTACH"), says: /azure/, step: /driver/ },
    "CLUSTER-LICENSE",
  ],
  [
    "a Secret that is missing, and a readiness gate at another pod",
    facts({
      ...fiveNodes,
      pods: [
        first,
        second,
        down(waits("CreateContainerConfigError", 'secret "tls-7" not found')),
        pod(3, {
          ready: false,
          spec: { nodeName: "n3", readinessGates: [{ conditionType: "lb.example/healthy" }] },
          conditions: [{ type: "ContainersReady", status: "True" }],
        }),
        pod(4),
      ],
    }),
    { ...of2("POD-CONFIG"), says: /tls-7/, step: /create or fix/ },
    "POD-READINESS-GATE",
  ],
  [
    "the controller does not look, and a pod is not there",
    facts({
      statefulSets: [theSet({ status: { observedGeneration: 1 } })],
      pods: [first, second],
    }),
    { ...ofTheSet("ROLLOUT-UNOBSERVED"), says: /generation 2/, step: /controller manager/ },
  ],
  [
    "a storage class that is gone, and a partition",
    withPod(
      unplaced('0/3 nodes are available: 3 storageclass.storage.k8s.io "gp9" not found.', {
        spec: claimed,
      }),
      { statefulSets: [partition(2)] },
    ),
    { ...of2("POD-VOLUME"), says: /gp9/, step: /storage class/ },
    "ROLLOUT-HELD",
  ],
  [
    "an operator of no use, and an image that only it can change",
    withPod(pull("manifest unknown"), { deployments: [scaledDown] }),
    {
      ...of2("POD-IMAGE"),
      says: /manifest unknown/,
      step: /kubectl scale deployment engine-enterprise-operator --replicas=1/,
    },
  ],
  [
    "an operator of no use, and a memory limit that only it can change",
    withPod(
      { container: { restartCount: 12, ...loop, ...ended(137, "OOMKilled") } },
      { deployments: [{ ...anOperator(), spec: { paused: true } }] },
    ),
    {
      ...of2("POD-MEMORY"),
      says: /OOMKilled/,
      step: /raise its memory limit.*kubectl rollout resume deployment/,
    },
  ],
  [
    "the state Error, and a pod that crashes",
    withPod(
      { container: { restartCount: 9, ...loop, ...ended(1) } },
      { ecs: [theEc({ state: "Error" })] },
    ),
    { ...of2("POD-CRASH"), says: /exit code 1/, step: /logs vault-2/ },
    "CLUSTER-STATE",
  ],
  [
    "no nodes under two of five pods, and a quota",
    facts({
      ...fiveNodes,
      nodes: [node(0), node(3), node(4)],
      pods: [first, pod(1, { ready: false }), down(), pod(3)],
      events: [event(ofSet, ["FailedCreate", 'pods "vault-4" is forbidden: exceeded quota: q'])],
    }),
    { ...ofTheEc("CLUSTER-QUORUM-LOST"), says: /2 of its 5/, step: /whose own cause is named/ },
    "POD-NODE-LOST",
  ],
  [
    "evicted for its disk, and no disk for the image of another",
    facts({
      ...fiveNodes,
      pods: [
        first,
        second,
        down(pull("failed to extract layer: no space left on device")),
        pod(3, { ready: false, status: { phase: "Failed", reason: "Evicted" } }),
        pod(4),
      ],
    }),
    { ...of2("POD-IMAGE"), says: /no space left/, step: /disk of node n2/ },
    "POD-EVICTED",
  ],
  [
    "an earlier revision that lacks a Secret, and a cordon elsewhere",
    withPod(
      {
        revision: "wrong",
        ...waits("CreateContainerConfigError", 'secret "tls-7" not found'),
      },
      { nodes: [node(0), { ...node(1), spec: { unschedulable: true } }, node(2)] },
    ),
    { ...of2("POD-OUTDATED"), says: /tls-7/, step: /kubectl delete pod vault-2/ },
  ],
  [
    "one pod of five scaled away, and a crash",
    facts({
      ...fiveNodes,
      statefulSets: [theSet({ spec: { replicas: 4 } })],
      pods: [first, second, down({ container: { restartCount: 9, ...loop, ...ended(1) } }), pod(3)],
    }),
    { ...ofTheSet("CLUSTER-SCALED"), says: /asks for 4 pods/, step: /--replicas=5/ },
    "POD-CRASH",
  ],
  [
    "the strategy OnDelete, and a sidecar that is not ready",
    withPod(besideEngine({ state: { running: { startedAt: ago(590) } } }), {
      statefulSets: [theSet({ spec: { updateStrategy: { type: "OnDelete" } } })],
    }),
    { ...of2("POD-NOT-READY"), says: /mesh-proxy/, step: /-c mesh-proxy/ },
    "ROLLOUT-HELD",
  ],
  [
    "the store of the API server is full, and a partition",
    facts({
      pods: [first, second],
      statefulSets: [partition(1)],
      events: [event(ofSet, ["FailedCreate", "etcdserver: mvcc: database space exceeded"])],
    }),
    { ...ofTheSet("POD-NOT-CREATED"), says: /etcdserver/, step: /etcd/ },
    "ROLLOUT-HELD",
  ],
];

const just = (minutes: number) => ({ since: minutes });
const creating = (minutes: number): PodWish => ({
  ...just(minutes),
  ...waits("ContainerCreating"),
});
const startupProbe = { failureThreshold: 120, periodSeconds: 15 };
const starting = (minutes: number): PodWish => ({
  ...just(minutes),
  spec: {
    nodeName: "n2",
    containers: [{ name: container, image: `engine/engine:${newTag}`, startupProbe }],
  },
  container: { started: false, state: { running: { startedAt: ago(minutes) } } },
});

/** Healthy, and slow. */
export const fieldSlow: readonly (readonly [title: string, facts: Facts])[] = [
  [
    "a large image is pulled for 25 minutes",
    withPod(creating(26), {
      events: [
        once(normal(ofPod(2), ["Scheduled", "assigned to n2"], [26, 26])),
        once(normal(ofPod(2), ["Pulling", 'Pulling image "engine/engine:8.0.2-17"'], [25, 25])),
      ],
    }),
  ],
  [
    "the image of a container that runs first is pulled for 15 minutes",
    withPod(
      {
        ...just(16),
        ...waits("PodInitializing"),
        status: {
          initContainerStatuses: [
            { name: "fetch", ready: false, state: { waiting: { reason: "PodInitializing" } } },
          ],
        },
      },
      {
        events: [once(normal(ofPod(2), ["Pulling", 'Pulling image "fetch:1"'], [15, 15]))],
      },
    ),
  ],
  ["a startup probe gives it half an hour, 20 minutes are over", withPod(starting(20))],
  [
    "a startup probe fails within its half hour",
    withPod(starting(25), {
      events: [event(ofPod(2), ["Unhealthy", "Startup probe failed: not joined"], [24, 0])],
    }),
  ],
  [
    "a pod counts after it was ready for 30 minutes, and 15 are over",
    facts({
      pods: [first, second, pod(2, just(15))],
      statefulSets: [theSet({ spec: { minReadySeconds: 1800 } })],
    }),
  ],
  [
    "the autoscaler is bringing a node since four minutes",
    withPod(
      { ...unplaced("0/3 nodes are available: 3 Insufficient memory."), ...just(5) },
      {
        events: [
          once(
            normal(
              ofPod(2),
              ["TriggeredScaleUp", "pod triggered scale-up: [{pool-1 3->4 (max: 6)}]"],
              [4, 4],
            ),
          ),
        ],
      },
    ),
  ],
  [
    "the autoscaler is bringing a node into the zone of the volume",
    withPod(
      {
        ...unplaced("0/2 nodes are available: 2 node(s) had volume node affinity conflict."),
        ...just(5),
      },
      {
        events: [once(normal(ofPod(2), ["TriggeredScaleUp", "pod triggered scale-up"], [4, 4]))],
      },
    ),
  ],
  [
    "another autoscaler has a node in mind",
    withPod(
      { ...unplaced("0/3 nodes are available: 3 Insufficient memory."), ...just(3) },
      {
        events: [
          once(
            normal(ofPod(2), ["Nominated", "Pod should schedule on: nodeclaim/pool-x7"], [2, 2]),
          ),
        ],
      },
    ),
  ],
  [
    "the kubelet pulls one image after the other",
    withPod({ ...pull("pull QPS exceeded"), ...just(1) }),
  ],
  [
    "a registry did not answer once",
    withPod({
      ...pull("dial tcp 10.0.0.1:443: i/o timeout"),
      ...just(1),
    }),
  ],
  [
    "a registry failed once",
    withPod({ ...pull("unexpected status: 502 Bad Gateway"), ...just(2) }),
  ],
  [
    "the kubelet has not read a Secret yet",
    withPod({
      ...waits(
        "CreateContainerConfigError",
        "failed to sync secret cache: timed out waiting for the condition",
      ),
      ...just(1),
    }),
  ],
  [
    "a Secret was made two seconds after the pod, and the image is pulled by now",
    withPod(creating(3), {
      events: [
        once(
          event(
            ofPod(2),
            ["FailedMount", 'MountVolume.SetUp failed for volume "tls" : secret "tls-7" not found'],
            [3, 3],
          ),
        ),
        once(normal(ofPod(2), ["Pulling", 'Pulling image "engine/engine:8.0.2-17"'], [2, 2])),
      ],
    }),
  ],
  [
    "a quota counted the old pod for a moment",
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
      events: [
        once(
          event(ofSet, ["FailedCreate", 'pods "vault-2" is forbidden: exceeded quota: q'], [0, 0]),
        ),
      ],
    }),
  ],
  [
    "a webhook on pods was away for half a minute",
    facts({
      pods: [first, second],
      statefulSets: [
        theSet({
          metadata: {
            managedFields: [
              { manager: "kube-controller-manager", subresource: "status", time: ago(0.5) },
            ],
          },
        }),
      ],
      events: [
        event(
          ofSet,
          ["FailedCreate", 'failed calling webhook "inject.mesh.example": no endpoints available'],
          [0.5, 0.1],
        ),
      ],
    }),
  ],
  [
    "70 of the 120 minutes that a pod may take to end",
    withPod({ ready: false, ...terminating(-50, 7200) }),
  ],
  [
    "the volume is attached, and its files get their owner for eight minutes",
    withPod(creating(8), {
      events: [
        once(normal(ofPod(2), ["SuccessfulAttachVolume", "attach succeeded"], [8, 8])),
        event(
          ofPod(2),
          ["FailedMount", "Unable to attach or mount volumes: timed out waiting for the condition"],
          [6, 1],
        ),
      ],
    }),
  ],
  [
    "the files of a large volume get their owner for 20 minutes",
    withPod(creating(22), {
      events: [
        event(
          ofPod(2),
          [
            "VolumePermissionChangeInProgress",
            "Setting volume ownership is taking longer than expected, consider using OnRootMismatch",
          ],
          [20, 1],
        ),
      ],
    }),
  ],
  [
    "the files of a large volume get their owner, and its mount times out meanwhile",
    withPod(creating(22), {
      events: [
        event(
          ofPod(2),
          ["VolumePermissionChangeInProgress", "Setting volume ownership is taking longer"],
          [20, 1],
        ),
        event(
          ofPod(2),
          ["FailedMount", "Unable to attach or mount volumes: timed out waiting for the condition"],
          [18, 2],
        ),
      ],
    }),
  ],
  [
    "the operator itself is renewed, and the tag was written three minutes ago",
    facts({
      ...untaken,
      ecs: [theEc({ state: "Running", written: 3 })],
      deployments: [
        {
          ...anOperator("8.0.2-2", 0),
          status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1 },
        },
      ],
    }),
  ],
  [
    "a pod was made again twice after its node had started",
    facts({
      pods: [first, second, down(just(2))],
      events: [{ ...recreated, count: 2, firstTimestamp: ago(4), lastTimestamp: ago(2) }],
    }),
  ],
  [
    "a pod was made again five times an hour ago, and starts now",
    facts({
      pods: [first, second, down(just(2))],
      events: [{ ...recreated, firstTimestamp: ago(70), lastTimestamp: ago(60) }],
    }),
  ],
  [
    "a template was changed six times within the hour",
    facts({
      pods: [first, second, down(just(2))],
      events: [
        normal(
          ofSet,
          ["SuccessfulCreate", "create Pod vault-2 in StatefulSet vault successful"],
          [50, 2],
        ),
      ],
    }),
  ],
  [
    "a readiness probe begins after 20 minutes",
    withPod({
      ...just(15),
      spec: {
        nodeName: "n2",
        containers: [
          {
            ...{ name: container, image: `engine/engine:${newTag}` },
            readinessProbe: { initialDelaySeconds: 1200 },
          },
        ],
      },
      container: { started: true, state: { running: { startedAt: ago(15) } } },
    }),
  ],
  [
    "a sidecar was ready after four minutes, and the engine starts",
    withPod({
      ...just(6),
      spec: {
        nodeName: "n2",
        initContainers: [{ name: "mesh-proxy", restartPolicy: "Always" }],
        containers: [{ name: container, image: `engine/engine:${newTag}` }],
      },
      container: { state: { running: { startedAt: ago(4) } } },
      status: {
        initContainerStatuses: [
          {
            ...{ name: "mesh-proxy", ready: true, started: true },
            state: { running: { startedAt: ago(6) } },
          },
        ],
      },
    }),
  ],
  [
    "the autoscaler added nodes before, and the pod is on one",
    withPod(creating(2), {
      events: [
        once(normal(ofPod(2), ["TriggeredScaleUp", "pod triggered scale-up"], [6, 6])),
        event(ofPod(2), ["FailedScheduling", "0/3 nodes are available"], [7, 3]),
      ],
    }),
  ],
];

const renewed = [pod(0), pod(1), pod(2)];
const running = (more: Lists = {}) =>
  facts({ ecs: [theEc({ state: "Running" })], pods: renewed, ...more });
const foreign = (metadata: object, more: PodWish = {}): KubeObject => ({
  ...pod(2, { ready: false, ...more }),
  metadata: {
    ...{ name: "other-2", namespace: "engine", uid: "foreign" },
    ownerReferences: [{ kind: "StatefulSet", name: "other", uid: "other-uid" }],
    ...metadata,
  },
});

/** All is well, whatever lies about. */
export const fieldWell: readonly (readonly [title: string, facts: Facts])[] = [
  [
    "old events of everything",
    running({
      events: [
        event(ofSet, ["FailedCreate", "exceeded quota"], [50, 40]),
        event(ofPod(2), ["FailedMount", "secret not found"], [50, 40]),
        event(ofPod(2), ["Unhealthy", "Readiness probe failed"], [50, 1]),
        recreated,
        undeletable,
      ],
    }),
  ],
  [
    "a node that is lost, and one that is cordoned, without pods of the cluster",
    running({
      nodes: [...nodes, node(7, "Unknown"), { ...node(8), spec: { unschedulable: true } }],
    }),
  ],
  [
    "a pod of its name in another namespace is broken",
    running({ pods: [...renewed, foreign({ name: `${name}-2`, namespace: "shop" })] }),
  ],
  [
    "a pod of another StatefulSet of a longer name is broken",
    running({ pods: [...renewed, foreign({ name: `${name}-2-0` })] }),
  ],
  [
    "a pod was restarted 40 times, long ago",
    running({
      pods: [
        pod(0),
        pod(1),
        pod(2, { container: { restartCount: 40, ...ended(137, "OOMKilled") } }),
      ],
    }),
  ],
  [
    "the node under a pod that is ready says that its disk is full",
    running({
      nodes: [
        node(0),
        node(1),
        {
          ...node(2),
          spec: { taints: [{ key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" }] },
        },
      ],
    }),
  ],
  ["a partition of no pod", running({ statefulSets: [partition(0)] })],
  [
    "a claim of another StatefulSet waits",
    running({
      claims: [
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          metadata: { name: "data-other-2", namespace: "engine" },
          status: { phase: "Pending" },
        },
      ],
    }),
  ],
];
