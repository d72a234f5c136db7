import type { Pod, StatefulSet } from "../../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import {
  isSameStall,
  makeStalled,
  stallFinding,
  type Stalled,
} from "../../../../plugin/domain/rollout/progress";
import { isReady, podTrouble } from "../../../../plugin/domain/rollout/pod-causes";
import * as rolls from "../../../../plugin/domain/rollout/stateful-set";
import { lastMovement } from "../../../../plugin/domain/rollout/times";
import { aPod, aSet, factsOf, now, threePods } from "../engine-cluster/scene";

const { findContainer, defaultStallAfterMs: stallAfterMs } = rolls;
const { listPods, readRoll, renderRoll } = rolls;

const busy = { idleMs: 0, stallAfterMs };
const idle = { idleMs: stallAfterMs, stallAfterMs };
const old = { revision: "old" };
const startedAt = "2026-08-01T10:00:00Z";
const ending = { deletionTimestamp: "2026-08-01T11:00:00Z" };

function judge(
  pods: readonly KubeObject[],
  patience: rolls.StallDeadline = busy,
  { set = aSet(), events = [] }: { set?: StatefulSet; events?: readonly KubeObject[] } = {},
) {
  const facts = factsOf({ pods, events, statefulSets: [set] });
  const roll = readRoll(facts, set);
  if (roll.complete) return { is: "done", says: `${roll.done}/${roll.wanted} pods are renewed` };
  const moved = lastMovement({ set, pods: roll.pods.map(({ pod }) => pod) })?.at;
  const troubles = rolls.listTroubles(facts, set, roll);
  const [found] = rolls.dueOnes(troubles, { patience, moved, now: facts.now });
  return found === undefined ? { is: "moving", on: renderRoll(roll) } : makeStalled(found);
}

const containing = (text: string) => expect.stringContaining(text) as string;
const container = (state: object, more: object = {}): object => ({
  conditions: [],
  containerStatuses: [{ name: "node", state, ...more }],
});
const waitsFor = (reason: string, message?: string) => container({ waiting: { reason, message } });
const waitingPod = (reason: string) => aPod(1, { ready: false, status: { ...waitsFor(reason) } });

test("done: every pod is of the new revision and ready, and the status is of this generation", () => {
  expect(judge(threePods)).toEqual({ is: "done", says: "3/3 pods are renewed" });
});

test.each<[string, readonly KubeObject[], StatefulSet?]>([
  ["a status of an older generation", threePods, aSet(undefined, {}, { observedGeneration: 1 })],
  ["a pod too few", threePods.slice(1)],
  ["a pod too many", [...threePods, aPod(3, old)]],
  ["an old pod", [aPod(0, old), aPod(1), aPod(2)]],
  ["a pod that is not ready", [aPod(0, { ready: false }), aPod(1), aPod(2)]],
  ["no revision", threePods, aSet(undefined, {}, { updateRevision: undefined })],
])("not done: %s", (_title, ...[pods, set]) => {
  expect(judge(pods, busy, { set }).is).toBe("moving");
});

test("a StatefulSet that says nothing wants one pod", () => {
  const set: StatefulSet = { ...aSet(), metadata: { name: "ec", namespace: "engine" }, spec: {} };
  const roll = readRoll(factsOf({ pods: [aPod(0)] }), set);
  expect([roll.wanted, roll.pods.length, roll.complete]).toEqual([1, 1, true]);
});

test("pods belong by owner, not by name or label", () => {
  const others = [
    aPod(5, { metadata: { ownerReferences: [{ kind: "StatefulSet", name: "ec", uid: "other" }] } }),
    aPod(6, { metadata: { ownerReferences: undefined } }),
    aPod(7, { metadata: { namespace: "elsewhere" } }),
    aPod(8, { metadata: { ownerReferences: [{ kind: "Job", uid: "set-uid" }] } }),
  ];
  expect(listPods(factsOf({ pods: [...others, aPod(0)] }), aSet())).toEqual([aPod(0)]);
});

