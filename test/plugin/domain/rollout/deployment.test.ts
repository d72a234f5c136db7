import type { FactKey } from "../../../../plugin/domain/facts/facts";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { judgeDeployment } from "../../../../plugin/domain/rollout/deployment";
import { factsOf } from "../engine-cluster/scene";

const name = names.operator.deployment;
const revision = "deployment.kubernetes.io/revision";
const template = { metadata: { labels: { name: "x" } }, spec: { containers: [] } };
const ready = {
  observedGeneration: 2,
  replicas: 1,
  updatedReplicas: 1,
  readyReplicas: 1,
  availableReplicas: 1,
};

interface Parts {
  readonly spec?: object;
  readonly status?: object;
  readonly metadata?: object;
}

const aDeployment = ({ spec = {}, status = {}, metadata = {} }: Parts = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    ...{ name, namespace: "engine", uid: "d", generation: 2, annotations: { [revision]: "2" } },
    ...metadata,
  },
  spec: { replicas: 1, template, ...spec },
  status: { observedGeneration: 2, ...status },
});

const aSet = (parts: Parts = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    ...{ name: "set", uid: "s", annotations: { [revision]: "2" } },
    ...{ ownerReferences: [{ uid: "d" }], ...parts.metadata },
  },
  spec: { template, ...parts.spec },
  ...(parts.status !== undefined && { status: parts.status }),
});

const aPod = (status: object, metadata: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "pod",
    namespace: "engine",
    ownerReferences: [{ kind: "ReplicaSet", uid: "s", controller: true }],
    ...metadata,
  },
  status,
});

const anEvent = (message: string | undefined, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: {},
  reason: "FailedCreate",
  involvedObject: { uid: "s" },
  ...(message !== undefined && { message }),
  ...more,
});

const judged = (objects: Partial<Record<FactKey, readonly KubeObject[]>>) =>
  judgeDeployment(factsOf(objects), name);

const waiting = (reason: string, more: object = {}): object => ({
  containerStatuses: [{ name: "c", state: { waiting: { reason } }, ...more }],
});
const condition = (type: string, status: string, more: object = {}): object => ({
  conditions: [{ type, status, ...more }],
});

const moving = (on: string) => ({ is: "moving", on: expect.stringContaining(on) as string });
const late = condition("Progressing", "False");
const staleStatus = { ...ready, observedGeneration: 1, ...late };
const tooLong = condition("Progressing", "False", { message: "too long" });

test.each<[string, Parts, object]>([
  ["ready", { status: ready }, { is: "done", says: "1/1 ready, 1 up to date, 1 available" }],
  [
    "ready without a generation",
    { status: ready, metadata: { generation: undefined } },
    { is: "done" },
  ],
  ["one pod by default", { status: ready, spec: { replicas: undefined } }, { is: "done" }],
  ["stale, which excludes all else", { status: staleStatus }, moving("not been seen")],
  ["without a status", { status: { observedGeneration: undefined } }, { is: "moving" }],
  ["with an old pod left", { status: { ...ready, replicas: 2 } }, moving("1 of the old one left")],
  ["not yet ready", {}, moving("0/1 ready")],
  ["paused", { spec: { paused: true } }, { is: "stalled", code: "OPERATOR-PAUSED" }],
  ["without a pod wanted", { spec: { replicas: 0 } }, { code: "OPERATOR-SCALED-DOWN" }],
  ["late", { status: tooLong }, { cause: expect.stringMatching(/: too long$/) as string }],
  ["late without a word", { status: late }, { is: "stalled", code: "OPERATOR-DEADLINE" }],
])("what needs no pod to check: %s", (_, parts, verdict) => {
  expect(judged({ deployments: [aDeployment(parts)] })).toMatchObject(verdict);
});

