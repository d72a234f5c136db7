/** Rollouts that stand still, each made by the real StatefulSet controller and scheduler. */
import type { Json } from "../../plugin/domain/base/values";
import { inGroup, kinds } from "../../plugin/domain/kube/kinds";
import type { KubeObject, Ref } from "../../plugin/ports/kubernetes";
import { getPath } from "../../plugin/domain/base/values";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { addNode } from "./controllers";
import { play } from "./stages";
import { until } from "./until";
import {
  isRenewed,
  newTag,
  podSays,
  sharedNodes,
  type StandstillWorld,
  type WorldOptions,
} from "./standstill-world";

/** What is said of the EC; the first finding of `recover`, the verdict of `status`. */
export interface SceneRow {
  readonly name: string;
  /** As the world begins. */
  readonly options?: (namespace: string) => WorldOptions;
  readonly arrange: (world: StandstillWorld) => Promise<void>;
  /** The cause that must be handled first. */
  readonly first: { readonly code: string; readonly cause: RegExp; readonly step: RegExp };
  /** Codes that are named after it. */
  readonly also?: readonly string[];
  /** Why the product does not say so yet: the row has to fail. */
  readonly open?: string;
}

/** A roll that nothing stands against. */
export interface GuardRow {
  readonly name: string;
  readonly options?: (namespace: string) => WorldOptions;
  readonly arrange: (world: StandstillWorld) => Promise<void>;
  /** Minutes later that it is looked at; 20 for a scene. */
  readonly laterMinutes?: number;
}

const claimKind = inGroup("")("persistentvolumeclaims", "PersistentVolumeClaim");

/** Nodes of the scene's own. */
export const pinned = (namespace: string): WorldOptions => ({
  pod: { nodeSelector: { scene: namespace } },
});
export const ownNode = (world: StandstillWorld, number = 1): Promise<void> =>
  addNode(world.controlPlane, nodeName(world, number), { scene: world.namespace });
export const nodeName = ({ namespace }: StandstillWorld, number = 1): string =>
  `${namespace}-node-${String(number)}`;

export async function patchNode(
  world: StandstillWorld,
  body: Json,
  name: string = nodeName(world),
): Promise<void> {
  const ref: Ref = { resource: kinds.node, name };
  await world.cluster.patch(ref, body, { type: "strategic", fieldManager: "person" });
}

export const taint = { key: "maintenance", value: "disk", effect: "NoSchedule" };

export async function quota(world: StandstillWorld, hard: Json): Promise<void> {
  const object = {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "budget", namespace: world.namespace },
    spec: { hard },
  };
  await world.cluster.create(object);
  await untilCounted(world);
}

async function untilCounted({ cluster, namespace }: StandstillWorld): Promise<void> {
  await until("the quota to be counted", async () => {
    const found = await cluster.get({ resource: kinds.resourceQuota, name: "budget", namespace });
    return getPath(found, ["status", "used"]) === undefined ? undefined : true;
  });
}

export async function budget(
  world: StandstillWorld,
  bounds: Json = { maxUnavailable: 0 },
): Promise<void> {
  await world.cluster.create({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "ec", namespace: world.namespace },
    spec: { ...bounds, selector: { matchLabels: { "engine-enterprise": "ec" } } },
  });
}

/** All calls for pods of the namespace go to a Service that is not there. */
export async function podWebhook(
  { cluster, namespace }: StandstillWorld,
  operation: "CREATE" | "DELETE" = "CREATE",
): Promise<void> {
  await cluster.create({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: `${namespace}-images` },
    webhooks: [
      {
        name: "images.policy.example",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Fail",
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
        clientConfig: { service: { name: "image-policy", namespace } },
        rules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: [operation], resources: ["pods"] },
        ],
      },
    ],
  });
}

export async function volumes(world: StandstillWorld): Promise<void> {
  for (const number of [1, 2, 3]) {
    await world.cluster.create({
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: `${world.namespace}-${String(number)}` },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Retain",
        storageClassName: world.namespace,
        local: { path: "/store" },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: "scene", operator: "In", values: [world.namespace] }] },
            ],
          },
        },
      },
    });
  }
}

