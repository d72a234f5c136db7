import { asArray, getPath } from "../../../../plugin/domain/base/values";
import type { FactKey } from "../../../../plugin/domain/facts/facts";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { aClaim } from "../../../support/claims";
import {
  rollIn,
  judgeCluster,
  readRunningVersion,
  type WantedCluster,
} from "../../../../plugin/domain/engine-cluster/rollout";
import { defaultStallAfterMs as stallAfterMs } from "../../../../plugin/domain/rollout/stateful-set";
import {
  aDatabase,
  anEc,
  anOperator,
  aPod,
  aSet,
  factsOf,
  newTag,
  nodeContainer,
  oldTag,
  threePods,
} from "./scene";

type Scene = Partial<Record<FactKey, readonly KubeObject[]>>;

const upgraded: Scene = {
  ...{ ecs: [anEc()], statefulSets: [aSet()], pods: threePods },
  deployments: [anOperator()],
};
const busy = { idleMs: 0, stallAfterMs };
const idle = { idleMs: stallAfterMs, stallAfterMs };

function judge(scene: Scene, wanted: WantedCluster = {}) {
  return judgeCluster(factsOf({ ...upgraded, ...scene }), "ec", {
    tag: newTag,
    patience: busy,
    ...wanted,
  });
}

const old = { tag: oldTag, revision: "old" };
const oldPods = [aPod(0, old), aPod(1, old), aPod(2, old)];

test("done: all pods run the tag on the new revision, and the state is Running", () => {
  expect(judge({})).toEqual({ is: "done", says: `${newTag} runs on all pods, state Running` });
});

test("without a wish the EC's own spec is what is wanted", () => {
  const own = anEc({ engineEnterpriseImageSpec: { versionTag: newTag } });
  expect(judgeCluster(factsOf({ ...upgraded, ecs: [own] }), "ec").is).toBe("done");
  expect(judgeCluster(factsOf(upgraded), "ec")).toMatchObject({
    is: "stalled",
    code: "CLUSTER-TAG-LOWERED",
  });
});

test("an EC without an image spec runs the operator's own image", () => {
  const ecs = [anEc({ engineEnterpriseImageSpec: undefined })];
  expect(judgeCluster(factsOf({ ...upgraded, ecs }), "ec")).toEqual({
    is: "done",
    says: "the operator's own image runs on all pods, state Running",
  });
});

test("a spec status that is not told is not held against it", () => {
  expect(judge({ ecs: [anEc({}, { specStatus: undefined })] }).is).toBe("done");
});

test.each<[string, Scene, WantedCluster, string]>([
  [
    "a stale Running before the operator has acted",
    { statefulSets: [aSet(oldTag)], pods: oldPods },
    {},
    `the operator to take up ${newTag} (state Running)`,
  ],
  [
    "a Running that lies while pods roll",
    { pods: [aPod(0, old), aPod(1, old), aPod(2)] },
    {},
    "pod 2/3 ec-1, state Running",
  ],
  [
    "pods of the new revision with another image",
    { pods: [aPod(0, { tag: oldTag }), aPod(1), aPod(2)], ecs: [anEc({}, { state: "Upgrade" })] },
    {},
    "state Running (now Upgrade)",
  ],
  [
    "an unknown state, as it is written",
    { ecs: [anEc({}, { state: "Wobbling" })] },
    {},
    "state Running (now Wobbling)",
  ],
  ["no state", { ecs: [anEc({}, { state: undefined })] }, {}, "state Running (now not told)"],
  ["no StatefulSet", { statefulSets: [] }, {}, "its StatefulSet (state Running)"],
  [
    "another repository",
    {},
    { repository: "mirror/engine" },
    `the operator to take up ${newTag} (state Running)`,
  ],
  [
    "another pull policy",
    {},
    { imagePullPolicy: "Always" },
    `the operator to take up ${newTag} (state Running)`,
  ],
  [
    "the small image where the usual one was asked for",
    { statefulSets: [aSet(`${newTag}.minimal`)] },
    {},
    `the operator to take up ${newTag} (state Running)`,
  ],
  [
    "a tag that is none",
    { statefulSets: [aSet("latest")] },
    { sameRelease: true },
    `the operator to take up ${newTag} (state Running)`,
  ],
  [
    "a template without the container",
    { statefulSets: [aSet(newTag, { template: {} })] },
    {},
    `the operator to take up ${newTag} (state Running)`,
  ],
])("not done: %s", (_title, ...[scene, wanted, on]) => {
  expect(judge(scene, wanted)).toMatchObject({ is: "moving", on });
});

