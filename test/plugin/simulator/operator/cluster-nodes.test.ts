/** Pods of an EC that come and go without an upgrade. */
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { getPath, omit } from "../../../../plugin/domain/base/values";
import { exampleSource } from "../../../../plugin/simulator/example";

import { testTime } from "../../../support/manual-clock";
import { aPlayedWorld, here, product } from "../../../support/played-operator";
import {
  ecStatus,
  edit,
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

describe("an edit of the user modules", () => {
  const userDefinedModules = [{ name: "rg", source: { https: { url: "https://x.example/rg" } } }];

  test("restarts the pods one by one, in a state of its own (S55)", async () => {
    const world = await aPlayedWorld();
    const seen = states(world);
    const pods = history(world, "Pod", ({ metadata }, type) =>
      type === "DELETED" ? metadata.name : undefined,
    );
    await edit(world, here(product.ec, "ec"), { userDefinedModules });
    await world.settle();
    expect(seen).toEqual(["Running", "RunningRollingUpdate", "Running"]);
    expect(pods).toEqual(["ec-2", "ec-1", "ec-0"]);
  });

  test("is told as Running before 7.8.2", async () => {
    const world = await aPlayedWorld();
    await upgradeOperator(world, "7.4.2-2");
    await setTag(world, "7.4.2-54");
    await world.settle();
    const seen = states(world);
    await edit(world, here(product.ec, "ec"), { userDefinedModules });
    await world.settle();
    expect(seen).toEqual(["Running"]);
    expect((await look(world, kinds.statefulSet, "ec"))?.metadata.generation).toBe(3);
  });

  test("is counted from the first look where the pods do not report", async () => {
    const bare = (set: KubeObject): KubeObject => {
      const template = getPath(set, ["spec", "template"]) as Record<string, object>;
      const metadata = omit(template["metadata"] as Record<string, unknown>, "annotations");
      return withSpec({ template: { ...template, metadata } })(set);
    };
    const isSet = ({ kind }: KubeObject): boolean => kind === "StatefulSet";
    const world = await aPlayedWorld({ objects: await sceneWith(isSet, bare) });
    const pods = history(world, "Pod", (_pod, type) => type);
    await world.settle();
    expect(pods).toEqual([]);
    await edit(world, here(product.ec, "ec"), { userDefinedModules });
    await world.settle();
    expect(pods.length).toBeGreaterThan(0);
  });
});

test("nodes are added and removed", async () => {
  const world = await aPlayedWorld();
  await edit(world, here(product.ec, "ec"), { nodes: 5 });
  await world.settle();
  expect(await podTags(world)).toHaveLength(5);
  await edit(world, here(product.ec, "ec"), { nodes: 3 });
  await world.settle();
  expect(await podTags(world)).toHaveLength(3);
});

test("a new EC gets its nodes, a state and a license", async () => {
  const { objects } = await exampleSource(names, testTime);
  const world = await aPlayedWorld({
    objects: objects.filter((object) => !isEc(object)),
    versions: { "7.8.2-6": "7.8.2-34" },
  });
  await world.cluster.create({
    apiVersion: `${names.group}/v1`,
    kind: names.ec.kind,
    metadata: { name: "second", namespace: "engine" },
    spec: { nodes: 1 },
  });
  await world.settle();
  const ec = await look(world, product.ec, "second");
  expect(ec?.["status"]).toMatchObject({
    state: "Running",
    specStatus: "Valid",
    licenseStatus: { licenseState: "Valid" },
  });
  expect((await look(world, kinds.pod, "second-0"))?.["status"]).toMatchObject({
    phase: "Running",
  });
});

test.each([
  {
    what: "a strategy OnDelete",
    updateStrategy: { type: "OnDelete" },
    left: ["ec-0", "ec-1", "ec-2"],
  },
  {
    what: "a partition",
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
    left: ["ec-0", "ec-1"],
  },
])("$what keeps pods as they are", async ({ updateStrategy, left }) => {
  const world = await aPlayedWorld();
  await edit(world, here(kinds.statefulSet, "ec"), { updateStrategy });
  await setTag(world, "7.8.2-35");
  await world.settle();
  const tags = await podTags(world);
  expect(tags.flatMap((tag, at) => (tag === "7.8.2-34" ? [`ec-${at}`] : []))).toEqual(left);
  expect(await ecStatus(world)).toMatchObject({ state: "Upgrade" });
});

test("a pod that something else keeps ends, and is left to it", async () => {
  const world = await aPlayedWorld();
  const ref = here(kinds.pod, "ec-2");
  const body = { metadata: { finalizers: ["example.com/keep"] } };
  await world.cluster.patch(ref, body, { type: "merge" });
  await world.cluster.delete(ref, {});
  await world.settle();
  const kept = await world.cluster.get(ref);
  expect(kept?.["status"]).toMatchObject({ phase: "Succeeded" });
  expect(await world.play.dueAt()).toBeUndefined();
});
