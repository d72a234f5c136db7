/** The operator's work on an EC: suspension, states, the roll, and what freezes it. */
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { getPath, asArray, getOwn } from "../../../../plugin/domain/base/values";

import { aPlayedWorld, here, product } from "../../../support/played-operator";
import {
  ecStatus,
  edbStatus,
  edit,
  errorsOf,
  history,
  isEc,
  look,
  podTags,
  sceneWith,
  setTag,
  states,
  upgradeOperator,
  withSpec,
} from "./acts";

const newTag = "7.22.0-28";
const oldTags = ["7.8.2-34", "7.8.2-34", "7.8.2-34"];
const newTags = [newTag, newTag, newTag];

test("after the operator's upgrade the EC is as it was, and its databases wait (S10)", async () => {
  const world = await aPlayedWorld();
  await upgradeOperator(world);
  await edit(world, here(product.edb, "sessions", "shop"), { engineVersion: "7.4" });
  await world.settle();
  expect(await edbStatus(world)).toMatchObject({ version: "7.2.0", observedGeneration: 1 });
  await setTag(world, newTag);
  await world.settle();
  expect(await ecStatus(world)).toMatchObject({ state: "Running", specStatus: "Valid" });
  expect(await edbStatus(world)).toMatchObject({ version: "7.4.0", observedGeneration: 2 });
});

test("a new tag: stale Running, Upgrade, pods in reverse order one by one, Running", async () => {
  const world = await aPlayedWorld();
  await upgradeOperator(world);
  const seen = states(world);
  const pods = history(world, "Pod", ({ metadata }, type) => [type, metadata.name]);
  const most = history(world, "StatefulSet", ({ status }) => getOwn(status, "readyReplicas"));
  await setTag(world, newTag);
  await world.clock.sleep(2_000);
  expect(await ecStatus(world)).toMatchObject({ state: "Running" });
  await world.settle();
  expect(seen).toEqual(["Running", "Upgrade", "Running"]);
  expect(pods.filter((one) => String(one) !== "" && !String(one).startsWith("MOD"))).toEqual([
    ["DELETED", "ec-2"],
    ["ADDED", "ec-2"],
    ["DELETED", "ec-1"],
    ["ADDED", "ec-1"],
    ["DELETED", "ec-0"],
    ["ADDED", "ec-0"],
  ]);
  expect(new Set(most)).toEqual(new Set([3, 2]));
  expect(await podTags(world)).toEqual(newTags);
});

test("the StatefulSet reports its revisions, and the pods carry theirs", async () => {
  const world = await aPlayedWorld();
  await upgradeOperator(world);
  const before = getOwn(
    (await look(world, kinds.statefulSet, "ec"))?.["status"],
    "currentRevision",
  );
  const seen = history(world, "StatefulSet", ({ status }) => [
    getOwn(status, "currentRevision") === getOwn(status, "updateRevision"),
    getOwn(status, "updatedReplicas") ?? 0,
  ]);
  await setTag(world, newTag);
  await world.settle();
  expect(seen).toEqual([
    [true, 3],
    [false, 0],
    [false, 1],
    [false, 2],
    [false, 3],
    [true, 3],
  ]);
  const set = await look(world, kinds.statefulSet, "ec");
  const revision = getPath(set, ["status", "updateRevision"]);
  expect(revision).not.toBe(before);
  expect(
    getOwn((await look(world, kinds.pod, "ec-0"))?.metadata.labels, "controller-revision-hash"),
  ).toBe(revision);
});

test("the new release's versions are published, and a license is kept", async () => {
  const world = await aPlayedWorld();
  await upgradeOperator(world, "8.0.2-2");
  await setTag(world, "8.0.2-17");
  await world.settle();
  const status = await ecStatus(world);
  const versions = asArray(getOwn(status, "bundledDatabaseVersions")).map((one) =>
    getOwn(one, "version"),
  );
  expect(versions).toEqual(["6.2", "7.2", "7.4", "8.0", "8.2"]);
  expect(getOwn(status, "licenseStatus")).toMatchObject({ licenseState: "Valid" });
});

test.each([
  { spelling: "below upgradeSpec", spec: { upgradeSpec: { autoUpgradeEngineEnterprise: true } } },
  { spelling: "directly", spec: { autoUpgradeEngineEnterprise: true } },
])("an automatic upgrade follows the operator's, spelled $spelling (S13)", async ({ spec }) => {
  const world = await aPlayedWorld({ objects: await sceneWith(isEc, withSpec(spec)) });
  await upgradeOperator(world);
  expect(await podTags(world)).toEqual(newTags);
  expect(await ecStatus(world)).toMatchObject({ state: "Running" });
  const ec = await look(world, product.ec, "ec");
  expect(getPath(ec, names.ecFields.versionTag)).toBe(newTag);
});

