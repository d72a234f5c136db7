import { isActive, stateFinding } from "../../../../plugin/domain/database/state";

test.each<[string | undefined, boolean]>([
  [undefined, true],
  ["", true],
  ["Active", true],
  ["pending", false],
  ["active-change-pending", false],
])("a state of %j is at rest: %s", (state, isAtRest) => {
  expect(isActive(state)).toBe(isAtRest);
});

test.each<[string, string, RegExp]>([
  ["ACTIVE_CHANGE_PENDING", "DATABASE-BUSY", /another change/],
  ["ActiveChangePending", "DATABASE-BUSY", /another change/],
  ["import pending", "DATABASE-BUSY", /an import/],
  ["CreationFailed", "DATABASE-FAILED", /never created/],
  ["Delete-Pending", "DATABASE-DELETING", /being deleted/],
  ["RECOVERY", "DATABASE-FAILED", /not recovered/],
  ["upgrade-failed", "DATABASE-FAILED", /has failed/],
  ["error", "DATABASE-FAILED", /has failed/],
  ["Error", "DATABASE-FAILED", /has failed/],
  ["inactive", "DATABASE-BUSY", /not active/],
])("a state in another spelling, %s: %s", (state, code, says) => {
  expect(stateFinding("carts", state)).toMatchObject({
    code,
    cause: expect.stringMatching(says) as unknown,
  });
});
