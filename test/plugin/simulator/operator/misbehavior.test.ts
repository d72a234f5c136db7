/** Each misbehavior, and by which facts it is seen. */
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { getPath, asArray, getOwn } from "../../../../plugin/domain/base/values";
import { jobKind, type Misbehavior } from "../../../../plugin/simulator/operator/snapshot";
import { aPlayedWorld, here, type PlayedWorld, product } from "../../../support/played-operator";
import {
  condition,
  ecStatus,
  edbStatus,
  edit,
  history,
  look,
  operator,
  podTags,
  setTag,
  states,
  upgradeOperator,
  waitingFor,
} from "./acts";

const newTag = "7.22.0-28";

interface Row {
  readonly id: keyof Misbehavior;
  readonly misbehave: Misbehavior;
  /** From an upgrade to 7.22.0 to what is seen of it. */
  readonly sees: (world: PlayedWorld) => Promise<void>;
}

async function upgradeAll(world: PlayedWorld): Promise<void> {
  await upgradeOperator(world);
  await setTag(world, newTag);
  await world.settle();
}

async function newOperatorPod(world: PlayedWorld) {
  const pods = (await world.cluster.list(kinds.pod, { namespace: "engine" })) ?? [];
  return pods.find(({ metadata }) => metadata.name?.startsWith(operator));
}

const noPod = (reason: string) => async (world: PlayedWorld) => {
  await upgradeOperator(world);
  expect(await newOperatorPod(world)).toBeUndefined();
  const deployment = await look(world, kinds.deployment, operator);
  expect(condition(deployment, "ReplicaFailure")).toEqual(["True", "FailedCreate"]);
  expect(condition(deployment, "Available")).toEqual(["False", "MinimumReplicasUnavailable"]);
  const [event] = (await world.cluster.list(kinds.event, { namespace: "engine" })) ?? [];
  expect(event).toMatchObject({ type: "Warning", reason: "FailedCreate" });
  expect(String(event?.["message"])).toContain(reason);
};

const waits = (reason: string) => async (world: PlayedWorld) => {
  await upgradeOperator(world);
  expect(waitingFor(await newOperatorPod(world))).toBe(reason);
  const deployment = await look(world, kinds.deployment, operator);
  expect(getOwn(deployment?.["status"], "unavailableReplicas")).toBe(1);
};

const stuck = (check: (world: PlayedWorld) => Promise<void>) => async (world: PlayedWorld) => {
  await upgradeAll(world);
  expect(await ecStatus(world)).toMatchObject({ state: "Upgrade" });
  expect(await podTags(world)).toEqual(["7.8.2-34", newTag, newTag]);
  await check(world);
};

