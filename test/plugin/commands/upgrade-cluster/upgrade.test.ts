import { ApiError } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { getPath, asArray, getOwn } from "../../../../plugin/domain/base/values";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import {
  aScene,
  codesOf,
  deploymentRef,
  ecLabel,
  ecRef,
  type Scene,
  stepsOf,
  target,
  waits,
} from "./scene";
import { aClaim } from "../../../support/claims";
import { unwritable } from "../world";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import type { Misbehavior } from "../../../../plugin/simulator/operator/snapshot";
import { VirtualClock } from "../../../../plugin/ports/virtual-clock";
import { pollMs } from "../../../../plugin/kernel/wait";

const patchLine = `patch EngineEnterpriseCluster engine/ec`;
const imageOf = async (scene: Scene) =>
  getPath(await scene.ec(), ["spec", "engineEnterpriseImageSpec"]) as object;

test("manual: one patch of the tag, then followed pod by pod to the end", async () => {
  const scene = await aScene();
  const report = await scene.run();
  expect(report.exit).toEqual({
    code: 0,
    reason: `${ecLabel}: ${target} runs on all pods, state Running`,
  });
  expect(stepsOf(report)).toEqual(["cluster.patch changed", "cluster.follow done"]);
  expect(scene.sent).toEqual([patchLine]);
  expect(await imageOf(scene)).toMatchObject({ versionTag: target });
  const lines = waits(scene).join("\n");
  expect(lines).toContain(`the operator to take up ${target} (state Running)`);
  for (const pod of ["pod 1/3 ec-2", "pod 2/3 ec-1", "pod 3/3 ec-0"]) expect(lines).toContain(pod);
});

test("the old values are kept as a patch of their own, without the rest of the spec", async () => {
  const scene = await aScene();
  const report = await scene.run();
  expect(scene.saved).toEqual([
    {
      apiVersion: `${names.group}/v1`,
      kind: names.ec.kind,
      metadata: { name: "ec", namespace: "engine" },
      spec: { engineEnterpriseImageSpec: { versionTag: "7.8.2-34" } },
    },
  ]);
  expect(report.backups).toEqual([
    { object: ecLabel, file: "ec.json", lost: `a pod of ${ecLabel} was recreated` },
  ]);
  expect(scene.journal.map((line) => line.split(" ")[0])).toEqual(["intent", "outcome"]);
});

test("while no pod is recreated the old values can be put back, and until when is said", async () => {
  const scene = await aScene({ deafOperator: true });
  const report = await scene.run();
  expect(report.exit.code).toBe(1);
  expect(report.backups).toEqual([
    {
      object: ecLabel,
      file: "ec.json",
      command:
        "kubectl patch engineenterpriseclusters.app.engine.com ec --type=merge --patch-file ec.json",
      holds: "until the first pod is recreated",
    },
  ]);
});

test("automatic: the field is written where the definition has it, and what the operator brings is followed", async () => {
  const scene = await aScene();
  const report = await scene.run({ auto: true });
  expect(report.exit.code).toBe(0);
  expect(scene.sent).toEqual([patchLine]);
  expect(getPath(await scene.ec(), names.ecFields.autoUpgrade)).toBe(true);
  const again = await scene.run({ auto: true });
  expect([again.exit.code, scene.sent]).toEqual([0, [patchLine]]);
});

test("dry run server, the status moving meanwhile: planned, nothing in force", async () => {
  const scene = await aScene();
  scene.before = async (line) => {
    if (line === patchLine) await scene.patch({ metadata: { annotations: { seen: "now" } } });
  };
  const report = await scene.run({ dryRun: "server" });
  expect([report.exit.code, stepsOf(report)]).toEqual([0, ["cluster.patch planned"]]);
});

test("dry run of what is up to date: unchanged, and not followed", async () => {
  const scene = await aScene();
  await scene.run();
  const report = await scene.run({ dryRun: "client" });
  expect(stepsOf(report)).toEqual(["cluster.patch unchanged"]);
});

test("the older version of the API serves where the stored one is not there", async () => {
  const scene = await aScene();
  const resource = {
    group: "apiextensions.k8s.io",
    version: "v1",
    plural: "customresourcedefinitions",
    kind: "CustomResourceDefinition",
  };
  const ref = { resource, name: `${names.ec.plural}.${names.group}` };
  const found = await scene.cluster.get(ref);
  const versions = asArray(getPath(found, ["spec", "versions"])).map((version) => ({
    ...(version as object),
    served: getOwn(version, "name") !== names.ecVersion,
  }));
  await scene.cluster.patch(ref, { spec: { versions } }, { type: "merge" });
  const report = await scene.run({ dryRun: "server" });
  expect(report.steps).toMatchObject([{ write: { target: { version: "v1alpha1" } } }]);
  expect((await scene.run()).exit.code).toBe(0);
});

