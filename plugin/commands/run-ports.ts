/** The world around the run of a command that writes. */
import { renderDocuments } from "../adapters/yaml";
import { quoteCommand } from "../output/escape";
import { journalOf } from "../run/engine/journal";
import { Recorder } from "../run/engine/recorder";
import type { AskingPorts } from "../run/engine/permissions";
import type { CommandContext, CommandRun, GlobalOptions } from "./context";
import { usualTimeoutMs } from "./standard-flags";
import { execute, type Job, type JobRun, type Plan } from "../run/engine/execute";

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
  const { clock, event, run } = context;
  const { server, namespace } = await context.connect();
  return new Recorder({ kind, run, target: { server, namespace } }, { clock, event });
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
    const { dryRun, wait, fieldManager = context.names.fieldManager } = context.options;
    const { limited }: RunFlags = flags;
    const limit = limitOf(context.options, limited === true);
    const run = { namespace: ports.cluster.namespace, args, dryRun, wait, fieldManager, ...limit };
    return await execute(ports, { ...flags, ...run }, jobOf(ports, flags, run));
  };
}
