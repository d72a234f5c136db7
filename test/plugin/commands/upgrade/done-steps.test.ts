/** How far a saved plan is done, told by the objects: what this tool writes, in its order, and nothing else. */
import type { BoundState } from "../../../../plugin/commands/upgrade/bound-state";
import { judgeProgress, objectKey, buildRef } from "../../../../plugin/commands/upgrade/done-steps";
import type { PlannedStep } from "../../../../plugin/commands/upgrade/plan-document";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";

const at = (replicas: number, generation = replicas): BoundState => ({
  generation,
  fields: { "spec.replicas": String(replicas) },
});

const live = (replicas: number, metadata: object = {}): KubeObject => ({
  ...{ apiVersion: "apps/v1", kind: "Deployment" },
  metadata: { name: "a", uid: "u", generation: replicas, ...metadata },
  spec: { replicas },
});

interface Told extends Partial<Pick<PlannedStep, "part" | "action">> {
  readonly name?: string;
  readonly from?: BoundState | undefined;
  readonly to?: BoundState;
}

function step({ name = "a", from, to, part = "operator", action = "apply" }: Told): PlannedStep {
  const target = {
    ...{ group: "apps", version: "v1", resource: "deployments", kind: "Deployment" },
    name,
  };
  return {
    ...{ part, action, object: `Deployment/${name}`, why: "S16" },
    write: {
      ...{ verb: action === "delete" ? "delete" : "patch", target, risk: "some", reverse: "back" },
      ...(from && { read: { uid: "u" } }),
    },
    ...(from && { state: from }),
    ...(to && { leaves: to }),
  };
}

const change = step({ from: at(1), to: at(2) });
const next = step({ from: at(2), to: at(3), part: "cluster" });
const created = step({ to: at(2) });
const taking = step({ from: at(1), to: at(1) });
const removal = step({ from: at(1), action: "delete" });
const before = step({ name: "b", from: at(1), to: at(2), part: "rbac-expand" });
const beside = step({ name: "b", from: at(1), to: at(2) });
const request = step({ action: "call" });

type Case = readonly [
  steps: readonly PlannedStep[],
  live: KubeObject | undefined,
  done: readonly PlannedStep[],
  moved: readonly string[],
];

test.each<[string, Case]>([
  ["as it was: nothing", [[change], live(1), [], []]],
  [
    "as the write leaves it, whatever its generation",
    [[change], live(2, { generation: 9 }), [change], []],
  ],
  ["as the first of two leaves it", [[change, next], live(2), [change], []]],
  ["as the second leaves it", [[change, next], live(3), [change, next], []]],
  ["neither", [[change], live(5), [], ["Deployment/a: spec.replicas is 5, it was 1"]]],
  ["recreated", [[change], live(2, { uid: "v" }), [], ["Deployment/a was deleted and recreated"]]],
  ["gone", [[change], undefined, [], ["Deployment/a no longer exists"]]],
  ["not made yet", [[created], undefined, [], []]],
  ["made", [[created], live(2), [created], []]],
  ["made by somebody else", [[created], live(7), [], ["Deployment/a exists now"]]],
  ["deleted", [[removal], undefined, [removal], []]],
  ["not deleted", [[removal], live(1), [], []]],
  ["taken over, or not: the same", [[taking], live(1), [taking], []]],
  [
    "taken over, and written there and back by somebody",
    [[taking], live(1, { generation: 3 }), [], ["Deployment/a: its generation is 3, it was 1"]],
  ],
  ["done, although a part before it is not", [[before, change], live(2), [], []]],
  ["done beside another one of its part", [[beside, change], live(2), [change], []]],
  ["deleted, although one of its part is not done", [[beside, removal], undefined, [], []]],
  ["done after a request, which no object shows", [[request, change], live(2), [change], []]],
])("%s", (_, [steps, object, done, moved]) => {
  const progress = judgeProgress(steps, new Map([[objectKey(change), object]]), []);
  expect([...progress.done]).toEqual(done);
  expect([...progress.moved.values()].flat()).toEqual(moved);
});

test("an object that the plan does not write is none of its own", () => {
  const { done, moved } = judgeProgress([change], new Map([["other", live(5)]]), []);
  expect([done.size, moved.get("other")]).toEqual([0, []]);
});

test("the address of a write has its namespace where it has one", () => {
  const { write, ...rest } = change;
  const target = { ...write.target, namespace: "shop" };
  expect(buildRef({ ...rest, write: { ...write, target } }).namespace).toBe("shop");
  expect(buildRef(change)).toEqual({
    resource: { group: "apps", version: "v1", kind: "Deployment", plural: "deployments" },
    name: "a",
  });
});
