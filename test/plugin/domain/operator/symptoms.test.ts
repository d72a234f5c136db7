/** What is wrong with the operator: one list, for `check`, for `status` and for every gate. */
import { diagnose, gate, verdictOf } from "../../../../plugin/domain/diagnosis/diagnose";
import type { Act } from "../../../../plugin/domain/diagnosis/symptom";
import type { FactKey } from "../../../../plugin/domain/facts/facts";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { operatorList } from "../../../../plugin/domain/operator/symptoms";
import { aDeployment } from "../../../support/builders";
import { hostile } from "../admission/hostile";
import { factsOf } from "../engine-cluster/scene";

const operator = (spec: object, status: unknown, metadata: object = {}): KubeObject => ({
  ...aDeployment("engine"),
  metadata: { name: "engine-enterprise-operator", namespace: "engine", uid: "d", ...metadata },
  spec,
  status,
});
const ready = { replicas: 1, readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1 };
const set: KubeObject = {
  ...{ apiVersion: "apps/v1", kind: "ReplicaSet", spec: {} },
  metadata: { name: "set", namespace: "engine", uid: "s", ownerReferences: [{ uid: "d" }] },
};
const aPod = (status: object): KubeObject => ({
  ...{ apiVersion: "v1", kind: "Pod", status },
  metadata: { name: "pod", namespace: "engine", ownerReferences: [{ uid: "s" }] },
});
const crash = aPod({
  containerStatuses: [{ name: "admission", state: { waiting: { reason: "CrashLoopBackOff" } } }],
});

type Objects = Partial<Record<FactKey, readonly KubeObject[]>>;

const scenes: readonly (readonly [string, Objects, string | undefined, string])[] = [
  ["ready", { deployments: [aDeployment("engine")] }, undefined, "fine"],
  ["none", {}, "OPERATOR-ABSENT", "stalled"],
  [
    "scaled to none",
    { deployments: [operator({ replicas: 0 }, {})] },
    "OPERATOR-SCALED-DOWN",
    "stalled",
  ],
  ["paused", { deployments: [operator({ paused: true }, ready)] }, "OPERATOR-PAUSED", "stalled"],
  [
    "of an older generation",
    { deployments: [operator({}, { ...ready, observedGeneration: 1 }, { generation: 2 })] },
    "OPERATOR-NOT-READY",
    "moving",
  ],
  [
    "with an old pod left",
    { deployments: [operator({}, { ...ready, replicas: 2 })] },
    "OPERATOR-NOT-READY",
    "moving",
  ],
  [
    "that crashes",
    { deployments: [operator({}, {})], replicaSets: [set], pods: [crash] },
    "OPERATOR-CRASH",
    "stalled",
  ],
  ...hostile.map(
    ([title, value]) =>
      [
        `with a status that is ${title}`,
        { deployments: [operator({}, value)] },
        "OPERATOR-NOT-READY",
        "moving",
      ] as const,
  ),
];

describe.each(scenes)("an operator %s", (_, objects, code, is) => {
  const scene = { facts: factsOf(objects) };
  const all = diagnose(operatorList, scene);

  test("is told by its cause, and in one word", () => {
    expect(all.findings.map((one) => one.code)).toEqual(code === undefined ? [] : [code]);
    expect(verdictOf(all, "1/1").is).toBe(is);
  });

  test.each<Act>(["upgrade-cluster", "upgrade-webhook", "modules"])(
    "what %s refuses, check names",
    (act) => {
      const known = all.findings.map((one) => one.code);
      for (const { code: refused } of gate(operatorList, act, scene)) {
        expect(known).toContain(refused);
      }
    },
  );
});

test("what was not read is neither well nor unwell", () => {
  const facts = factsOf({ deployments: [operator({}, {})] });
  const unread = (...keys: FactKey[]) => ({
    facts: { ...facts, unread: new Map(keys.map((key) => [key, "403"] as const)) },
  });
  const blind = diagnose(operatorList, unread("pods"));
  expect(verdictOf(blind, "").is).toBe("unknown");
  expect(blind.findings[0]?.cause).toContain("may not list pods, so no cause is seen");
  const none = diagnose(operatorList, unread("deployments"));
  expect([none.findings, verdictOf(none, "").is]).toEqual([[], "unknown"]);
});

test("the line that shows the cause is data, and is rendered into the fix", () => {
  const facts = factsOf({ deployments: [operator({}, {})], replicaSets: [set], pods: [crash] });
  const [found] = diagnose(operatorList, { facts }).findings;
  const words = ["logs", "pod", "-c", "admission", "--previous", "-n", "engine"];
  expect(found?.remedies?.[0]?.run).toEqual({ of: "kubectl", words });
  expect(found?.fix).toContain(`kubectl ${words.join(" ")}`);
});