const expanding = aClaim("engine-enterprise-storage-ec-1", { request: "60Gi", capacity: "40Gi" });

test("volumes that are being expanded are the reason while the StatefulSet is absent", () => {
  const scene = { statefulSets: [], claims: [expanding] };
  const says = "its volumes are being expanded: PersistentVolumeClaim/engine/";
  expect(judge(scene)).toMatchObject({
    is: "moving",
    on: expect.stringContaining(`its StatefulSet (state Running); ${says}`) as string,
  });
  expect(judge(scene, { patience: idle })).toMatchObject({
    ...{ is: "stalled", code: "CLUSTER-RESIZING" },
    cause: expect.stringContaining(says) as string,
  });
});

test("a volume that cannot be expanded is told at once", () => {
  const failed = aClaim("engine-enterprise-storage-ec-1", {
    ...{ request: "60Gi", capacity: "40Gi" },
    conditions: { NodeResizeError: "full" },
  });
  expect(judge({ statefulSets: [], claims: [failed] })).toMatchObject({
    ...{ is: "stalled", code: "CLUSTER-RESIZING" },
    fix: expect.stringContaining("kubectl describe pvc") as string,
  });
});

test("pods that still run another image under a Running state are waited for", () => {
  const pods = [aPod(0, { tag: oldTag }), aPod(1), aPod(2)];
  expect(judge({ pods })).toMatchObject({ is: "moving", on: "pods with another image" });
});

test.each<[string, Scene, WantedCluster]>([
  [
    "the small image, where the operator chooses",
    {
      statefulSets: [aSet(`${newTag}.minimal`)],
      pods: threePods.map((_pod, ordinal) => aPod(ordinal, { tag: `${newTag}.minimal` })),
    },
    { sameRelease: true },
  ],
  [
    "the repository and policy asked for",
    {},
    {
      repository: "engine/engine",
      imagePullPolicy: "IfNotPresent",
    },
  ],
  [
    "an image that is pinned by digest tells no tag",
    {
      statefulSets: [
        aSet(newTag, {
          template: { spec: { containers: [{ ...nodeContainer(""), image: "e@sha256:ab" }] } },
        }),
      ],
    },
    {},
  ],
])("done: %s", (_title, scene, wanted) => {
  expect(judge(scene, wanted).is).toBe("done");
});

test("the step changes with the state, the spec status and the pods", () => {
  const step = (scene: Scene): unknown => {
    const verdict = judge(scene, { tag: "9.0.0-1" });
    return verdict.is === "moving" && verdict.step;
  };
  const steps = [
    step({}),
    step({ ecs: [anEc({}, { state: "Upgrade" })] }),
    step({ pods: oldPods }),
    step({ statefulSets: [aSet("9.0.0-1")] }),
  ];
  expect(new Set(steps).size).toBe(steps.length);
});

const invalid = { state: "InvalidUpgrade" };
const digest = {
  upgradeSpec: { autoUpgradeEngineEnterprise: true },
  bootstrapperImageSpec: { digestHash: "sha256:ab" },
};