describe("before the write", () => {
  test("prerequisites are checked: 3, all named, nothing sent", async () => {
    const scene = await aScene();
    await scene.cluster.patch(
      { ...(await edb(scene)) },
      { spec: { engineVersion: "6.2" } },
      { type: "merge" },
    );
    await scene.patch({ spec: { engineEnterpriseImageSpec: { digestHash: "sha256:ab" } } });
    const report = await scene.run({ target: "8.0.6-54" });
    expect(report.exit.code).toBe(3);
    expect(codesOf(report)).toEqual([
      "CLUSTER-TARGET-NOT-MANAGED",
      "CLUSTER-DIGEST-PINNED",
      "CLUSTER-DATABASE-OLD",
    ]);
    expect(scene.sent).toEqual([]);
  });

  test("what is accepted by name is written past; a skip that matches nothing is wrong usage: 2", async () => {
    const untold = (object: KubeObject): KubeObject =>
      object.kind === names.ec.kind
        ? { ...object, status: { ...(object["status"] as object), licenseStatus: undefined } }
        : object;
    const scene = await aScene({}, { objects: (all) => all.map(untold) });
    const skip = [{ code: "CLUSTER-LICENSE-UNKNOWN", object: ecLabel }];
    const blocked = await scene.run({ target });
    expect([blocked.exit.code, codesOf(blocked)]).toEqual([3, ["CLUSTER-LICENSE-UNKNOWN"]]);
    const mistyped = await scene.run({
      target,
      skip: [{ code: "CLUSTER-LICENSE-UNKNOWN", object: "x" }],
    });
    expect([mistyped.exit.code, scene.sent]).toEqual([2, []]);
    const part = await scene.run({
      target,
      skip: [...skip, { code: "OF-ANOTHER-PART" }],
      skipMayMiss: true,
      dryRun: "client",
    });
    expect([part.exit.code, scene.sent]).toEqual([0, []]);
    const accepted = await scene.run({ target, skip, dryRun: "client" });
    expect(accepted.exit.code).toBe(0);
    expect(accepted.findings).toMatchObject([{ ...skip[0], accepted: true }]);
  });

  test("an EC that is not there is told with those that are: 3", async () => {
    const scene = await aScene();
    const report = await scene.run({ name: "other" });
    expect(report.exit.code).toBe(3);
    expect(report.findings).toMatchObject([
      { code: "CLUSTER-ABSENT", cause: "namespace engine has no EC other; it has ec" },
    ]);
    const elsewhere = await scene.run({ namespace: "shop" });
    expect(elsewhere.findings).toMatchObject([
      { cause: "namespace shop has no EC ec; it has none" },
    ]);
  });

  test("auto is refused where no definition has the field: 3", async () => {
    const scene = await aScene({}, { objects: withoutAuto });
    const report = await scene.run({ auto: true });
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["CLUSTER-AUTO-FIELD-ABSENT"]]);
    expect(scene.sent).toEqual([]);
  });

  test("a field that is dropped nevertheless is seen in the answer: 1, dry run or not", async () => {
    const scene = await aScene({}, { objects: withoutAuto });
    scene.before = (line) =>
      line.startsWith("get CustomResourceDefinition")
        ? Promise.reject(new ApiError("forbidden", { status: 403 }))
        : Promise.resolve();
    const tried = await scene.run({ auto: true, dryRun: "server" });
    expect([tried.exit.code, codesOf(tried)]).toEqual([1, ["CLUSTER-FIELD-PRUNED"]]);
    const report = await scene.run({ auto: true });
    expect([report.exit.code, codesOf(report)]).toEqual([1, ["CLUSTER-FIELD-PRUNED"]]);
    expect(stepsOf(report)).toEqual(["cluster.patch failed"]);
  });

  test("a field of another manager: 5 with its name; taken when asked for, after a question", async () => {
    const scene = await aScene();
    const ec = await scene.ec();
    const { versionTag } = (await imageOf(scene)) as { versionTag: string };
    await scene.cluster.apply(
      {
        apiVersion: ec?.apiVersion ?? "",
        kind: names.ec.kind,
        metadata: { name: "ec", namespace: "engine" },
        spec: { engineEnterpriseImageSpec: { versionTag } },
      },
      { fieldManager: "argocd-controller", force: true },
    );
    const report = await scene.run();
    expect(report.exit.code).toBe(5);
    expect(report.findings).toMatchObject([
      {
        code: "FIELD-CONFLICT",
        field: ".spec.engineEnterpriseImageSpec.versionTag",
        cause: expect.stringContaining("argocd-controller") as string,
      },
    ]);
    expect(scene.sent).toEqual([]);
    const takeFields = [".spec.engineEnterpriseImageSpec.versionTag"];
    const refused = await scene.run({ takeFields }, { ask: () => Promise.resolve(false) });
    expect([refused.exit.code, scene.sent]).toEqual([2, []]);
    const taken = await scene.run({ takeFields });
    expect([taken.exit.code, scene.questions.length]).toEqual([0, 1]);
  });

  test("an EC that a GitOps controller owns: 5 and its own way", async () => {
    const scene = await aScene();
    await scene.patch({ metadata: { labels: { "argocd.argoproj.io/instance": "x" } } });
    const report = await scene.run();
    expect([report.exit.code, codesOf(report), scene.sent]).toEqual([5, ["CLUSTER-OWNED"], []]);
  });

  test("a home that cannot be written: 2 before a write, a warning where there is none", async () => {
    const scene = await aScene();
    const journal = unwritable();
    const refused = await scene.run({}, { journal });
    expect([refused.exit.code, scene.sent]).toEqual([2, []]);
    await scene.run();
    const again = await scene.run({}, { journal });
    expect([again.exit.code, codesOf(again)]).toEqual([0, ["HOME-NOT-WRITABLE"]]);
  });

  test("a rolling restart is waited for, and then the tag is written", async () => {
    const scene = await aScene();
    await scene.patch({
      spec: { userDefinedModules: [{ name: "rg", source: { https: { url: "https://x" } } }] },
    });
    await scene.clock.sleep(5_000);
    expect(getPath(await scene.ec(), names.ecFields.state)).toBe("RunningRollingUpdate");
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(waits(scene)[0]).toBe(`${ecLabel}: the end of its rolling restart`);
  });

  test.each(["Upgrade", "InvalidUpgrade"])(
    "the operator's release as the tag is corrected in state %s",
    async (state) => {
      const scene = await aScene();
      await scene.patch({ spec: { engineEnterpriseImageSpec: { versionTag: "8.0.2-2" } } });
      const how = { type: "merge", subresource: "status" } as const;
      await scene.cluster.patch(ecRef, { status: { state } }, how);
      const report = await scene.run();
      expect([report.exit.code, codesOf(report)]).toEqual([0, []]);
      expect(scene.sent).toHaveLength(1);
      const ec = await scene.ec();
      expect([getPath(ec, names.ecFields.versionTag), getPath(ec, names.ecFields.state)]).toEqual([
        target,
        "Running",
      ]);
    },
  );

  test("with --wait another upgrade is waited for; time that runs out is 124", async () => {
    const scene = await aScene({ endlessUpgrade: true });
    await scene.patch({ spec: { engineEnterpriseImageSpec: { versionTag: target } } });
    await scene.clock.sleep(60_000);
    const ask = { imageRepository: "mirror/engine" };
    const stopped = await scene.run(ask);
    expect([stopped.exit.code, codesOf(stopped)]).toEqual([3, ["CLUSTER-BUSY"]]);
    const waited = await scene.run({ ...ask, wait: true, limitMs: 60_000 });
    expect(waited.exit).toMatchObject({
      code: 124,
      next: expect.stringContaining("nothing") as string,
    });
    expect(scene.sent).toEqual([]);
  });
});

