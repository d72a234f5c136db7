import type { ApiAction, ApiDatabase } from "../../../../plugin/domain/api/records";
import { type BdbLook, judgeBdb } from "../../../../plugin/domain/rollout/database";
import { aBdb } from "../databases/scene";

const version = { major: 8, minor: 0 };
const busy = { idleMs: 0, stallAfterMs: 1_000 };
const object = "EngineEnterpriseDatabase/engine/orders";

function anAction(parts: Partial<ApiAction> = {}): ApiAction {
  return {
    uid: "a",
    name: "SMUpgradeBDB",
    status: "active",
    is: "running",
    progress: 40,
    error: undefined,
    database: 1,
    ...parts,
  };
}

const done = anAction({ is: "completed", status: "completed" });

function judge(parts: Partial<Parameters<typeof judgeBdb>[0]>, wanted = {}) {
  const look = { object, bdb: aBdb(), action: undefined, ...parts };
  return judgeBdb(look, { version, channel: false, patience: busy, ...wanted });
}

test("done: the action has ended, the database is active and runs the version", () => {
  const bdb = aBdb({ version: "8.0.1" });
  expect(judge({ bdb, action: done })).toEqual({ is: "done", says: "8.0.1 runs" });
  expect(judge({ bdb })).toEqual({ is: "done", says: "8.0.1 runs" });
});

test("whatever runs is right where none is wanted", () => {
  const bdb = aBdb({ version: undefined, status: undefined });
  expect(judge({ bdb, action: done }, { version: undefined })).toEqual({
    is: "done",
    says: "the version runs",
  });
});

test.each<[string, Partial<ApiDatabase>, ApiAction, string]>([
  ["percent and shards", {}, anAction(), "its action (40 % of 2 shards)"],
  [
    "the state without a percentage",
    {},
    anAction({ progress: undefined }),
    "its action (active of 2 shards)",
  ],
  [
    "neither",
    { shards: undefined },
    anAction({ progress: undefined, status: undefined }),
    "its action (running)",
  ],
  ["a state", { status: "pending" }, done, "state active (now pending)"],
  ["a version", {}, done, "its version (now 7.2.4)"],
  [
    "an unknown version",
    { version: undefined, status: undefined },
    done,
    "its version (now unknown)",
  ],
])("moving: it waits for %s", (_title, ...[parts, action, on]) => {
  expect(judge({ bdb: aBdb(parts), action })).toMatchObject({ is: "moving", on });
});

test.each<[string, Partial<BdbLook>, object, string, string]>([
  [
    "an action that failed",
    { action: anAction({ is: "failed", status: "failed", error: "a shard died" }) },
    {},
    "DATABASE-ACTION-FAILED",
    "action a ended as failed: a shard died",
  ],
  [
    "one that does not say how",
    { action: anAction({ is: "failed", status: undefined }) },
    {},
    "DATABASE-ACTION-FAILED",
    "action a ended as failed",
  ],
  [
    "a database that is gone",
    { bdb: undefined },
    {},
    "DATABASE-UID-UNKNOWN",
    "the REST API has it no more",
  ],
  [
    "nothing that moves",
    { action: anAction() },
    { patience: { idleMs: 2_000, stallAfterMs: 1_000 } },
    "DATABASE-STUCK",
    "nothing has moved for 2 s, it waits for its action (40 % of 2 shards)",
  ],
])("stalled: %s", (_title, ...[parts, wanted, code, because]) => {
  expect(judge(parts, wanted)).toMatchObject({ is: "stalled", code, because });
});

test("modules that are behind are waited for", () => {
  const bdb = aBdb({ version: "8.0.1" });
  expect(judge({ bdb }, { behind: ["search 7.4.0"] })).toMatchObject({
    is: "moving",
    on: "its modules (now search 7.4.0)",
  });
  expect(judge({ bdb }, { behind: [] }).is).toBe("done");
});
