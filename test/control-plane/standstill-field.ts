/** Rollouts as the field has them: what nodes, quotas and webhooks of others do to pods, alone and two at once. */
import { getPath } from "../../plugin/domain/base/values";
import { kinds } from "../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { Ref } from "../../plugin/ports/kubernetes";
import { expire, held } from "./standstill-double";
import {
  type GuardRow,
  isUnschedulable,
  onOwnNodes,
  patchNode,
  pinned,
  podWebhook,
  type SceneRow,
  whenReady,
} from "./standstill-scenes";
import { newTag, podSays, type StandstillWorld } from "./standstill-world";
import { play } from "./stages";
import { played } from "../../plugin/simulator/operator/snapshot";
import { until } from "./until";

const container = { name: names.pods.container, image: `engine/engine:${newTag}` };

/** The namespace allows containers less than the template asks for. */
async function limitRange(world: StandstillWorld): Promise<void> {
  await world.cluster.create({
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "most", namespace: world.namespace },
    spec: { limits: [{ type: "Container", max: { memory: "1Gi" } }] },
  });
  const resources = { limits: { memory: "4Gi" }, requests: { memory: "4Gi" } };
  await world.roll("ready", { pod: { containers: [{ ...container, resources }] } });
  await world.untilEvent("FailedCreate");
}

/** Its node fails the pod, and its controller creates it again, so many times. */
async function rejected(world: StandstillWorld): Promise<void> {
  await world.roll("rejected", { annotations: { [play.delay]: "3s" } });
  await until(`${world.namespace}: the pod is created again and again`, async () => {
    const events = (await world.cluster.list(played.event, { namespace: world.namespace })) ?? [];
    const counts = events
      .filter((event) => event["reason"] === "SuccessfulCreate")
      .filter((event) => String(event["message"]).includes(" Pod ec-2 "))
      .map((event) => Number(getPath(event, ["count"])));
    return Math.max(0, ...counts) >= 5 || undefined;
  });
}

async function keepPods(world: StandstillWorld): Promise<void> {
  await podWebhook(world, "DELETE");
  await world.roll();
  await world.untilEvent("FailedDelete");
}

async function stopOperator(world: StandstillWorld): Promise<void> {
  const { deployment: name } = names.operator;
  const ref: Ref = { resource: kinds.deployment, name, namespace: world.namespace };
  await world.cluster.patch(ref, { spec: { replicas: 0 } }, { type: "merge" });
}

export const field: readonly SceneRow[] = [
  {
    name: "undeletable",
    arrange: whenReady(keepPods),
    first: {
      code: "ROLLOUT-IDLE",
      cause: /may not delete the next one.*images\.policy\.example/,
      step: /what refuses the deletion/,
    },
  },
  {
    name: "limit-range",
    arrange: whenReady(limitRange),
    first: {
      code: "POD-NOT-CREATED",
      cause: /maximum memory usage per Container is 1Gi/,
      step: /LimitRange/,
    },
  },
  {
    name: "rejected",
    arrange: whenReady(rejected),
    first: {
      code: "POD-RECREATED",
      cause: /created again \d+ times.*Node didn't have enough resource/,
      step: /describe pod ec-2/,
    },
  },
  {
    name: "pull-secret",
    arrange: whenReady(async (world) => {
      await world.roll("pull-secret");
      await world.untilEvent("FailedToRetrieveImagePullSecret");
    }),
    first: { code: "POD-IMAGE", cause: /hub-login/, step: /refuses the login/ },
  },
  {
    name: "cloud-node",
    options: pinned,
    arrange: onOwnNodes(1, async (world) => {
      const key = "node.cloudprovider.kubernetes.io/uninitialized";
      await patchNode(world, { spec: { taints: [{ key, value: "true", effect: "NoSchedule" }] } });
      await world.roll();
      await world.untilPod(2, "has no node", isUnschedulable);
    }),
    first: {
      code: "POD-UNSCHEDULABLE",
      cause: /uninitialized/,
      step: /cloud controller manager/,
    },
  },
  {
    name: "undeletable-and-license",
    arrange: whenReady(async (world) => {
      await keepPods(world);
      await expire(world);
    }),
    first: { code: "CLUSTER-LICENSE", cause: /Expired/, step: /license/ },
    also: ["ROLLOUT-IDLE"],
  },
  {
    name: "limit-range-and-partition",
    arrange: whenReady(async (world) => {
      await held(world);
      await limitRange(world);
    }),
    first: { code: "POD-NOT-CREATED", cause: /maximum memory usage/, step: /LimitRange/ },
    also: ["ROLLOUT-HELD"],
  },
  {
    name: "no-disk-and-partition",
    arrange: whenReady(async (world) => {
      await held(world);
      await world.roll("no-disk");
      await world.untilPod(2, "has no room for its image", podSays("no space left"));
    }),
    first: { code: "POD-IMAGE", cause: /no space left/, step: /free the disk of node/ },
    also: ["ROLLOUT-HELD"],
  },
  {
    name: "init-memory-and-license",
    arrange: whenReady(async (world) => {
      await world.roll("init-out-of-memory");
      await world.untilPod(2, "is killed", podSays("OOMKilled"));
      await expire(world);
    }),
    first: { code: "CLUSTER-LICENSE", cause: /Expired/, step: /license/ },
    also: ["POD-MEMORY"],
  },
  {
    name: "operator-away-and-image",
    arrange: whenReady(async (world) => {
      await stopOperator(world);
      await world.roll("pull");
      await world.untilPod(2, "lacks its image", podSays("ImagePullBackOff"));
    }),
    first: {
      code: "POD-IMAGE",
      cause: /not found/,
      step: /first scale it to one: kubectl scale deployment .* --replicas=1/,
    },
  },
];

export const fieldGuards: readonly GuardRow[] = [
  {
    name: "slow-pull",
    arrange: whenReady(async (world) => {
      await world.roll("pulling");
      await world.untilEvent("Pulling");
      await world.untilPod(2, "waits for its image", podSays("ContainerCreating"));
    }),
    laterMinutes: 40,
  },
  {
    name: "slow-startup-probe",
    arrange: whenReady(async (world) => {
      const startupProbe = {
        ...{ failureThreshold: 240, periodSeconds: 15 },
        tcpSocket: { port: 8443 },
      };
      await world.roll("unready", { pod: { containers: [{ ...container, startupProbe }] } });
      await world.untilPod(2, "is not ready", podSays("ContainersNotReady"));
    }),
    laterMinutes: 30,
  },
];