export const stored = (namespace: string): WorldOptions => ({
  ...pinned(namespace),
  set: {
    volumeClaimTemplates: [
      {
        metadata: { name: "engine-enterprise-storage" },
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: namespace,
          resources: { requests: { storage: "1Gi" } },
        },
      },
    ],
  },
});

const hanging = (namespace: string): WorldOptions => ({
  ...pinned(namespace),
  annotations: { [play.hangs]: "yes" },
});

/** Each pod has a node of its own: a node that is lost takes one pod, however late the others came. */
export function apart(namespace: string): WorldOptions {
  const { pod, ...others } = hanging(namespace);
  const term = { labelSelector: {}, topologyKey: "kubernetes.io/hostname" };
  const affinity = {
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
  };
  return { ...others, pod: { ...pod, affinity } };
}

/** The node is not heard of any more. */
export async function lose(world: StandstillWorld, name: string): Promise<void> {
  await patchNode(world, { metadata: { annotations: { [play.hangs]: "yes" } } }, name);
  const status = {
    conditions: [
      {
        type: "Ready",
        status: "Unknown",
        reason: "NodeStatusUnknown",
        message: "Kubelet stopped posting node status.",
        lastTransitionTime: new Date().toISOString(),
      },
    ],
  };
  const ref: Ref = { resource: kinds.node, name };
  await world.cluster.patch(ref, { status }, { type: "strategic", subresource: "status" });
}

export const isUnschedulable = podSays("Unschedulable");

/** Rolls to pods that ask for this much, until the first of them finds no node. */
export async function askForMemory(world: StandstillWorld, memory: string): Promise<void> {
  const image = `engine/engine:${newTag}`;
  const resources = { requests: { memory } };
  await world.roll("ready", {
    pod: { containers: [{ name: "engine-enterprise-node", image, resources }] },
  });
  await world.untilPod(2, "has no node", isUnschedulable);
}
export const isDeleted = (pod: KubeObject): boolean => pod.metadata.deletionTimestamp !== undefined;

/** The nodes of the scene come before its pods. */
export const onOwnNodes =
  (count: number, then: (world: StandstillWorld) => Promise<void>) =>
  async (world: StandstillWorld): Promise<void> => {
    for (let number = 1; number <= count; number += 1) await ownNode(world, number);
    await world.untilReady(3);
    await then(world);
  };
export const whenReady =
  (then: (world: StandstillWorld) => Promise<void>) =>
  async (world: StandstillWorld): Promise<void> => {
    await world.untilReady(3);
    await then(world);
  };

