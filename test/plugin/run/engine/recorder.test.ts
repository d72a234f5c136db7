import { UnavailableError } from "../../../../plugin/domain/errors";
import type { Finding } from "../../../../plugin/domain/findings";
import { BlockedError, Recorder } from "../../../../plugin/run/engine/recorder";
import type { Event } from "../../../../plugin/run/report";
import { ManualClock } from "../../../support/manual-clock";

const info = { id: "a.b", action: "apply", object: "Kind/x", why: "it is not there" } as const;
const finding = (changes: Partial<Finding> = {}): Finding => ({
  code: "A-B",
  severity: "error",
  object: "Kind/x",
  cause: "it is broken",
  fix: "fix it",
  source: "S1",
  ...changes,
});

function aRecorder() {
  const clock = new ManualClock();
  const events: Event[] = [];
  const recorder = new Recorder({ kind: "Test" }, { clock, event: (event) => events.push(event) });
  return { clock, events, recorder };
}

describe("a step", () => {
  test("is recorded with its result and how long it took, and gives its value", async () => {
    const { clock, events, recorder } = aRecorder();
    const value = await recorder.step(info, () => {
      clock.advance(12.6);
      return Promise.resolve({ result: "created", value: 5 });
    });
    const step = { n: 1, ...info, result: "created", ms: 13 };
    expect(value).toBe(5);
    expect(events).toEqual([{ type: "step", step }]);
    expect(recorder.success("done").steps).toEqual([step]);
  });

  test("may know better why, once it is taken", async () => {
    const { recorder } = aRecorder();
    await recorder.step(info, () =>
      Promise.resolve({ result: "unchanged", value: undefined, why: "it was there" }),
    );
    expect(recorder.success("done").steps?.[0]?.why).toBe("it was there");
  });

  test("that throws is recorded as failed, and the error continues", async () => {
    const { recorder } = aRecorder();
    const act = () => Promise.reject(new Error("no"));
    await expect(recorder.step(info, act)).rejects.toThrow("no");
    expect(recorder.success("done").steps).toEqual([{ n: 1, ...info, result: "failed", ms: 0 }]);
  });

  test("is numbered in order", () => {
    const { recorder } = aRecorder();
    recorder.done(info, "planned");
    recorder.done(info, "skipped");
    expect(recorder.success("done").steps?.map(({ n }) => n)).toEqual([1, 2]);
  });
});

describe("the document", () => {
  test("of a run in which nothing happened has no empty parts", () => {
    expect(aRecorder().recorder.success("done")).toEqual({
      apiVersion: "cli.engine.com/v1",
      kind: "Test",
      steps: [],
      findings: [],
      exit: { code: 0, reason: "done" },
    });
  });

  test("holds every part that was handed in, and each was an event where people wait for it", () => {
    const { events, recorder } = aRecorder();
    const probe = { phase: "new", accept: { ok: 1, of: 1 }, deny: { ok: 1, of: 1, by: "x" } };
    const certificate = { secret: "a/b", sha256: "00", notAfter: "2030-01-01T00:00:00Z", san: [] };
    const gap = { bypassSeconds: 0, outageSeconds: 0, method: "none" };
    const permissions = { missing: ["get pods"], manifest: "" };
    const backup = { object: "Kind/x", file: "/x", command: "kubectl create -f /x" };
    recorder.probe(probe);
    recorder.certificate(certificate);
    recorder.gap(gap);
    recorder.permissions(permissions);
    recorder.backup(backup);
    recorder.findings([finding()]);
    recorder.note("a word");
    recorder.waiting("someone", 1.6);
    expect(recorder.success("done")).toMatchObject({
      probes: [probe],
      certificate,
      gap,
      permissions,
      backups: [backup],
      findings: [finding()],
    });
    expect(events).toEqual([
      { type: "probe", probe },
      { type: "finding", finding: finding() },
      { type: "note", text: "a word" },
      { type: "waiting", on: "someone", seconds: 2 },
    ]);
  });
});

describe("a failure", () => {
  test("ends with the error's code, message and hint", () => {
    const { recorder } = aRecorder();
    const error = new UnavailableError("no answer", { hint: "see the network" });
    expect(recorder.failure(error).exit).toEqual({
      code: 69,
      reason: "no answer",
      next: "see the network",
    });
  });

  test("without a hint says at least to run it again", () => {
    const { exit } = aRecorder().recorder.failure(new UnavailableError("no answer"));
    expect(exit.next).toBe("run the same command again");
  });

  test("that blocks brings its findings along", () => {
    const report = aRecorder().recorder.failure(new BlockedError(3, [finding()]));
    expect(report.findings).toEqual([finding()]);
    expect(report.exit).toEqual({ code: 3, reason: "Kind/x: it is broken", next: "fix it" });
  });

  test("that nobody expected continues", () => {
    expect(() => aRecorder().recorder.failure(new TypeError("a bug"))).toThrow("a bug");
  });
});

describe("what blocks is named by", () => {
  test.each<[string, readonly Finding[], string, string]>([
    ["its one error", [finding()], "A-B", "Kind/x: it is broken"],
    [
      "its first error, not a warning before it",
      [finding({ severity: "warning", code: "W-X" }), finding()],
      "A-B",
      "Kind/x: it is broken",
    ],
    [
      "a warning, where there is no error",
      [finding({ severity: "warning", code: "W-X" })],
      "W-X",
      "Kind/x: it is broken",
    ],
    ["nothing, where nothing was found", [], "STOPPED", "the run was stopped"],
  ])("%s", (_title, findings, ...[code, message]) => {
    expect(new BlockedError(5, findings)).toMatchObject({ code, message, exitCode: 5 });
  });

  test("a cause alone, where no object is concerned", () => {
    const { code, severity, cause, fix, source } = finding();
    const error = new BlockedError(3, [{ code, severity, cause, fix, source }]);
    expect(error.message).toContain("it is broken");
  });
});
