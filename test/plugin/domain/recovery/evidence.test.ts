import type { KubeObject } from "../../../../plugin/domain/objects";
import { eventEvidence, logEvidence } from "../../../../plugin/domain/recovery/classify";
import { aFrozenEc, anEdb, frozenFacts } from "./scene";

const ec = aFrozenEc();
const edb = anEdb("orders");

const line = (fields: object): string =>
  JSON.stringify({
    ...{ level: "error", ts: "2026-08-01T10:00:00Z", logger: "x", msg: "Upgrade Error" },
    ...{ error: "it is stuck", Namespace: "engine", Name: "ec" },
    ...fields,
  });

describe("of the log", () => {
  test.each<[string, string, readonly string[]]>([
    ["an error about the EC counts", line({}), ["Upgrade Error: it is stuck"]],
    ["one about a database counts", line({ Name: "orders" }), ["Upgrade Error: it is stuck"]],
    ["one without an error has its message", line({ error: undefined }), ["Upgrade Error"]],
    ["one about another object does not", line({ Name: "other" }), []],
    ["one of another namespace does not", line({ Namespace: "other" }), []],
    ["one about nothing does not", line({ Name: undefined }), []],
    ["what is no error does not", line({ level: "info" }), []],
    ["what is no JSON does not", "panic: runtime error", []],
    ["an empty log says nothing", "", []],
    [
      "the same text counts once",
      `${line({})}\n${line({ ts: "2026-08-01T11:00:00Z" })}`,
      ["Upgrade Error: it is stuck"],
    ],
    ["a long one is cut", line({ msg: "x".repeat(600), error: "" }), ["x".repeat(500)]],
  ])("%s", (_title, log, says) => {
    expect(logEvidence(log, [ec, edb]).map((one) => one.says)).toEqual(says);
  });

  test("the newest few are kept, the newest last", () => {
    const log = ["1", "2", "3", "4", "5", "6", "2"].map((error) => line({ error })).join("\n");
    expect(logEvidence(log, [ec]).map(({ says }) => says.slice(-1))).toEqual([
      "3",
      "4",
      "5",
      "6",
      "2",
    ]);
  });
});

describe("of the events", () => {
  const event = (fields: object, involved: object = {}): KubeObject => ({
    ...{ apiVersion: "v1", kind: "Event", metadata: { name: "e", namespace: "engine" } },
    ...{ type: "Warning", reason: "Frozen", message: "it is stalled" },
    involvedObject: { kind: ec.kind, namespace: "engine", name: "ec", ...involved },
    ...fields,
  });

  test.each<[string, KubeObject, readonly string[]]>([
    ["a warning about the EC counts", event({}), ["Frozen: it is stalled"]],
    [
      "one about a database counts",
      event({}, { kind: edb.kind, name: "orders" }),
      ["Frozen: it is stalled"],
    ],
    [
      "one about its pod counts",
      event({}, { kind: "Pod", name: "ec-2" }),
      ["Frozen: it is stalled"],
    ],
    [
      "one about its StatefulSet counts",
      event({}, { kind: "StatefulSet" }),
      ["Frozen: it is stalled"],
    ],
    ["one without a message has its reason", event({ message: undefined }), ["Frozen"]],
    ["one about another pod does not", event({}, { kind: "Pod", name: "ec-two" }), []],
    ["one about another kind does not", event({}, { kind: "Job", name: "ec-2" }), []],
    [
      "one of another namespace does not",
      event({}, { kind: "Pod", name: "ec-2", namespace: "x" }),
      [],
    ],
    ["one about nothing does not", event({ involvedObject: undefined }), []],
    [
      "one about an object without a name does not",
      event({}, { kind: "Pod", name: undefined }),
      [],
    ],
    ["what is no warning does not", event({ type: "Normal" }), []],
  ])("%s", (_title, one, says) => {
    const facts = frozenFacts({ events: [one] }, ec);
    expect(eventEvidence(facts, ec, [edb]).map((found) => found.says)).toEqual(says);
  });

  test("they are shown in the order of their times, whichever field tells it", () => {
    const events = [
      event({ message: "third", lastTimestamp: "2026-08-01T10:00:02Z" }),
      event({ message: "second", eventTime: "2026-08-01T10:00:01Z" }),
      event({ message: "first" }),
      event({ message: "fourth", lastTimestamp: "2026-08-01T10:00:03Z" }),
    ];
    const facts = frozenFacts({ events }, ec);
    expect(eventEvidence(facts, ec, []).map(({ at, says }) => [at, says])).toEqual([
      [undefined, "Frozen: first"],
      ["2026-08-01T10:00:01Z", "Frozen: second"],
      ["2026-08-01T10:00:02Z", "Frozen: third"],
      ["2026-08-01T10:00:03Z", "Frozen: fourth"],
    ]);
  });
});
