/** Rollouts against which two things stand at once: the one that has to be handled first is named first. */
import { kinds } from "../../plugin/domain/kube/kinds";
import { getPath } from "../../plugin/domain/base/values";
import {
  apart,
  askForMemory,
  budget,
  isDeleted,
  isUnschedulable,
  lose,
  onOwnNodes,
  patchNode,
  pinned,
  podWebhook,
  quota,
  type SceneRow,
  stored,
  taint,
  unready,
  volumes,
  whenReady,
} from "./standstill-scenes";
import { podSays, type StandstillWorld } from "./standstill-world";

export const held = (world: StandstillWorld): Promise<void> =>
  world.patchSet({ updateStrategy: { rollingUpdate: { partition: 2 } } });
const onDelete = (world: StandstillWorld): Promise<void> =>
  world.patchSet({ updateStrategy: { type: "OnDelete", rollingUpdate: null } });
export const expire = (world: StandstillWorld): Promise<void> =>
  world.ecStatus("Upgrade", { licenseStatus: { licenseState: "Expired" } });
const pulled = (world: StandstillWorld): Promise<void> =>
  world.untilPod(2, "lacks its image", podSays("ImagePullBackOff"));
const old = { options: () => ({ databases: ["6.2"] }) };

/** A tag that is not there, which is corrected while its pod is down. */
async function correct(world: StandstillWorld): Promise<void> {
  await world.roll("pull", { tag: "8.0.18-23.12" });
  await pulled(world);
  await world.roll("ready");
}

