/** What ends a wait: each misbehaviour of the operator at play, and time. */
import { ApiError, UnavailableError } from "../../../../plugin/domain/errors";
import { kinds } from "../../../../plugin/domain/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names";
import type { Misbehaviour } from "../../../../plugin/rehearsal/operator/scene";
import { VirtualClock } from "../../../../plugin/rehearsal/virtual-clock";
import { pollMs } from "../../../../plugin/run/engine/wait";
import { aScene, codesOf, deploymentRef, stepsOf, target, waits } from "./scene";

const minute = 60_000;
const statefulSets = {
  group: "apps",
  version: "v1",
  plural: "statefulsets",
  kind: "StatefulSet",
};
const pods = { group: "", version: "v1", plural: "pods", kind: "Pod" };

test.each<[string, Misbehaviour]>([
  ["everything is slow", { slow: 10 }],
  ["the status lies: it is Running all the time", { lyingStatus: true }],
  ["a stale Running is seen for a minute", { staleRunningMs: minute }],
])("0 nevertheless: %s", async (_title, misbehave) => {
  const scene = await aScene(misbehave);
  const report = await scene.run();
  expect(report.exit.code).toBe(0);
  const stored = await scene.cluster.get({
    resource: statefulSets,
    name: "ec",
    namespace: "engine",
  });
  expect(JSON.stringify(stored?.["spec"])).toContain(`:${target}`);
});

test.each<[string, Misbehaviour, string, string]>([
  [
    "a pod that is not ready",
    { stuckPod: 1, stuckReason: "NotReady" },
    "POD-NOT-READY",
    "Pod/engine/ec-1",
  ],
  [
    "a pod that crashes",
    { stuckPod: 2, stuckReason: "CrashLoopBackOff" },
    "POD-CRASH",
    "Pod/engine/ec-2",
  ],
  [
    "a pod without a node",
    { stuckPod: 0, stuckReason: "Unschedulable" },
    "POD-UNSCHEDULABLE",
    "Pod/engine/ec-0",
  ],
  [
    "an operator that does not react",
    { deafOperator: true },
    "CLUSTER-NOT-TAKEN-UP",
    "EngineEnterpriseCluster/engine/ec",
  ],
  [
    "a state that never ends",
    { endlessUpgrade: true },
    "CLUSTER-STATE",
    "EngineEnterpriseCluster/engine/ec",
  ],
])("1 after a while without progress: %s", async (_title, ...[misbehave, code, object]) => {
  const scene = await aScene(misbehave);
  const from = scene.clock.now();
  const report = await scene.run({ stallAfterMs: minute });
  expect(report.exit.code).toBe(1);
  expect(report.findings).toMatchObject([{ code, object, severity: "error" }]);
  expect(report.exit).toMatchObject({
    reason: expect.stringContaining("the change of the EC is written") as string,
    next: expect.stringMatching(/./) as string,
  });
  expect(stepsOf(report)).toEqual(["cluster.patch changed", "cluster.follow failed"]);
  const spent = scene.clock.now() - from;
  expect(spent).toBeGreaterThanOrEqual(minute);
  expect(spent).toBeLessThan(2 * minute);
});

test("an image that cannot be pulled ends it within two looks", async () => {
  const scene = await aScene({ stuckPod: 2, stuckReason: "ImagePullBackOff" });
  let seenAt: number | undefined;
  scene.controlPlane.onChange(({ object }) => {
    if (object.kind !== "Pod" || !JSON.stringify(object["status"]).includes("ImagePull")) return;
    seenAt ??= scene.clock.now();
  });
  const report = await scene.run();
  expect(report.exit.code).toBe(1);
  expect(report.findings).toMatchObject([
    { code: "POD-IMAGE", object: "Pod/engine/ec-2", source: "S17" },
  ]);
  expect(scene.clock.now() - (seenAt ?? 0)).toBeLessThanOrEqual(2 * pollMs);
});

test("mended meanwhile, a run again goes on to the end without a write", async () => {
  const scene = await aScene();
  const playing = await aScene({ deafOperator: true });
  const stalled = await playing.run({ stallAfterMs: minute });
  expect(stalled.exit.code).toBe(1);
  await scene.patch({ spec: { engineEnterpriseImageSpec: { versionTag: target } } });
  const report = await scene.run();
  expect([report.exit.code, scene.sent]).toEqual([0, []]);
});

test("a license that runs out after the write is InvalidUpgrade, explained, at once", async () => {
  const scene = await aScene({ staleRunningMs: 20_000 });
  scene.after = async (line) => {
    if (!line.startsWith("patch")) return;
    const resource = { group: names.group, version: names.version, ...names.ec };
    scene.controlPlane.setStatus(
      { resource, name: "ec", namespace: "engine" },
      { ...((await scene.ec())?.["status"] as object), licenseStatus: { licenseState: "Expired" } },
    );
  };
  const report = await scene.run();
  expect(report.exit.code).toBe(1);
  expect(report.findings).toMatchObject([
    {
      code: "CLUSTER-INVALID-UPGRADE",
      cause: expect.stringContaining("the license state is Expired") as string,
      fix: expect.stringContaining("license") as string,
    },
  ]);
});