test("one that is gone, and a step that is another one when anything moved", () => {
  expect(judged({})).toMatchObject({ is: "stalled", code: "OPERATOR-DEPLOYMENT-GONE" });
  const [one, two] = [{}, { status: { updatedReplicas: 1 } }].map((parts) =>
    judged({ deployments: [aDeployment(parts)] }),
  );
  expect(one).not.toEqual(two);
});

describe("the newest pod", () => {
  test.each([
    ["ImagePullBackOff", {}, "OPERATOR-IMAGE-PULL", "(ImagePullBackOff)"],
    ["ErrImagePull", { image: "a:1" }, "OPERATOR-IMAGE-PULL", "(ErrImagePull)"],
    [
      "CreateContainerConfigError",
      {},
      "OPERATOR-POD-CONFIGURATION",
      "(CreateContainerConfigError)",
    ],
    ["CrashLoopBackOff", {}, "OPERATOR-CRASH", "container c does not stay up (CrashLoopBackOff)"],
    [
      "CrashLoopBackOff",
      { lastState: { terminated: { exitCode: 2, reason: "Error", message: "no rights\n" } } },
      "OPERATOR-CRASH",
      "(CrashLoopBackOff, last exit code 2: no rights)",
    ],
    [
      "CrashLoopBackOff",
      { name: undefined, lastState: { terminated: { exitCode: 137 } } },
      "OPERATOR-CRASH",
      "(CrashLoopBackOff, last exit code 137)",
    ],
  ])("waits for %s %j", (...[reason, more, code, words]) => {
    const objects = { replicaSets: [aSet()], pods: [aPod(waiting(reason, more))] };
    const verdict = judged({ deployments: [aDeployment({ status: late })], ...objects });
    expect(verdict).toMatchObject({ is: "stalled", code, object: "Pod/engine/pod" });
    expect(verdict.is === "stalled" && verdict.cause.endsWith(words)).toBe(true);
  });

  test("that is not ready when the deadline is over is told as any pod is", () => {
    const objects = { replicaSets: [aSet()], pods: [aPod({ phase: "Running" })] };
    const verdict = judged({ deployments: [aDeployment({ status: late })], ...objects });
    expect(verdict).toMatchObject({ is: "stalled", code: "POD-NOT-READY" });
  });

  test.each<[string, object, string]>([
    [
      "that is started again and again",
      waiting("CrashLoopBackOff", { name: "admission" }),
      "find out why in the log of container admission: kubectl logs pod -c admission --previous -n engine",
    ],
    [
      "that has just ended",
      { containerStatuses: [{ name: "admission", state: { terminated: { exitCode: 3 } } }] },
      "find out why in the log of container admission: kubectl logs pod -c admission -n engine",
    ],
  ])("the log of a container %s is named with the container", (_, status, fix) => {
    const objects = { replicaSets: [aSet()], pods: [aPod(status)] };
    expect(judged({ deployments: [aDeployment()], ...objects })).toMatchObject({ fix });
  });

  test.each([
    [
      "has ended",
      { containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] },
      "OPERATOR-CRASH",
    ],
    [
      "finds no node",
      condition("PodScheduled", "False", { reason: "Unschedulable", message: "no room" }),
      "OPERATOR-UNSCHEDULABLE",
    ],
    [
      "finds none without a word",
      condition("PodScheduled", "False", { reason: "Unschedulable" }),
      "OPERATOR-UNSCHEDULABLE",
    ],
    [
      "begins",
      { initContainerStatuses: [{ state: { waiting: {} } }], ...waiting("ContainerCreating") },
      undefined,
    ],
    ["runs", { containerStatuses: [{ state: { running: {} } }] }, undefined],
  ])("%s", (_, status, code) => {
    const verdict = judged({
      deployments: [aDeployment()],
      replicaSets: [aSet()],
      pods: [aPod(status)],
    });
    expect(verdict).toMatchObject(code === undefined ? { is: "moving" } : { is: "stalled", code });
  });

  test.each([
    ["is going", [aSet()], { deletionTimestamp: "now" }, {}],
    ["is of another set", [aSet()], { ownerReferences: undefined }, {}],
    [
      "is of an old set",
      [aSet({ metadata: { annotations: { [revision]: "1" } }, spec: { template: {} } })],
      {},
      {},
    ],
    ["is of a set of someone else", [aSet({ metadata: { ownerReferences: undefined } })], {}, {}],
    [
      "is of another template",
      [aSet({ spec: { template: { spec: {} } } })],
      {},
      { annotations: {} },
    ],
  ])("does not count when it %s", (...[, replicaSets, metadata, ofDeployment]) => {
    const verdict = judged({
      deployments: [aDeployment({ metadata: ofDeployment })],
      replicaSets,
      pods: [aPod(waiting("ErrImagePull"), metadata)],
    });
    expect(verdict.is).toBe("moving");
  });

  test("is known by the template where no revision is told", () => {
    const labels = { name: "x", "pod-template-hash": "abc" };
    const hashed = { ...template, metadata: { labels } };
    const verdict = judged({
      deployments: [aDeployment({ metadata: { annotations: undefined } })],
      replicaSets: [aSet({ metadata: { annotations: undefined }, spec: { template: hashed } })],
      pods: [aPod(waiting("ErrImagePull"))],
    });
    expect(verdict).toMatchObject({ code: "OPERATOR-IMAGE-PULL" });
  });
});

