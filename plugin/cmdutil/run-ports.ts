/** The world around the run of a command that writes. */
import { renderDocuments } from "../adapters/yaml";
import { quoteCommand } from "../output/escape";
import { journalOf } from "../kernel/journal";
import { Recorder } from "../kernel/recorder";
import type { AskingPorts } from "../kernel/permissions";
import type { CommandContext, CommandRun, GlobalOptions } from "./context";
import { usualTimeoutMs } from "./standard-flags";
import type { Report, StepReport } from "../kernel/report";
import { execute, type Job, type JobRun, type Plan } from "../kernel/runner";
import { exitCodes } from "../domain/base/errors";
import { publicText } from "../domain/base/redact";
import { omit, sameJson } from "../domain/base/values";

/** Connects, and begins the report of this kind, or continues with that of the run that this is a part of. */
export async function runPorts(context: CommandContext, kind: string): Promise<AskingPorts> {
  const { options, names, clock, signal, ask, run, recorder } = context;
  const part = recorder && String(recorder.beginPart());
  return {
    cluster: await context.connect(),
    ...{ clock, signal, names, ask },
    recorder: recorder ?? (await recorderOf(context, kind)),
    journal: journalOf(await context.home(), run.id, part),
    yaml: renderDocuments,
    command: (words) => quoteCommand([...words, ...options.contextArgs]),
  };
}

/** Begins the report of this kind. */
export async function recorderOf(context: CommandContext, kind: string): Promise<Recorder> {
  const { clock, event, run, names, needs } = context;
  const { server, namespace } = await context.connect();
  return new Recorder({ kind, run, target: { server, namespace } }, { clock, event, names, needs });
}

/** The context of a part of a run: it continues with the record of that run. */
export function within(
  context: CommandContext,
  recorder: Recorder,
  changes: Partial<Pick<CommandContext, "options" | "run" | "ask">> = {},
): CommandContext {
  const own: Partial<CommandContext> = {
    ...changes,
    recorder,
    event: (one) => {
      recorder.tell(one);
    },
  };
  // its other properties stay as lazy as they are
  return Object.create(context, Object.getOwnPropertyDescriptors(own)) as CommandContext;
}

/** How a command writes and waits, by the flags of every command. */
export function writeOptions({ options, names }: CommandContext) {
  const { dryRun, wait, fieldManager = names.fieldManager, verbosity } = options;
  return { dryRun, wait, fieldManager, shows: verbosity > 0 };
}

/** A run that is prepared first: what is wrong with the input is said before a cluster is asked. */
export function prepared<F>(
  prepare: (context: CommandContext, flags: F) => Promise<PreparedRun>,
): CommandRun<F> {
  return async (context, _args, flags) => {
    const run = await prepare(context, flags);
    return await run(context);
  };
}

/** The run itself, in the context of the time when it begins. */
export type PreparedRun = (later: CommandContext) => Promise<Report>;

/** A name for the objects of a probe that nothing else has. */
export function probeNameOf({ run }: Pick<CommandContext, "run">): string {
  return `kubectl-engine-probe-${run.id}`.toLowerCase();
}

/** The limit of a whole wait: a time that was given, typed or in the environment; else what continues may. */
export function limitOf(
  { timeoutMs }: Pick<GlobalOptions, "timeoutMs">,
  isTyped: boolean,
): { readonly limitMs?: number } {
  return isTyped || timeoutMs !== usualTimeoutMs ? { limitMs: timeoutMs } : {};
}

/** What flags may tell the runner as well. */
interface RunFlags {
  readonly takeFields?: readonly string[];
  readonly stallAfterMs?: number;
  /** --timeout was typed: it then limits the whole wait. */
  readonly limited?: boolean;
}

/** Makes the job of judged flags. */
export type JobOf<F, S, P extends Plan> = (ports: AskingPorts, flags: F, run: JobRun) => Job<S, P>;

/** The run of a command of this kind; every expected end comes back as a report. */
export function jobRun<F extends object, S, P extends Plan>(
  kind: string,
  jobOf: JobOf<F, S, P>,
): CommandRun<F> {
  return async (context, args, flags) => {
    const ports = await runPorts(context, kind);
    const { limited }: RunFlags = flags;
    const limit = limitOf(context.options, limited === true);
    const run = { namespace: ports.cluster.namespace, args, ...writeOptions(context), ...limit };
    return await execute(ports, { ...flags, ...run }, jobOf(ports, flags, run));
  };
}

/**
 * Plans the command against the API server's dry run; exit 1 when it would change something, 0 when all
 * is up to date. In text, the program of KUBECTL_EXTERNAL_DIFF shows the differences where one is named.
 */
export async function runDiff(
  context: CommandContext,
  plan: (context: CommandContext) => Promise<Report>,
  words: readonly string[],
): Promise<Report> {
  const { options, run } = context;
  const dryRun = options.dryRun === "none" ? "server" : options.dryRun;
  const verbosity = Math.max(1, options.verbosity);
  // its own properties stay as lazy as they are
  const planning = Object.create(context, {
    options: { value: { ...options, dryRun, verbosity } },
    run: { value: { ...run, dryRun } },
  }) as CommandContext;
  const report = { ...(await plan(planning)), kind: "Diff" };
  const planned = (report.steps ?? []).filter(({ result }) => result === "planned");
  if (report.exit.code !== exitCodes.ok || !planned.some(changesSomething)) return report;
  const count = planned.length;
  const again = quoteCommand([...options.prefix.split(" "), ...words]);
  const reason = `differences exist: ${count} ${count === 1 ? "write" : "writes"} would be made`;
  const exit = { code: exitCodes.failed, reason, next: `make them with ${again}` };
  const steps =
    options.output === "text" ? await shownOutside(context, report.steps) : report.steps;
  return { ...report, steps, exit };
}

/** What is not told in full counts as a difference. */
function changesSomething({ write }: StepReport): boolean {
  const states = write?.states;
  return states === undefined || !sameJson(states.live, states.merged);
}

/** The steps, without the differences that a program of the person's own has shown. */
async function shownOutside(
  context: CommandContext,
  steps: readonly StepReport[] = [],
): Promise<readonly StepReport[]> {
  const line = (context.env["KUBECTL_EXTERNAL_DIFF"] ?? "").trim();
  if (line === "") return steps;
  const { externalDiff } = await import("../adapters/external-diff.ts");
  const { renderStates } = await import("../output/hunks.ts");
  context.event({ type: "note", text: `the differences are shown by ${publicText(line)}` });
  await externalDiff(line, renderStates(steps), context);
  return steps.map(({ write, ...step }) =>
    write === undefined ? step : { ...step, write: omit(write, "states") },
  );
}
