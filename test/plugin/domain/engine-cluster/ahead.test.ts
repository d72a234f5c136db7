/** What would keep a roll that has not begun, and what would not. */
import {
  findHeldAhead,
  pressureAhead,
  quotaAhead,
  sickAhead,
} from "../../../../plugin/domain/engine-cluster/ahead";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { anEc, aPod, aSet, factsOf, ns } from "./scene";

const containers = (...resources: readonly object[]) => ({
  template: { spec: { containers: resources.map((one, at) => ({ name: `c${at}`, ...one })) } },
});
const limited = { resources: { limits: { cpu: "1" } } };
const quota: KubeObject = {
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "compute", namespace: ns },
  spec: { hard: { "requests.cpu": "8" } },
};

test.each([
  ["every container has what the quota counts", [limited, limited], []],
  ["one has not", [limited, {}], ["must specify requests.cpu for: c1"]],
])("a quota, where %s", (_, all, says) => {
  const facts = factsOf({
    statefulSets: [aSet(undefined, containers(...all))],
    resourceQuotas: [quota],
  });
  const causes = quotaAhead(facts, anEc()).map(({ cause }) => cause);
  expect(causes).toEqual(says.map((one) => expect.stringContaining(one) as unknown));
});

test("a pod that is not ready while the roll is under way is checked with the roll", () => {
  const crash = { waiting: { reason: "CrashLoopBackOff" } };
  const status = { containerStatuses: [{ name: "x", restartCount: 9, state: crash }] };
  const sick = aPod(2, { ready: false, status });
  const pods = [aPod(0, { revision: "old" }), aPod(1), sick];
  expect(sickAhead(factsOf({ statefulSets: [aSet()], pods }), anEc())).toEqual([]);
});

const onNode = (ordinal: number, nodeName: string) => {
  const pod = aPod(ordinal);
  return { ...pod, spec: { ...pod.spec, nodeName } };
};
const node = (name: string, conditions: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
});
const ready = { Ready: "True" };

test.each<[string, KubeObject, readonly unknown[]]>([
  ["runs out of disk", node("a", { ...ready, DiskPressure: "True" }), ["DiskPressure"]],
  ["runs out of memory", node("a", { ...ready, MemoryPressure: "True" }), ["MemoryPressure"]],
  [
    "runs out of two things",
    node("a", { ...ready, PIDPressure: "True", DiskPressure: "True" }),
    ["DiskPressure, PIDPressure"],
  ],
  ["has run out of nothing", node("a", { ...ready, DiskPressure: "False" }), []],
  ["does not say", node("a", ready), []],
  ["carries no pod of it", node("c", { ...ready, DiskPressure: "True" }), []],
])("a node under an EC that %s", (_, under, told) => {
  const pods = [onNode(0, "a"), onNode(1, "a"), onNode(2, "b")];
  const facts = factsOf({ statefulSets: [aSet()], pods, nodes: [under, node("b", ready)] });
  const found = pressureAhead(facts, anEc());
  expect(found).toMatchObject(
    told.map((types) => ({
      ...{ code: "CLUSTER-NODE-PRESSURE", severity: "error", object: "Node/a" },
      cause: expect.stringContaining(
        `it has ${String(types)} while it carries Pod/${ns}/ec-1, Pod/${ns}/ec-0`,
      ) as string,
      fix: expect.stringContaining("kubectl describe nodes a") as string,
    })),
  );
  expect(found).toHaveLength(told.length);
});

test("a partition before a roll is told with its StatefulSet", () => {
  const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 2 } };
  const pods = [aPod(0), aPod(1), aPod(2)];
  const held = (sets: readonly KubeObject[]) =>
    findHeldAhead(factsOf({ statefulSets: sets, pods }), anEc()).map(({ code, object }) => [
      code,
      object,
    ]);
  expect(held([aSet(undefined, { updateStrategy })])).toEqual([
    ["ROLLOUT-HELD", `StatefulSet/${ns}/ec`],
  ]);
  expect([held([aSet()]), held([])]).toEqual([[], []]);
});