describe("stalled", () => {
  test.each<[string, Scene, object]>([
    [
      "the EC is gone",
      { ecs: [] },
      { code: "CLUSTER-ABSENT", object: "EngineEnterpriseCluster/engine/ec" },
    ],
    [
      "the EC is being deleted",
      { ecs: [anEc({}, {}, { deletionTimestamp: "2026-08-01T10:00:00Z" })] },
      { code: "CLUSTER-DELETING" },
    ],
    [
      "InvalidUpgrade, explained from data",
      { ecs: [anEc(digest, invalid)] },
      {
        code: "CLUSTER-INVALID-UPGRADE",
        cause: expect.stringContaining("bootstrapperImageSpec.digestHash pins") as string,
        fix: expect.stringContaining("remove spec.bootstrapperImageSpec.digestHash") as string,
      },
    ],
    [
      "InvalidUpgrade by license and databases, all named",
      {
        ecs: [anEc({}, { ...invalid, licenseStatus: { licenseState: "Expired" } })],
        edbs: [aDatabase("orders", { engineVersion: "6.2" })],
      },
      {
        cause: expect.stringMatching(/license state is Expired.*; it runs 6\.2/) as string,
      },
    ],
    [
      "InvalidUpgrade without a cause in the data",
      { ecs: [anEc({}, invalid)] },
      {
        cause: expect.stringContaining("show no cause") as string,
        fix: "see what the operator says: kubectl logs deployment/engine-enterprise-operator -c engine-enterprise-operator -n engine; then see each step with recover --ec ec",
      },
    ],
    [
      "an upgrade that has begun with a database that cannot go along",
      {
        ecs: [anEc({}, { state: "Upgrade" })],
        statefulSets: [aSet(oldTag)],
        pods: oldPods,
        edbs: [aDatabase("orders", { moduleList: [{ name: "mine" }] })],
      },
      {
        code: "CLUSTER-FROZEN",
        cause: expect.stringContaining("module mine of") as string,
        fix: expect.stringContaining("define mine") as string,
      },
    ],
    [
      "a spec that is not accepted",
      { ecs: [anEc({}, { specStatus: "Invalid" })] },
      {
        code: "CLUSTER-SPEC-INVALID",
        cause: expect.stringContaining("spec status is Invalid") as string,
      },
    ],
    [
      "a pod's image",
      {
        ecs: [anEc({}, { state: "Upgrade" })],
        pods: [
          aPod(2, {
            ready: false,
            status: {
              conditions: [],
              containerStatuses: [{ state: { waiting: { reason: "ErrImagePull" } } }],
            },
          }),
        ],
      },
      { code: "POD-IMAGE", object: "Pod/engine/ec-2" },
    ],
  ])("at once: %s", (_title, scene, expected) => {
    expect(judge(scene)).toMatchObject({ is: "stalled", ...expected });
  });

  test.each<[string, Scene, object]>([
    [
      "the state Error, as it is written",
      { ecs: [anEc({}, { state: "Error" })], pods: oldPods, statefulSets: [aSet(oldTag)] },
      { code: "CLUSTER-STATE", cause: "its state is Error" },
    ],
    [
      "a state that stays although every pod is renewed",
      { ecs: [anEc({}, { state: "Upgrade" })] },
      {
        code: "CLUSTER-STATE",
        cause: "its state is Upgrade, although all its pods are renewed and ready",
      },
    ],
    [
      "a license that ran out on the way",
      {
        ecs: [
          anEc({}, { licenseStatus: { licenseState: "Expired", expirationDate: "2026-07-31" } }),
        ],
        statefulSets: [aSet(oldTag)],
      },
      {
        code: "CLUSTER-LICENSE",
        cause: "the license state is Expired, it expires or expired 2026-07-31",
      },
    ],
    [
      "an operator that does not act",
      { ecs: [anEc({}, { state: undefined })], statefulSets: [aSet(oldTag)] },
      {
        code: "CLUSTER-NOT-TAKEN-UP",
        cause: `its StatefulSet does not ask for ${newTag} yet, and its state is not told`,
      },
    ],
    ["no StatefulSet", { statefulSets: [] }, { code: "CLUSTER-NOT-TAKEN-UP" }],
    [
      "a pod that does not become ready",
      { pods: [aPod(0), aPod(1), aPod(2, { ready: false })] },
      { code: "POD-NOT-READY" },
    ],
  ])("after a while without progress: %s", (_title, scene, expected) => {
    expect(judge(scene).is).toBe("moving");
    expect(judge(scene, { patience: idle })).toMatchObject({ is: "stalled", ...expected });
  });

  test("InvalidUpgrade of before the change says nothing of it, until nothing moves", () => {
    const scene = { ecs: [anEc({}, invalid)], statefulSets: [aSet(oldTag)], pods: oldPods };
    const wanted = { stateBefore: "InvalidUpgrade" };
    expect(judge(scene, wanted).is).toBe("moving");
    expect(judge(scene, { ...wanted, patience: idle })).toMatchObject({
      code: "CLUSTER-INVALID-UPGRADE",
    });
    expect(judge({ ecs: [anEc({}, invalid)] }, wanted).is).toBe("stalled");
    expect(judge({ ...scene, ecs: [anEc(digest, invalid)] }, wanted).is).toBe("stalled");
  });

  test("a pod that is not there is named once nothing moves", () => {
    const pods = [aPod(0), aPod(1)];
    expect(judge({ pods }).is).toBe("moving");
    expect(judge({ pods }, { patience: idle })).toMatchObject({
      code: "POD-ABSENT",
      cause: "ec-2 does not exist, and no event says why",
    });
  });
});

