import { factKeys, type FactKey, type Facts } from "../../../../plugin/domain/facts";
import { defaultNames as names } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { judgeDeployment } from "../../../../plugin/domain/rollout/deployment";

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
  metadata: { name: "pod", namespace: "engine", ownerReferences: [{ uid: "s" }], ...metadata },
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

function judged(objects: Partial<Record<FactKey, readonly KubeObject[]>>) {
  const none = Object.fromEntries(factKeys.map((key) => [key, []]));
  const facts: Facts = {
    names,
    now: 0,
    namespace: "engine",
    apiServer: undefined,
    objects: { ...none, ...objects } as Facts["objects"],
    unserved: new Set(),
    unread: new Map(),
  };
  return judgeDeployment(facts, name);
}

const waiting = (reason: string, more: object = {}): object => ({
  containerStatuses: [{ name: "c", state: { waiting: { reason } }, ...more }],
});
const condition = (type: string, status: string, more: object = {}): object => ({
  conditions: [{ type, status, ...more }],
});

describe("what does not need a pod to judge", () => {
  test.each([
    ["ready", { status: ready }, { is: "done", says: "1/1 ready, 1 up to date, 1 available" }],
    [
      "ready without a generation",
      { status: ready, metadata: { generation: undefined } },
      { is: "done" },
    ],
    ["one pod by default", { status: ready, spec: { replicas: undefined } }, { is: "done" }],
    [
      "stale, which excludes all else",
      { status: { ...ready, observedGeneration: 1, ...condition("Progressing", "False") } },
      { is: "moving", on: expect.stringContaining("not been seen") as string },
    ],
    ["without a status", { status: { observedGeneration: undefined } }, { is: "moving" }],
    [
      "with an old pod left",
      { status: { ...ready, replicas: 2 } },
      { is: "moving", on: expect.stringContaining("1 of the old one left") as string },
    ],
    ["not yet ready", {}, { is: "moving", on: expect.stringContaining("0/1 ready") as string }],
    ["paused", { spec: { paused: true } }, { is: "stalled", code: "OPERATOR-PAUSED" }],
    [
      "without a pod wanted",
      { spec: { replicas: 0 } },
      { is: "stalled", code: "OPERATOR-SCALED-DOWN" },
    ],
    [
      "late",
      { status: condition("Progressing", "False", { message: "too long" }) },
      {
        is: "stalled",
        code: "OPERATOR-DEADLINE",
        because: expect.stringMatching(/: too long$/) as string,
      },
    ],
    [
      "late without a word",
      { status: condition("Progressing", "False") },
      { code: "OPERATOR-DEADLINE" },
    ],
  ])("%s", (_, parts, verdict) => {
    expect(judged({ deployments: [aDeployment(parts)] })).toMatchObject(verdict);
  });

  test("one that is gone", () => {
    expect(judged({})).toMatchObject({ is: "stalled", code: "OPERATOR-DEPLOYMENT-GONE" });
  });

  test("a step is another one when anything moved", () => {
    const [one, two] = [{}, { status: { updatedReplicas: 1 } }].map((parts) =>
      judged({ deployments: [aDeployment(parts)] }),
    );
    expect(one).not.toEqual(two);
  });
});

describe("the newest pod", () => {
  const late = condition("Progressing", "False");
  test.each([
    ["ImagePullBackOff", {}, "OPERATOR-IMAGE-PULL", "ImagePullBackOff"],
    ["ErrImagePull", { image: "a:1" }, "OPERATOR-IMAGE-PULL", "a:1: ErrImagePull"],
    ["CreateContainerConfigError", {}, "OPERATOR-POD-CONFIGURATION", "CreateContainerConfigError"],
    ["CrashLoopBackOff", {}, "OPERATOR-CRASH", "c is started again and again"],
    [
      "CrashLoopBackOff",
      { lastState: { terminated: { exitCode: 2, reason: "Error", message: "no rights\n" } } },
      "OPERATOR-CRASH",
      "c ended with code 2 (Error: no rights)",
    ],
    [
      "CrashLoopBackOff",
      { name: undefined, lastState: { terminated: { exitCode: 137 } } },
      "OPERATOR-CRASH",
      "container ended with code 137",
    ],
  ])("waits for %s %j", (...[reason, more, code, words]) => {
    const objects = { replicaSets: [aSet()], pods: [aPod(waiting(reason, more))] };
    const verdict = judged({ deployments: [aDeployment({ status: late })], ...objects });
    expect(verdict).toMatchObject({ is: "stalled", code, object: "Pod/engine/pod" });
    expect(verdict.is === "stalled" && verdict.because.endsWith(words)).toBe(true);
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
