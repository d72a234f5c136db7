/** `kubectl engine upgrade-cluster` on a real API server, with the operator at play. */
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath } from "../../plugin/domain/base/values";
import { type Misbehavior, played, productKinds } from "../../plugin/simulator/operator/snapshot";
import type { KubeClient, KubeObject } from "../../plugin/ports/kubernetes";
import { aClaim } from "../support/claims";
import { IndependentReader } from "./independent-reader";
import { type ControlPlane, startControlPlane } from "./control-plane";
import {
  setOperator,
  shortTimes,
  untilPodsReady,
  whilePlaying as playWhile,
} from "./played-operator";
import { type PluginRun, runner, runPlugin } from "./plugin-run";
import { seedScene } from "./scene";
import { until } from "./until";
import { startWriteGate } from "./write-gate";

const namespace = "engine";
const ecRef = { resource: productKinds(names).ec, name: "ec", namespace };
const label = "EngineEnterpriseCluster/engine/ec";
const target = "8.2.0-46.13";

const times = { ...shortTimes, staleRunningMs: 200 };

let controlPlane: ControlPlane;
let cluster: KubeClient;

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner] });
  await seedScene(controlPlane.api);
  cluster = await connect({ kubeconfig: controlPlane.kubeconfig, namespace }, {});
  await whilePlaying({}, async () => {
    await setOperator(cluster, namespace, "8.2.0-13");
    await untilPodsReady(cluster, namespace);
  });
});

afterAll(async () => {
  cluster.close();
  await controlPlane.stop();
});

/** The operator plays as long as something is done. */
function whilePlaying<T>(misbehave: Misbehavior, act: () => Promise<T>): Promise<T> {
  return playWhile({ cluster, namespace, times, misbehave }, act);
}

function upgrade(...args: readonly string[]): Promise<PluginRun> {
  return runPlugin(controlPlane, ["upgrade-cluster", "ec", ...args], { namespace });
}

function patchEc(body: object): Promise<KubeObject> {
  return cluster.patch(ecRef, body, { type: "merge", fieldManager: "kubectl-edit" });
}

const codesOf = ({ report }: PluginRun): readonly string[] =>
  (report.findings ?? []).map(({ code }) => code);
const errorsOf = ({ report }: PluginRun): readonly string[] =>
  (report.findings ?? []).filter(({ severity }) => severity === "error").map(({ code }) => code);

test("dry runs write nothing: the plan is told with the command that does the same", async () => {
  for (const mode of ["client", "server"]) {
    const run = await upgrade("--target", target, `--dry-run=${mode}`);
    expect([run.code, run.writes]).toEqual([0, []]);
    expect(run.report.steps).toMatchObject([{ id: "cluster.patch", result: "planned" }]);
  }
});

test("a patch that the API server takes and never answers is told as not done: 69", async () => {
  const gate = await startWriteGate(controlPlane);
  try {
    const swallowed: string[] = [];
    gate.watch((line) => {
      swallowed.push(line);
      return Promise.resolve("hang");
    });
    const run = await runPlugin(
      controlPlane,
      ["upgrade-cluster", "ec", "--target", target, "--yes", "--request-timeout=4s"],
      { namespace, kubeconfig: gate.kubeconfig },
    );
    expect(swallowed).toHaveLength(1);
    expect([run.code, run.writes]).toEqual([69, []]);
    expect(run.report.exit.reason).toContain("did not take effect");
  } finally {
    await gate.close();
  }
});

test("a tag that the operator does not manage: 3, and not one write", async () => {
  const run = await upgrade("--target", "8.9.0-1");
  expect([run.code, errorsOf(run), run.writes]).toEqual([3, ["CLUSTER-TARGET-NOT-MANAGED"], []]);
});

test("volumes that are being expanded: 3 with the claim, and not one write", async () => {
  const name = "engine-enterprise-storage-ec-1";
  const claim = aClaim(name, { request: "61440Mi" });
  const { apiVersion, kind, metadata, spec } = claim;
  const ref = { apiVersion, kind, metadata: { name, namespace } };
  await cluster.create({ apiVersion, kind, metadata, spec }, { fieldManager: "kubectl-create" });
  const resizing = { type: "FileSystemResizePending", status: "True" };
  const bound = { phase: "Bound", capacity: { storage: "40Gi" } };
  await controlPlane.api.writeStatus(ref, { ...bound, conditions: [resizing] });
  const run = await upgrade("--target", target);
  expect([run.code, errorsOf(run), run.writes]).toEqual([3, ["CLUSTER-RESIZING"], []]);
  expect(run.report.exit.reason).toContain(
    "PersistentVolumeClaim/engine/engine-enterprise-storage-ec-1 asks for 60Gi, has 40Gi (FileSystemResizePending)",
  );
  const done = { capacity: { storage: "64424509440" }, conditions: null };
  await controlPlane.api.writeStatus(ref, done);
  const planned = await upgrade("--target", target, "--dry-run=server");
  expect([planned.code, errorsOf(planned)]).toEqual([0, []]);
});