describe("a pod that is not made", () => {
  const failed = (message?: string): object =>
    condition("ReplicaFailure", "True", message === undefined ? {} : { message });
  test.each([
    [`pods "x" is forbidden: exceeded quota: q`, "OPERATOR-QUOTA"],
    ["failed quota: q: must specify limits", "OPERATOR-QUOTA"],
    [
      `pods "x" is forbidden: unable to validate against any security context constraint`,
      "OPERATOR-POD-FORBIDDEN",
    ],
    ['error looking up service account: serviceaccount "x" not found', "OPERATOR-POD-FORBIDDEN"],
    ["admission webhook said no", "OPERATOR-POD-REJECTED"],
  ])("for %s", (message, code) => {
    expect(judged({ deployments: [aDeployment({ status: failed(message) })] })).toMatchObject({
      is: "stalled",
      code,
    });
    const replicaSets = [aSet({ status: failed(message) })];
    expect(judged({ deployments: [aDeployment()], replicaSets })).toMatchObject({ code });
    const events = [
      anEvent("old quota", { lastTimestamp: "1" }),
      anEvent(message, { eventTime: "2" }),
    ];
    for (const all of [events, [...events].reverse()]) {
      const objects = { replicaSets: [aSet()], events: all };
      expect(judged({ deployments: [aDeployment()], ...objects })).toMatchObject({ code });
    }
  });

  test.each([
    ["without a message", { deployments: [aDeployment({ status: failed() })] }],
    ["by an event without a message", { replicaSets: [aSet()], events: [anEvent(undefined)] }],
    [
      "by an event of another",
      { replicaSets: [aSet()], events: [anEvent("x", { involvedObject: {} })] },
    ],
    [
      "by an event of another kind",
      { replicaSets: [aSet()], events: [anEvent("x", { reason: "Killing" })] },
    ],
    [
      "by an event, when one was made after",
      { replicaSets: [aSet({ status: { replicas: 1 } })], events: [anEvent("x")] },
    ],
  ])("is not told %s", (_, objects) => {
    expect(judged({ deployments: [aDeployment()], ...objects }).is).toBe("moving");
  });

  test("events without a time come in any order", () => {
    const events = [anEvent("exceeded quota"), anEvent("exceeded quota")];
    const verdict = judged({ deployments: [aDeployment()], replicaSets: [aSet()], events });
    expect(verdict).toMatchObject({ code: "OPERATOR-QUOTA" });
  });
});
