/** The play itself: its course, its end, and what is there before it begins. */
import { jobKind } from "../../../../plugin/simulator/operator/snapshot";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { ApiError, UnavailableError } from "../../../../plugin/domain/base/errors";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { getOwn } from "../../../../plugin/domain/base/values";
import { exampleSource } from "../../../../plugin/simulator/example";
import { createRegistry } from "../../../../plugin/simulator/kinds/registry";
import { settleWorkloads } from "../../../../plugin/simulator/operator/settled";
import { playAlong, playOperator } from "../../../../plugin/simulator/operator/controller";

import { VirtualClock } from "../../../../plugin/ports/virtual-clock";
import { testTime } from "../../../support/manual-clock";
import { aPlayedWorld, here, product } from "../../../support/played-operator";
import { admin, makeWorld } from "../../../support/world";
import {
  edbStatus,
  edit,
  history,
  look,
  operator,
  setOperator,
  setTag,
  upgradeOperator,
} from "./acts";

const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
};
const sessions = here(product.edb, "sessions", "shop");

test("two plays of the same take the same course, act by act", async () => {
  const course = async (): Promise<readonly unknown[]> => {
    const world = await aPlayedWorld();
    const acts: unknown[] = [];
    world.controlPlane.onChange(({ type, object }) => {
      acts.push([world.clock.now(), type, object.kind, object.metadata.name]);
    });
    await upgradeOperator(world);
    await setTag(world, "7.22.0-28");
    await world.settle();
    return acts;
  };
  expect(await course()).toEqual(await course());
});

test("a run plays until its signal is aborted", async () => {
  const world = await aPlayedWorld();
  await edit(world, sessions, { engineVersion: "7.4" });
  const ending = new AbortController();
  const play = world.again();
  world.controlPlane.onChange(({ object }) => {
    if (getOwn(object["status"], "version") === "7.4.0") ending.abort();
  });
  await play.run(ending.signal);
  expect(await edbStatus(world)).toMatchObject({ version: "7.4.0" });
});

describe("an API server that does not take an act", () => {
  /** The first status patch fails. */
  async function failing(error: Error) {
    const world = await aPlayedWorld();
    await edit(world, sessions, { engineVersion: "7.4" });
    let failures = 1;
    const cluster = new Proxy(world.cluster, {
      get: (target, key: "patch" | "list") => {
        if (key !== "patch" || failures === 0) return target[key].bind(target);
        return () => {
          failures -= 1;
          return Promise.reject(error);
        };
      },
    });
    const clock = new VirtualClock(testTime + 60_000);
    const play = playOperator({ cluster, clock, names, namespace: "engine" });
    const ending = new AbortController();
    world.controlPlane.onChange(({ object }) => {
      if (getOwn(object["status"], "version") === "7.4.0") ending.abort();
    });
    return { world, play, ending };
  }

  test.each([
    { what: "someone else was faster", error: new ApiError("changed", { status: 409 }) },
    { what: "it is away for a moment", error: new UnavailableError("away") },
  ])("$what: it is tried again", async ({ error }) => {
    const { world, play, ending } = await failing(error);
    await play.run(ending.signal);
    expect(await edbStatus(world)).toMatchObject({ version: "7.4.0" });
  });

  test("it refuses for good: the play ends with its words", async () => {
    const { play, ending } = await failing(new ApiError("no such field", { status: 422 }));
    await expect(play.run(ending.signal)).rejects.toThrow("no such field");
  });
});

describe("what stands behind a scene at rest", () => {
  const bare = async (): Promise<readonly KubeObject[]> => {
    const { objects } = await exampleSource(names, testTime);
    return objects.filter(({ kind }) => !["Pod", "ReplicaSet", "StatefulSet"].includes(kind));
  };
  const options = {
    names,
    namespace: "engine",
    now: testTime,
    registry: createRegistry(),
  };

  test("is made where it lacks", async () => {
    const made = settleWorkloads(await bare(), options).map(({ kind }) => kind);
    expect(made.filter((kind) => kind === "Pod")).toHaveLength(4);
    expect(made).toEqual(expect.arrayContaining(["ReplicaSet", "StatefulSet"]));
  });

  test("is left as it is where it is there", async () => {
    const { objects } = await exampleSource(names, testTime);
    expect(settleWorkloads(objects, options)).toHaveLength(objects.length);
  });

  test("has no pod where the operator is not ready", async () => {
    const down = (await bare()).map((object) =>
      object.kind === "Deployment" ? { ...object, status: { observedGeneration: 1 } } : object,
    );
    expect(settleWorkloads(down, options).filter(({ kind }) => kind === "ReplicaSet")).toEqual([]);
  });
});

