/**
 * `npm start`: the swap from its beginning to its end on a cluster of its own, shown command by
 * command as a user would type them. Ends with a failure when a step does not do what it should.
 */
import { logToStderr } from "./binaries";
import type { RunResult } from "./run";
import { shellWords } from "./shell-words";
import { openStage, type Stage } from "./stage";
import { newConfigurationName, oldConfigurationName } from "./webhook-configurations";

interface Step {
  readonly title: string;
  readonly args: readonly string[];
  /** Says what is wrong with the outcome, or nothing. */
  readonly judge: (result: RunResult, writes: number) => string | undefined;
}

const swap = ["engine", "upgrade-webhook", "--yes"];
const configurations = ["get", "validatingwebhookconfigurations", "-o", "name"];

function edit(database: string, engineVersion: string): readonly string[] {
  const patch = JSON.stringify({ spec: { engineVersion } });
  return ["patch", "edb", database, "--type=merge", "-p", patch];
}

function stepsFor(database: string): readonly Step[] {
  return [
    {
      title: "The databases, and the webhook configuration of an old release",
      args: ["get", "ec,edb"],
      judge: succeeded,
    },
    {
      title: "It is the only one",
      args: configurations,
      judge: (result) => succeeded(result) ?? lists(result, oldConfigurationName),
    },
    { title: "The swap", args: swap, judge: succeeded },
    {
      title: "The new configuration has taken its place",
      args: configurations,
      judge: (result) => succeeded(result) ?? lists(result, newConfigurationName),
    },
    {
      title: "An edit to a version that does not exist is refused",
      args: edit(database, "9.9"),
      judge: ({ code, stderr }) =>
        code === 0 || !stderr.includes("engineVersion") ? "it was not refused as such" : undefined,
    },
    {
      title: "An edit to one that does is accepted",
      args: edit(database, "8.0"),
      judge: succeeded,
    },
    {
      title: "The swap again: nothing is left to do, and nothing is written",
      args: swap,
      judge: (result, writes) =>
        succeeded(result) ?? (writes === 0 ? undefined : `it sent ${String(writes)} writes`),
    },
  ];
}

function succeeded({ code }: RunResult): string | undefined {
  return code === 0 ? undefined : `it ended with code ${String(code)}`;
}

function lists({ stdout }: RunResult, name: string): string | undefined {
  const found = stdout.trim().split("\n");
  return found.length === 1 && found[0]?.endsWith(`/${name}`) === true
    ? undefined
    : `not exactly ${name} was found`;
}

async function perform({ controlPlane, kubeconfig }: Stage, step: Step): Promise<void> {
  process.stdout.write(`\n# ${step.title}\n$ ${shellWords(["kubectl", ...step.args])}\n`);
  const mark = await controlPlane.auditMark();
  const result = await controlPlane.kubectl(step.args, { kubeconfig });
  process.stdout.write(result.stderr + result.stdout);
  const writes = await controlPlane.writesSince(mark, { user: "admin" });
  const wrong = step.judge(result, writes.length);
  if (wrong !== undefined) {
    throw new Error(`"${step.title}" did not go as it should: ${wrong}`);
  }
}

async function main(): Promise<void> {
  const stage = await openStage(logToStderr);
  let wentWell = false;
  try {
    for (const step of stepsFor(stage.scene.databases[0]?.name ?? "")) {
      await perform(stage, step);
    }
    wentWell = true;
  } finally {
    await stage.close({ keepLogs: !wentWell });
    logToStderr(wentWell ? "\ntaken down" : `\ntaken down; logs: ${stage.controlPlane.logsDir}`);
  }
}

main().catch((error: unknown) => {
  logToStderr(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
