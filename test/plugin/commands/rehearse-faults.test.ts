import type { CommandContext, RehearsedCommand } from "../../../plugin/commands/context";
import { runRehearse } from "../../../plugin/commands/rehearse";
import { type RehearsalDetails, rehearsalText } from "../../../plugin/commands/rehearse-text";
import { configurationResource } from "../../../plugin/domain/webhook/configuration";
import { palette } from "../../../plugin/output/escape";
import { rehearse } from "../../../plugin/program/commands";
import { toGlobalOptions } from "../../../plugin/program/tree";
import { run } from "../../../plugin/program/run";
import type { Cluster } from "../../../plugin/run/ports";
import type { Report } from "../../../plugin/run/report";
import { aNewConfiguration } from "../../support/builders";
import { worldOf } from "../../support/program-world";
import { aWebhookProgram } from "../../support/webhook-program";

const program = aWebhookProgram();

const old = { resource: configurationResource, name: "edb-admission" };

type Act = (cluster: Cluster, context: CommandContext) => Promise<void>;

/** Rehearses a command of the test's own, with faults; `settles`: it says that a second run changes nothing. */
async function rehearsed(act: Act, faults = "all", settles = false) {
  const world = worldOf(["rehearse"]);
  const command: RehearsedCommand = {
    line: ["broken-command", "--yes"],
    path: "broken-command",
    settles,
    run: async (context) => {
      await act(await context.connect(), context);
      return {
        apiVersion: "cli.engine.com/v1",
        kind: "Broken",
        exit: { code: 0, reason: "done" },
      };
    },
  };
  const flags = { webhook: program.file, faults, command };
  const load = () =>
    Promise.resolve({ run: (context: CommandContext) => runRehearse(context, [], flags) });
  const { options } = toGlobalOptions({ output: "json" }, {});
  const job = {
    options,
    problems: [],
    entry: rehearse,
    prepared: { problems: [], load },
    args: [],
  };
  const code = await run(job, world);
  await new Promise(setImmediate);
  const report = JSON.parse(world.written().out) as Report;
  return { code, report, details: report.details as RehearsalDetails };
}

/** With the CA of the old one, as the old one is in force. */
async function writeNew(cluster: Cluster): Promise<void> {
  const found = await cluster.get(old);
  const [entry] = (found?.["webhooks"] ?? []) as { clientConfig?: { caBundle?: string } }[];
  const caBundle = entry?.clientConfig?.caBundle;
  if (caBundle === undefined) return;
  await cluster.apply(aNewConfiguration({ caBundle }), { fieldManager: "kubectl-engine" });
}

test("break before make: the moment without a webhook is counted, and fails the rehearsal", async () => {
  const { code, details } = await rehearsed(async (cluster, { options }) => {
    if (options.dryRun !== "none" || (await cluster.get(old)) === undefined) return;
    const saved = await cluster.get(old);
    await cluster.delete(old, {});
    if (saved === undefined) return;
    const { name, labels } = saved.metadata;
    await cluster.create({
      ...saved,
      metadata: { name: `${name ?? ""}-2`, ...(labels && { labels }) },
    });
  }, "1:refused");
  expect(code).toBe(1);
  expect(details.faults?.moments).toEqual({ judged: 4, broken: 2 });
  expect(details.faults?.failures[1]).toMatchObject({
    what: "call 1 (get ValidatingWebhookConfiguration edb-admission) refused before it was sent",
    why: "after change 1 of a webhook configuration: a bad edit passed (unknown engineVersion)",
    again: "kubectl engine rehearse broken-command --yes --faults=1:refused",
  });
});

test("a success without its work: each fault that it hides is named with the command that repeats it", async () => {
  const { code, report, details } = await rehearsed(async (cluster, { options }) => {
    if (options.dryRun === "none") await writeNew(cluster).catch(() => undefined);
  });
  expect(code).toBe(1);
  expect(report.exit.reason).toMatch(/^\d+ runs with injected failures did not end as expected$/);
  const again = details.faults?.failures.map((failure) => failure.again.replace(/.*=/, "")) ?? [];
  expect(again).toEqual([
    ...["1:refused", "1:cut", "1:hang", "1:silence", "1:throttled"],
    ...["2:refused", "2:cut", "2:hang", "2:silence", "2:conflict", "2:throttled"],
  ]);
  expect(details.faults?.moments).toMatchObject({ broken: 0 });
});

test("a second run that writes though the command says that it would not fails the rehearsal", async () => {
  const { code, report } = await rehearsed(
    async (cluster, { options }) => {
      if (options.dryRun === "none") await writeNew(cluster);
    },
    "1:refused",
    true,
  );
  expect(code).toBe(1);
  expect(report.exit.reason).toBe(
    "the same command again: it sent writes (1) where nothing was left to do",
  );
});

test("the text names what went wrong, and lets nothing through to the terminal", () => {
  const bad = "a\u001b[31mb";
  const report: Report = {
    apiVersion: "cli.engine.com/v1",
    kind: "Rehearsal",
    exit: { code: 1, reason: bad },
    details: {
      source: { described: bad, objects: 1, kinds: { [bad]: 1 }, user: bad, warnings: [bad] },
      stages: [
        {
          title: "the run",
          command: bad,
          writes: 0,
          asked: [bad],
          saved: [bad],
          report: { apiVersion: "cli.engine.com/v1", kind: "X", exit: { code: 0, reason: bad } },
        },
        {
          title: "edits",
          command: "",
          writes: 0,
          edits: [{ command: bad, answer: bad }],
          report: { apiVersion: "cli.engine.com/v1", kind: "X", exit: { code: 0, reason: bad } },
        },
      ],
      faults: {
        chosen: "all",
        calls: 3,
        runs: 2,
        moments: "not judged",
        summary: [
          {
            fault: "cut",
            says: "cut",
            runs: 2,
            ends: { "0": 1, killed: 1 },
            reruns: 1,
            worst: bad,
          },
        ],
        failures: [{ what: bad, why: bad, again: bad }],
      },
      unknown: [bad],
    } satisfies RehearsalDetails,
  };
  const text = rehearsalText(report, { palette: palette(false), verbosity: 0 }, { limits: true });
  expect(text).not.toContain("\u001b");
  expect(text).toContain("== 1. the run\n$ a\\x1b[31mb\nDone: a\\x1b[31mb\n");
  expect(text).toContain("not judged, it did not work at the start");
  expect(text).toContain("failed: a\\x1b[31mb\n  a\\x1b[31mb\n  Repeat it: a\\x1b[31mb\n");
  expect(text.endsWith("Ended with exit code 1: a\\x1b[31mb\n")).toBe(true);
});