test("a database that cannot go along freezes an upgrade that somebody began: named", async () => {
  const scene = await aScene();
  const resource = { group: names.group, version: names.version, ...names.edb };
  const [first] = (await scene.cluster.list(resource, { namespace: "engine" })) ?? [];
  const ref = { resource, name: first?.metadata.name ?? "", namespace: "engine" };
  await scene.cluster.patch(ref, { spec: { modulesList: [{ name: "mine" }] } }, { type: "merge" });
  await scene.patch({ spec: { engineEnterpriseImageSpec: { versionTag: target } } });
  const report = await scene.run();
  expect([report.exit.code, codesOf(report)]).toEqual([1, ["CLUSTER-FROZEN"]]);
});

describe("time", () => {
  test("that was given ends the whole wait with 124, and says what it waited for", async () => {
    const scene = await aScene({ slow: 100 });
    const report = await scene.run({ limitMs: 2 * minute });
    expect(report.exit).toMatchObject({
      code: 124,
      reason: expect.stringContaining("stopped waiting for") as string,
      next: expect.stringContaining("run the same command again") as string,
    });
  });

  test("without progress and without a cause ends it with 124 as well", async () => {
    const scene = await aScene();
    await scene.patch({ spec: { engineEnterpriseImageSpec: { versionTag: target } } });
    const containers = [{ name: names.pods.container, image: `${names.images.cluster}:${target}` }];
    await scene.cluster.patch(
      { resource: statefulSets, name: "ec", namespace: "engine" },
      { spec: { template: { spec: { containers } } } },
      { type: "strategic" },
    );
    for (const name of ["ec-0", "ec-1", "ec-2"]) {
      await scene.cluster.delete({ resource: pods, name, namespace: "engine" }, {});
    }
    // nobody plays: no pod comes, and no event says why
    const clock = new VirtualClock(scene.clock.now());
    const report = await scene.run({ stallAfterMs: minute }, { clock });
    expect(report.exit.code).toBe(124);
    expect(report.exit.reason).toContain("nothing has moved for 6");
  });

  test("does not begin anew with a pod that is made again and again", async () => {
    const scene = await aScene({ stuckPod: 2, stuckReason: "NotReady" });
    scene.after = async (line) => {
      if (!line.startsWith("list pods") || scene.sent.length === 0) return;
      const ref = { resource: pods, name: "ec-2", namespace: "engine" };
      await scene.cluster.delete(ref, {}).catch(() => undefined);
    };
    const report = await scene.run({ stallAfterMs: minute });
    expect([1, 124]).toContain(report.exit.code);
  });
});

describe("an API server that is away", () => {
  test.each([
    ["no answer", () => new UnavailableError("no answer")],
    ["an error of its own", () => new ApiError("etcd is away", { status: 500 })],
    ["too many requests", () => new ApiError("too many", { status: 429 })],
  ])("for a moment does not end the wait: %s", async (_title, error) => {
    const scene = await aScene();
    let failures = 5;
    scene.before = (line) => {
      if (!line.startsWith("list pods") || scene.sent.length === 0 || failures === 0)
        return Promise.resolve();
      failures -= 1;
      return Promise.reject(error());
    };
    const report = await scene.run();
    expect([report.exit.code, failures]).toEqual([0, 0]);
    expect(waits(scene).join()).toContain("the API server");
  });

  test("for long ends it with 69", async () => {
    const scene = await aScene();
    scene.before = () =>
      scene.sent.length === 0
        ? Promise.resolve()
        : Promise.reject(new UnavailableError("no answer"));
    expect((await scene.run()).exit.code).toBe(69);
  });

  test("a refusal ends it at once", async () => {
    const scene = await aScene();
    scene.before = (line) =>
      scene.sent.length > 0 && line.startsWith("list engine")
        ? Promise.reject(new ApiError("no", { status: 403 }))
        : Promise.resolve();
    expect((await scene.run()).exit.code).toBe(4);
  });
});

test("with --wait an operator that is not ready is waited for", async () => {
  const scene = await aScene();
  const ready = await scene.cluster.get(deploymentRef);
  scene.controlPlane.setStatus(
    { resource: kinds.deployment, name: names.operator.deployment, namespace: "engine" },
    { ...(ready?.["status"] as object), readyReplicas: 0, availableReplicas: 0 },
  );
  const stopped = await scene.run();
  expect([stopped.exit.code, codesOf(stopped)]).toEqual([3, ["OPERATOR-NOT-READY"]]);
  const report = await scene.run({ wait: true });
  expect(report.exit.code).toBe(0);
  expect(waits(scene)[0]).toContain("the operator is not ready");
});
