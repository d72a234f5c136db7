import { judgeBdb } from "../../../../plugin/domain/database/bdb-progress";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { ApiAction } from "../../../../plugin/domain/rest-api/actions";
import type { ApiDatabase } from "../../../../plugin/domain/rest-api/records";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { databaseVersion } from "../../../../plugin/domain/engine-cluster/database-versions";
import {
  judgeDatabase,
  lastActions,
  renderVersion,
  type WantedVersion,
} from "../../../../plugin/domain/database/rollout";
import { aBdb, anEaadb, anEdb, type Parts, sceneOf } from "./scene";

const version = { major: 8, minor: 0 };
const busy = { idleMs: 0, stallAfterMs: 1_000 };
const idle = { idleMs: 2_000, stallAfterMs: 1_000 };
const stuck = { patience: idle };

type Wanted = Partial<WantedVersion>;
type Expected = object | string;

/** A text is what is waited for; a code in capitals is a stall's, without what all begin with. */
const told = (expected: Expected): object =>
  typeof expected !== "string"
    ? expected
    : /^[A-Z-]+$/.test(expected)
      ? { is: "stalled", code: `DATABASE-${expected}` }
      : { is: "moving", on: expected };
const done = { is: "done" };
const unknown = { lastActionUid: "new", lastActionStatus: "rolled_back" };

const there = { version: "8.0.1", lastActionUid: "new", lastActionStatus: "completed" };
const waiting = { status: "active-change-pending" };
const unseen = { observedGeneration: 0 };

function judgeEdb(status: object, wanted: Wanted = {}, metadata: object = {}) {
  const object = anEdb("orders", { status: { ...status }, metadata: { ...metadata } });
  return judgeDatabase(sceneOf(), { kind: "edb", object }, { version, patience: busy, ...wanted });
}

const stalled = (code: string, cause: string) => ({ ...told(code), cause });
const before = { ...unseen, specStatus: "Invalid", status: "creation-failed" };
const failed = { lastActionUid: "old", lastActionStatus: "failed" };
const unknownAction = { lastActionStatus: "aborted" };
const nothingMoved = "nothing has moved for 2 s, it waits for";
const takeUp = "the operator to take up its new spec (state active)";
const becomes = "7.2 to become 8.0 (state active-change-pending)";

