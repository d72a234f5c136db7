/** When something counts as moved, and when as standing still. */
import type { Progress } from "../../../../plugin/domain/rollout/progress";
import { Momentum } from "../../../../plugin/run/engine/momentum";
import { BlockedError } from "../../../../plugin/run/engine/recorder";

const moving = (step: string): Progress => ({ is: "moving", on: "the pods", step });
const stalled = (object: string): Progress => ({
  ...{ is: "stalled", code: "POD-IMAGE", object },
  ...{ because: "its image is not there", fix: "push it" },
});

test("a new step is a move, one that comes again is none", () => {
  const momentum = new Momentum(0, []);
  for (const [now, step] of ["1/3", "2/3", "1/3", "2/3"].entries())
    momentum.take(moving(step), now);
  expect(momentum.idleMs(10)).toBe(9);
  momentum.take(moving("3/3"), 10);
  momentum.take({ is: "done", says: "3/3" }, 12);
  expect(momentum.idleMs(12)).toBe(2);
});

test("a stall counts when it is seen twice in a row, at the same object", () => {
  const momentum = new Momentum(0, []);
  momentum.take(stalled("Pod/a"), 1);
  expect(momentum.isSuspected).toBe(true);
  momentum.take(moving("1/3"), 2);
  expect(momentum.isSuspected).toBe(false);
  momentum.take(stalled("Pod/a"), 3);
  momentum.take(stalled("Pod/b"), 4);
  const last = (): void => {
    momentum.take(stalled("Pod/b"), 5);
  };
  expect(last).toThrow(BlockedError);
});
