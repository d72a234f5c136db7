import { ManualClock } from "../../../support/manual-clock";
import { type ExitCode, TimeoutError, UsageError } from "../../../../plugin/domain/base/errors";
import type { Finding } from "../../../../plugin/domain/base/findings";
import type { PlannedWrite } from "../../../../plugin/domain/kube/planned-write";
import { procedure } from "../../../../plugin/commands/upgrade/procedure";
import type { UpgradePlan } from "../../../../plugin/commands/upgrade/saved-plan";
import { inTurn } from "../../../../plugin/commands/upgrade/in-turn";
import {
  type PartPlan,
  partsOf,
  type ProcedureOptions,
  type ReadyPart,
  runProcedure,
  type Stage,
} from "../../../../plugin/commands/upgrade/upgrade";
import { Recorder } from "../../../../plugin/kernel/recorder";
import type { Event, ExitReport, Report } from "../../../../plugin/kernel/report";

function write(name: string, resourceVersion = "1"): PlannedWrite {
  return {
    verb: "patch",
    target: { group: "", version: "v1", resource: "services", kind: "Service", name },
    read: { uid: `uid-${name}`, resourceVersion },
    risk: "some",
    reverse: "back",
    command: "kubectl apply -f -",
  };
}

/** What a part does at each of its runs. */
interface Script {
  /** Objects that it would write, by what was done before. */
  readonly plans?: (stage: Stage, world: World) => readonly PlannedWrite[];
  readonly exit?: (stage: Stage) => ExitReport;
  readonly skip?: string;
  /** What a look at a skipped part shows. */
  readonly verified?: ExitReport;
  readonly throws?: Error;
  readonly findings?: readonly Finding[];
}

/** Parts that keep a list of what was done. */
class World {
  readonly done: string[] = [];
  readonly stages: string[] = [];
  readonly events: Event[] = [];
  readonly questions: string[] = [];
  readonly shown: UpgradePlan[] = [];
  readonly kept: UpgradePlan[] = [];
  answer = true;
  readonly interrupt = new AbortController();
  release = "./release";

  part(index: number, script: Script): ReadyPart {
    const part = procedure[index];
    if (part === undefined) throw new Error("no such part");
    const { plans = () => [write(part.id)], exit = okExit, skip, throws, findings = [] } = script;
    const { verified } = script;
    return {
      part,
      ...(skip !== undefined && { skip }),
      ...(verified !== undefined && {
        verify: ({ dryRun, ahead, recorder }: Stage) => {
          this.stages.push(`${part.id} verify ${dryRun}${ahead ? " ahead" : ""}`);
          return Promise.resolve(recorder.report(verified));
        },
      }),
      run: (stage) => {
        const { dryRun, ahead, recorder } = stage;
        this.stages.push(`${part.id} ${dryRun}${ahead ? " ahead" : ""}`);
        if (throws !== undefined && dryRun === "none") return Promise.reject(throws);
        const writes = plans(stage, this);
        if (dryRun === "none") this.done.push(...writes.map(({ target }) => target.name));
        for (const each of writes) {
          const object = `Service/${each.target.name}`;
          const info = { id: part.id, action: "apply", object, why: "S0" } as const;
          if (dryRun === "none") recorder.done(info, "changed");
          else recorder.done({ ...info, write: each }, "planned");
        }
        recorder.findings(findings);
        return Promise.resolve({ report: recorder.report(exit(stage)) });
      },
    };
  }

  planOf = (plans: readonly PartPlan[]): UpgradePlan => ({
    apiVersion: "cli.engine.com/v1",
    kind: "UpgradePlan",
    program: "0.1.0",
    madeAt: "2026-01-02T03:04:05Z",
    cluster: "c",
    namespace: "engine",
    release: this.release,
    words: ["upgrade"],
    parts: partsOf(plans),
    steps: plans.flatMap(({ steps }) => steps),
  });

  recorder(event: (event: Event) => void): Recorder {
    return new Recorder({ kind: "Upgrade" }, { clock: new ManualClock(), event });
  }