/** The definition of a release without the automatic upgrade. */
function withoutAuto(all: readonly KubeObject[]): readonly KubeObject[] {
  return all.map((object) =>
    object.kind === "CustomResourceDefinition"
      ? (JSON.parse(
          JSON.stringify(object).replaceAll("autoUpgradeEngineEnterprise", "somethingElse"),
        ) as KubeObject)
      : object,
  );
}

async function edb(scene: Scene) {
  const resource = { group: names.group, version: names.version, ...names.edb };
  const [first] = (await scene.cluster.list(resource, { namespace: "engine" })) ?? [];
  return { resource, name: first?.metadata.name ?? "", namespace: "engine" };
}

const minute = 60_000;
const statefulSets = {
  group: "apps",
  version: "v1",
  plural: "statefulsets",
  kind: "StatefulSet",
};
const pods = { group: "", version: "v1", plural: "pods", kind: "Pod" };

test.each<[string, Misbehavior]>([
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

test.each<[string, Misbehavior, string, string]>([
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

test("fixed meanwhile, a run again continues to the end without a write", async () => {
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

test("a database that cannot go along freezes an upgrade that someone began: named", async () => {
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

  test("no pod that comes back is a lost quorum once nothing moves", async () => {
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
    expect(report.exit.code).toBe(1);
    expect(report.findings).toMatchObject([{ code: "CLUSTER-QUORUM-LOST" }]);
  });

  test("does not begin again with a pod that is made again and again", async () => {
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
  expect(waits(scene)[0]).toContain("0/1 ready, 1 up to date");
});

test("a status that is written each time ends with 5 at last", async () => {
  const scene = await aScene();
  let count = 0;
  scene.before = async (line) => {
    if (line !== patchLine) return;
    count += 1;
    await scene.patch({ metadata: { annotations: { count: String(count) } } });
  };
  const report = await scene.run();
  expect([report.exit.code, count]).toEqual([5, 5]);
});

describe("volumes that are being expanded", () => {
  const claim = aClaim("engine-enterprise-storage-ec-1", { request: "60Gi", capacity: "40Gi" });
  const ref = {
    resource: kinds.claim,
    name: "engine-enterprise-storage-ec-1",
    namespace: "engine",
  };
  const expanded = aClaim(ref.name, { request: "60Gi", capacity: "61440Mi" });

  test("3, and nothing is written", async () => {
    const scene = await aScene({}, { objects: (all) => [...all, claim] });
    const report = await scene.run();
    expect([report.exit.code, codesOf(report), scene.sent]).toEqual([3, ["CLUSTER-RESIZING"], []]);
  });

  test("with --wait the tag is written when every claim has its size", async () => {
    const scene = await aScene({}, { objects: (all) => [...all, claim] });
    let looks = 0;
    scene.before = (line) => {
      if (line.startsWith("list persistentvolumeclaims") && (looks += 1) === 4) {
        expect(scene.sent).toEqual([]);
        scene.controlPlane.setStatus(ref, expanded["status"]);
      }
      return Promise.resolve();
    };
    const report = await scene.run({ wait: true });
    expect([report.exit.code, scene.sent]).toEqual([0, [patchLine]]);
    expect(waits(scene)[0]).toContain(`${ecLabel}: its volumes are being expanded`);
  });

  test("with --wait, what does not end is 124 before the write", async () => {
    const scene = await aScene({}, { objects: (all) => [...all, claim] });
    const report = await scene.run({ wait: true, limitMs: minute });
    expect([report.exit.code, scene.sent]).toEqual([124, []]);
  });

  test("whoever may not list claims is told so before anything is written: 4", async () => {
    const scene = await aScene({}, { user: { name: "nobody", groups: [] } });
    const report = await scene.run();
    expect([report.exit.code, scene.sent]).toEqual([4, []]);
    expect(report.permissions?.manifest).toContain("persistentvolumeclaims");
  });
});

describe("a spec that is up to date, and a StatefulSet that was scaled", () => {
  const setRef = { resource: statefulSets, name: "ec", namespace: "engine" };
  const scaled = (replicas: number) => ({ spec: { replicas } });

  test.each([0, 2])("to %i: 3, with what brings it back", async (replicas) => {
    const scene = await aScene();
    expect((await scene.run()).exit.code).toBe(0);
    await scene.cluster.patch(setRef, scaled(replicas), { type: "merge" });
    const report = await scene.run();
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["CLUSTER-SCALED"]]);
    expect(report.findings?.[0]?.fix).toContain("kubectl scale statefulset ec --replicas=3");
    const skip = [{ code: "CLUSTER-SCALED", object: "StatefulSet/engine/ec" }];
    const accepted = await scene.run({ skip, dryRun: "client" });
    expect(accepted.exit.code).toBe(0);
  });

  test("an EC that does not say how many nodes it has wants the usual number", async () => {
    const scene = await aScene();
    await scene.patch({ spec: { nodes: null } });
    await scene.cluster.patch(setRef, scaled(1), { type: "merge" });
    const report = await scene.run();
    expect([report.exit.code, codesOf(report), scene.sent]).toEqual([3, ["CLUSTER-SCALED"], []]);
    expect(report.findings?.[0]?.cause).toContain("it asks for 1 pod, and its EC for 3 nodes");
  });
});
