/** What would keep a roll that has not begun, and what would not. */
import {
  findHeldAhead,
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