/** One cause. */
export const single: readonly SceneRow[] = [
  {
    name: "crash",
    arrange: whenReady(async (world) => {
      await world.roll("crash");
      await world.untilPod(2, "crashes", podSays("CrashLoopBackOff"));
    }),
    first: { code: "POD-CRASH", cause: /cannot open the store/, step: /logs ec-2 .*--previous/ },
  },
  {
    name: "out-of-memory",
    arrange: whenReady(async (world) => {
      await world.roll("out-of-memory");
      await world.untilPod(2, "crashes", podSays("OOMKilled"));
    }),
    first: { code: "POD-MEMORY", cause: /OOMKilled/, step: /memory/ },
  },
  {
    name: "crash-init",
    arrange: whenReady(async (world) => {
      await world.roll("crash-init");
      await world.untilPod(2, "crashes", podSays("permission denied"));
    }),
    first: {
      code: "POD-CRASH",
      cause: /prepare.*permission denied/s,
      step: /(-c|container) prepare/,
    },
  },
  {
    name: "image",
    arrange: whenReady(async (world) => {
      await world.roll("pull", { tag: "8.0.18-99.99" });
      await world.untilPod(2, "lacks its image", podSays("ImagePullBackOff"));
    }),
    first: { code: "POD-IMAGE", cause: /not found/, step: /tag/ },
  },
  {
    name: "broken-revision",
    arrange: whenReady(async (world) => {
      await world.roll("pull", { tag: "8.0.18-23.12" });
      await world.untilPod(2, "lacks its image", podSays("ImagePullBackOff"));
      await world.roll("ready");
    }),
    first: {
      code: "POD-OUTDATED",
      cause: /not replace it while it is not ready/,
      step: /delete pod ec-2/,
    },
  },
  {
    name: "config",
    arrange: whenReady(async (world) => {
      await world.roll("config");
      await world.untilPod(2, "lacks its Secret", podSays("CreateContainerConfigError"));
    }),
    first: {
      code: "POD-CONFIG",
      cause: /store-keys/,
      step: /create or fix what the message names/,
    },
  },
  {
    name: "mount",
    arrange: whenReady(async (world) => {
      await world.roll("mount");
      await world.untilEvent("FailedAttachVolume");
    }),
    first: { code: "POD-VOLUME-ATTACH", cause: /Multi-Attach/, step: /volumeattachment/i },
  },
  {
    name: "readiness-gate",
    arrange: whenReady(async (world) => {
      await world.roll("gated", {
        pod: { readinessGates: [{ conditionType: "balancer.example/healthy" }] },
      });
      await world.untilPod(2, "waits", podSays("ReadinessGatesNotReady"));
    }),
    first: {
      code: "POD-READINESS-GATE",
      cause: /balancer\.example\/healthy/,
      step: /balancer\.example\/healthy|sets/,
    },
  },
  {
    name: "never-ready",
    arrange: whenReady(async (world) => {
      await world.roll("unready");
      await world.untilPod(2, "is not ready", podSays("ContainersNotReady"));
    }),
    first: { code: "POD-NOT-READY", cause: /ContainersNotReady/, step: /describe pod/ },
  },
  {
    name: "partition",
    arrange: whenReady(async (world) => {
      await world.patchSet({ updateStrategy: { rollingUpdate: { partition: 2 } } });
      await world.roll();
      await world.untilPod(
        2,
        "is renewed",
        (pod) => isRenewed(pod) && podSays('"type":"Ready","status":"True"')(pod),
      );
      await world.untilReady(3);
    }),
    first: { code: "ROLLOUT-HELD", cause: /partition 2/, step: /patch statefulset|kubectl patch/ },
  },
  {
    name: "on-delete",
    arrange: whenReady(async (world) => {
      await world.patchSet({ updateStrategy: { type: "OnDelete", rollingUpdate: null } });
      await world.roll();
    }),
    first: { code: "ROLLOUT-HELD", cause: /OnDelete/, step: /kubectl patch/ },
  },
  {
    name: "scaled-to-zero",
    arrange: whenReady(async (world) => {
      await world.patchSet({ replicas: 0 });
      await world.roll();
    }),
    first: { code: "CLUSTER-SCALED", cause: /0.*3|3.*0/s, step: /scale statefulset/ },
  },
  {
    name: "quota",
    arrange: whenReady(async (world) => {
      await quota(world, { pods: "3" });
      await world.roll();
      await world.untilEvent("FailedCreate");
    }),
    first: { code: "POD-NOT-CREATED", cause: /exceeded quota: budget/, step: /quota/ },
  },
  {
    name: "quota-limits",
    arrange: whenReady(async (world) => {
      await quota(world, { "limits.memory": "8Gi" });
      await world.roll();
      await world.untilEvent("FailedCreate");
    }),
    first: { code: "POD-NOT-CREATED", cause: /must specify limits.memory/, step: /limit/ },
  },
  {
    name: "webhook-on-pods",
    arrange: whenReady(async (world) => {
      await podWebhook(world);
      await world.roll();
      await world.untilEvent("FailedCreate");
    }),
    first: { code: "POD-NOT-CREATED", cause: /images\.policy\.example/, step: /webhook/ },
  },
  {
    name: "pod-security",
    arrange: whenReady(async (world) => {
      const ref: Ref = { resource: kinds.namespace, name: world.namespace };
      const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
      await world.cluster.patch(ref, { metadata: { labels } }, { type: "merge" });
      await world.roll();
      await world.untilEvent("FailedCreate");
    }),
    first: { code: "POD-NOT-CREATED", cause: /PodSecurity/, step: /security/ },
  },
  {
    name: "cordoned",
    options: pinned,
    arrange: onOwnNodes(1, async (world) => {
      await patchNode(world, { spec: { unschedulable: true } });
      await world.roll();
      await world.untilPod(2, "has no node", isUnschedulable);
    }),
    first: { code: "POD-NODE-CORDONED", cause: /cordoned|unschedulable/, step: /uncordon/ },
  },
  {
    name: "tainted",
    options: pinned,
    arrange: onOwnNodes(1, async (world) => {
      await patchNode(world, { spec: { taints: [taint] } });
      await world.roll();
      await world.untilPod(2, "has no node", isUnschedulable);
    }),
    first: { code: "POD-UNSCHEDULABLE", cause: /maintenance/, step: /taint/ },
  },
  {
    name: "too-big",
    arrange: whenReady(async (world) => {
      await askForMemory(world, "900Gi");
    }),
    first: { code: "POD-UNSCHEDULABLE", cause: /Insufficient memory/, step: /capacity/ },
  },
  {
    name: "claim-pending",
    options: stored,
    arrange: async (world) => {
      await volumes(world);
      await onOwnNodes(1, async () => {
        const claims = await world.cluster.list(claimKind, { namespace: world.namespace });
        const claim = claims?.find(({ metadata }) => metadata.name?.endsWith("-2"));
        await world.cluster.delete(
          { resource: claimKind, name: claim?.metadata.name ?? "", namespace: world.namespace },
          {},
        );
        await world.roll();
        await world.untilPod(2, "has no volume", isUnschedulable);
      })(world);
    },
    first: { code: "POD-VOLUME", cause: /PersistentVolumeClaim/, step: /pvc/ },
  },
  {
    name: "node-lost",
    options: apart,
    arrange: onOwnNodes(3, async (world) => {
      const pod = await world.pod(2);
      await lose(world, String(getPath(pod, ["spec", "nodeName"])));
      await world.roll();
      await world.untilPod(2, "is to end", isDeleted);
    }),
    first: { code: "POD-NODE-LOST", cause: /node-\d/, step: /out-of-service/ },
  },
  {
    name: "quorum-lost",
    arrange: whenReady(async (world) => {
      await world.roll("unready");
      await world.untilPod(2, "is not ready", podSays("ContainersNotReady"));
      for (const ordinal of [0, 1]) await world.patchPod(ordinal, unready());
    }),
    first: {
      code: "CLUSTER-QUORUM-LOST",
      cause: /0 of its 3 nodes are ready/,
      step: /clusterRecovery/,
    },
  },
  {
    name: "init-waits",
    arrange: whenReady(async (world) => {
      await world.roll("preparing");
      await world.untilPod(2, "prepares", podSays("incomplete status"));
    }),
    first: { code: "POD-NOT-READY", cause: /container prepare.*has not ended/, step: /-c prepare/ },
  },
  {
    name: "no-scheduler",
    arrange: whenReady(async (world) => {
      await world.roll("ready", { pod: { schedulerName: "batch" } });
      await world.untilPod(2, "is of the other scheduler", isRenewed);
    }),
    first: {
      code: "POD-UNSCHEDULABLE",
      cause: /no scheduler has looked at it; it asks for batch/,
      step: /scheduler batch runs/,
    },
  },
  {
    name: "priority-missing",
    arrange: whenReady(async (world) => {
      await world.roll("ready", { pod: { priorityClassName: "gone" } });
      await world.untilEvent("FailedCreate");
    }),
    first: {
      code: "POD-NOT-CREATED",
      cause: /no PriorityClass with name gone/,
      step: /create the priority class/,
    },
  },
  {
    name: "host-port",
    options: pinned,
    arrange: onOwnNodes(1, async (world) => {
      await holdPort(world);
      await world.roll("ready", { pod: { containers: [portContainer] } });
      await world.untilPod(2, "has no node", isUnschedulable);
    }),
    first: { code: "POD-UNSCHEDULABLE", cause: /free ports/, step: /hostPort/ },
  },
  {
    name: "operator-away",
    arrange: whenReady(async (world) => {
      const { deployment } = names.operator;
      const ref: Ref = {
        resource: kinds.deployment,
        name: deployment,
        namespace: world.namespace,
      };
      await world.cluster.patch(ref, { spec: { replicas: 0 } }, { type: "merge" });
      await world.roll();
      await world.untilRenewed();
    }),
    first: {
      code: "CLUSTER-STATE",
      cause: /the operator itself does not run/,
      step: /kubectl scale deployment .* --replicas=1/,
    },
  },
  {
    name: "attached-elsewhere",
    options: stored,
    arrange: (world) => attachedScene(world, { attached: true }, (node) => otherNode(world, node)),
    first: {
      code: "POD-VOLUME-ATTACH",
      cause: /Multi-Attach.*; volume attached-elsewhere-\d of claim \S*ec-2 is attached to node/,
      step: /let node attached-elsewhere-node-\d release it.*describe volumeattachments/,
    },
  },
  {
    name: "attach-refused",
    options: stored,
    arrange: (world) =>
      attachedScene(
        world,
        { attached: false, attachError: { message: "disk is in another zone", time: now() } },
        (node) => node,
      ),
    first: {
      code: "POD-VOLUME-ATTACH",
      cause: /driver disk\.csi\.example reports: disk is in another zone/,
      step: /fix what driver disk\.csi\.example reports/,
    },
  },
  {
    name: "drain-and-budget",
    options: pinned,
    arrange: onOwnNodes(1, async (world) => {
      await budget(world, { minAvailable: 2 });
      await patchNode(world, { spec: { unschedulable: true } });
      await world.roll();
      await world.untilPod(2, "has no node", isUnschedulable);
      await untilClosed(world);
    }),
    first: {
      code: "POD-NODE-CORDONED",
      cause:
        /no drain of node drain-and-budget-node-1 ends: PodDisruptionBudget\S+ lets no pod be evicted/,
      step: /the drain and the roll wait for each other.*kubectl uncordon/,
    },
  },
  {
    name: "lease-of-another",
    arrange: whenReady(async (world) => {
      await world.roll();
      await world.untilRenewed();
      await untilOperator(world);
      await world.cluster.create({
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "operator-lock", namespace: world.namespace },
        spec: {
          holderIdentity: `${names.operator.deployment}-6f7b9c8d55-abcde_1`,
          leaseDurationSeconds: 15,
          renewTime: now().replace("Z", "000Z"),
        },
      });
    }),
    first: {
      code: "CLUSTER-STATE",
      cause: /Lease\/lease-of-another\/operator-lock is held by Pod \S+, which does not exist/,
      step: /kubectl delete lease operator-lock -n lease-of-another/,
    },
  },
  {
    name: "printed-partition",
    arrange: whenReady(async (world) => {
      await world.patchSet({ updateStrategy: { rollingUpdate: { partition: 1 } } });
      await world.roll();
      await world.untilPod(2, "is renewed", isRenewed);
    }),
    first: { code: "ROLLOUT-HELD", cause: /partition 1/, step: /kubectl patch statefulset/ },
  },
  {
    name: "printed-deletion",
    arrange: whenReady(async (world) => {
      await world.roll("pull", { tag: "8.0.18-23.12" });
      await world.untilPod(2, "lacks its image", podSays("ImagePullBackOff"));
      await world.roll("ready");
    }),
    first: { code: "POD-OUTDATED", cause: /not replace it/, step: /delete pod ec-2/ },
  },
];