  run(
    parts: readonly ReadyPart[],
    options: Partial<ProcedureOptions> & {
      readonly keep?: true;
      /** What the checks have found. */
      readonly checked?: readonly Finding[];
    } = {},
  ): Promise<Report> {
    const { keep, checked = [], ...rest } = options;
    const recorder = this.recorder((event) => this.events.push(event));
    recorder.findings(checked);
    return runProcedure(
      parts,
      {
        recorder,
        unheard: () => this.recorder(() => undefined),
        signal: this.interrupt.signal,
        clock: new ManualClock(),
        ask: (question) => {
          this.questions.push(question);
          return Promise.resolve(this.answer);
        },
        show: (plan) => this.shown.push(plan),
        planOf: this.planOf,
        ...(keep === true && {
          keep: (plan: UpgradePlan) => {
            this.kept.push(plan);
            return Promise.resolve("run it with --plan");
          },
        }),
      },
      {
        dryRun: "none",
        skip: [],
        ...rest,
      },
    );
  }
}

const risky: Finding = {
  code: "RISKY",
  severity: "warning",
  object: "Kind/x",
  cause: "it may fail",
  fix: "see to it",
  source: "S1",
  accepted: true,
};

describe("a --skip", () => {
  test.each<[string, number, boolean]>([
    ["the plan holds", 0, true],
    ["a part blocks", 3, true],
    ["a part could not look at everything", 4, false],
  ])("that matches nothing is wrong usage where %s: nothing is done", async (_, code, refused) => {
    const world = new World();
    const exit = (): ExitReport => ({ code: code as ExitCode, reason: "so" });
    const parts = [world.part(1, { findings: [risky], exit })];
    const run = world.run(parts, {
      skip: [{ code: "RISKY", object: "Kind/x" }, { code: "OTHER" }],
    });
    const ended = await run.then(
      (report) => report.exit.code,
      (error: unknown) => (error instanceof UsageError ? error.problems : error),
    );
    expect(ended).toEqual(refused ? ["--skip OTHER matches no finding"] : code);
    expect(world.done).toEqual([]);
  });

  test.each<[string, readonly Finding[], readonly Finding[]]>([
    ["a check", [risky], []],
    ["a part", [], [risky]],
  ])("that matches a finding of %s lets the upgrade continue", async (_, ofChecks, ofPart) => {
    const world = new World();
    const parts = [world.part(1, { findings: ofPart })];
    const report = await world.run(parts, { checked: ofChecks, skip: [{ code: "RISKY" }] });
    expect([report.exit.code, world.done]).toEqual([0, ["rbac-expand"]]);
  });
});

const okExit = (): ExitReport => ({ code: 0, reason: "up to date" });

