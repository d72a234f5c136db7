import { ApiError, UnavailableError, BlockedError } from "../../../plugin/domain/base/errors";
import type { Finding } from "../../../plugin/domain/base/findings";
import { Recorder } from "../../../plugin/kernel/recorder";
import type { Event } from "../../../plugin/kernel/report";
import { ManualClock } from "../../support/manual-clock";

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

  const failed = new ApiError(
    'conversion webhook for app.engine.com/v1alpha1, Kind=EngineEnterpriseCluster failed: Post "https://convert.engine-old.svc:443/convert?timeout=30s": service "convert" not found',
    { status: 500, reason: "InternalError" },
  );

  test("of a conversion is what blocks: the definition, the Service and the command", () => {
    const { exit, findings } = aRecorder().recorder.failure(failed);
    const object = "CustomResourceDefinition/engineenterpriseclusters.app.engine.com";
    expect([exit.code, findings?.map((one) => [one.code, one.object])]).toEqual([
      3,
      [["DEFINITION-CONVERSION", object]],
    ]);
    expect(exit.reason).toContain(`${object}: it converts through Service engine-old/convert`);
    expect(exit.next).toContain(
      "kubectl patch customresourcedefinition engineenterpriseclusters.app.engine.com",
    );
  });

  test("of a conversion after a write is none that left all untouched", () => {
    const { exit } = aRecorder().recorder.failure(failed, { stands: "one was written" });
    expect([exit.code, exit.reason.endsWith("; one was written")]).toEqual([1, true]);
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
