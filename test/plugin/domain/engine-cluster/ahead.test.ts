/** What would keep a roll that has not begun, and what would not. */
import {
  findHeldAhead,
  unplacedAhead,
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
const node = (name: string, spec: object = {}): KubeObject => ({
  ...{ apiVersion: "v1", kind: "Node", metadata: { name, labels: { host: name } }, spec },
});
const taints = [{ key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" }];
const apart = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "host", labelSelector: {} }],
  },
};
const here = "node a has taint node.kubernetes.io/disk-pressure:NoSchedule";

test.each<[string, readonly KubeObject[], object, readonly string[]]>([
  ["the only node that is left has a taint", [node("a", { taints })], {}, [here]],
  [
    "the others have a pod that it is kept apart from",
    [node("b"), node("a", { taints })],
    { affinity: apart },
    [`${here}, node b has a pod that it is kept apart from`],
  ],
  [
    "it asks for another node",
    [node("a", { unschedulable: true }), node("b")],
    { nodeSelector: { host: "a" } },
    ["node a is cordoned, node b is not one that it asks for"],
  ],
  ["another node takes it", [node("a", { taints }), node("b")], {}, []],
  [
    "it tolerates the taint",
    [node("a", { taints })],
    { tolerations: [{ operator: "Exists" }] },
    [],
  ],
  ["its own node takes it, apart from itself", [node("a")], { affinity: apart }, []],
  ["no node was read", [], {}, []],
])("a node for the pod that a roll takes down: %s", (_, nodes, spec, told) => {
  const first = onNode(0, "a");
  const pods = [{ ...first, spec: { ...first.spec, ...spec } }, onNode(1, "b"), aPod(2)];
  const found = unplacedAhead(factsOf({ statefulSets: [aSet()], pods, nodes }), anEc());
  const ofFirst = found.filter(({ object }) => object === `Pod/${ns}/ec-0`);
  expect(ofFirst).toMatchObject(
    told.map((why) => ({
      ...{ code: "CLUSTER-NO-NODE", severity: "error" },
      cause: `no node would take it again once the upgrade takes it down: ${why}`,
      fix: expect.stringContaining("kubectl describe node a") as string,
    })),
  );
  expect(ofFirst).toHaveLength(told.length);
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
