/** The operator's Deployment: its controllers, its pod, and the webhook's endpoints. */
import { kinds, rbacKinds } from "../../../../plugin/domain/kube/kinds";
import { getPath, asArray, getOwn, omit } from "../../../../plugin/domain/base/values";

import { aPlayedWorld, here } from "../../../support/played-operator";
import {
  condition,
  edit,
  errorsOf,
  history,
  look,
  operator,
  setOperator,
  upgradeOperator,
  waitingFor,
} from "./acts";

test("an operator at rest is left alone", async () => {
  const world = await aPlayedWorld();
  const changes = history(world, "Deployment", (object) => object["status"]);
  expect(await world.play.step()).toBe(false);
  expect(await world.play.dueAt()).toBeUndefined();
  expect(changes).toEqual([]);
});

test("a new template is observed first, and the old pod is gone before there is a new one", async () => {
  const world = await aPlayedWorld();
  const pods = history(world, "Pod", (_pod, type) => type);
  const counts = history(world, "Deployment", ({ metadata, status }) => [
    metadata.generation,
    getOwn(status, "observedGeneration"),
    getOwn(status, "updatedReplicas") ?? 0,
    getOwn(status, "availableReplicas") ?? 0,
    getOwn(status, "unavailableReplicas") ?? 0,
  ]);
  await upgradeOperator(world);
  expect(pods).toEqual(["DELETED", "ADDED", "MODIFIED"]);
  expect(counts).toEqual([
    [2, 1, 1, 1, 0],
    [2, 2, 0, 1, 0],
    [2, 2, 0, 0, 1],
    [2, 2, 1, 0, 1],
    [2, 2, 1, 1, 0],
  ]);
  const deployment = await look(world, kinds.deployment, operator);
  expect(condition(deployment, "Available")).toEqual(["True", "MinimumReplicasAvailable"]);
  expect(condition(deployment, "Progressing")).toEqual(["True", "NewReplicaSetAvailable"]);
});

test("the webhook has no endpoint during the restart, and one afterwards", async () => {
  const world = await aPlayedWorld();
  const seen = history(world, "EndpointSlice", (slice) =>
    asArray(slice["endpoints"]).map((one) => getPath(one, ["conditions", "ready"])),
  );
  await upgradeOperator(world);
  expect(seen).toEqual([[], [false], [true]]);
});

test("endpoints are left alone where that is asked for", async () => {
  const world = await aPlayedWorld({ endpoints: false });
  const seen = history(world, "EndpointSlice", () => true);
  await upgradeOperator(world);
  expect(seen).toEqual([]);
});

test("endpoints have the addresses that are given, and a slice is made where there is none", async () => {
  const world = await aPlayedWorld({ endpoints: ["192.0.2.10"] });
  await world.cluster.delete(here(kinds.endpointSlice, "admission-7xk2p"), {});
  await world.settle();
  const [slice] = (await world.cluster.list(kinds.endpointSlice, { namespace: "engine" })) ?? [];
  expect(asArray(slice?.["endpoints"]).map((one) => getOwn(one, "addresses"))).toEqual([
    ["192.0.2.10"],
  ]);
  expect(slice?.["ports"]).toEqual([{ name: "https", port: 8443, protocol: "TCP" }]);
});

test("a slice has the number of a port that the Service names", async () => {
  const world = await aPlayedWorld();
  const container = { name: "admission", ports: [{ containerPort: 8443, name: "webhook" }] };
  await world.cluster.patch(
    here(kinds.deployment, operator),
    { spec: { template: { spec: { containers: [container] } } } },
    { type: "strategic" },
  );
  const ports = [{ name: "https", port: 443, targetPort: "webhook" }];
  await edit(world, here(kinds.service, "admission"), { ports });
  await world.settle();
  await world.cluster.delete(here(kinds.endpointSlice, "admission-7xk2p"), {});
  await world.settle();
  const [slice] = (await world.cluster.list(kinds.endpointSlice, { namespace: "engine" })) ?? [];
  expect(slice?.["ports"]).toEqual([{ name: "https", port: 8443, protocol: "TCP" }]);
});

test("an edit of the annotations restarts nothing", async () => {
  const world = await aPlayedWorld();
  const pods = history(world, "Pod", (_pod, type) => type);
  const body = { metadata: { annotations: { note: "kept" } } };
  await world.cluster.patch(here(kinds.deployment, operator), body, { type: "merge" });
  await world.settle();
  expect(pods).toEqual([]);
});

