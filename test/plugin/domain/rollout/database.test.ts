import {
  judgeDatabase,
  lastActions,
  type WantedVersion,
} from "../../../../plugin/domain/rollout/database";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { anEaadb, anEdb, type Parts, sceneOf } from "../databases/scene";

const version = { major: 8, minor: 0 };
const busy = { idleMs: 0, stallAfterMs: 1_000 };
const idle = { idleMs: 2_000, stallAfterMs: 1_000 };
const instance = (status: object = {}) =>
  anEdb("carts-here", { status: { version: "8.0.1", ...status } });

function judge(
  parts: Parts,
  edbs: readonly KubeObject[] = [instance()],
  wanted: Partial<WantedVersion> = {},
) {
  const object = anEaadb(parts);
  const facts = sceneOf({ edbs, eaadbs: [object] });
  return judgeDatabase(facts, { kind: "eaadb", object }, { version, patience: busy, ...wanted });
}

test("an EDB is judged by itself", () => {
  const object = anEdb("orders", { status: { version: "8.0.1" } });
  expect(judgeDatabase(sceneOf(), { kind: "edb", object }, { version, patience: busy }).is).toBe(
    "done",
  );
});

test("done: its own state, and every instance that is seen", () => {
  expect(judge({})).toEqual({ is: "done", says: "8.0 runs on 1 instance that was seen, active" });
});

test("without an instance that is seen it is never done", () => {
  const on = "an instance of it to be seen: until then it is not proven that 8.0 runs";
  expect(judge({}, [])).toMatchObject({ is: "moving", on });
  expect(judge({}, [], { patience: idle })).toMatchObject({
    code: "DATABASE-NOT-PROVEN",
    unproven: true,
  });
});

test("what it does not report is not held against it", () => {
  const status = { status: undefined, specStatus: undefined, replicationStatus: undefined };
  expect(judge({ status }).is).toBe("done");
});

test.each<[string, Parts, readonly KubeObject[], string]>([
  ["its state", { status: { status: "pending" } }, [instance()], "state active (now pending)"],
  [
    "replication",
    { status: { replicationStatus: "down" } },
    [instance()],
    "replication up (now down)",
  ],
  ["an instance", {}, [instance({ version: "7.2.0" })], "7.2 to become 8.0 (state active)"],
])("moving: it waits for %s", (_title, ...[parts, edbs, on]) => {
  expect(judge(parts, edbs)).toMatchObject({ is: "moving", on });
});

test.each<[string, Parts, readonly KubeObject[], string]>([
  ["a spec that is refused", { status: { specStatus: "Invalid" } }, [], "SPEC-REFUSED"],
  ["a failure", { status: { status: "creation-failed" } }, [], "FAILED"],
  ["one that is being deleted", { metadata: { deletionTimestamp: "x" } }, [], "BEING-DELETED"],
  ["an instance that is refused", {}, [instance({ specStatus: "Invalid" })], "SPEC-REFUSED"],
])("stalled: %s", (_title, ...[parts, edbs, code]) => {
  expect(judge(parts, edbs)).toMatchObject({ is: "stalled", code: `DATABASE-${code}` });
});

test("nothing that moves is a standstill", () => {
  const status = { replicationStatus: "down" };
  expect(judge({ status }, [], { patience: idle })).toMatchObject({ code: "DATABASE-STUCK" });
});

test("a standstill is told before what still moves", () => {
  const linked = { status: { linkedEdbs: ["carts-here", "b"] } };
  const edbs = [instance({ version: "7.2.0" }), anEdb("b", { status: { specStatus: "Invalid" } })];
  expect(judge(linked, edbs)).toMatchObject({ is: "stalled", code: "DATABASE-SPEC-REFUSED" });
});

describe("on another cluster", () => {
  const there = (edbs: readonly KubeObject[], eaadbs: readonly KubeObject[] = [anEaadb()]) => [
    { name: "west/engine", facts: sceneOf({ edbs, eaadbs }) },
  ];

  test("its instance has to come as well", () => {
    expect(judge({}, undefined, { participants: there([instance()]) })).toEqual({
      is: "done",
      says: "8.0 runs on 2 instances that were seen, active",
    });
    const late = there([instance({ version: "7.2.0" })]);
    expect(judge({}, undefined, { participants: late })).toMatchObject({
      is: "moving",
      on: "west/engine: 7.2 to become 8.0 (state active)",
    });
  });

  test("one that does not come is told with its cluster", () => {
    const refused = there([instance({ specStatus: "Invalid" })]);
    expect(judge({}, undefined, { participants: refused })).toMatchObject({
      code: "DATABASE-PARTICIPANT-BEHIND",
      object: "west/engine: EngineEnterpriseActiveActiveDatabase/engine/carts",
      because: "its spec status is Invalid",
    });
  });

  test("one that is not seen is waited for, and then told", () => {
    const none = there([], []);
    expect(judge({}, undefined, { participants: none })).toMatchObject({
      is: "moving",
      on: "west/engine: an instance of it to be seen",
    });
    expect(judge({}, undefined, { participants: none, patience: idle })).toMatchObject({
      code: "DATABASE-PARTICIPANT-BEHIND",
    });
  });

  test("it is known by its guid, or by its name", () => {
    const status = { guid: "g" };
    const other = anEaadb({ status: { guid: "g" }, metadata: { name: "other" } });
    expect(judge({ status }, undefined, { participants: there([instance()], [other]) }).is).toBe(
      "done",
    );
    const alike = anEdb("carts", { status: { version: "8.0.1", activeActive: {} } });
    expect(judge({}, undefined, { participants: there([alike], []) }).is).toBe("done");
    const plain = anEdb("carts", { status: { version: "8.0.1", activeActive: null } });
    expect(judge({}, undefined, { participants: there([plain], []) }).is).toBe("moving");
  });
});

test("the last actions are those of the database, or of its instances", () => {
  const edb = anEdb("orders", { status: { lastActionUid: "a" } });
  const facts = sceneOf({ edbs: [edb, instance({ lastActionUid: "b" })] });
  expect(lastActions(facts, { kind: "edb", object: edb })).toEqual(["a"]);
  expect(lastActions(facts, { kind: "edb", object: anEdb() })).toEqual([]);
  expect(lastActions(facts, { kind: "eaadb", object: anEaadb() })).toEqual(["b"]);
});