describe("the whole procedure", () => {
  test("plans every part, asks once, then does each after another look at it", async () => {
    const world = new World();
    const report = await world.run([world.part(1, {}), world.part(2, {})]);
    expect(report.exit).toEqual({
      code: 0,
      reason: "Widen RBAC in the managed namespaces: up to date; Upgrade the operator: up to date",
    });
    expect(world.stages).toEqual([
      "rbac-expand server ahead",
      "operator server ahead",
      "rbac-expand server",
      "rbac-expand none",
      "operator server",
      "operator none",
    ]);
    expect(world.questions).toEqual(["Carry out this plan (2 writes, in namespace engine)?"]);
    expect(world.shown).toHaveLength(1);
    expect(world.done).toEqual(["rbac-expand", "operator"]);
    const heard = world.events.flatMap((event) => (event.type === "step" ? [event.step.n] : []));
    expect(heard).toEqual([1, 2]);
  });

  test("with nothing to do asks nothing", async () => {
    const world = new World();
    const report = await world.run([world.part(1, { plans: () => [] })]);
    expect(report.exit.code).toBe(0);
    expect(world.questions).toEqual([]);
  });

  test("says why a part is skipped", async () => {
    const world = new World();
    const report = await world.run([
      world.part(3, { skip: "no admission controller is in use (S24)" }),
    ]);
    expect(world.stages).toEqual([]);
    expect(report.exit.reason).toContain("skipped, no admission controller is in use (S24)");
    expect(world.events).toEqual([
      {
        type: "note",
        part: "part 1 of 1",
        text: "Reapply the admission webhook (S24-S30), after 0s",
      },
      {
        type: "note",
        text: "Reapply the admission webhook: skipped, no admission controller is in use (S24)",
      },
    ]);
  });

  test("looks at what someone else does in the place of a skipped part, and continues", async () => {
    const world = new World();
    const verified: ExitReport = { code: 0, reason: "it works" };
    const report = await world.run([
      world.part(3, { skip: "OLM does it", verified }),
      world.part(4, {}),
    ]);
    expect(report.exit.code).toBe(0);
    expect(report.exit.reason).toContain("skipped, OLM does it; it works");
    expect(world.stages.filter((stage) => stage.startsWith("webhook"))).toEqual([
      "webhook verify server ahead",
      "webhook verify none",
    ]);
    expect(world.done).toEqual(["cluster"]);
  });

  test("stops where a skipped part was seen not to work, once its turn has come", async () => {
    const world = new World();
    const verified: ExitReport = { code: 7, reason: "it does not answer", next: "find out why" };
    const parts = [world.part(3, { skip: "OLM does it", verified }), world.part(4, {})];
    expect((await world.run(parts, { dryRun: "client" })).exit.code).toBe(0);
    expect(world.stages).toEqual(["webhook verify client ahead", "cluster client ahead"]);
    const report = await world.run(parts);
    expect(report.exit).toMatchObject({
      code: 7,
      reason: expect.stringContaining("it does not answer") as string,
      next: "find out why",
    });
    expect(world.done).toEqual([]);
  });

  test("stops before the first write where somebody else would refuse the proof", async () => {
    const world = new World();
    const verified: ExitReport = {
      code: 3,
      reason: "a policy refuses good edits",
      next: "change it",
    };
    const parts = [world.part(2, {}), world.part(3, { skip: "OLM does it", verified })];
    for (const dryRun of ["client", "server", "none"] as const) {
      expect((await world.run(parts, { dryRun })).exit).toMatchObject({
        code: 3,
        reason: expect.stringContaining("a policy refuses good edits") as string,
        next: "change it",
      });
    }
    expect(world.done).toEqual([]);
  });

  test("stops at the part that fails and keeps what was done before", async () => {
    const world = new World();
    const fails = (stage: Stage): ExitReport =>
      stage.dryRun === "none" ? { code: 124, reason: "timed out", next: "again" } : okExit();
    const report = await world.run([
      world.part(1, {}),
      world.part(2, { exit: fails }),
      world.part(3, {}),
    ]);
    expect(report.exit).toMatchObject({ code: 124, next: "again" });
    expect(report.steps?.map(({ n, object }) => `${n} ${object}`)).toEqual([
      "1 Service/rbac-expand",
      "2 Service/operator",
    ]);
    expect(world.done).toEqual(["rbac-expand", "operator"]);
  });

  test("an expected error of a part is its end, with what was done before in the report", async () => {
    const world = new World();
    const report = await world.run([
      world.part(1, {}),
      world.part(2, { throws: new TimeoutError("no answer in time") }),
    ]);
    expect(report.exit).toMatchObject({ code: 124 });
    expect(report.exit.reason).toContain("no answer in time");
    expect(report.steps).toHaveLength(1);
  });

  test.each<[string, number, ExitCode]>([
    ["after a write is a failure: exit 3 promises that nothing was written", 1, 1],
    ["before any write is exit 3", 0, 3],
  ])("a part that is blocked %s", async (_, writes, code) => {
    const world = new World();
    const blocked = (stage: Stage): ExitReport =>
      stage.dryRun === "none" ? { code: 3, reason: "no endpoints", next: "wait" } : okExit();
    const report = await world.run([
      world.part(1, { plans: () => [write("a")].slice(0, writes) }),
      world.part(2, { plans: () => [], exit: blocked }),
    ]);
    expect(report.exit).toMatchObject({ code, next: "wait" });
  });

  test("an unexpected error is none of ours", async () => {
    const world = new World();
    const run = world.run([world.part(1, { throws: new RangeError("bug") })]);
    await expect(run).rejects.toThrow("bug");
  });

  test("is interrupted before a part, not within the plan", async () => {
    const world = new World();
    world.interrupt.abort(new TimeoutError("interrupted"));
    const report = await world.run([world.part(1, {})]);
    expect(report.exit).toMatchObject({ code: 124 });
    expect(world.done).toEqual([]);
  });
});

