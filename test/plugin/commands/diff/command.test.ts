import { captured } from "../../../support/program-world";
import type { CommandContext } from "../../../../plugin/cmdutil/context";
import { diffText, runDiff } from "../../../../plugin/commands/diff/diff";
import { palette } from "../../../../plugin/output/escape";
import type { Event, Report, StepReport } from "../../../../plugin/kernel/report";

const step = (result: StepReport["result"], n = 1): StepReport => ({
  n,
  id: "x.apply",
  action: "apply",
  object: "X/x",
  result,
  why: "it differs",
  ms: 0,
});

const reportOf = (steps: readonly StepReport[], exit: Report["exit"]): Report => ({
  apiVersion: "cli.engine.com/v1",
  kind: "UpgradeWebhook",
  steps,
  findings: [],
  exit,
});

/** What a dry run needs of a context. */
const context = (dryRun: "none" | "client" | "server" = "none"): CommandContext =>
  ({
    options: { dryRun, prefix: "kubectl engine", verbosity: 0, output: "json" },
    run: { id: "1", startedAt: "2026-01-01T00:00:00Z", dryRun },
  }) as unknown as CommandContext;

const words = ["upgrade-webhook", "--namespace=engine"];
const fine = { code: 0, reason: "done" } as const;

test.each<[string, Report["steps"] & object, Report["exit"]]>([
  [
    "one write is a difference",
    [step("done"), step("planned", 2)],
    {
      code: 1,
      reason: "differences exist: 1 write would be made",
      next: "make them with kubectl engine upgrade-webhook --namespace=engine",
    },
  ],
  [
    "several are",
    [step("planned"), step("planned", 2)],
    {
      code: 1,
      reason: "differences exist: 2 writes would be made",
      next: "make them with kubectl engine upgrade-webhook --namespace=engine",
    },
  ],
  ["none is none", [step("unchanged")], fine],
])("%s", async (_name, steps, exit) => {
  const report = await runDiff(context(), () => Promise.resolve(reportOf(steps, fine)), words);
  expect(report).toEqual({ ...reportOf(steps, exit), kind: "Diff" });
});

test("what stops the command stops the diff", async () => {
  const blocked = { code: 3, reason: "no secret", next: "make one" } as const;
  const plan = () => Promise.resolve(reportOf([step("planned")], blocked));
  expect((await runDiff(context(), plan, words)).exit).toEqual(blocked);
});

test.each([
  ["none", "server"],
  ["client", "client"],
  ["server", "server"],
] as const)("the command runs as a dry run: %s becomes %s", async (typed, wanted) => {
  const seen: unknown[] = [];
  await runDiff(
    context(typed),
    (planning) => {
      seen.push(planning.options.dryRun, planning.run.dryRun, planning.options.prefix);
      return Promise.resolve(reportOf([], fine));
    },
    words,
  );
  expect(seen).toEqual([wanted, wanted, "kubectl engine"]);
});

describe("the text", () => {
  const report = (exit: Report["exit"], kind = "Diff"): Report => ({
    ...{ apiVersion: "cli.engine.com/v1", kind, exit },
  });
  const plain = { palette: palette(false), verbosity: 0 };
  const differs = { code: 1, reason: "differences exist: 1 write would be made" } as const;

  test.each<readonly [string, Report["exit"], string]>([
    ["differences are their hunks alone", differs, ""],
    ["without differences there is nothing to show", { code: 0, reason: "up to date" }, ""],
    [
      "what stands against it is shown",
      { code: 3, reason: "blocked" },
      "Ended with exit code 3: blocked\n",
    ],
    [
      "a failure that shares its code is shown",
      { code: 1, reason: "it crashed" },
      "Ended with exit code 1: it crashed\n",
    ],
  ])("%s", (_, exit, text) => {
    expect(diffText()(report(exit), plain)).toBe(text);
  });

  test("with -v there is more", () => {
    const exit = { code: 0, reason: "up to date" } as const;
    expect(diffText()(report(exit), { ...plain, verbosity: 1 })).toBe("Done: up to date\n");
  });

  test("a command's own text comes where the diff could not be made", () => {
    const own = diffText(() => "own\n");
    expect(own(report({ code: 3, reason: "blocked" }), plain)).toBe("own\n");
  });

  test("what was found beside the differences is a warning on stderr", async () => {
    const told: unknown[] = [];
    const findings = [
      { code: "A", severity: "warning", object: "Role/a", cause: "c", fix: "f", source: "s" },
      { code: "B", severity: "warning", cause: "d", fix: "f", source: "s" },
    ] as const;
    const wished = context();
    const telling: CommandContext = {
      ...wished,
      options: { ...wished.options, output: "text", verbosity: 0 },
      env: {},
      event: (one) => told.push(one),
    };
    await runDiff(telling, () => Promise.resolve({ ...reportOf([], fine), findings }), words);
    expect(told).toEqual([
      { type: "warning", text: "A Role/a: c" },
      { type: "warning", text: "B: d" },
    ]);
  });

  test.each([
    ["text", 0, ["warning"]],
    ["text", 1, ["step", "probe", "waiting", "warning"]],
    ["json", 0, ["step", "probe", "waiting", "warning"]],
  ] as const)("%s with -v%d tells what is not in the hunks", async (output, verbosity, types) => {
    const told: string[] = [];
    const wished = context();
    const telling = {
      ...wished,
      options: { ...wished.options, output, verbosity },
      env: {},
      streams: { err: captured() },
      event: ({ type }: Event) => told.push(type),
    } as unknown as CommandContext;
    await runDiff(
      telling,
      (planning) => {
        const probe = { phase: "p", accept: { ok: 1, of: 1 }, deny: { ok: 1, of: 1, by: "" } };
        planning.event({ type: "step", step: step("done") });
        planning.event({ type: "probe", probe });
        planning.event({ type: "waiting", on: "Pod/p: the answer", seconds: 1 });
        planning.event({ type: "warning", text: "slow" });
        return Promise.resolve(reportOf([], fine));
      },
      words,
    );
    expect(told).toEqual(types);
  });
});
