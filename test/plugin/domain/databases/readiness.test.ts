import { unready } from "../../../../plugin/domain/databases/readiness";

test.each<[string | undefined, boolean | undefined]>([
  [undefined, undefined],
  ["", undefined],
  ["active", undefined],
  ["active-change-pending", true],
  ["import-pending", true],
  ["another-word", true],
  ["creation-failed", false],
  ["delete-pending", false],
  ["recovery", false],
])("a database in state %s: time lifts it, %s", (state, waits) => {
  expect(unready("orders", state)?.waits).toBe(waits);
});
