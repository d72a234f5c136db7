import { inTurn } from "../../../plugin/run/in-turn";
import { Recorder } from "../../../plugin/run/engine/recorder";
import type { Event, ExitReport, Report } from "../../../plugin/run/report";
import { ManualClock } from "../../support/manual-clock";

/** One record, and runs that go on with it. */
function world() {
  const events: Event[] = [];
  const recorder = new Recorder(
    { kind: "First", target: { server: "s", namespace: "n" } },
    { clock: new ManualClock(), event: (event) => events.push(event) },
  );
  const run = (ids: readonly string[], exit: ExitReport, more: Partial<Report> = {}) => {
    return (): Promise<Report> => {
      for (const id of ids) {
        recorder.done({ id, action: "apply", object: "Role/a", why: "" }, "done");
      }
      return Promise.resolve({ ...recorder.report(exit), ...more });
    };
  };
  return { events, recorder, run };
}

test("runs in turn count their steps on, say all ends, and end as the last one does", async () => {
  const { events, run } = world();
  const first = await run(["a", "b"], { code: 0, reason: "first done" }, { details: { one: 1 } })();
  const followers = [
    { title: "Then", run: run(["c"], { code: 0, reason: "more done" }) },
    { title: "Last", run: run(["d"], { code: 6, reason: "some failed", next: "again" }) },
  ];
  const report = await inTurn(first, followers);
  expect(report.steps?.map(({ n, id }) => `${n} ${id}`)).toEqual(["1 a", "2 b", "3 c", "4 d"]);
  expect(report).toMatchObject({
    kind: "First",
    target: { server: "s" },
    details: { one: 1 },
    exit: {
      code: 6,
      reason: "first done; Then: more done; Last: some failed",
      next: "again",
    },
  });
  const told = events.flatMap((event) => (event.type === "step" ? [event.step.n] : []));
  expect(told).toEqual([1, 2, 3, 4]);
  expect(first.steps).toHaveLength(2);
});

test("a run that does not go well is the last", async () => {
  const { run } = world();
  const first = await run(["a"], { code: 5, reason: "conflict" })();
  const report = await inTurn(first, [{ title: "Then", run: run(["b"], { code: 0, reason: "" }) }]);
  expect(report).toBe(first);
});

test.each([
  ["after a write of its own it is 1", "changed", 1],
  ["before any write it stays 3", "planned", 3],
] as const)("a run that stops midway: %s", async (_title, result, code) => {
  const { recorder, run } = world();
  const first = await run([], { code: 0, reason: "" })();
  const stopped = async (): Promise<Report> => {
    recorder.done({ id: "b", action: "apply", object: "Role/a", why: "" }, result);
    return await run([], { code: 3, reason: "blocked" })();
  };
  const report = await inTurn(first, [{ title: "Then", run: stopped }], recorder);
  expect(report.exit.code).toBe(code);
});
