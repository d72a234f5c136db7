import { Changes, disagreement, sameDifference } from "./fault-runs";
import type { KubeClient, KubeObject } from "../../plugin/ports/kubernetes";
import { aNamespace, aSecret } from "../support/builders";
import { admin, makeWorld } from "../support/world";

const settings = (value: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "engine" },
  data: { value },
});
const ref = {
  resource: { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" },
  name: "settings",
  namespace: "engine",
};

/** What is otherwise after the act, on a cluster that has the settings "a" and a Secret. */
async function after(act: (cluster: KubeClient) => Promise<unknown>) {
  const controlPlane = makeWorld({
    objects: [aNamespace("engine"), settings("a"), aSecret("engine")],
  }).controlPlane;
  const changes = new Changes(controlPlane);
  await act(controlPlane.connect({ user: admin, namespace: "engine" }));
  return changes.difference();
}

const manager = { fieldManager: "x" };

test("nothing done is no difference", async () => {
  expect(await after(() => Promise.resolve())).toEqual(new Map());
});

test("an object that was made and removed again is no difference", async () => {
  const difference = await after(async (cluster) => {
    await cluster.create({ ...settings("b"), metadata: { name: "new", namespace: "engine" } });
    await cluster.delete({ ...ref, name: "new" }, {});
  });
  expect(difference.size).toBe(0);
});

test("the same end by two ways is the same: times, versions and identities do not count", async () => {
  const once = await after((cluster) => cluster.update(settings("b"), manager));
  const twice = await after(async (cluster) => {
    await cluster.update(settings("c"), manager);
    await cluster.update(settings("b"), manager);
  });
  expect(once.size).toBe(1);
  expect(sameDifference(once, twice)).toBe(true);
});

test.each<[string, (cluster: KubeClient) => Promise<unknown>]>([
  ["content", (cluster) => cluster.update(settings("c"), manager)],
  ["an owner", (cluster) => cluster.apply(settings("b"), { fieldManager: "y", force: true })],
  ["being gone", (cluster) => cluster.delete(ref, {})],
  ["nothing", () => Promise.resolve()],
])("another end differs by %s, and is named", async (_, act) => {
  const wanted = await after((cluster) =>
    cluster.apply(settings("b"), { ...manager, force: true }),
  );
  const found = await after(act);
  expect(sameDifference(found, wanted)).toBe(false);
  expect(disagreement(found, wanted)).toEqual(["ConfigMap/engine/settings"]);
});

test("of a Secret only the names of its items count: a pair is another one each time", async () => {
  const pair = (cert: string) =>
    after((cluster) => cluster.update(aSecret("engine", { cert }), manager));
  const [one, other] = [await pair("YQ=="), await pair("Yg==")];
  expect(one.size).toBe(1);
  expect(sameDifference(one, other)).toBe(true);
  expect(JSON.stringify([...one])).not.toContain("YQ==");
});
