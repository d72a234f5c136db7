import {
  databaseVersion,
  judgeEdb,
  renderVersion,
} from "../../../../plugin/domain/rollout/database";
import { anEdb, sceneOf } from "../databases/scene";

const version = { major: 8, minor: 0 };
const busy = { idleMs: 0, stallAfterMs: 1_000 };
const idle = { idleMs: 2_000, stallAfterMs: 1_000 };
const there = { version: "8.0.1", lastActionUid: "new", lastActionStatus: "completed" };

function judge(
  status: object,
  wanted: Partial<Parameters<typeof judgeEdb>[2]> = {},
  metadata: object = {},
) {
  const edb = anEdb("orders", { status: { ...status }, metadata: { ...metadata } });
  return judgeEdb(sceneOf(), edb, { version, patience: busy, ...wanted });
}

test("done: version, state, spec status, generation and action agree", () => {
  expect(judge(there)).toEqual({ is: "done", says: "8.0 runs, active" });
});

test.each<[string, object, Partial<Parameters<typeof judgeEdb>[2]>]>([
  ["an operator that tells no generation", { ...there, observedGeneration: undefined }, {}],
  ["one that tells no spec status and no action", { version: "8.0.1", specStatus: undefined }, {}],
  [
    "an earlier action that continues",
    { ...there, lastActionStatus: "active" },
    { actionsBefore: ["new"] },
  ],
  ["a later version of a channel", { ...there, version: "8.2.0" }, { atLeast: true }],
])("done: %s", (_title, status, wanted) => {
  expect(judge(status, wanted).is).toBe("done");
});

test("whatever runs is right where none is wanted", () => {
  const edb = anEdb("orders", { status: { version: undefined } });
  expect(judgeEdb(sceneOf(), edb, { patience: busy })).toEqual({
    is: "done",
    says: "an unknown version runs, active",
  });
});

test.each<[string, object, Partial<Parameters<typeof judgeEdb>[2]>, string]>([
  [
    "the spec to be taken up",
    { observedGeneration: 0 },
    {},
    "the operator to take up its new spec (state active)",
  ],
  [
    "it where no state is told",
    { observedGeneration: 0, status: undefined },
    {},
    "the operator to take up its new spec (state not told)",
  ],
  [
    "the version",
    { observedGeneration: 0, status: "active-change-pending" },
    {},
    "7.2 to become 8.0 (state active-change-pending)",
  ],
  ["the very version", { version: "8.2.0" }, {}, "8.2 to become 8.0 (state active)"],
  [
    "a known version",
    { version: undefined },
    {},
    "an unknown version to become 8.0 (state active)",
  ],
  ["the state", { ...there, status: "import-pending" }, {}, "state active (now import-pending)"],
  [
    "the spec status",
    { ...there, status: "active", specStatus: "Pending", observedGeneration: 1 },
    {},
    "",
  ],
  [
    "its action",
    { ...there, lastActionStatus: "active" },
    {},
    "its action to be completed (now active)",
  ],
])("it waits for %s", (_title, ...[status, wanted, on]) => {
  const verdict = judge(status, wanted);
  if (on === "") expect(verdict).toMatchObject({ is: "stalled", code: "DATABASE-SPEC-REFUSED" });
  else expect(verdict).toMatchObject({ is: "moving", on });
});

test.each<[string, object, Partial<Parameters<typeof judgeEdb>[2]>, string, string]>([
  [
    "a spec that is refused",
    { specStatus: "Invalid" },
    {},
    "SPEC-REFUSED",
    "its spec status is Invalid",
  ],
  [
    "a creation that failed",
    { status: "creation-failed" },
    {},
    "FAILED",
    "its state is creation-failed",
  ],
  [
    "an action that failed",
    { lastActionUid: "new", lastActionStatus: "Failed" },
    { actionsBefore: ["old"] },
    "ACTION-FAILED",
    "action new ended as failed",
  ],
  [
    "an action without a uid",
    { lastActionStatus: "aborted" },
    {},
    "ACTION-FAILED",
    "action without a uid ended as aborted",
  ],
  [
    "nothing that moves",
    { status: "active-change-pending" },
    { patience: idle },
    "STUCK",
    "nothing has moved for 2 s, it waits for 7.2 to become 8.0 (state active-change-pending)",
  ],
  [
    "an operator that does nothing",
    { observedGeneration: 0 },
    { patience: idle },
    "NOT-TAKEN-UP",
    "nothing has moved for 2 s, it waits for the operator to take up its new spec (state active)",
  ],
])("stalled: %s", (_title, ...[status, wanted, code, because]) => {
  expect(judge(status, wanted)).toMatchObject({
    is: "stalled",
    code: `DATABASE-${code}`,
    because,
  });
});

test("a refusal and a failure of the spec before count no more", () => {
  const before = { observedGeneration: 0, specStatus: "Invalid", status: "creation-failed" };
  expect(judge(before).is).toBe("moving");
  const reached = { ...before, ...there, status: "active" };
  expect(judge(reached)).toMatchObject({ is: "moving" });
});

test("an earlier failure is not the change's", () => {
  const failed = { lastActionUid: "old", lastActionStatus: "failed" };
  expect(judge(failed, { actionsBefore: ["old"] }).is).toBe("moving");
});

test("one that is being deleted does not come", () => {
  expect(judge(there, {}, { deletionTimestamp: "2026-08-01T00:00:00Z" })).toMatchObject({
    is: "stalled",
    code: "DATABASE-BEING-DELETED",
    because: "the database is being deleted",
  });
});

test("an object without a generation is observed", () => {
  expect(judge({ ...there, observedGeneration: 0 }, {}, { generation: undefined }).is).toBe("done");
});

test("the version is the first two numbers of the status", () => {
  expect(renderVersion(databaseVersion(sceneOf(), anEdb()))).toBe("7.2");
  expect(renderVersion(undefined)).toBe("an unknown version");
});