const now = (): string => new Date().toISOString();

const otherNode = (world: StandstillWorld, node: string): string =>
  [1, 2].map((number) => nodeName(world, number)).find((one) => one !== node) ?? node;

/** The new pod waits for its volume, whose attachment is of the node that `choose` names. */
async function attachedScene(
  world: StandstillWorld,
  status: Json,
  choose: (node: string) => string,
): Promise<void> {
  await volumes(world);
  await onOwnNodes(2, async () => {
    await world.roll("mount");
    await world.untilEvent("FailedAttachVolume");
    const { cluster, namespace } = world;
    const pod = await world.pod(2);
    const claims = await cluster.list(claimKind, { namespace });
    const claim = claims?.find(({ metadata }) => metadata.name?.endsWith("-2"));
    const made = await cluster.create({
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttachment",
      metadata: { name: `csi-${namespace}` },
      spec: {
        attacher: "disk.csi.example",
        nodeName: choose(String(getPath(pod, ["spec", "nodeName"]))),
        source: { persistentVolumeName: getPath(claim, ["spec", "volumeName"]) },
      },
    });
    const ref: Ref = { resource: kinds.volumeAttachment, name: made.metadata.name ?? "" };
    await cluster.patch(ref, { status }, { type: "merge", subresource: "status" });
  })(world);
}