test.each<[string, readonly Pod[], string]>([
  ["the first to go", [aPod(0, old), aPod(1, old), aPod(2, old)], "pod 1/3 ec-2"],
  [
    "one that ends",
    [aPod(0, old), aPod(1, old), aPod(2, { ...old, metadata: ending })],
    "pod 1/3 ec-2 (terminating)",
  ],
  [
    "one that starts",
    [aPod(0, old), waitingPod("ContainerCreating"), aPod(2)],
    "pod 2/3 ec-1 (ContainerCreating)",
  ],
  [
    "one without a container yet",
    [aPod(0, old), { ...aPod(1), status: {} }, aPod(2)],
    "pod 2/3 ec-1 (Pending)",
  ],
  ["one that is missing", [aPod(0), aPod(1)], "pod 3/3 ec-2 (absent)"],
  ["none where all are new and ready", [aPod(0), aPod(1), aPod(2)], "pods 3/3"],
  [
    "one that has no number last",
    [aPod(0, { ...old, metadata: { name: "odd" } }), aPod(1, { ...old, metadata: {} }), aPod(2)],
    "pod 2/3 ec-1",
  ],
  [
    "one that has no name",
    [aPod(0, { ...old, metadata: { name: undefined } }), aPod(1), aPod(2)],
    "pod 3/3 ",
  ],
])("the live line names %s", (_title, pods, line) => {
  expect(renderRoll(readRoll(factsOf({ pods }), aSet()))).toBe(line);
});

test("the step changes with a pod, and not with what a pod waits for or who it is", () => {
  const step = (pod: Pod): string => readRoll(factsOf({ pods: [pod] }), aSet()).step;
  expect(step(waitingPod("CrashLoopBackOff"))).toBe(step(waitingPod("Error")));
  expect(step(aPod(0))).toBe(step(aPod(0, { metadata: { uid: "next" } })));
  expect(step(aPod(0))).not.toBe(step(aPod(0, { metadata: ending })));
  expect(step(aPod(0))).not.toBe(step(aPod(0, { ready: false })));
});

test("a stall is at once by a cause that waiting does not fix", () => {
  expect(judge([aPod(0, old), waitingPod("ErrImagePull"), aPod(2)])).toMatchObject({
    is: "stalled",
    code: "POD-IMAGE",
    object: "Pod/engine/ec-1",
  });
});

const stuck = aPod(1, { ready: false });
const since = (ms: number): Pod => {
  const lastTransitionTime = new Date(now - ms).toISOString();
  const conditions = [{ type: "Ready", status: "False", lastTransitionTime }];
  return aPod(1, { status: { conditions } });
};

test.each<[string, Pod, rolls.StallDeadline, "moving" | "stalled"]>([
  ["nothing has moved for no time", stuck, busy, "moving"],
  ["nothing has moved for too short", stuck, { ...idle, idleMs: stallAfterMs - 1 }, "moving"],
  ["nothing has moved for long enough", stuck, idle, "stalled"],
  ["nobody watched, and the pod tells it", since(stallAfterMs), { stallAfterMs }, "stalled"],
  ["nobody watched, and the pod is young", since(1000), { stallAfterMs }, "moving"],
  ["nobody watched, and nothing tells", stuck, { stallAfterMs }, "moving"],
])("any other cause: %s", (_title, pod, ...[patience, is]) => {
  expect(judge([aPod(0), pod, aPod(2)], patience)).toMatchObject(
    is === "stalled" ? { is, code: "POD-NOT-READY" } : { is },
  );
});

const partition = (from: number) => ({ rollingUpdate: { partition: from } });
const strategy = "its update strategy OnDelete keeps ec-0";

