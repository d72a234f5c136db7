import { unreadFacts } from "../../../../plugin/domain/facts/facts";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { unreadVerdict } from "../../../../plugin/domain/rollout/health";

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