describe("refusals write nothing", () => {
  test("a plan that cannot be carried out names what stands against each part", async () => {
    const world = new World();
    const report = await world.run([
      world.part(1, { exit: () => ({ code: 4, reason: "permissions are missing", next: "ask" }) }),
      world.part(2, { exit: () => ({ code: 5, reason: "conflict", next: "merge" }) }),
      world.part(3, {}),
    ]);
    expect(report.exit).toEqual({
      code: 4,
      reason:
        "nothing was written: Widen RBAC in the managed namespaces: permissions are missing; Upgrade the operator: conflict",
      next: "ask; merge",
    });
    expect(world.done).toEqual([]);
    expect(world.questions).toEqual([]);
  });

  test("an API server that does not answer one part is not asked by the others", async () => {
    const world = new World();
    const exit = (): ExitReport => ({ code: 69, reason: "no answer" });
    const report = await world.run([world.part(1, { exit }), world.part(2, {})]);
    expect([report.exit.code, world.stages, world.done]).toEqual([
      69,
      ["rbac-expand server ahead"],
      [],
    ]);
  });

  test("a plan that is not confirmed", async () => {
    const world = new World();
    world.answer = false;
    await expect(world.run([world.part(1, {})])).rejects.toMatchObject({ exitCode: 2 });
    expect(world.done).toEqual([]);
  });

  test.each([
    ["client", "dry run: 1 write planned, nothing was changed"],
    ["server", "dry run: 1 write planned, nothing was changed"],
  ] as const)("--dry-run=%s", async (dryRun, reason) => {
    const world = new World();
    const report = await world.run([world.part(1, {})], { dryRun });
    expect(report.exit).toEqual({ code: 0, reason });
    expect(world.stages).toEqual([`rbac-expand ${dryRun} ahead`]);
    expect(report.steps?.map(({ result }) => result)).toEqual(["planned"]);
  });

  test("a saved plan that no longer holds", async () => {
    const world = new World();
    const saved = world.planOf([]);
    const report = await world.run([world.part(1, {})], { saved });
    expect(report.exit.code).toBe(5);
    expect(report.findings?.map(({ code, cause }) => `${code} ${cause}`)).toEqual([
      "PLAN-STALE Service/rbac-expand: its apply was not planned",
    ]);
    expect(world.done).toEqual([]);
  });

  test("a plan that is to be kept", async () => {
    const world = new World();
    const report = await world.run([world.part(1, {})], { keep: true });
    expect(report.exit).toEqual({
      code: 0,
      reason: "the plan is saved, nothing was written",
      next: "run it with --plan",
    });
    expect(world.kept[0]?.steps).toHaveLength(1);
    expect(world.done).toEqual([]);
  });

  test("a write that the shown plan did not have", async () => {
    const world = new World();
    const more = (_: Stage, { done }: World): readonly PlannedWrite[] =>
      done.length === 0 ? [write("a")] : [write("a"), write("b")];
    const report = await world.run([world.part(1, {}), world.part(2, { plans: more })]);
    expect(report.exit).toMatchObject({ code: 5 });
    expect(report.findings?.map(({ code, object }) => `${code} ${object}`)).toEqual([
      "PLAN-EXCEEDED Service/b",
    ]);
    expect(world.done).toEqual(["rbac-expand"]);
  });
});

test("a saved plan that still holds is carried out", async () => {
  const world = new World();
  const parts = [world.part(1, {}), world.part(3, { skip: "not in use" })];
  await world.run(parts, { keep: true });
  const [saved] = world.kept;
  if (saved === undefined) throw new Error("no plan was kept");
  const report = await world.run(parts, { saved });
  expect(report.exit.code).toBe(0);
  expect(world.done).toEqual(["rbac-expand"]);
});

test("permissions that several parts lack are asked for at once", async () => {
  const world = new World();
  const lacking = (index: number, missing: string): ReadyPart => {
    const ready = world.part(index, { exit: () => ({ code: 4, reason: "missing" }) });
    const permissions = { missing: [missing], manifest: `kind: ${missing}\n` };
    const run: ReadyPart["run"] = async (stage) => {
      const { report } = await ready.run(stage);
      return { report: { ...report, permissions } };
    };
    return { ...ready, run };
  };
  const report = await world.run([lacking(1, "get a"), lacking(2, "get b")]);
  expect(report.permissions).toEqual({
    missing: ["get a", "get b"],
    manifest: "kind: get b\n",
  });
});

/** One record, and runs that continue with it. */
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