test.each<[string, object, Wanted, Expected]>([
  ["all signs agree", there, {}, { is: "done", says: "8.0 runs, active" }],
  ["an operator that tells no generation", { ...there, observedGeneration: undefined }, {}, done],
  ["no spec status and no action", { version: "8.0.1", specStatus: undefined }, {}, done],
  [
    "an earlier action that continues",
    { ...there, lastActionStatus: "active" },
    { actionsBefore: ["new"] },
    done,
  ],
  [
    "an action whose state is not known, where the version runs",
    { ...there, ...unknown },
    {},
    done,
  ],
  ["the same before", unknown, {}, "7.2 to become 8.0 (state active)"],
  [
    "the same, for too long",
    unknown,
    stuck,
    stalled(
      "ACTION-UNKNOWN",
      'action new is in a state that is not known, "rolled_back", and the database is active at 7.2',
    ),
  ],
  [
    "the same without a uid",
    { ...unknown, lastActionUid: undefined },
    stuck,
    { cause: expect.stringContaining("action without a uid") as unknown },
  ],
  ["the same of a busy database", { ...unknown, ...waiting }, {}, becomes],
  ["the same before the change", { ...unknown }, { ...stuck, actionsBefore: ["new"] }, "STUCK"],
  ["a state of other capitals", { ...there, status: "Active" }, {}, done],
  [
    "data that is not recovered",
    { status: "recovery" },
    {},
    stalled("FAILED", "its data is not recovered yet: its state is recovery"),
  ],
  ["a later version of a channel", { ...there, version: "8.2.0" }, { atLeast: true }, done],
  [
    "no version wanted",
    { version: undefined },
    { version: undefined },
    { is: "done", says: "an unknown version runs, active" },
  ],
  ["the spec not taken up", unseen, {}, takeUp],
  [
    "the same, and no state told",
    { ...unseen, status: undefined },
    {},
    "the operator to take up its new spec (state not told)",
  ],
  ["the version", { ...unseen, ...waiting }, {}, becomes],
  ["a later version", { version: "8.2.0" }, {}, "8.2 to become 8.0 (state active)"],
  ["no version", { version: undefined }, {}, "an unknown version to become 8.0 (state active)"],
  ["a state", { ...there, status: "import-pending" }, {}, "state active (now import-pending)"],
  [
    "its action",
    { ...there, lastActionStatus: "active" },
    {},
    "its action to be completed (now active)",
  ],
  ["a refusal and a failure of the spec before", before, {}, { is: "moving" }],
  [
    "the same, the version reached",
    { ...before, ...there, status: "active" },
    {},
    { is: "moving" },
  ],
  ["an earlier failure", failed, { actionsBefore: ["old"] }, { is: "moving" }],
  [
    "a spec that is refused",
    { ...there, specStatus: "Pending" },
    {},
    stalled("SPEC-INVALID", "its spec status is Pending"),
  ],
  [
    "a creation that failed",
    { status: "creation-failed" },
    {},
    stalled("FAILED", "it was never created: its state is creation-failed"),
  ],
  [
    "an action that failed",
    { ...failed, lastActionStatus: "Failed" },
    { actionsBefore: ["x"] },
    stalled("ACTION-FAILED", "action old ended as failed"),
  ],
  [
    "an action without a uid",
    unknownAction,
    {},
    stalled("ACTION-FAILED", "action without a uid ended as aborted"),
  ],
  ["nothing that moves", waiting, stuck, stalled("STUCK", `${nothingMoved} ${becomes}`)],
  ["an idle operator", unseen, stuck, stalled("NOT-TAKEN-UP", `${nothingMoved} ${takeUp}`)],
])("an EDB: %s", (_title, ...[status, wanted, expected]) => {
  expect(judgeEdb(status, wanted)).toMatchObject(told(expected));
});

test("an EDB that is being deleted does not come, one without a generation is observed", () => {
  const deleted = judgeEdb(there, {}, { deletionTimestamp: "2026-08-01T00:00:00Z" });
  expect(deleted).toMatchObject(
    stalled("DELETING", "it is being deleted since 2026-08-01T00:00:00Z"),
  );
  expect(judgeEdb({ ...there, ...unseen }, {}, { generation: undefined }).is).toBe("done");
});

test("the version is the first two numbers of the status", () => {
  expect(renderVersion(databaseVersion(sceneOf(), anEdb()))).toBe("7.2");
});

const instance = (status: object = {}) =>
  anEdb("carts-here", { status: { version: "8.0.1", ...status } });
const late = instance({ version: "7.2.0" });
const refused = instance({ specStatus: "Invalid" });
const elsewhere = (edbs: readonly KubeObject[], eaadbs: readonly KubeObject[] = [anEaadb()]) => ({
  participants: [{ name: "west/engine", facts: sceneOf({ edbs, eaadbs }) }],
});

const unproven = "an instance of it to be seen: until then it is not proven that 8.0 runs";
const silent = { status: undefined, specStatus: undefined, replicationStatus: undefined };
const down = { replicationStatus: "down" };
const none = elsewhere([], []);
const other = anEaadb({ status: { guid: "g" }, metadata: { name: "other" } });
const alike = (activeActive: unknown) =>
  anEdb("carts", { status: { version: "8.0.1", activeActive } });