test("a template that asks for what is wanted is taken up", () => {
  const taken = (scene: Scene, tag = newTag): boolean =>
    rollIn(factsOf({ ...upgraded, ...scene }), "ec", { tag }) !== undefined;
  expect([taken({}), taken({}, "9.0.0-1"), taken({ ecs: [] })]).toEqual([true, false, false]);
});

describe("the running version", () => {
  const running = (scene: Scene, ec = anEc()) =>
    readRunningVersion(factsOf({ ...upgraded, ...scene }), ec);

  test("is told by the pods, oldest first, whatever the spec says", () => {
    expect(running({})).toEqual([newTag]);
    expect(running({ pods: [aPod(0), aPod(1), aPod(2, old)] })).toEqual([oldTag, newTag]);
    expect(running({ pods: [aPod(0, { tag: "odd" }), aPod(1)] })).toEqual(["odd", newTag]);
  });

  test("of an image by digest is its digest, and of one that tells neither nothing", () => {
    const imaged = (image: string) => {
      const pod = aPod(0);
      const [container] = asArray(getPath(pod, ["spec", "containers"])) as readonly object[];
      return {
        ...pod,
        spec: { ...(pod["spec"] as object), containers: [{ ...container, image }] },
      };
    };
    const digest = `sha256:${"a".repeat(64)}`;
    expect(running({ pods: [imaged(`engine/engine@${digest}`)] })).toEqual(["sha256:aaaaaaaaaaaa"]);
    expect(running({ pods: [imaged("engine/engine")] })).toEqual([]);
  });

  test("is not known without a StatefulSet", () => {
    expect(running({ statefulSets: [] })).toEqual([]);
    expect(running({}, { ...anEc(), metadata: {} })).toEqual([]);
  });
});

describe("while pods are renewed, how long one took is told", () => {
  const made = "2026-05-03T10:00:00Z";
  const startOf = (pod: KubeObject, readyAt?: string): KubeObject => ({
    ...pod,
    metadata: { ...pod.metadata, creationTimestamp: made },
    status: {
      ...(pod["status"] as object),
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: readyAt }],
    },
  });
  const [first = aPod(0), second = aPod(1), third = aPod(2)] = threePods;
  const quick = startOf(third, "2026-05-03T10:01:00Z");
  const slow = startOf(second, "2026-05-03T10:03:00Z");

  test.each<[string, readonly KubeObject[], string | undefined]>([
    [
      "one through",
      [aPod(0, old), aPod(1, old), quick],
      "took 60s until it was ready, pods left: 2",
    ],
    ["two through", [aPod(0, old), slow, quick], "took 2m until it was ready, pods left: 1"],
    ["none through", oldPods, undefined],
    ["one that does not tell when", [aPod(0, old), startOf(second), aPod(2, old)], undefined],
    ["nothing is renewed", [startOf(first, made), slow, quick], undefined],
  ])("%s", (_, pods, told) => {
    const ecs = [anEc({}, { state: "Upgrade" })];
    const seen = judge({ ecs, pods });
    const last = seen.is === "moving" ? String(seen.last) : "";
    if (told === undefined) expect(last).not.toContain("took");
    else expect(last).toContain(told);
  });
});