describe("the operator in a rehearsal", () => {
  async function aRehearsal(change: (objects: readonly KubeObject[]) => readonly KubeObject[]) {
    const { objects } = await exampleSource(names, testTime);
    const controlPlane = makeWorld({ objects: change(objects) }).controlPlane;
    const clock = new VirtualClock(testTime);
    const along = playAlong({ controlPlane, clock, names, namespace: "engine" });
    const cluster = controlPlane.connect({ user: admin, namespace: "engine" });
    const world = { ...(await aPlayedWorld()), controlPlane, cluster };
    return { world, along };
  }
  const unready = (objects: readonly KubeObject[]): readonly KubeObject[] =>
    objects.map((object) =>
      object.kind === "EndpointSlice" ? { ...object, endpoints: [] } : object,
    );

  test("takes what was loaded as it is, however long someone waits", async () => {
    const { world, along } = await aRehearsal(unready);
    const changes = history(world, "EndpointSlice", () => true);
    await along.sleep(600_000);
    await along.settle();
    expect(changes).toEqual([]);
    expect(along.now()).toBe(testTime + 600_000);
  });

  test("plays from the first change on that concerns it, while someone waits", async () => {
    const { world, along } = await aRehearsal((objects) => objects);
    await setOperator(world, "7.22.0-7");
    await along.sleep(500);
    const soon = await look(world, kinds.deployment, operator);
    expect(getOwn(soon?.["status"], "updatedReplicas")).toBeUndefined();
    await along.sleep(60_000);
    const late = await look(world, kinds.deployment, operator);
    expect(getOwn(late?.["status"], "updatedReplicas")).toBe(1);
    expect(along.now()).toBe(testTime + 60_500);
  });
});

test("hook work of one's own is done beside the definitions", async () => {
  const done: unknown[] = [];
  const world = await aPlayedWorld({
    hookWork: (job) => {
      done.push(job.metadata.name);
      return Promise.resolve();
    },
  });
  const job = (name: string, annotations: Readonly<Record<string, string>>): KubeObject => ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "engine", annotations },
    spec: {
      template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a:1" }] } },
    },
  });
  await world.cluster.create(job("crds", { "helm.sh/hook": "pre-upgrade" }));
  await world.cluster.create(job("other", {}));
  await world.settle();
  expect(done).toEqual(["crds"]);
  expect(getOwn((await look(world, jobKind, "crds"))?.["status"], "succeeded")).toBe(1);
  expect((await look(world, jobKind, "other"))?.["status"] ?? {}).toEqual({});
});

test("a hook Job applies the definitions in the ConfigMaps that it mounts, and nothing else", async () => {
  const world = await aPlayedWorld();
  const definition = (await world.cluster.list(definitions))?.[0];
  if (definition === undefined) throw new Error("the example has none");
  const { name = "" } = definition.metadata;
  const { spec } = definition;
  const labels = { from: "hook" };
  const texts = [
    { apiVersion: definition.apiVersion, kind: definition.kind, metadata: { name, labels }, spec },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } },
  ];
  await world.cluster.create({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "crds", namespace: "engine" },
    data: { "crds.yaml": texts.map((text) => JSON.stringify(text)).join("\n---\n"), note: "none" },
  });
  const volumes = [
    { name: "crds", configMap: { name: "crds" } },
    { name: "gone", configMap: { name: "gone" } },
    { name: "tmp", emptyDir: {} },
  ];
  await world.cluster.create({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "crds", namespace: "engine", annotations: { "helm.sh/hook": "pre-upgrade" } },
    spec: {
      template: {
        spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a:1" }], volumes },
      },
    },
  });
  await world.settle();
  const applied = await world.cluster.get({ resource: definitions, name });
  expect(applied?.metadata.labels).toEqual(labels);
  expect(await world.cluster.get({ resource: kinds.namespace, name: "other" })).toBeUndefined();
});
