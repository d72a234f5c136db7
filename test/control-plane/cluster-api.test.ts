/**
 * The cluster's REST API behind a real API server: its permissions, its Secrets, and a port of a pod
 * through it. The kubelet is a stand-in: the API server hands the WebSocket on to it unread.
 */
import { aCaFile, anApiSecret } from "../support/cluster-api-client";
import {
  aClusterApi,
  aModuleArchive,
  type ClusterApiForTest,
  testCluster,
} from "../support/played-cluster-api";
import { type PodForwardServer, startPodForward } from "../support/pod-forward";
import { aPair } from "../support/tls";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "./control-plane";
import type { KubeObject } from "./api";
import { type PluginRun, runner, runPlugin } from "./plugin-run";
import { seedScene } from "./scene";

const namespace = "engine";
const jane = "jane";
let controlPlane: ControlPlane;
let played: ClusterApiForTest;
let kubelet: PodForwardServer;
let ca = "";

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner, { name: jane }] });
  const { api } = controlPlane;
  await seedScene(api, { namespace });
  played = await aClusterApi({ clock: { now: () => Date.now(), sleep: () => Promise.resolve() } });
  ca = aCaFile(played.caPem);
  await api.replace(anApiSecret(played.admin.name, played.admin.password) as KubeObject);
  kubelet = await startPodForward(() => ({ to: played.port }), aPair());
  await api.replace(node());
  await api.writeStatus(node(), {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
  });
});
afterAll(async () => {
  await kubelet.close();
  await played.close();
  await controlPlane.stop();
});

const node = (): KubeObject => ({ apiVersion: "v1", kind: "Node", metadata: { name: "played" } });

const pod = (nodeName?: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "ec-0", namespace },
  spec: {
    ...(nodeName !== undefined && { nodeName }),
    automountServiceAccountToken: false,
    containers: [{ name: "engine-enterprise-node", image: "engine/engine" }],
  },
});

const modules = (args: readonly string[], user: string = runner.name): Promise<PluginRun> =>
  runPlugin(controlPlane, ["modules", ...args, "--api-ca", ca], { namespace, user });

const byUrl = (): readonly string[] => ["--api-url", played.url];

test("by an address: the credentials come from the EC's Secret", async () => {
  const { report, writes } = await modules(["list", ...byUrl()]);
  expect(report.exit.code).toBe(0);
  expect(writes).toEqual([]);
});

test("the Role that is printed is what it takes, applied once", async () => {
  const asked = played.calls.length;
  const refused = await modules(["in-use", ...byUrl()], jane);
  expect(refused.report.exit.code).toBe(4);
  const input = refused.report.permissions?.manifest ?? "";
  const { code } = await controlPlane.kubectl(["apply", "-f", "-"], { input });
  expect(code).toBe(0);
  expect(played.calls).toHaveLength(asked);
  const { report } = await modules(["in-use", ...byUrl()], jane);
  expect(report.exit.code).toBe(0);
  const forwarded = await modules(["list"], jane);
  expect(forwarded.report.exit.code).toBe(4);
  expect(forwarded.stdout).toContain("pods/portforward");
});

test("no pod, and a pod on no node, are told in the API server's words", async () => {
  const absent = await modules(["list"]);
  expect(absent.report.exit.code).not.toBe(0);
  expect(absent.report.exit.reason).toContain("not found");
  await controlPlane.api.replace(pod());
  const unbound = await modules(["list"]);
  expect(unbound.report.exit.code).not.toBe(0);
  expect(unbound.report.exit.reason).toContain("does not have a host assigned");
  await controlPlane.api.remove(pod());
});

describe("through a port of a pod", () => {
  beforeAll(() => controlPlane.api.replace(pod("played")));

  test("the API server hands the connection on; the Host is the cluster's name", async () => {
    const before = played.calls.length;
    const { report } = await modules(["list"]);
    expect(report.exit).toMatchObject({ code: 0 });
    expect(kubelet.asked.at(-1)?.path).toBe(`/portForward/${namespace}/ec-0`);
    expect(kubelet.asked.at(-1)?.ports).toEqual(["9443"]);
    const calls = played.calls.slice(before);
    expect(calls.map(({ host, path }) => `${host} ${path}`)).toEqual([
      `${testCluster} /v1/modules`,
    ]);
  });

  test("a module is installed, a second run finds it there", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "module-")), "rg.zip");
    const manifest = { module_name: "rg", display_name: "Gears", semantic_version: "1.2.5" };
    writeFileSync(file, aModuleArchive(manifest));
    const results = [];
    for (let run = 1; run <= 2; run += 1) {
      const { report, stdout, stderr } = await modules(["install", file]);
      expect(report.exit.code).toBe(0);
      expect(stdout + stderr).not.toContain(played.admin.password);
      results.push(report.steps?.[0]?.result);
    }
    expect(results).toEqual(["done", "unchanged"]);
    const posts = played.calls.filter(({ method }) => method === "POST");
    expect(posts).toHaveLength(1);
  });
});