/** The controller has counted what the roll took away. */
async function untilClosed({ cluster, namespace }: StandstillWorld): Promise<void> {
  const ref: Ref = { resource: kinds.disruptionBudget, name: "ec", namespace };
  await until("the budget to be closed", async () => {
    const status = getPath(await cluster.get(ref), ["status"]);
    const counts = ["currentHealthy", "disruptionsAllowed"].map((key) => getPath(status, [key]));
    return JSON.stringify(counts) === "[2,0]" || undefined;
  });
}

async function untilOperator({ cluster, namespace }: StandstillWorld): Promise<void> {
  const ref: Ref = { resource: kinds.deployment, name: names.operator.deployment, namespace };
  await until("the operator to be ready", async () => {
    const found = await cluster.get(ref);
    return getPath(found, ["status", "availableReplicas"]) === 1 || undefined;
  });
}

const port = 18_070;
const portContainer = {
  name: names.pods.container,
  image: `engine/engine:${newTag}`,
  ports: [{ containerPort: port, hostPort: port }],
};

/** A pod of somebody else has the port of the only node. */
async function holdPort(world: StandstillWorld): Promise<void> {
  const { namespace } = world;
  await world.cluster.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "holder", namespace },
    spec: { nodeName: nodeName(world), containers: [portContainer] },
  });
}