test("a field that a GitOps controller holds: 5 with its name, and not one write", async () => {
  const before = await cluster.get(ecRef);
  const path = names.ecFields.versionTag;
  await cluster.apply(
    {
      apiVersion: before?.apiVersion ?? "",
      kind: names.ec.kind,
      metadata: { name: "ec", namespace },
      spec: { engineEnterpriseImageSpec: { versionTag: getPath(before, path) } },
    },
    { fieldManager: "argocd-controller", force: true },
  );
  const run = await upgrade("--target", target);
  expect([run.code, codesOf(run).includes("FIELD-CONFLICT"), run.writes]).toEqual([5, true, []]);
  await cluster.apply(
    {
      apiVersion: before?.apiVersion ?? "",
      kind: names.ec.kind,
      metadata: { name: "ec", namespace },
    },
    { fieldManager: "argocd-controller", force: true },
  );
  await patchEc({ spec: before?.["spec"] });
});

test("an upgrade with a pod whose image cannot be pulled: 1 with pod, cause and fix", async () => {
  const run = await whilePlaying({ stuckPod: 2, stuckReason: "ImagePullBackOff" }, () =>
    upgrade("--target", target),
  );
  expect([run.code, run.writes]).toEqual([1, ["patch ec"]]);
  expect(run.report.findings).toContainEqual(
    expect.objectContaining({ code: "POD-IMAGE", object: "Pod/engine/ec-2" }),
  );
  expect(run.report.exit.reason).toContain("the change of the EC is written");
});

test("run again when it is fixed: it continues to the end without a write", async () => {
  await cluster.delete({ resource: played.pod, name: "ec-2", namespace }, {});
  const run = await whilePlaying({}, () => upgrade("--target", target));
  expect([run.code, run.writes]).toEqual([0, []]);
  expect(run.report.exit.reason).toBe(`${label}: ${target} runs on all pods, state Running`);
  const again = await upgrade("--target", target);
  expect([again.code, again.writes]).toEqual([0, []]);
});

test("from start to end: one write, and every pod runs the next release", async () => {
  const next = "8.2.0-25.12";
  await patchEc({ spec: { engineEnterpriseImageSpec: { versionTag: "8.0.20-44.23" } } });
  await whilePlaying({}, async () => {
    await setOperator(cluster, namespace, "8.0.20-23");
    await settledAt("8.0.20-44.23");
    await setOperator(cluster, namespace, "8.2.0-12");
    await until("the new operator", async () => {
      const pods = (await cluster.list(played.pod, { namespace })) ?? [];
      return (
        pods.some((pod) => JSON.stringify(pod["spec"]).includes("operator:8.2.0-12")) || undefined
      );
    });
    const run = await upgrade("--target", next, "--wait");
    expect([run.code, run.writes]).toEqual([0, ["patch ec"]]);
  });
  const pods = (await cluster.list(played.pod, { namespace })) ?? [];
  const images = pods
    .filter(({ metadata }) => /^ec-\d$/.test(metadata.name ?? ""))
    .map((pod) => getPath(pod, ["spec", "containers"]));
  expect(images).toHaveLength(3);
  for (const one of images) expect(JSON.stringify(one)).toContain(`:${next}`);
  const read = await new IndependentReader(controlPlane).cluster(namespace, "ec");
  expect(getPath(read, names.ecFields.versionTag)).toBe(next);
});

test("InvalidUpgrade that comes after the write is explained from data", async () => {
  // time for what makes it invalid: nothing rolls before
  await whilePlaying({ staleRunningMs: 10_000 }, async () => {
    await setOperator(cluster, namespace, "8.2.0-13");
    const waiting = upgrade("--target", target, "--wait");
    await until("the write", async () =>
      getPath(await cluster.get(ecRef), names.ecFields.versionTag) === target ? true : undefined,
    );
    await patchEc({
      spec: {
        upgradeSpec: { autoUpgradeEngineEnterprise: true },
        bootstrapperImageSpec: { digestHash: "sha256:ab" },
      },
    });
    const run = await waiting;
    expect([run.code, run.writes]).toEqual([1, ["patch ec"]]);
    const found = run.report.findings?.find(({ code }) => code === "CLUSTER-INVALID-UPGRADE");
    expect(found?.cause).toContain("spec.bootstrapperImageSpec.digestHash pins");
  });
});

async function settledAt(tag: string): Promise<void> {
  await until(`pods of ${tag}`, async () => {
    const set = await cluster.get({ resource: played.statefulSet, name: "ec", namespace });
    const state = getPath(await cluster.get(ecRef), names.ecFields.state);
    const done =
      JSON.stringify(set?.["spec"]).includes(`:${tag}`) &&
      getPath(set, ["status", "readyReplicas"]) === 3 &&
      getPath(set, ["status", "updateRevision"]) === getPath(set, ["status", "currentRevision"]) &&
      state === "Running";
    return done || undefined;
  });
}
