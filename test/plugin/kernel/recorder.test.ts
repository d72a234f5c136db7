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

describe("what was kept", () => {
  const backup = (object: string, file = `${object}.json`) => {
    return { object, file, command: `kubectl replace -f ${file}`, holds: "while it is so" };
  };

  test("is told with the last write first", () => {
    const { recorder } = aRecorder();
    recorder.backups(() => [backup("first"), backup("then")]);
    recorder.backup(backup("last"));
    expect(recorder.success("done").backups?.map(({ object }) => object)).toEqual([
      "last",
      "then",
      "first",
    ]);
  });

  test("is for reference once there is no return, and what is written later is not", () => {
    const { recorder } = aRecorder();
    const kept = [backup("before")];
    recorder.backups(() => kept);
    recorder.passNoReturn("a pod was recreated");
    recorder.passNoReturn("said again");
    kept.push(backup("after"));
    expect(recorder.success("done").backups).toEqual([
      backup("after"),
      { object: "before", file: "before.json", lost: "a pod was recreated" },
    ]);
  });

  test("holds until something comes about, unless it has an end of its own, and what is written later is not limited", () => {
    const { recorder } = aRecorder();
    const own = { ...backup("own"), holds: "until its upgrade begins" };
    const unsaid = { object: "unsaid", file: "unsaid.json", command: "kubectl create" };
    const kept = [backup("before"), own, unsaid];
    recorder.backups(() => kept);
    recorder.limitReturn("until a pod is recreated");
    recorder.limitReturn("until something else");
    kept.push(backup("after"));
    expect(recorder.success("done").backups).toEqual([
      backup("after"),
      unsaid,
      own,
      { ...backup("before"), holds: "while it is so, until a pod is recreated" },
    ]);
  });

  test("of one object is lost by itself", () => {
    const { recorder } = aRecorder();
    recorder.backups(() => [backup("one"), backup("other")]);
    recorder.passNoReturn("it has begun", "one");
    expect(recorder.success("done").backups?.map(({ lost }) => lost)).toEqual([
      undefined,
      "it has begun",
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

describe("a recorder aside", () => {
  const read = { id: "a.read", action: "read", object: "Role/a", why: "to see it" } as const;

  test("tells nobody but who waits, and is retold with its times, without what was only planned", () => {
    const { clock, events, recorder } = aRecorder();
    recorder.addStep(read, "done");
    clock.advance(5_000);
    const aside = recorder.aside();
    clock.advance(1_000);
    aside.recorder.addStep({ ...read, id: "b.read" }, "done");
    aside.recorder.addStep({ ...read, id: "b.write", action: "patch" }, "planned");
    aside.recorder.addFindings([finding()]);
    aside.recorder.note("look");
    aside.recorder.noteWaiting("Deployment/engine/op: ready", 1);
    aside.recorder.keep({ namespaces: [{ name: "shop", result: "unchanged" }] });
    expect(events.map(({ type }) => type)).toEqual(["step", "waiting"]);
    const told: Finding[] = [];
    recorder.retell(aside, (findings) => told.push(...findings));
    expect(events.map(({ type }) => type)).toEqual(["step", "waiting", "step", "note"]);
    expect(told).toEqual([finding()]);
    const { steps, namespaces } = recorder.success("");
    expect(steps?.map(({ n, id, at }) => [n, id, at])).toEqual([
      [1, "a.read", 0],
      [2, "b.read", 6_000],
    ]);
    expect(namespaces).toHaveLength(1);
  });

  test("tells its probes once they are used", () => {
    const { events, recorder } = aRecorder();
    const aside = recorder.aside();
    const sides = { ok: 1, of: 1 };
    aside.recorder.probe({ phase: "found", accept: sides, deny: { ...sides, by: "x" } });
    recorder.retell(aside, () => undefined);
    expect(events.map(({ type }) => type)).toEqual(["probe"]);
    expect(recorder.success("").probes).toHaveLength(1);
  });
});
