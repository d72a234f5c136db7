/** What is being deleted, on a real API server: nothing is written into it by any command. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { KubeObject } from "../../plugin/ports/kubernetes";
import { runPlugin } from "./plugin-run";
import { databaseRef, namespace, openUpgradeScene, type UpgradeScene } from "./upgrade-scene";
import { until } from "./until";

const definition = `${names.edb.plural}.${names.group}`;
const definitionLabel = `CustomResourceDefinition/${definition}`;
const held = { metadata: { finalizers: ["example.com/hold"] } };
const free = { metadata: { finalizers: null } };

let scene: UpgradeScene;
jest.setTimeout(300_000);

beforeAll(async () => {
  scene = await openUpgradeScene();
}, 600_000);
afterAll(async () => {
  await scene.close();
});

const run = (...args: readonly string[]) => runPlugin(scene.controlPlane, args, { namespace });
const ordersRef = databaseRef("orders", "team-a");
const orders = (): Promise<KubeObject | undefined> => scene.cluster.get(ordersRef);

async function kubectl(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await scene.controlPlane.kubectl(args);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

async function patchOrders(body: object): Promise<void> {
  await scene.cluster.patch(ordersRef, body, { type: "merge", fieldManager: "operator" });
}

/** Spec and deletion of the definition, without what its controllers keep. */
async function storedDefinition(): Promise<unknown> {
  const { metadata, spec } = JSON.parse(
    await kubectl("get", "crd", definition, "-o", "json"),
  ) as KubeObject & { readonly spec: object };
  return { annotations: metadata.annotations, generation: metadata.generation, spec };
}

test("a database that its finalizer holds stops neither the webhook's swap nor the operator", async () => {
  await patchOrders(held);
  await kubectl("delete", names.edb.plural, "orders", "-n", "team-a", "--wait=false");
  const swap = await run("upgrade-webhook", "--yes");
  expect(swap.code).toBe(0);
  const release = scene.release("7.22.0-7");
  const operator = await scene.whilePlaying(() =>
    run("upgrade-operator", "--release", release, "--yes", "--timeout=60s"),
  );
  expect(operator.code).toBe(0);
  const alone = await run("upgrade-database", "team-a/orders", "--engine-version=7.4", "--yes");
  expect([alone.code, alone.writes]).toEqual([3, []]);
  expect((await orders())?.metadata.deletionTimestamp).toBeDefined();
  await patchOrders(free);
  await until("the end of orders", async () => ((await orders()) === undefined ? true : undefined));
});

test("a definition that is being deleted: 3 everywhere, and nothing is written", async () => {
  const config = databaseRef("config");
  await scene.cluster.patch(config, held, { type: "merge", fieldManager: "operator" });
  await kubectl("delete", "crd", definition, "--wait=false");
  const before = await storedDefinition();
  const release = ["--release", scene.release("8.0.2-2"), "--yes"];
  for (const line of [
    ["check"],
    ["upgrade", ...release],
    ["upgrade-operator", ...release],
    ["upgrade-webhook", "--yes"],
    ["upgrade-cluster", "ec", "--target=8.0.2-17", "--yes"],
    ["upgrade-database", "config", "--engine-version=7.4", "--may-discard-data", "--yes"],
    ["recover"],
  ]) {
    const { code, writes, report } = await run(...line);
    const [first] = (report.findings ?? []).filter(({ severity }) => severity === "error");
    expect([line[0], code, writes, first]).toMatchObject([
      ...[line[0], 3, []],
      { code: "DEFINITION-DELETING", object: definitionLabel },
    ]);
  }
  const status = await run("status");
  expect([status.code, status.report]).toMatchObject([0, { details: { verdict: "stalled" } }]);
  expect(await storedDefinition()).toEqual(before);
  // once its finalizer is gone the API server takes everything, as it would have in any case
  await scene.cluster.patch(config, free, { type: "merge", fieldManager: "operator" });
});