test.each<[string, Parts, readonly KubeObject[], Wanted, Expected]>([
  [
    "its own state and every instance agree",
    {},
    [instance()],
    {},
    { is: "done", says: "8.0 runs on 1 instance that was seen, active" },
  ],
  ["what it does not report is not held against it", { status: silent }, [instance()], {}, done],
  ["no instance is seen", {}, [], {}, unproven],
  ["no instance is seen for long", {}, [], stuck, { code: "DATABASE-NOT-PROVEN", unproven: true }],
  ["its state", { status: { status: "pending" } }, [], {}, "state active (now pending)"],
  ["replication", { status: down }, [], {}, "replication up (now down)"],
  ["replication for long", { status: down }, [], stuck, "STUCK"],
  ["an instance is late", {}, [late], {}, "7.2 to become 8.0 (state active)"],
  ["its spec is refused", { status: { specStatus: "Invalid" } }, [], {}, "SPEC-INVALID"],
  ["it failed", { status: { status: "creation-failed" } }, [], {}, "FAILED"],
  ["it is being deleted", { metadata: { deletionTimestamp: "x" } }, [], {}, "DELETING"],
  [
    "a standstill is told before what still moves",
    { status: { linkedEdbs: ["carts-here", "b"] } },
    [late, anEdb("b", { status: { specStatus: "Invalid" } })],
    {},
    "SPEC-INVALID",
  ],
  [
    "an instance elsewhere has come as well",
    {},
    [instance()],
    elsewhere([instance()]),
    { is: "done", says: "8.0 runs on 2 instances that were seen, active" },
  ],
  [
    "one elsewhere is late",
    {},
    [instance()],
    elsewhere([late]),
    "west/engine: 7.2 to become 8.0 (state active)",
  ],
  [
    "one elsewhere does not come",
    {},
    [instance()],
    elsewhere([refused]),
    {
      code: "DATABASE-PARTICIPANT-BEHIND",
      object: "west/engine: EngineEnterpriseActiveActiveDatabase/engine/carts",
      cause: "its spec status is Invalid",
    },
  ],
  ["one elsewhere is not seen", {}, [], none, "west/engine: an instance of it to be seen"],
  ["the same for long", {}, [], { ...none, ...stuck }, "PARTICIPANT-BEHIND"],
  [
    "one elsewhere is known by its guid",
    { status: { guid: "g" } },
    [],
    elsewhere([instance()], [other]),
    done,
  ],
  ["one elsewhere is known by its name", {}, [], elsewhere([alike({})], []), done],
  ["a plain database of that name", {}, [], elsewhere([alike(null)], []), { is: "moving" }],
])("an EAADB: %s", (_title, parts, ...[edbs, wanted, expected]) => {
  const object = anEaadb(parts);
  const facts = sceneOf({ edbs, eaadbs: [object] });
  const verdict = judgeDatabase(
    facts,
    { kind: "eaadb", object },
    { version, patience: busy, ...wanted },
  );
  expect(verdict).toMatchObject(told(expected));
});

test("the last actions are those of the database, or of its instances", () => {
  const edb = anEdb("orders", { status: { lastActionUid: "a" } });
  const facts = sceneOf({ edbs: [edb, instance({ lastActionUid: "b" })] });
  expect(lastActions(facts, { kind: "edb", object: edb })).toEqual(["a"]);
  expect(lastActions(facts, { kind: "edb", object: anEdb() })).toEqual([]);
  expect(lastActions(facts, { kind: "eaadb", object: anEaadb() })).toEqual(["b"]);
});

const anAction = (parts: Partial<ApiAction> = {}): ApiAction => ({
  uid: "a",
  name: "SMUpgradeBDB",
  status: "active",
  is: "running",
  progress: 40,
  error: undefined,
  errorCode: undefined,
  pending: [],
  database: 1,
  ...parts,
});
const ended = anAction({ is: "completed", status: "completed" });
const broken = anAction({ is: "failed", status: "failed", error: "a shard died" });
const upgraded = { version: "8.0.1" };
const bare = { version: undefined, status: undefined };