test("a scale to none takes the pod away, and one to one brings it back", async () => {
  const world = await aPlayedWorld();
  const ref = here(kinds.deployment, operator);
  await edit(world, ref, { replicas: 0 });
  await world.settle();
  const rest = await world.cluster.get(ref);
  expect(rest?.["status"]).toMatchObject({ observedGeneration: 2 });
  expect(getOwn(rest?.["status"], "replicas")).toBeUndefined();
  await edit(world, ref, { replicas: 1 });
  await world.settle();
  expect(getOwn((await world.cluster.get(ref))?.["status"], "availableReplicas")).toBe(1);
});

test("an earlier template takes up its ReplicaSet again", async () => {
  const world = await aPlayedWorld();
  await upgradeOperator(world, "7.22.0-7");
  await upgradeOperator(world, "7.8.2-6");
  const sets = (await world.cluster.list(kinds.replicaSet, { namespace: "engine" })) ?? [];
  expect(sets.map((set) => getPath(set, ["spec", "replicas"])).toSorted()).toEqual([0, 1]);
});

describe("an operator whose managed namespaces are not as it needs them", () => {
  const role = { resource: rbacKinds.role, name: "edb-role", namespace: "shop" };
  const binding = { resource: rbacKinds.roleBinding, name: "edb-role", namespace: "shop" };

  test.each([
    { what: "without the Role", ref: role, says: "role edb-role is missing in namespace shop" },
    {
      what: "without the RoleBinding",
      ref: binding,
      says: "role binding edb-role is missing in namespace shop",
    },
  ])("$what it halts, and continues when it is back", async ({ ref, says }) => {
    const world = await aPlayedWorld();
    const before = await world.cluster.get(ref);
    await world.cluster.delete(ref, {});
    await upgradeOperator(world);
    const crashed = await newPod(world);
    expect(waitingFor(crashed)).toBe("CrashLoopBackOff");
    expect(messageOf(crashed)).toBe(says);
    if (before === undefined) throw new Error("the example has none");
    const metadata = omit(before.metadata, "resourceVersion", "uid");
    await world.cluster.create({ ...before, metadata });
    await world.settle();
    expect(condition(await newPod(world), "Ready")?.toString()).toContain("True");
  });

  test("one ClusterRole in the place of the Roles is what it needs", async () => {
    const world = await aPlayedWorld();
    const bound = await world.cluster.get(binding);
    if (bound === undefined) throw new Error("the example has none");
    for (const ref of [role, binding]) await world.cluster.delete(ref, {});
    const roleRef = { ...(bound["roleRef"] as object), kind: "ClusterRole", name: "all" };
    const metadata = omit(bound.metadata, "resourceVersion", "uid");
    await world.cluster.create({ ...bound, metadata, roleRef });
    await upgradeOperator(world);
    expect(condition(await newPod(world), "Ready")?.toString()).toContain("True");
  });

  test("it halts over a namespace that does not exist", async () => {
    const world = await aPlayedWorld();
    const body = { data: { EDB_NAMESPACES: "shop, nowhere" } };
    const ref = here(kinds.configMap, "operator-environment-config");
    await world.cluster.patch(ref, body, { type: "merge" });
    await upgradeOperator(world);
    expect(messageOf(await newPod(world))).toBe("namespace nowhere does not exist");
    expect(errorsOf(world)).toEqual([]);
  });
});

test("an operator that does not come up in time has exceeded its deadline", async () => {
  const world = await aPlayedWorld({ misbehave: { operatorCrash: true } });
  await setOperator(world, "7.22.0-7");
  await world.clock.sleep(60_000);
  const soon = await look(world, kinds.deployment, operator);
  expect(condition(soon, "Progressing")).toEqual(["True", "ReplicaSetUpdated"]);
  await world.clock.sleep(600_000);
  const late = await look(world, kinds.deployment, operator);
  expect(condition(late, "Progressing")).toEqual(["False", "ProgressDeadlineExceeded"]);
});

async function newPod(world: Awaited<ReturnType<typeof aPlayedWorld>>) {
  const pods = (await world.cluster.list(kinds.pod, { namespace: "engine" })) ?? [];
  return pods.find(({ metadata }) => metadata.name?.startsWith(operator));
}

function messageOf(pod: Parameters<typeof waitingFor>[0]): unknown {
  return getPath(asArray(getPath(pod, ["status", "containerStatuses"]))[0], [
    "state",
    "waiting",
    "message",
  ]);
}