test("a field that the definition drops starts nothing", async () => {
  const world = await aPlayedWorld();
  await edit(world, here(product.ec, "ec"), { autoUpgradeEngineEnterprise: true });
  await upgradeOperator(world);
  expect(await podTags(world)).toEqual(oldTags);
});

const userDefinedModules = [{ name: "rg", source: { https: { url: "https://x.example/rg" } } }];

test("from another state no upgrade begins, and the log says which one (domain facts 10)", async () => {
  const world = await aPlayedWorld({ versions: { "7.8.2-6": "7.8.2-35" } });
  const seen = states(world);
  await edit(world, here(product.ec, "ec"), { userDefinedModules });
  await world.clock.sleep(10_000);
  await setTag(world, "7.8.2-35");
  await world.settle();
  expect(errorsOf(world)).toEqual([
    "Upgrade Applied but will not start since EC Status.State is 'RunningRollingUpdate' and not one of: 'Running', 'InvalidUpgrade'",
  ]);
  expect(seen).toEqual(["Running", "RunningRollingUpdate", "Running", "Upgrade", "Running"]);
});

test("an operator whose release has no known partner takes any tag", async () => {
  const world = await aPlayedWorld();
  await upgradeOperator(world, "9.0.0-1");
  await setTag(world, "9.0.0-5");
  await world.settle();
  expect(await podTags(world)).toEqual(["9.0.0-5", "9.0.0-5", "9.0.0-5"]);
});

test("a play continues where another one was ended, after any act", async () => {
  const whole = await aPlayedWorld();
  await upgradeOperator(whole);
  await setTag(whole, newTag);
  await whole.settle();

  const world = await aPlayedWorld();
  await upgradeOperator(world);
  await setTag(world, newTag);
  for (let acts = 0; acts < 100; acts += 1) {
    const next = world.again();
    const due = await next.dueAt();
    if (due === undefined) break;
    await next.step();
    await world.clock.sleep(0);
    await world.settle();
  }
  expect(await podTags(world)).toEqual(await podTags(whole));
  expect(await ecStatus(world)).toEqual(await ecStatus(whole));
});

test("while no operator is ready nothing becomes of an EC", async () => {
  const world = await aPlayedWorld({ misbehave: { operatorCrash: true } });
  await upgradeOperator(world);
  await setTag(world, newTag);
  await world.settle();
  expect(await podTags(world)).toEqual(oldTags);
  expect(
    getOwn(
      (await look(world, kinds.deployment, "engine-enterprise-operator"))?.["status"],
      "availableReplicas",
    ),
  ).toBeUndefined();
});

describe("the image spec without another tag rolls the pods (S48, S49)", () => {
  const podOf = async (world: Awaited<ReturnType<typeof aPlayedWorld>>) => {
    const pod = await look(world, kinds.pod, "ec-0");
    const [container] = asArray(getPath(pod, ["spec", "containers"]));
    return [getOwn(container, "image"), getOwn(container, "imagePullPolicy")];
  };

  test.each([
    {
      what: "another pull policy",
      image: { imagePullPolicy: "Always" },
      pod: [`${names.images.cluster}:7.8.2-34`, "Always"],
    },
    {
      what: "another repository",
      image: { repository: "registry.example/engine/engine" },
      pod: ["registry.example/engine/engine:7.8.2-34", "IfNotPresent"],
    },
  ])("$what: RunningRollingUpdate, then Running with new pods", async ({ image, pod }) => {
    const world = await aPlayedWorld();
    const seen = states(world);
    await edit(world, here(product.ec, "ec"), { engineEnterpriseImageSpec: image });
    await world.settle();
    expect(seen).toEqual(["Running", "RunningRollingUpdate", "Running"]);
    expect(await podOf(world)).toEqual(pod);
    expect(await podTags(world)).toEqual(oldTags);
  });

  test("the same image spec rolls nothing", async () => {
    const world = await aPlayedWorld();
    const seen = states(world);
    await edit(world, here(product.ec, "ec"), {
      engineEnterpriseImageSpec: { imagePullPolicy: "IfNotPresent" },
    });
    await world.settle();
    expect(seen.filter((state) => state !== "Running")).toEqual([]);
  });
});