export function unready(): Json {
  const lastTransitionTime = new Date().toISOString();
  const why = {
    reason: "ContainersNotReady",
    message: "containers with unready status: [engine-enterprise-node]",
  };
  return {
    conditions: ["Ready", "ContainersReady"].map((type) => ({
      type,
      status: "False",
      lastTransitionTime,
      ...why,
    })),
  };
}

export const guards: readonly GuardRow[] = [
  {
    name: "slow-start",
    arrange: whenReady(async (world) => {
      await world.roll("ready", { annotations: { [play.delay]: "1h" } });
      await world.untilPod(2, "is renewed", isRenewed);
    }),
    laterMinutes: 5,
  },
  {
    name: "slow-start-with-budget",
    arrange: whenReady(async (world) => {
      await budget(world);
      await world.roll("ready", { annotations: { [play.delay]: "1h" } });
      await world.untilPod(2, "is renewed", isRenewed);
    }),
    laterMinutes: 5,
  },
  {
    name: "slow-init",
    arrange: whenReady(async (world) => {
      await world.roll("preparing");
      await world.untilPod(2, "prepares", podSays("incomplete status"));
    }),
    laterMinutes: 7,
  },
  {
    name: "slow-in-parallel",
    options: () => ({ set: { podManagementPolicy: "Parallel" } }),
    arrange: whenReady(async (world) => {
      await world.roll("ready", { annotations: { [play.delay]: "1h" } });
      await world.untilPod(2, "is renewed", isRenewed);
    }),
    laterMinutes: 7,
  },
  {
    name: "slow-drain",
    options: (namespace) => ({
      ...hanging(namespace),
      pod: { terminationGracePeriodSeconds: 3600, nodeSelector: { scene: sharedNodes } },
    }),
    arrange: whenReady(async (world) => {
      await world.roll();
      await world.untilPod(2, "is to end", isDeleted);
    }),
    laterMinutes: 25,
  },
  {
    name: "slow-state",
    arrange: whenReady(async (world) => {
      await world.roll();
      await world.untilRenewed();
    }),
    laterMinutes: 7,
  },
  {
    name: "slow-scheduler",
    arrange: whenReady(async (world) => {
      await world.roll("ready", { pod: { schedulerName: "batch" } });
      await world.untilPod(2, "is of the other scheduler", isRenewed);
    }),
    laterMinutes: 5,
  },
  {
    name: "just-begun",
    arrange: whenReady(async (world) => {
      await world.roll("unready");
      await world.untilPod(2, "is not ready", podSays("ContainersNotReady"));
    }),
    laterMinutes: 2,
  },
];
