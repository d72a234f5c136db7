import { isPartlyRead, knownHere, unreadFacts } from "../../../../plugin/domain/facts/facts";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { noteUnread, restingOn, unreadVerdict } from "../../../../plugin/domain/rollout/health";

const facts = unreadFacts(defaultNames, "engine");

test("unknown names the lists that may not be read", () => {
  expect(unreadVerdict(facts, ["pods", "events"])).toEqual({
    is: "unknown",
    because: "may not list pods, events",
  });
});

test("unknown names the object that a dump holds otherwise than an API server", () => {
  const because = "Pod/engine/ec-0 has a value of another type in status";
  const unread = new Map([...facts.unread, ["pods", because] as const]);
  const dumped = { ...facts, unread, misfits: new Set(["pods"] as const) };
  expect(unreadVerdict(dumped, ["events", "pods"])).toEqual({ is: "unknown", because });
});

test("nothing is unknown where the lists were read", () => {
  expect(unreadVerdict({ ...facts, unread: new Map() }, ["pods"])).toBeUndefined();
});

test("what was read in the operator's namespace alone is unread outside of it, and read for who looks there", () => {
  const half = { ...facts, partly: new Set(["edbs"] as const) };
  expect(noteUnread(half, ["edbs", "pods"])).toEqual({
    unread: "may not list engineenterprisedatabases outside engine, pods",
  });
  expect([isPartlyRead(half, "edbs"), isPartlyRead(half, "pods")]).toEqual([true, false]);
  expect(noteUnread(knownHere(half), ["edbs"])).toEqual({});
  expect(isPartlyRead(knownHere(half), "edbs")).toBe(false);
  expect(knownHere(facts)).toBe(facts);
});

test("what a verdict rests on is told where all is well, and nowhere else", () => {
  expect(restingOn({ is: "fine", says: "it runs" }, "by its pods")).toEqual({
    ...{ is: "fine", says: "it runs" },
    rests: "by its pods",
  });
  const moving = { is: "moving", on: "its pods" } as const;
  expect(restingOn(moving, "by its pods")).toBe(moving);
});