test.each<[string, Partial<ApiDatabase> | undefined, ApiAction | undefined, object, Expected]>([
  ["its action has ended", upgraded, ended, {}, { is: "done", says: "8.0.1 runs" }],
  ["no action is known", upgraded, undefined, { behind: [] }, { is: "done", says: "8.0.1 runs" }],
  ["no version wanted", bare, ended, { version: undefined }, { says: "the version runs" }],
  ["percent and shards", {}, anAction(), {}, "its action (40 % of 2 shards)"],
  [
    "a state without a percentage",
    {},
    anAction({ progress: undefined }),
    {},
    "its action (active of 2 shards)",
  ],
  [
    "neither",
    { shards: undefined },
    anAction({ progress: undefined, status: undefined }),
    {},
    "its action (running)",
  ],
  ["a state", { status: "pending" }, ended, {}, "state active (now pending)"],
  ["a version", {}, ended, {}, "its version (now 7.2.4)"],
  ["an unknown version", bare, ended, {}, "its version (now unknown)"],
  ["modules", upgraded, ended, { behind: ["search 7"] }, "its modules (now search 7)"],
  [
    "an action that failed",
    {},
    broken,
    {},
    stalled("ACTION-FAILED", "action a ended as failed: a shard died"),
  ],
  [
    "one that does not say how",
    {},
    anAction({ is: "failed", status: undefined }),
    {},
    stalled("ACTION-FAILED", "action a ended as failed"),
  ],
  [
    "an action that failed for lack of memory",
    {},
    anAction({ is: "failed", status: "failed", errorCode: "insufficient_resources" }),
    {},
    {
      ...stalled("ACTION-FAILED", "action a ended as failed: insufficient_resources"),
      fix: expect.stringContaining("more memory") as unknown,
    },
  ],
  [
    "an action in a state that is not known, which may still work",
    {},
    anAction({ is: "unknown", status: "rolled_back" }),
    {},
    "its version (now 7.2.4)",
  ],
  [
    "one that has shown nothing else for long",
    {},
    anAction({ is: "unknown", status: "rolled_back" }),
    stuck,
    stalled(
      "ACTION-UNKNOWN",
      'action a is in a state that is not known, "rolled_back", and the database is active at 7.2.4',
    ),
  ],
  [
    "one without a state, of a database that does not report what it runs",
    bare,
    anAction({ is: "unknown", status: undefined }),
    stuck,
    stalled(
      "ACTION-UNKNOWN",
      'action a is in a state that is not known, "none", and the database is active at unknown',
    ),
  ],
  [
    "one that is not known, of a busy database",
    waiting,
    anAction({ is: "unknown" }),
    {},
    "state active (now active-change-pending)",
  ],
  [
    "one that is not known, where the version runs",
    upgraded,
    anAction({ is: "unknown" }),
    stuck,
    { is: "done" },
  ],
  [
    "a database that was never created",
    { status: "creation_failed" },
    undefined,
    {},
    {
      ...stalled("FAILED", "it was never created: its state is creation_failed"),
      fix: expect.stringContaining("correct its spec") as unknown,
    },
  ],
  [
    "a state that an action leads out of",
    { status: "recovery" },
    anAction(),
    {},
    "its action (40 % of 2 shards)",
  ],
  [
    "what a shard waits for",
    {},
    anAction({ pending: ["shard 3: not enough memory on node 2"] }),
    stuck,
    {
      ...stalled(
        "STUCK",
        `${nothingMoved} its action (40 % of 2 shards: shard 3: not enough memory on node 2)`,
      ),
      fix: expect.stringContaining("more memory") as unknown,
    },
  ],
  [
    "what is said where no shard says anything",
    {},
    anAction(),
    stuck,
    { fix: "see what its shards wait for with GET /v1/actions/bdb/1, and the operator's log" },
  ],
  ["a version, for too long", {}, undefined, stuck, told("STUCK")],
  ["gone", undefined, undefined, {}, stalled("UID-UNKNOWN", "the REST API has it no more")],
  [
    "nothing that moves",
    {},
    anAction(),
    stuck,
    stalled("STUCK", `${nothingMoved} its action (40 % of 2 shards)`),
  ],
])("a database by the REST API: %s", (_title, parts, ...[action, wanted, expected]) => {
  const look = { object: "EDB/engine/orders", bdb: parts && aBdb(parts), action };
  const verdict = judgeBdb(look, { version, channel: false, patience: busy, ...wanted }, names);
  expect(verdict).toMatchObject(told(expected));
});
