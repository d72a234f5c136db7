import type { KubeObject } from "../../../../plugin/domain/objects";
import {
  defaultStallAfterMs as stallAfterMs,
  judgeStatefulSet,
  podsOf,
  rollOf,
  renderRoll,
} from "../../../../plugin/domain/rollout/stateful-set";
import { aPod, aSet, factsOf, now, threePods } from "../cluster/scene";

const busy = { idleMs: 0, stallAfterMs };
const idle = { idleMs: stallAfterMs, stallAfterMs };
const old = { revision: "old" };

function judge(
  pods: readonly KubeObject[],
  patience: Parameters<typeof judgeStatefulSet>[2] = busy,
  { set = aSet(), events = [] }: { set?: KubeObject; events?: readonly KubeObject[] } = {},
) {
  return judgeStatefulSet(factsOf({ pods, events, statefulSets: [set] }), set, patience);
}

test("done: every pod is of the new revision and ready, and the status is of this generation", () => {
  expect(judge(threePods)).toEqual({ is: "done", says: "3/3 pods are renewed" });
});

test.each<[string, readonly KubeObject[], KubeObject]>([
  ["a status of an older generation", threePods, aSet(undefined, {}, { observedGeneration: 1 })],
  ["a pod too few", threePods.slice(1), aSet()],
  ["a pod too many", [...threePods, aPod(3, old)], aSet()],
  ["an old pod", [aPod(0, old), aPod(1), aPod(2)], aSet()],
  ["a pod that is not ready", [aPod(0, { ready: false }), aPod(1), aPod(2)], aSet()],
  ["no revision", threePods, aSet(undefined, {}, { updateRevision: undefined })],
])("not done: %s", (_title, pods, set) => {
  expect(judge(pods, busy, { set }).is).toBe("moving");
});

test("a StatefulSet that says nothing wants one pod", () => {
  const set: KubeObject = { ...aSet(), metadata: { name: "ec", namespace: "engine" }, spec: {} };
  const roll = rollOf(factsOf({ pods: [aPod(0)] }), set);
  expect([roll.wanted, roll.pods.length, roll.complete]).toEqual([1, 1, true]);
});

test("pods belong by owner, not by name or label", () => {
  const others = [
    aPod(5, { metadata: { ownerReferences: [{ kind: "StatefulSet", name: "ec", uid: "other" }] } }),
    aPod(6, { metadata: { ownerReferences: undefined } }),
    aPod(7, { metadata: { namespace: "elsewhere" } }),
    aPod(8, { metadata: { ownerReferences: [{ kind: "Job", uid: "set-uid" }] } }),
  ];
  expect(podsOf(factsOf({ pods: [...others, aPod(0)] }), aSet())).toEqual([aPod(0)]);
});

test.each<[string, readonly KubeObject[], string]>([
  ["the first to go", [aPod(0, old), aPod(1, old), aPod(2, old)], "pod 1/3 ec-2"],
  [
    "one that ends",
    [aPod(0, old), aPod(1, old), aPod(2, { ...old, metadata: { deletionTimestamp: "x" } })],
    "pod 1/3 ec-2 (terminating)",
  ],
  [
    "one that starts",
    [
      aPod(0, old),
      aPod(1, {
        ready: false,
        status: {
          conditions: [],
          containerStatuses: [{ state: { waiting: { reason: "ContainerCreating" } } }],
        },
      }),
      aPod(2),
    ],
    "pod 2/3 ec-1 (ContainerCreating)",
  ],
  [
    "one without a container yet",
    [aPod(0, old), aPod(1, { ready: false, status: { phase: "Pending" } }), aPod(2)].map((pod) =>
      pod.metadata.name === "ec-1" ? { ...pod, status: {} } : pod,
    ),
    "pod 2/3 ec-1 (Pending)",
  ],
  ["one that is missing", [aPod(0), aPod(1)], "pods 2/3"],
  [
    "one that has no number last",
    [aPod(0, { ...old, metadata: { name: "odd" } }), aPod(1, { ...old, metadata: {} })],
    "pod 1/3 ec-1",
  ],
  ["one that has no name", [aPod(0, { ...old, metadata: { name: undefined } })], "pod 1/3 "],
])("the live line names %s", (_title, pods, line) => {
  expect(renderRoll(rollOf(factsOf({ pods }), aSet()))).toBe(line);
});

