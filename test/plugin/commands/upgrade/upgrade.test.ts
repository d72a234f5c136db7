import type { PlannedChange } from "../../../../plugin/domain/kube/change";
import { ManualClock } from "../../../support/manual-clock";
import {
  EngineError,
  type ExitCode,
  TimeoutError,
  UsageError,
} from "../../../../plugin/domain/base/errors";
import type { Finding } from "../../../../plugin/domain/base/findings";
import type { PlannedWrite } from "../../../../plugin/domain/kube/planned-write";
import { listParts } from "../../../../plugin/commands/parts";
import type { PartId } from "../../../../plugin/domain/base/part-ids";
import { together } from "../../../../plugin/domain/facts/needs";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import type { Part } from "../../../../plugin/kernel/part";
import { unchanged } from "../../../../plugin/kernel/projection";
import { makeWorld } from "../../../support/world";
import { aWitness, portsOf } from "../world";
import type { UpgradePlan } from "../../../../plugin/commands/upgrade/plan-document";
import { joinEnds } from "../../../../plugin/commands/upgrade/ends";
import type { UpgradeOptions } from "../../../../plugin/commands/upgrade/deps";
import { describePlan, type PlanInputs } from "../../../../plugin/commands/upgrade/describe-plan";
import { upgrade as upgradeSpec } from "../../../../plugin/commands/upgrade/flags";
import { readDefaults } from "../../../../plugin/cmdutil/spec";
import type { WantedPart } from "../../../../plugin/commands/upgrade/plan-parts";
import { upgradeParts } from "../../../../plugin/commands/upgrade/upgrade";
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

/** When a part is asked. */
type Moment = "ahead" | "again" | "act";

/** What a part does at each of its moments. */
interface Script {
  /** Objects that it would write, by what was done before. */
  readonly plans?: (moment: Moment, world: World) => readonly PlannedWrite[];
  readonly exit?: (moment: Moment) => ExitReport;
  readonly skip?: string;
  /** What a look at a skipped part shows. */
  readonly verified?: ExitReport;
  readonly throws?: Error;
  readonly findings?: readonly Finding[];
  readonly missing?: string;
  readonly questions?: readonly string[];
}

/** How a plan ends that cannot be carried out. */
class StoppedError extends EngineError {
  readonly code = "STOPPED";

  constructor(
    readonly exitCode: ExitCode,
    { reason, next }: ExitReport,
  ) {
    super(reason, next === undefined ? {} : { hint: next });
  }
}

/** Parts that keep a list of what was done. */
class World {
  readonly done: string[] = [];
  readonly stages: string[] = [];
  readonly questions: string[] = [];
  readonly shown: UpgradePlan[] = [];
  readonly kept: UpgradePlan[] = [];
  readonly witness = aWitness();
  answer = true;
  readonly interrupt = new AbortController();
  readonly inputs: PlanInputs = {
    clock: new ManualClock(),
    flags: readDefaults(upgradeSpec),
    binding: { cluster: "c", namespace: "engine", release: "./release" },
  };