export const double: readonly SceneRow[] = [
  {
    name: "partition-and-crash",
    arrange: whenReady(async (world) => {
      await world.patchSet({ updateStrategy: { rollingUpdate: { partition: 2 } } });
      await world.roll("crash");
      await world.untilPod(2, "crashes", podSays("CrashLoopBackOff"));
    }),
    first: { code: "POD-CRASH", cause: /cannot open the store/, step: /logs ec-2/ },
    also: ["ROLLOUT-HELD"],
  },
  {
    name: "budget-and-image",
    arrange: whenReady(async (world) => {
      await budget(world);
      await world.roll("pull");
      await world.untilPod(2, "lacks its image", podSays("ImagePullBackOff"));
    }),
    first: { code: "POD-IMAGE", cause: /not found/, step: /tag/ },
  },
  {
    name: "cordoned-and-volume",
    options: stored,
    arrange: async (world) => {
      await volumes(world);
      await onOwnNodes(1, async () => {
        await patchNode(world, { spec: { unschedulable: true } });
        await world.roll();
        await world.untilPod(2, "has no node", isUnschedulable);
      })(world);
    },
    first: { code: "POD-NODE-CORDONED", cause: /cordoned|unschedulable/, step: /uncordon/ },
  },
  {
    name: "quota-and-partition",
    arrange: whenReady(async (world) => {
      await quota(world, { pods: "3" });
      await world.patchSet({ updateStrategy: { rollingUpdate: { partition: 2 } } });
      await world.roll();
      await world.untilEvent("FailedCreate");
    }),
    first: { code: "POD-NOT-CREATED", cause: /exceeded quota: budget/, step: /quota/ },
    also: ["ROLLOUT-HELD"],
  },
  {
    name: "scaled-and-quota",
    arrange: whenReady(async (world) => {
      await quota(world, { pods: "3" });
      await world.patchSet({ replicas: 2 });
      await world.roll("ready", { set: { replicas: 2 } });
    }),
    first: { code: "CLUSTER-SCALED", cause: /2.*3|3.*2/s, step: /scale statefulset/ },
  },
  {
    name: "on-delete-and-gate",
    arrange: whenReady(async (world) => {
      await world.patchSet({ updateStrategy: { type: "OnDelete", rollingUpdate: null } });
      await world.roll("gated", {
        pod: { readinessGates: [{ conditionType: "balancer.example/healthy" }] },
      });
      await world.cluster.delete(
        { resource: kinds.pod, name: "ec-2", namespace: world.namespace },
        {},
      );
      await world.untilPod(2, "waits", podSays("ReadinessGatesNotReady"));
    }),
    first: {
      code: "POD-READINESS-GATE",
      cause: /balancer\.example\/healthy/,
      step: /balancer|sets/,
    },
    also: ["ROLLOUT-HELD"],
  },
  {
    name: "database-and-image",
    options: () => ({ databases: ["6.2"] }),
    arrange: whenReady(async (world) => {
      await world.roll("pull");
      await world.untilPod(2, "lacks its image", podSays("ImagePullBackOff"));
    }),
    first: { code: "POD-IMAGE", cause: /not found/, step: /tag/ },
    also: ["CLUSTER-DATABASE-OLD"],
  },
  {
    name: "license-and-crash",
    arrange: whenReady(async (world) => {
      await world.roll("crash");
      await world.ecStatus("Upgrade", { licenseStatus: { licenseState: "Expired" } });
      await world.untilPod(2, "crashes", podSays("CrashLoopBackOff"));
    }),
    first: { code: "CLUSTER-LICENSE", cause: /Expired/, step: /license/ },
    also: ["POD-CRASH"],
  },
  {
    name: "taint-and-memory",
    options: pinned,
    arrange: onOwnNodes(2, async (world) => {
      await patchNode(world, { spec: { taints: [taint] } });
      await askForMemory(world, "100Gi");
    }),
    first: {
      code: "POD-UNSCHEDULABLE",
      cause: /Insufficient memory.*maintenance|maintenance.*Insufficient memory/s,
      step: /capacity|taint/,
    },
  },
  {
    name: "cordoned-and-partition",
    options: pinned,
    arrange: onOwnNodes(1, async (world) => {
      await patchNode(world, { spec: { unschedulable: true } });
      await held(world);
      await world.roll();
      await world.untilPod(2, "has no node", isUnschedulable);
    }),
    first: { code: "POD-NODE-CORDONED", cause: /cordoned/, step: /uncordon/ },
    also: ["ROLLOUT-HELD"],
  },
  {
    name: "quota-and-license",
    arrange: whenReady(async (world) => {
      await quota(world, { pods: "3" });
      await world.roll();
      await expire(world);
      await world.untilEvent("FailedCreate");
    }),
    first: { code: "CLUSTER-LICENSE", cause: /Expired/, step: /license/ },
    also: ["POD-NOT-CREATED"],
  },
  {
    name: "partition-and-license",
    arrange: whenReady(async (world) => {
      await held(world);
      await world.roll();
      await expire(world);
    }),
    first: { code: "CLUSTER-LICENSE", cause: /Expired/, step: /license/ },
    also: ["ROLLOUT-HELD"],
  },
  {
    name: "on-delete-and-database",
    ...old,
    arrange: whenReady(async (world) => {
      await onDelete(world);
      await world.roll();
    }),
    first: { code: "ROLLOUT-HELD", cause: /OnDelete/, step: /kubectl patch/ },
    also: ["CLUSTER-DATABASE-OLD"],
  },
  {
    name: "image-and-partition",
    arrange: whenReady(async (world) => {
      await held(world);
      await world.roll("pull");
      await pulled(world);
    }),
    first: { code: "POD-IMAGE", cause: /not found/, step: /tag/ },
    also: ["ROLLOUT-HELD"],
  },
  {
    name: "broken-revision-and-partition",
    arrange: whenReady(async (world) => {
      await held(world);
      await correct(world);
    }),
    first: { code: "POD-OUTDATED", cause: /not replace it/, step: /delete pod ec-2/ },
    also: ["ROLLOUT-HELD"],
  },
  {
    name: "broken-revision-and-database",
    ...old,
    arrange: whenReady(correct),
    first: { code: "POD-OUTDATED", cause: /not replace it/, step: /delete pod ec-2/ },
    also: ["CLUSTER-DATABASE-OLD"],
  },
  {
    name: "scaled-and-license",
    arrange: whenReady(async (world) => {
      await world.patchSet({ replicas: 0 });
      await world.roll();
      await expire(world);
    }),
    first: { code: "CLUSTER-LICENSE", cause: /Expired/, step: /license/ },
    also: ["CLUSTER-SCALED"],
  },
  {
    name: "quorum-and-image",
    arrange: whenReady(async (world) => {
      await world.roll("pull");
      await pulled(world);
      for (const ordinal of [0, 1]) await world.patchPod(ordinal, unready());
    }),
    first: { code: "CLUSTER-QUORUM-LOST", cause: /0 of its 3/, step: /whose own cause/ },
    also: ["POD-IMAGE"],
  },
  {
    name: "taint-and-license",
    options: pinned,
    arrange: onOwnNodes(1, async (world) => {
      await patchNode(world, { spec: { taints: [taint] } });
      await world.roll();
      await expire(world);
      await world.untilPod(2, "has no node", isUnschedulable);
    }),
    first: { code: "CLUSTER-LICENSE", cause: /Expired/, step: /license/ },
    also: ["POD-UNSCHEDULABLE"],
  },
  {
    name: "operators-tag-and-image",
    arrange: whenReady(async (world) => {
      await world.roll("pull", { tag: "8.0.18-11" });
      await pulled(world);
    }),
    first: {
      code: "CLUSTER-TAG-OF-OPERATOR",
      cause: /8\.0\.18-11 is a release of the operator/,
      step: /upgrade-cluster ec --target 8\.0\.18-23/,
    },
  },
  {
    name: "gate-and-license",
    arrange: whenReady(async (world) => {
      await world.roll("gated", {
        pod: { readinessGates: [{ conditionType: "balancer.example/healthy" }] },
      });
      await expire(world);
      await world.untilPod(2, "waits", podSays("ReadinessGatesNotReady"));
    }),
    first: { code: "CLUSTER-LICENSE", cause: /Expired/, step: /license/ },
    also: ["POD-READINESS-GATE"],
  },
  {
    name: "webhook-and-on-delete",
    arrange: whenReady(async (world) => {
      await podWebhook(world);
      await onDelete(world);
      await world.roll();
      const { cluster, namespace } = world;
      await cluster.delete({ resource: kinds.pod, name: "ec-2", namespace }, {});
      await world.untilEvent("FailedCreate");
    }),
    first: { code: "POD-NOT-CREATED", cause: /images\.policy\.example/, step: /webhook/ },
    also: ["ROLLOUT-HELD"],
  },
  {
    name: "node-lost-and-license",
    options: apart,
    arrange: onOwnNodes(3, async (world) => {
      const pod = await world.pod(2);
      await lose(world, String(getPath(pod, ["spec", "nodeName"])));
      await world.roll();
      await expire(world);
      await world.untilPod(2, "is to end", isDeleted);
    }),
    first: { code: "CLUSTER-LICENSE", cause: /Expired/, step: /license/ },
    also: ["POD-NODE-LOST"],
  },
  {
    name: "mount-and-partition",
    arrange: whenReady(async (world) => {
      await held(world);
      await world.roll("mount");
      await world.untilEvent("FailedAttachVolume");
    }),
    first: { code: "POD-VOLUME-ATTACH", cause: /Multi-Attach/, step: /volumeattachment/i },
    also: ["ROLLOUT-HELD"],
  },
  {
    name: "memory-and-database",
    ...old,
    arrange: whenReady(async (world) => {
      await world.roll("out-of-memory");
      await world.untilPod(2, "crashes", podSays("OOMKilled"));
    }),
    first: { code: "POD-MEMORY", cause: /OOMKilled/, step: /memory/ },
    also: ["CLUSTER-DATABASE-OLD"],
  },
];
