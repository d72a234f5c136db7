import {
  isActive,
  isBusy,
  judgeInactive,
  judgeState,
} from "../../../../plugin/domain/database/state";
import { databaseFindings } from "../../../../plugin/domain/database/findings";
import { anEaadb, anEdb, sceneOf } from "./scene";

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
  const object = anEdb("carts", { status: { status: state } });
  const found = judgeState({ kind: "edb", object }, sceneOf());
  expect(found).toMatchObject([{ code, cause: expect.stringMatching(says) as unknown }]);
  expect(isBusy(state)).toBe(code === "DATABASE-BUSY");
});

test.each<[string, object, object | undefined]>([
  ["is active", { status: { status: "active" } }, undefined],
  [
    "is being deleted",
    { status: { status: "pending" }, metadata: { deletionTimestamp: "2026-08-01T10:00:00Z" } },
    undefined,
  ],
  [
    "is on its way out",
    { status: { status: "delete-pending" } },
    { severity: "warning", fix: databaseFindings.deleting.fix },
  ],
  ["is in a state that passes", { status: { status: "pending" } }, { severity: "warning" }],
  [
    "has failed",
    { status: { status: "creation-failed" } },
    { severity: "warning", field: "status.status" },
  ],
])("before a write to its cluster, a database that %s", (_title, parts, expected) => {
  for (const [kind, object] of [
    ["edb", anEdb("a", parts)],
    ["eaadb", anEaadb(parts)],
  ] as const) {
    const found = judgeInactive(sceneOf(), { kind, object });
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ code: "DATABASE-NOT-ACTIVE", ...expected });
  }
});
