/** Fields that an object may lack: what the API server fills in, or the controller has not written yet. */
import { findDrainHeld } from "../../../../plugin/domain/rollout/budgets";
import { findWait } from "../../../../plugin/domain/rollout/pod-waits";
import { now } from "../engine-cluster/scene";
import { container, facts, pod } from "../standstill/scene";

const budget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "keep", namespace: "engine" },
  spec: { selector: {} },
};

test.each<[string, object, string | undefined]>([
  ["has not counted", {}, undefined],
  [
    "has counted no pod",
    { observedGeneration: 1 },
    "no drain of node n0 ends: PodDisruptionBudget/engine/keep lets no pod be evicted, Pod/engine/vault-0 among them (0 of 0 pods are healthy, 0 have to be)",
  ],
  [
    "has counted, and tells no generation",
    { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    "no drain of node n0 ends: PodDisruptionBudget/engine/keep lets no pod be evicted, Pod/engine/vault-0 among them (1 of 1 pods are healthy, 1 have to be)",
  ],
])("a budget whose controller %s", (_title, status, because) => {
  const disruptionBudgets = [{ ...budget, status }];
  const found = findDrainHeld(facts({ pods: [pod(0)], disruptionBudgets }), ["n0"]);
  expect(found?.because).toBe(because);
});

test("a startup probe that names no times gives three tries of ten seconds", () => {
  const startedAt = new Date(now - 10_000).toISOString();
  const starting = pod(0, {
    ready: false,
    spec: { containers: [{ name: container, startupProbe: {} }] },
    container: { started: false, state: { running: { startedAt } } },
  });
  expect(findWait(starting, facts())?.says).toBe(
    `the probe of container ${container} gives it until ${new Date(now + 20_000).toISOString()}`,
  );
});
