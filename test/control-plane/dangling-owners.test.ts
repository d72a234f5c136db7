/** What the garbage collector of a real control plane deletes, and what a run does before it can. */
import { randomUUID } from "node:crypto";
import type { KubeObject } from "./api";
import { admissionSecret, makePair, secretName } from "./certificate";
import { startControllers } from "./controllers";
import { namespaceOf } from "./operator";
import { errorsIn, type PluginRun, runPlugin } from "./plugin-run";
import { openSuite, type Suite } from "./suite";
import { clear, putNewConfiguration, runSwap } from "./swap-states";
import { newConfigurationName } from "./webhook-configurations";
import { until } from "./until";

const namespace = "engine-dangling";
jest.setTimeout(300_000);

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
  await suite.api.create(namespaceOf(namespace));
}, 600_000);
afterAll(async () => {
  await suite.close();
});

/** An owner that was there in another life of the object. */
const absent = (apiVersion: string, kind: string) => ({
  ownerReferences: [{ apiVersion, kind, name: "made-it", uid: randomUUID() }],
});

/** An object of its own to see the collector at work by. */
async function untilCollected(name: string): Promise<void> {
  const metadata = { name, namespace, ...absent("v1", "ConfigMap") };
  const witness = await suite.api.create({ apiVersion: "v1", kind: "ConfigMap", metadata });
  await until(`the end of ConfigMap ${name}`, async () =>
    (await suite.api.read(witness)) === undefined ? true : undefined,
  );
}

const secret = (): Promise<KubeObject | undefined> =>
  suite.api.read({ apiVersion: "v1", kind: "Secret", metadata: { name: secretName, namespace } });
const cert = (...args: readonly string[]): Promise<PluginRun> =>
  runPlugin(suite.controlPlane, ["cert", ...args], { namespace });

test("a configuration of an owner that is gone is refused with the line that keeps it", async () => {
  const { controlPlane, api, scene } = suite;
  await clear(api, scene);
  await putNewConfiguration(api, scene, { changes: { caBundle: "" } });
  const reference = absent("rbac.authorization.k8s.io/v1", "ClusterRole");
  const { code, stderr } = await controlPlane.kubectl([
    ...["patch", "validatingwebhookconfiguration", newConfigurationName, "--type=merge"],
    ...["-p", JSON.stringify({ metadata: reference })],
  ]);
  expect([code, stderr]).toEqual([0, ""]);

  const refused = await runSwap(controlPlane);

  expect([refused.code, refused.writes]).toEqual([5, []]);
  const [finding] = refused.report.findings ?? [];
  expect(errorsIn(refused.report)).toEqual(["WEBHOOK-OWNED"]);
  expect(finding?.cause).toContain("ClusterRole/made-it does not exist");
  const [, line = ""] = /: kubectl (.*)$/.exec(finding?.fix ?? "") ?? [];
  const words = line.split(" ").map((word) => word.replaceAll("'", ""));
  const byCa = await runSwap(controlPlane, ["--ca-only"]);
  expect([byCa.code, byCa.writes, errorsIn(byCa.report)]).toEqual([5, [], ["WEBHOOK-OWNED"]]);
  expect((await controlPlane.kubectl(words)).code).toBe(0);
  expect((await runSwap(controlPlane)).code).toBe(0);
});

test("a Secret of an owner that is gone keeps the new pair", async () => {
  const controllers = await startControllers(suite.controlPlane, []);
  await untilCollected("before");
  await controllers.stopManager();
  const old = admissionSecret(namespace, makePair({ namespace }));
  const metadata = { ...old.metadata, ...absent("v1", "ConfigMap") };
  const { metadata: stored } = await suite.api.create({ ...old, metadata });
  expect(stored).toHaveProperty("ownerReferences");

  const run = await cert("create", "--replace", "--yes");

  expect(run.code).toBe(0);
  expect(JSON.stringify(run.report.steps)).toContain("ConfigMap/made-it does not exist");
  expect((await secret())?.metadata).not.toHaveProperty("ownerReferences");
  await controllers.startManager();
  await untilCollected("after");
  expect(await secret()).toBeDefined();
});

test("a reference to a kind that is not served has nothing deleted", async () => {
  const metadata = { name: "kept", namespace, ...absent("nobody.example/v1", "Maker") };
  const kept = await suite.api.create({ apiVersion: "v1", kind: "ConfigMap", metadata });
  await untilCollected("beside");
  expect(await suite.api.read(kept)).toBeDefined();
});
