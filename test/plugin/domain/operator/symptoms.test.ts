/** What is wrong with the operator: one list, for `check`, for `status` and for every gate. */
import { diagnose, gate, verdictOf } from "../../../../plugin/domain/diagnosis/diagnose";
import type { Act } from "../../../../plugin/domain/diagnosis/symptom";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { FactKey } from "../../../../plugin/domain/facts/facts";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { definitionGround } from "../../../../plugin/domain/operator/ground";
import {
  diagnoseOperator,
  olmList,
  operatorHealth,
  operatorList,
} from "../../../../plugin/domain/operator/symptoms";
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

describe("an operator that OLM keeps", () => {
  const olms = { labels: { "olm.owner": "engine.v8.0.2-2" } };
  const anObject = (kind: string, status: object, spec: object = {}): KubeObject => ({
    ...{ apiVersion: "operators.coreos.com/v1alpha1", kind, spec, status },
    metadata: { name: kind.toLowerCase(), namespace: "engine" },
  });
  const aGroup = anObject("OperatorGroup", {}, { targetNamespaces: ["engine"] });
  const names = { clusterServiceVersionNames: ["engine.v8.0.4-1"] };
  const facts = factsOf({
    deployments: [operator({ replicas: 1 }, ready, olms)],
    operatorGroups: [aGroup],
    installPlans: [anObject("InstallPlan", { phase: "Failed" }, names)],
  });

  test("is told by what OLM says, which forbids to upgrade it", () => {
    const codes = ["OPERATOR-OLM-PLAN"];
    expect(diagnoseOperator(facts).findings.map(({ code }) => code)).toEqual(codes);
    expect(gate(olmList, "upgrade-operator", { facts }).map(({ code }) => code)).toEqual(codes);
    expect(operatorHealth(facts)).toMatchObject({ is: "stalled", code: "OPERATOR-OLM-PLAN" });
  });

  test("moves while OLM carries out a plan", () => {
    const spec = { ...names, approved: true };
    const installPlans = [anObject("InstallPlan", { phase: "Installing" }, spec)];
    const now = { ...facts, objects: { ...facts.objects, installPlans } };
    expect(operatorHealth(now)).toEqual({
      is: "moving",
      on: "OLM carries out InstallPlan installplan",
    });
  });

  test("is forbidden by no warning", () => {
    const operatorGroups: KubeObject[] = [];
    const installPlans: KubeObject[] = [];
    const now = {
      ...facts,
      objects: { ...facts.objects, operatorGroups, installPlans, subscriptions: [aGroup] },
    };
    const found = gate(olmList, "upgrade-operator", { facts: now });
    expect(found).toMatchObject([{ code: "OPERATOR-OLM-GROUP", severity: "warning" }]);
  });

  test("is unknown where OLM's lists may not be read, and what OLM does not keep is not", () => {
    const unread = new Map([["installPlans", "403"] as const]);
    const blind = { ...facts, unread, objects: { ...facts.objects, installPlans: [] } };
    expect(operatorHealth(blind).is).toBe("unknown");
    const deployments = [aDeployment("engine")];
    const own = { ...blind, objects: { ...blind.objects, deployments } };
    expect(operatorHealth(own).is).toBe("fine");
    const none = { ...facts, unread: new Map([["deployments", "403"] as const]) };
    expect(diagnose(olmList, { facts: none }).unseen).toHaveLength(olmList.length);
  });
});

test("a definition that goes is told by its component, the others by the operator", () => {
  const definitions = [names.ec, names.erc].map(({ plural }): KubeObject => ({
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: `${plural}.${names.group}`, deletionTimestamp: "2025-01-01T00:00:00Z" },
    spec: { group: names.group },
  }));
  const facts = factsOf({ deployments: [aDeployment("engine")], definitions });
  const [ec, other] = definitions.map(
    ({ metadata }) => `CustomResourceDefinition/${metadata.name}`,
  );
  expect(diagnose([definitionGround("ec")], { facts }).findings.map((one) => one.object)).toEqual([
    ec,
  ]);
  expect(operatorHealth(facts)).toMatchObject({ code: "DEFINITION-DELETING", object: other });
});
