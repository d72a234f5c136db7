/** `kubectl engine recover` on a real API server, with the operator at play and its REST service. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath } from "../../plugin/domain/base/values";
import { systemClock } from "../../plugin/adapters/clock";
import { EdbBridge } from "../../plugin/simulator/rest-api/bridge";
import { productKinds } from "../../plugin/simulator/operator/snapshot";
import type { KubeClient, Ref } from "../../plugin/ports/kubernetes";
import { anApiSecret } from "../support/cluster-api-client";
import { aClusterApi, aModuleArchive, type ClusterApiForTest } from "../support/played-cluster-api";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { type PluginRun, runner, runPlugin, writeLine } from "./plugin-run";
import { setOperator, startPlay, untilPodsReady } from "./played-operator";
import { seedScene } from "./scene";
import { until } from "./until";

const namespace = "engine";
const target = "8.2.0-46.13";
const product = productKinds(names);
const ecRef: Ref = { resource: product.ec, name: "ec", namespace };
const edbRef = (name: string): Ref => ({ resource: product.edb, name, namespace });
const work = { queuedMs: 20, batchMs: 20, failoverMs: 20, finishMs: 20, installMs: 20 };

let controlPlane: ControlPlane;
let cluster: KubeClient;
let api: ClusterApiForTest;
let folder: string;
let rest: readonly string[];
let endPlay: () => Promise<void>;

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner] });
  await seedScene(controlPlane.api, {
    databases: [
      { name: "orders", version: "6.2" },
      { name: "sessions", version: "7.2", modules: ["rg"] },
    ],
  });
  cluster = await connect({ kubeconfig: controlPlane.kubeconfig, namespace }, {});
  api = await aClusterApi({ clock: systemClock, bdbs: [], times: work });
  await cluster.create(anApiSecret(api.admin.name, api.admin.password));
  folder = mkdtempSync(join(tmpdir(), "recover-"));
  writeFileSync(join(folder, "ca.pem"), api.caPem);
  rest = ["--api-url", api.url, "--api-ca", join(folder, "ca.pem")];
  await cluster.patch(edbRef("orders"), { spec: { replication: true } }, { type: "merge" });
  const modulesList = [{ name: "rg", version: "1.2.5" }];
  await cluster.patch(edbRef("sessions"), { spec: { modulesList } }, { type: "merge" });
  const { store, works, profile } = api;
  const bridge = new EdbBridge({ store, works, names, profile });
  endPlay = startPlay({ cluster, namespace, rest: bridge });
  await setOperator(cluster, namespace, "8.2.0-13");
  await untilPodsReady(cluster, namespace);
  const spec = { engineEnterpriseImageSpec: { versionTag: target } };
  await cluster.patch(ecRef, { spec }, { type: "merge", fieldManager: "kubectl-edit" });
  await until("state Upgrade", async () => (await state()) === "Upgrade" || undefined);
});

afterAll(async () => {
  await endPlay();
  await api.close();
  cluster.close();
  await controlPlane.stop();
});

async function state(): Promise<unknown> {
  return getPath(await cluster.get(ecRef), names.ecFields.state);
}

function recover(...args: readonly string[]): Promise<PluginRun> {
  return runPlugin(controlPlane, ["recover", ...args, ...rest], { namespace });
}

const codesOf = ({ report }: PluginRun): readonly string[] =>
  (report.findings ?? []).map(({ code }) => code);

test("a frozen upgrade: both causes are named, 3, and not one write", async () => {
  const run = await recover();
  expect([run.code, codesOf(run), run.writes]).toEqual([
    3,
    ["CLUSTER-DATABASE-OLD", "FREEZE-MODULE-ABSENT"],
    [],
  ]);
  expect(run.stdout).not.toContain(api.admin.password);
});

test("--apply ends Running once the module is defined, resources and databases agree, and a re-run writes nothing", async () => {
  const file = join(folder, "rg.zip");
  const manifest = { module_name: "rg", display_name: "EngineGears", semantic_version: "2.0.0" };
  writeFileSync(file, aModuleArchive(manifest));
  const flags = ["--apply", "--yes", "--engine-version", "7.2"];
  const lacking = await recover(...flags);
  expect([lacking.code, codesOf(lacking), lacking.writes]).toEqual([
    3,
    expect.arrayContaining(["FREEZE-MODULE-ABSENT"]),
    [],
  ]);
  expect(lacking.stdout).toContain("modules install FILE --ec ec");
  const install = ["modules", "install", file, "--yes", ...rest];
  expect(await runPlugin(controlPlane, install, { namespace })).toMatchObject({ code: 0 });
  const first = await recover(...flags);
  expect([first.code, codesOf(first), first.writes]).toEqual([
    3,
    expect.arrayContaining(["CLUSTER-MODULE-UNDEFINED"]),
    [],
  ]);
  const defined = [{ name: "rg", source: { https: { url: "https://modules.example" } } }];
  await cluster.patch(ecRef, { spec: { userDefinedModules: defined } }, { type: "merge" });
  const mark = await controlPlane.auditMark();
  const run = await recover(...flags);
  expect([run.code, run.report.exit.reason]).toEqual([
    0,
    "EngineEnterpriseCluster/engine/ec is in state Running, resources and databases agree in their versions, and differ in their modules",
  ]);
  // a status that the operator writes meanwhile refuses a patch, which is then sent again
  const accepted = await controlPlane.writesSince(mark, { user: runner.name, outcome: "accepted" });
  expect(accepted.map(writeLine).sort()).toEqual(["patch orders", "patch sessions"]);
  const orders = await cluster.get(edbRef("orders"));
  expect([getPath(orders, names.fields.engineVersion), await state()]).toEqual(["7.2", "Running"]);
  expect(api.store.bdbs.get(1)?.version).toBe("7.2.0");
  const sessions = await cluster.get(edbRef("sessions"));
  expect(getPath(sessions, ["spec", "modulesList"])).toMatchObject([
    { name: "rg", version: "2.0.0" },
  ]);
  for (const edb of [orders, sessions]) {
    expect(getPath(edb, names.edbFields.observedGeneration)).toBe(edb?.metadata.generation);
    expect(getPath(edb, names.edbFields.specStatus)).toBe("Valid");
  }
  const again = await recover(...flags);
  expect([again.code, again.writes]).toEqual([0, []]);
});