test.each<[string, object, readonly KubeObject[], string | undefined]>([
  ["OnDelete", { type: "OnDelete" }, [aPod(0, old), aPod(1), aPod(2)], strategy],
  [
    "one above an old pod",
    partition(1),
    [aPod(0, old), aPod(1), aPod(2)],
    "its update partition 1",
  ],
  ["one below all old pods", partition(2), [aPod(0), aPod(1), aPod(2, old)], undefined],
  ["one where none is old", partition(2), [aPod(0), aPod(1)], undefined],
])("held back by an update strategy: %s", (_title, updateStrategy, ...[pods, cause]) => {
  const found = judge(pods, idle, { set: aSet(undefined, { updateStrategy }) });
  const held = { code: "ROLLOUT-HELD", object: "StatefulSet/engine/ec" };
  if (cause === undefined) expect(found).not.toMatchObject({ code: held.code });
  else expect(found).toMatchObject({ ...held, cause: containing(cause) });
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
const three = [
  failedCreate({ message: "later", eventTime: "2026-08-01T10:10:00Z" }),
  failedCreate({ message: "earlier", lastTimestamp: startedAt }),
  failedCreate({ message: "undated" }),
];
const notMade = "1 of its pods may not be created: ";

test.each<[string, readonly KubeObject[], rolls.StallDeadline, string | undefined]>([
  ["as the last event says", three, idle, `${notMade}later`],
  ["as its time says", three, { stallAfterMs: 60_000 }, `${notMade}later`],
  ["without a message", [failedCreate({ message: 3 })], idle, notMade],
  ["not by an event of another reason", [failedCreate({ reason: "Other" })], idle, undefined],
  [
    "not by one of another kind",
    [failedCreate({ involvedObject: { kind: "ReplicaSet", name: "ec" } })],
    idle,
    undefined,
  ],
  [
    "not by one of another StatefulSet",
    [failedCreate({ involvedObject: { kind: "StatefulSet", name: "x" } })],
    idle,
    undefined,
  ],
])("a pod may not be made: %s", (_title, events, ...[patience, cause]) => {
  const found = judge(threePods.slice(1), patience, { events });
  const stalled = { is: "stalled", code: "POD-NOT-CREATED", cause };
  expect(found).toMatchObject(cause === undefined ? { code: "POD-ABSENT" } : stalled);
});

test("a container is found by name, an only one by any name", () => {
  const [one, other] = [{ name: "one" }, { name: "other" }];
  expect(findContainer({ containers: [one, other] }, "other")).toBe(other);
  expect(findContainer({ containers: [one] }, "other")).toBe(one);
  expect(findContainer({ containers: [one, other] }, "third")).toBeUndefined();
  expect(findContainer(undefined, "third")).toBeUndefined();
});

test("a pod that ends is not ready, whatever its condition says", () => {
  const ready = [{}, { ready: false }, { metadata: ending }].map((wish) => isReady(aPod(0, wish)));
  expect(ready).toEqual([true, false, false]);
});

const crashed = { terminated: { exitCode: 137, finishedAt: startedAt } };
const crash = container({ waiting: { reason: "CrashLoopBackOff" } }, { lastState: crashed });
const unscheduled = (condition: object): object => ({
  phase: "Pending",
  conditions: [{ type: "PodScheduled", status: "False", ...condition }],
});
const two = ["CrashLoopBackOff", "ErrImagePull"].map((reason) => ({
  state: { waiting: { reason } },
}));
const unready = {
  type: "Ready",
  status: "False",
  reason: "ContainersNotReady",
  message: "unready: [node]",
  lastTransitionTime: startedAt,
};

test.each<[string, object, object]>([
  [
    "an image that cannot be pulled",
    waitsFor("ImagePullBackOff", "not found"),
    { code: "POD-IMAGE", definite: true, cause: containing("not found") },
  ],
  [
    "an image without a message",
    waitsFor("ErrImagePull"),
    { code: "POD-IMAGE", cause: containing("(ErrImagePull)") },
  ],
  [
    "the image of an init container",
    { initContainerStatuses: [{ state: { waiting: { reason: "InvalidImageName" } } }] },
    { code: "POD-IMAGE", definite: true },
  ],
  [
    "a crash, with its last exit code",
    crash,
    { code: "POD-CRASH", since: startedAt, cause: containing("exit code 137") },
  ],
  [
    "a container that has just failed",
    container({ terminated: { exitCode: 1 } }),
    { code: "POD-CRASH", cause: containing("(Error, last exit code 1)") },
  ],
  [
    "a configuration that does not fit",
    waitsFor("CreateContainerConfigError"),
    { code: "POD-CONFIG", cause: containing("CreateContainerConfigError") },
  ],
  ["the surest of two", { containerStatuses: two }, { code: "POD-IMAGE" }],
  [
    "no node",
    unscheduled({ message: "insufficient memory", lastTransitionTime: startedAt }),
    { code: "POD-UNSCHEDULABLE", since: startedAt },
  ],
  [
    "no node and a reason alone",
    unscheduled({ reason: "Unschedulable" }),
    { code: "POD-UNSCHEDULABLE", cause: "no node takes it: Unschedulable" },
  ],
  ["no node and no word", unscheduled({}), { cause: "no node takes it: no reason" }],
  [
    "no volume",
    unscheduled({ message: "pod has unbound immediate PersistentVolumeClaims" }),
    { code: "POD-VOLUME" },
  ],
  [
    "containers that are being made",
    waitsFor("ContainerCreating"),
    { code: "POD-NOT-READY", cause: "it is Pending and not ready: ContainerCreating" },
  ],
  [
    "a pod that does not answer its probe",
    { ...container({ terminated: { exitCode: 0 } }), phase: "Running", conditions: [unready] },
    {
      code: "POD-NOT-READY",
      cause: "it is Running and not ready: ContainersNotReady: unready: [node]",
      since: startedAt,
    },
  ],
  [
    "an evicted pod",
    { phase: "Failed", reason: "Evicted", message: "low on memory" },
    { code: "POD-EVICTED", cause: "Evicted: low on memory" },
  ],
])("%s keeps a pod from being ready", (_title, status, expected) => {
  expect(podTrouble({ ...aPod(0), status })).toMatchObject(expected);
});

test("a ready pod has no trouble, and since when one has it is told by its making at least", () => {
  expect(podTrouble(aPod(0))).toBeUndefined();
  const metadata = { creationTimestamp: startedAt };
  expect(podTrouble(aPod(0, { ready: false, metadata }))?.since).toBe(startedAt);
});

const drain = [{ type: "DisruptionTarget", status: "True", message: "node drain" }];

test.each<[string, object, readonly object[], string, string | undefined]>([
  [
    "says its grace, and began that much before the end that is stored",
    { ...ending, deletionGracePeriodSeconds: 3600 },
    [],
    "it drains before it ends, and may take 3600 s",
    "2026-08-01T10:00:00.000Z",
  ],
  [
    "names the disruption that ends it",
    ending,
    drain,
    "it drains before it ends: node drain",
    "2026-08-01T11:00:00.000Z",
  ],
  [
    "without a readable time has no beginning",
    { deletionTimestamp: "soon" },
    [],
    "it drains before it ends",
    undefined,
  ],
])("a pod that drains %s", (_title, metadata, ...[conditions, cause, began]) => {
  const pod = aPod(0, { metadata: { ...metadata }, status: { conditions } });
  const found = { code: "POD-TERMINATING", cause, ...(began && { since: began }) };
  expect(podTrouble(pod)).toMatchObject(found);
});

const stall: Stalled = {
  is: "stalled",
  code: "POD-IMAGE",
  severity: "error",
  object: "Pod/engine/ec-2",
  cause: "its image is not there",
  fix: "push it",
  source: "Facts 11",
};

test.each<[Partial<Stalled> | undefined, boolean]>([
  [{}, true],
  [{ cause: "it is still not there" }, true],
  [{ object: "Pod/engine/ec-1" }, false],
  [{ code: "POD-CRASH" }, false],
  [undefined, false],
])("a stall seen before with %j is the same: %s", (before, same) => {
  expect(isSameStall(before && { ...stall, ...before }, stall)).toBe(same);
});

test("a stall as a finding is all but what is of the verdict", () => {
  const { is, ...finding } = stall;
  const verdict: Stalled = { ...finding, is, unproven: true, beside: [] };
  expect(stallFinding(verdict)).toEqual(finding);
});
