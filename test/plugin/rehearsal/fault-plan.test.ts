import { UsageError } from "../../../plugin/domain/errors";
import { faults, judgeChoice, planFaults, spelled } from "../../../plugin/rehearsal/faults";
import type { Call } from "../../../plugin/rehearsal/observed-cluster";

const call = (verb: Call["verb"], writes: boolean, dryRun = false): Call => ({
  verb,
  subject: "Secret engine/admission-tls",
  writes,
  dryRun,
});
const calls = [call("get", false), call("create", false, true), call("apply", true)];
const ids = (choice: string) => planFaults(choice, calls).map(spelled);

test("all: every request with every fault that can meet it", () => {
  expect(ids("all")).toEqual([
    ...["1:refused", "1:cut", "1:hang", "1:silence", "1:throttled", "1:killed-before"],
    ...["2:refused", "2:cut", "2:hang", "2:silence", "2:throttled", "2:killed-before"],
    ...faults.map(({ id }) => `3:${id}`),
  ]);
});

test("a number: the same random choice each time, half of it with two faults", () => {
  expect(ids("42")).toEqual(ids("42"));
  expect(ids("42")).not.toEqual(ids("43"));
  expect(ids("42")).toHaveLength(25);
  const counts = planFaults("42", calls).map((scenario) => scenario.length);
  expect(counts.filter((count) => count === 2)).toHaveLength(12);
  for (const [first, second] of planFaults("42", calls)) {
    expect(first?.fault.meets(calls[first.call - 1] ?? call("get", false))).toBe(true);
    expect(second === undefined || second.call > (first?.call ?? 0)).toBe(true);
  }
});

test("a choice as printed is that very run, in the order of its requests", () => {
  expect(ids("3:lost,1:refused")).toEqual(["1:refused,3:lost"]);
});

test("a random choice among no requests at all has no faults", () => {
  expect(planFaults("1", []).flat()).toEqual([]);
});

test("a fault that does not exist is wrong usage that names those that do", () => {
  const judge = () => {
    judgeChoice("3:lost,4:nonsense,5:worse");
  };
  expect(judge).toThrow(UsageError);
  expect(judge).toThrow(/no such fault: nonsense, worse; there are refused, cut, lost/);
  expect(() => {
    judgeChoice("all");
  }).not.toThrow();
});