const rows: readonly Row[] = [
  {
    id: "slow",
    misbehave: { slow: 100 },
    sees: async (world) => {
      const from = world.clock.now();
      await upgradeAll(world);
      expect(world.clock.now() - from).toBeGreaterThan(600_000);
      expect(await podTags(world)).toEqual([newTag, newTag, newTag]);
    },
  },
  {
    id: "stuckPod",
    misbehave: { stuckPod: 1 },
    sees: stuck(async (world) => {
      expect(waitingFor(await look(world, kinds.pod, "ec-1"))).toBe("CrashLoopBackOff");
    }),
  },
  {
    id: "stuckReason",
    misbehave: { stuckPod: 1, stuckReason: "ImagePullBackOff" },
    sees: stuck(async (world) => {
      expect(waitingFor(await look(world, kinds.pod, "ec-1"))).toBe("ImagePullBackOff");
    }),
  },
  {
    id: "stuckReason",
    misbehave: { stuckPod: 1, stuckReason: "Unschedulable" },
    sees: stuck(async (world) => {
      const pod = await look(world, kinds.pod, "ec-1");
      expect(condition(pod, "PodScheduled")).toEqual(["False", "Unschedulable"]);
      expect(getPath(pod, ["status", "phase"])).toBe("Pending");
    }),
  },
  {
    id: "stuckReason",
    misbehave: { stuckPod: 1, stuckReason: "NotReady" },
    sees: stuck(async (world) => {
      const pod = await look(world, kinds.pod, "ec-1");
      expect(condition(pod, "Ready")).toEqual(["False", "ContainersNotReady"]);
      expect(getPath(pod, ["status", "phase"])).toBe("Running");
    }),
  },
  {
    id: "lyingStatus",
    misbehave: { lyingStatus: true },
    sees: async (world) => {
      const seen = states(world);
      const pods = history(world, "Pod", (_pod, type) => type);
      await upgradeAll(world);
      expect(new Set(seen)).toEqual(new Set(["Running"]));
      expect(pods).toContain("DELETED");
      expect(await podTags(world)).toEqual([newTag, newTag, newTag]);
    },
  },
  {
    id: "operatorImagePull",
    misbehave: { operatorImagePull: true },
    sees: waits("ImagePullBackOff"),
  },
  { id: "operatorCrash", misbehave: { operatorCrash: true }, sees: waits("CrashLoopBackOff") },
  { id: "operatorQuota", misbehave: { operatorQuota: true }, sees: noPod("exceeded quota") },
  { id: "operatorForbidden", misbehave: { operatorForbidden: true }, sees: noPod("is forbidden") },
  {
    id: "staleRunningMs",
    misbehave: { staleRunningMs: 60_000 },
    sees: async (world) => {
      await upgradeOperator(world);
      await setTag(world, newTag);
      await world.clock.sleep(59_000);
      expect(await ecStatus(world)).toMatchObject({ state: "Running" });
      await world.clock.sleep(2_000);
      expect(await ecStatus(world)).toMatchObject({ state: "Upgrade" });
    },
  },
  {
    id: "deafOperator",
    misbehave: { deafOperator: true },
    sees: async (world) => {
      await upgradeAll(world);
      expect(await ecStatus(world)).toMatchObject({ state: "Running" });
      expect(await podTags(world)).toEqual(["7.8.2-34", "7.8.2-34", "7.8.2-34"]);
    },
  },
  {
    id: "endlessUpgrade",
    misbehave: { endlessUpgrade: true },
    sees: async (world) => {
      await upgradeAll(world);
      expect(await ecStatus(world)).toMatchObject({ state: "Upgrade" });
      expect(await podTags(world)).toEqual([newTag, newTag, newTag]);
    },
  },
  {
    id: "stuckDatabase",
    misbehave: { stuckDatabase: "sessions" },
    sees: async (world) => {
      await edit(world, here(product.edb, "sessions", "shop"), { engineVersion: "7.4" });
      await world.settle();
      expect(await edbStatus(world)).toMatchObject({
        status: "active-change-pending",
        version: "7.2.0",
      });
    },
  },
  {
    id: "failingJobs",
    misbehave: { failingJobs: true },
    sees: async (world) => {
      await world.cluster.create({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: {
          name: "crds",
          namespace: "engine",
          annotations: { "helm.sh/hook": "pre-upgrade" },
        },
        spec: {
          template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a:1" }] } },
        },
      });
      await world.settle();
      const job = await look(world, jobKind, "crds");
      const types = asArray(getPath(job, ["status", "conditions"])).map((one) =>
        getOwn(one, "type"),
      );
      expect(types).toEqual(["FailureTarget", "Failed"]);
    },
  },
];

test.each(rows)("$id $misbehave is seen", async ({ misbehave, sees }) => {
  await sees(await aPlayedWorld({ misbehave }));
});

test("every misbehavior has a row", () => {
  // the type checker refuses this object when a misbehavior is added
  const all: Readonly<Record<keyof Misbehavior, 0>> = {
    ...{ slow: 0, stuckPod: 0, stuckReason: 0, lyingStatus: 0, operatorImagePull: 0 },
    ...{ operatorQuota: 0, operatorCrash: 0, operatorForbidden: 0, staleRunningMs: 0 },
    ...{ deafOperator: 0, endlessUpgrade: 0, stuckDatabase: 0, failingJobs: 0 },
  };
  const ids = new Set(rows.map(({ id }) => id));
  expect([...ids].toSorted()).toEqual(Object.keys(all).toSorted());
});