  part(index: number, script: Script): WantedPart {
    const part = listParts()[index];
    if (part === undefined) throw new Error("no such part");
    const { skip: skipReason, verified } = script;
    return {
      part,
      ...(skipReason !== undefined && { skipReason }),
      ...(verified !== undefined && {
        prove: () => {
          this.stages.push(`${part.id} prove`);
          return Promise.resolve(verified);
        },
      }),
      makeParts: (plan) => Promise.resolve([this.#made(part.id, script, plan === "ahead")]),
    };
  }

  #made(id: PartId, script: Script, ahead: boolean): Part {
    const { plans = () => [write(id)], exit = okExit, throws, findings = [] } = script;
    return {
      command: id,
      needs: () => together([]),
      plan: ({ dryRun, tell, recorder }) => {
        this.stages.push(`${id} ${dryRun}${ahead ? " ahead" : ""}`);
        const moment = ahead ? "ahead" : "again";
        const writes = plans(moment, this).map((each) => plannedOf(id, each));
        tell(findings);
        const { missing } = script;
        if (missing !== undefined) {
          recorder.keep({ permissions: { missing: [missing], manifest: `kind: ${missing}\n` } });
        }
        const expects = exit(moment);
        const isGood = expects.code === 0 || expects.leftOut !== undefined;
        return Promise.resolve({
          ...{ writes, questions: script.questions ?? [], expects, after: unchanged },
          ...(!isGood && { stops: new StoppedError(expects.code, expects) }),
          act: (ports) => {
            this.stages.push(`${id} act`);
            if (throws !== undefined) return Promise.reject(throws);
            for (const one of plans("act", this)) {
              this.done.push(one.target.name);
              ports.recorder.addStep(stepOf(id, one), "changed");
            }
            return Promise.resolve(exit("act"));
          },
        });
      },
    };
  }

  get events(): readonly Event[] {
    return this.witness.events;
  }

  run(
    parts: readonly WantedPart[],
    options: Partial<UpgradeOptions> & {
      readonly keep?: true;
      /** What the checks have found. */
      readonly checked?: readonly Finding[];
      /** Why no record can be kept. */
      readonly homeProblem?: string;
    } = {},
  ): Promise<Report> {
    const { keep, checked = [], homeProblem, ...rest } = options;
    const { cluster } = makeWorld({ objects: [] });
    const clock = new ManualClock();
    const ports = portsOf(this.witness, { kind: "Upgrade", cluster, clock });
    ports.recorder.addFindings(checked);
    return upgradeParts(
      parts,
      {
        ports: {
          ...ports,
          journal: { ...ports.journal, problem: () => Promise.resolve(homeProblem) },
          signal: this.interrupt.signal,
          ask: (question) => {
            this.questions.push(question);
            return Promise.resolve(this.answer);
          },
        },
        nextJournal: () => ports.journal,
        show: (plan) => this.shown.push(plan),
        planInputs: this.inputs,
        ...(keep === true && {
          save: (plan: UpgradePlan) => {
            this.kept.push(plan);
            return Promise.resolve("run it with --plan");
          },
        }),
      },
      { dryRun: "none", wait: false, limitMs: 1_000, skip: [], ...rest },
    );
  }
}

function stepOf(id: PartId, { target }: PlannedWrite) {
  return { id, action: "apply", object: `Service/${target.name}`, why: "S0" } as const;
}

function plannedOf(id: PartId, each: PlannedWrite): PlannedChange {
  const object = { apiVersion: "v1", kind: "Service", metadata: { name: each.target.name } };
  const told = { why: "S0", risk: "some", reverse: "back" };
  const change = { verb: "create", id, resource: kinds.service, object, ...told } as const;
  return { change, step: { ...stepOf(id, each), write: each } };
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
      "rbac-expand act",
      "operator server",
      "operator act",
    ]);
    expect(world.questions).toEqual(["Carry out this plan (2 writes)?"]);
    expect(world.shown).toHaveLength(1);
    expect(world.done).toEqual(["rbac-expand", "operator"]);
    const heard = world.events.flatMap((event) => (event.type === "step" ? [event.step.n] : []));
    expect(heard).toEqual([1, 2]);
  });

  test("refuses before the question where no record can be kept", async () => {
    const world = new World();
    const run = world.run([world.part(1, {})], { homeProblem: "the folder is not writable" });
    await expect(run).rejects.toThrow("the folder is not writable");
    expect([world.questions, world.done]).toEqual([[], []]);
  });

  test("with nothing to write only warns where no record can be kept", async () => {
    const world = new World();
    const parts = [world.part(1, { plans: () => [] })];
    const report = await world.run(parts, { homeProblem: "the folder is not writable" });
    expect([report.exit.code, report.findings?.map(({ code }) => code)]).toEqual([
      0,
      ["HOME-NOT-WRITABLE"],
    ]);
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
        source: "S24-S30",
        text: "Reapply the admission webhook, after 0s",
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
      "webhook prove",
      "webhook prove",
    ]);
    expect(world.done).toEqual(["cluster"]);
  });

  test("stops where a skipped part was seen not to work, once its turn has come", async () => {
    const world = new World();
    const verified: ExitReport = { code: 7, reason: "it does not answer", next: "find out why" };
    const parts = [world.part(3, { skip: "OLM does it", verified }), world.part(4, {})];
    expect((await world.run(parts, { dryRun: "client" })).exit.code).toBe(0);
    expect(world.stages).toEqual(["webhook prove", "cluster client ahead"]);
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
    const fails = (moment: Moment): ExitReport =>
      moment === "act" ? { code: 124, reason: "timed out", next: "again" } : okExit();
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
    const blocked = (moment: Moment): ExitReport =>
      moment === "act" ? { code: 3, reason: "no endpoints", next: "wait" } : okExit();
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
    const saved = describePlan([], [], world.inputs);
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
    const more = (_: Moment, { done }: World): readonly PlannedWrite[] =>
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
  const exit = (): ExitReport => ({ code: 4, reason: "missing" });
  const lacking = (index: number, missing: string): WantedPart =>
    world.part(index, { exit, missing });
  const report = await world.run([lacking(1, "get a"), lacking(2, "get b")]);
  expect(report.permissions).toEqual({
    missing: ["get a", "get b"],
    manifest: "kind: get b\n",
  });
});

const ok: ExitReport = { code: 0, reason: "first done" };

type End = ExitReport & { readonly details?: unknown };

test.each<[string, { readonly first: End; readonly next: End; readonly both: End }]>([
  [
    "say both reasons, and end as the last does",
    {
      first: { ...ok, details: { one: 1 } },
      next: { code: 6, reason: "some failed", next: "again" },
      both: { code: 6, reason: "first done; some failed", next: "again", details: { one: 1 } },
    },
  ],
  [
    "of which the first left something out: both did",
    {
      first: { code: 6, reason: "one left", leftOut: ["a"], next: "look" },
      next: { code: 0, reason: "done" },
      both: { code: 6, reason: "one left; done", leftOut: ["a"], next: "look" },
    },
  ],
  [
    "that both leave the same out name it once",
    {
      first: { code: 6, reason: "one left", leftOut: ["a"] },
      next: { code: 6, reason: "two left", leftOut: ["a", "b"] },
      both: { code: 6, reason: "one left; two left", leftOut: ["a", "b"] },
    },
  ],
  [
    "of which the last fails end as it does",
    {
      first: { code: 6, reason: "one left", leftOut: ["a"] },
      next: { code: 1, reason: "failed" },
      both: { code: 1, reason: "one left; failed" },
    },
  ],
])("two ends %s", (_, { first, next, both }) => {
  expect(joinEnds(first, next)).toEqual(both);
});
