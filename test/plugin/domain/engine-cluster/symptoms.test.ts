/** One diagnosis of an EC: what a gate refuses is named by `check`, and what is not seen lets nothing through. */
import { judgeChecks } from "../../../../plugin/commands/checks";
import { diagnose, gate } from "../../../../plugin/domain/diagnosis/diagnose";
import type { Act } from "../../../../plugin/domain/diagnosis/symptom";
import {
  clusterGates,
  aheadSymptoms,
  clusterSymptoms,
} from "../../../../plugin/domain/engine-cluster/symptoms";
import type { FactKey, Facts } from "../../../../plugin/domain/facts/facts";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { double, single } from "../standstill/causes";
import { fieldDouble, fieldSingle } from "../standstill/field-causes";
import { reportedDouble } from "../standstill/reported-pairs";
import { anEc, anOperator, aPod, aSet, factsOf, newTag, oldTag } from "./scene";

const acts: readonly Act[] = ["upgrade-cluster", "modules"];
const lists: readonly FactKey[] = [
  ...(["ecs", "statefulSets", "pods", "claims", "resourceQuotas", "nodes"] as const),
];

const old = { tag: oldTag };
const fit = (changes: Partial<Record<FactKey, readonly KubeObject[]>> = {}): Facts =>
  factsOf({
    ecs: [anEc()],
    deployments: [anOperator()],
    statefulSets: [aSet(oldTag)],
    pods: [aPod(0, old), aPod(1, old), aPod(2, old)],
    ...changes,
  });

const quota: KubeObject = {
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "small", namespace: "engine" },
  status: { hard: { pods: "2" }, used: { pods: "3" } },
};
const first = aPod(0, old);
const full: KubeObject = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "full" },
  spec: { unschedulable: true },
};
const written: readonly (readonly [string, Facts, readonly string[]])[] = [
  ["an upgrade that goes on", fit({ ecs: [anEc({}, { state: "Upgrade" })] }), ["CLUSTER-BUSY"]],
  [
    "an upgrade to the operator's own release",
    fit({ ecs: [anEc({ engineEnterpriseImageSpec: {} }, { state: "Upgrade" })] }),
    ["CLUSTER-BUSY"],
  ],
  ["a state that nobody lists", fit({ ecs: [anEc({}, { state: "Odd" })] }), ["CLUSTER-STATE"]],
  ["no state", fit({ ecs: [anEc({}, { state: undefined })] }), ["CLUSTER-STATE"]],
  ["a quota that is exceeded", fit({ resourceQuotas: [quota] }), ["CLUSTER-QUOTA"]],
  [
    "a node that is cordoned, under a pod",
    fit({
      nodes: [full],
      pods: [{ ...first, spec: { ...first.spec, nodeName: "full" } }, aPod(1, old), aPod(2, old)],
    }),
    ["CLUSTER-NO-NODE"],
  ],
  [
    "fewer pods than nodes",
    fit({ statefulSets: [aSet(oldTag, { replicas: 2 })] }),
    ["CLUSTER-SCALED"],
  ],
];

const scenes: readonly (readonly [string, Facts])[] = [
  ...written.map(([title, facts]) => [title, facts] as const),
  ...[...single, ...double, ...fieldSingle, ...fieldDouble, ...reportedDouble].map(
    ([title, facts]) => [title, facts] as const,
  ),
];
const refuse = (facts: Facts, act: Act) =>
  gate(clusterGates, act, { facts, clusters: facts.objects.ecs });

test("an EC on which everything is in order is refused nothing", () => {
  expect(acts.map((act) => refuse(fit(), act))).toEqual([[], []]);
});

test.each(written)("%s refuses each act", (_title, facts, codes) => {
  for (const act of acts) {
    expect(refuse(facts, act).map(({ code }) => code)).toEqual(expect.arrayContaining([...codes]));
  }
});

test("a restart is waited for by an upgrade, and refuses modules", () => {
  const facts = fit({ ecs: [anEc({}, { state: "RunningRollingUpdate" })] });
  expect(acts.map((act) => refuse(facts, act).map(({ code }) => code))).toEqual([
    [],
    ["CLUSTER-BUSY"],
  ]);
});

test.each(scenes)("check names what a gate refuses: %s", (_title, facts) => {
  const named = judgeChecks(facts, {}).findings.map(({ code, object }) => `${code} ${object}`);
  // what may not be read is told by check as what it is: a list
  const refused = acts.flatMap((act) => refuse(facts, act)).filter(({ blind }) => blind !== true);
  expect(named).toEqual(
    expect.arrayContaining(refused.map(({ code, object }) => `${code} ${object}`)),
  );
});

test.each(scenes)("no list that may not be read makes a gate quieter: %s", (_title, facts) => {
  for (const act of acts) {
    const before = new Set(refuse(facts, act).map(({ row }) => row));
    for (const key of lists) {
      const unread = new Map([...facts.unread, [key, "forbidden"] as const]);
      const objects = { ...facts.objects, [key]: [] };
      const blind = { ...facts, unread, objects };
      const after = gate(clusterGates, act, { facts: blind, clusters: facts.objects.ecs });
      const rows = new Set(after.map(({ row }) => row));
      expect([...before].filter((row) => !rows.has(row))).toEqual([]);
    }
  }
});

const license = { expired: true, expirationDate: undefined, shardsLimit: undefined };

test.each<[string, object, string | undefined, readonly string[]]>([
  ["the REST API alone", {}, undefined, ["CLUSTER-LICENSE"]],
  ["the REST API with a day", {}, "2026-06-01", ["CLUSTER-LICENSE"]],
  [
    "the resource first",
    { licenseStatus: { licenseState: "Expired" } },
    undefined,
    ["CLUSTER-LICENSE"],
  ],
  [
    "the last day first",
    { licenseStatus: { licenseState: "Valid", expirationDate: "2020-01-01T00:00:00Z" } },
    undefined,
    ["LICENSE-EXPIRED"],
  ],
])("a license that is over is told once: by %s", (_title, status, expirationDate, codes) => {
  const facts = fit({ ecs: [anEc({}, status)] });
  const scene = { facts, clusters: facts.objects.ecs, license: { ...license, expirationDate } };
  const { findings } = diagnose([clusterSymptoms.license, clusterSymptoms.licenseExpired], scene);
  expect(findings.map(({ code }) => code)).toEqual(codes);
  expect(findings[0]?.fix).toContain("REST API (PUT /v1/license)");
});

test("the release of an operator without a known pair is held against no EC", () => {
  const facts = fit({ deployments: [anOperator("99.1.2-3")], statefulSets: [aSet(newTag)] });
  const scene = { facts, clusters: facts.objects.ecs };
  expect(diagnose([aheadSymptoms.behindOperator], scene).findings).toEqual([]);
  expect(clusterSymptoms.license.forbids).toContain("upgrade-operator");
});