test("the step changes with a pod, and not with what a pod waits for or who it is", () => {
  const step = (pod: KubeObject): string => rollOf(factsOf({ pods: [pod] }), aSet()).step;
  const waiting = (reason: string): KubeObject =>
    aPod(0, {
      ready: false,
      status: { conditions: [], containerStatuses: [{ state: { waiting: { reason } } }] },
    });
  expect(step(waiting("CrashLoopBackOff"))).toBe(step(waiting("Error")));
  expect(step(aPod(0))).toBe(step(aPod(0, { metadata: { uid: "next" } })));
  expect(step(aPod(0))).not.toBe(step(aPod(0, { metadata: { deletionTimestamp: "x" } })));
  expect(step(aPod(0))).not.toBe(step(aPod(0, { ready: false })));
});

const stuck = aPod(1, { ready: false });
const noImage = aPod(1, {
  ready: false,
  status: {
    conditions: [],
    containerStatuses: [{ name: "n", state: { waiting: { reason: "ErrImagePull" } } }],
  },
});
const failedCreate = (fields: object): KubeObject => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "e", namespace: "engine" },
  reason: "FailedCreate",
  involvedObject: { kind: "StatefulSet", name: "ec" },
  message: "exceeded quota",
  ...fields,
});

describe("stalled", () => {
  test("at once by a cause that waiting does not fix", () => {
    expect(judge([aPod(0, old), noImage, aPod(2)])).toMatchObject({
      is: "stalled",
      code: "POD-IMAGE",
      object: "Pod/engine/ec-1",
    });
  });

  test("by any other cause only when nothing has moved for long enough", () => {
    const pods = [aPod(0, old), stuck, aPod(2)];
    expect(judge(pods).is).toBe("moving");
    expect(judge(pods, { idleMs: stallAfterMs - 1, stallAfterMs }).is).toBe("moving");
    expect(judge(pods, idle)).toMatchObject({ is: "stalled", code: "POD-NOT-READY" });
  });

  test("where nobody watched, by the time that the pod tells", () => {
    const since = (ms: number): KubeObject =>
      aPod(1, {
        ready: false,
        status: {
          conditions: [
            {
              type: "Ready",
              status: "False",
              lastTransitionTime: new Date(now - ms).toISOString(),
            },
          ],
        },
      });
    expect(judge([aPod(0), since(stallAfterMs), aPod(2)], { stallAfterMs }).is).toBe("stalled");
    expect(judge([aPod(0), since(1000), aPod(2)], { stallAfterMs }).is).toBe("moving");
    expect(judge([aPod(0), stuck, aPod(2)], { stallAfterMs }).is).toBe("moving");
  });

  test.each([
    ["OnDelete", { type: "OnDelete" }, "its update strategy OnDelete keeps ec-0"],
    [
      "a partition",
      { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
      "its update partition 1 keeps ec-0",
    ],
  ])("by an update strategy that holds pods back: %s", (_title, updateStrategy, because) => {
    const set = aSet(undefined, { updateStrategy });
    expect(judge([aPod(0, old), aPod(1), aPod(2)], idle, { set })).toMatchObject({
      is: "stalled",
      code: "ROLLOUT-HELD",
      object: "StatefulSet/engine/ec",
      because: expect.stringContaining(because) as string,
    });
  });

  test("not by a partition that every old pod is above, nor by one when none is old", () => {
    const set = aSet(undefined, { updateStrategy: { rollingUpdate: { partition: 2 } } });
    expect(judge([aPod(0), aPod(1), aPod(2, old)], idle, { set }).is).toBe("moving");
    expect(judge([aPod(0), aPod(1)], idle, { set }).is).toBe("moving");
  });

  test("by a pod that may not be made, as the last event says", () => {
    const events = [
      failedCreate({ message: "later", eventTime: "2026-08-01T10:10:00Z" }),
      failedCreate({ message: "earlier", lastTimestamp: "2026-08-01T10:00:00Z" }),
      failedCreate({ message: "undated" }),
    ];
    expect(judge(threePods.slice(1), idle, { events })).toMatchObject({
      code: "POD-NOT-CREATED",
      because: "1 of its pods may not be created: later",
    });
    expect(judge(threePods.slice(1), { stallAfterMs: 60_000 }, { events }).is).toBe("stalled");
    expect(
      judge(threePods.slice(1), idle, { events: [failedCreate({ message: 3 })] }),
    ).toMatchObject({ because: "1 of its pods may not be created: " });
  });

  test.each([
    ["of another reason", { reason: "SuccessfulCreate" }],
    ["of another kind", { involvedObject: { kind: "ReplicaSet", name: "ec" } }],
    ["of another StatefulSet", { involvedObject: { kind: "StatefulSet", name: "other" } }],
  ])("not by an event %s", (_title, fields) => {
    expect(judge(threePods.slice(1), idle, { events: [failedCreate(fields)] }).is).toBe("moving");
  });
});
