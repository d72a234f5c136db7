/** The world around the run of a command that writes, and the name of its probes. */
import { renderCompactly } from "../adapters/kubernetes/text/yaml";
import { openJournal } from "../kernel/journal";
import { Recorder } from "../kernel/recorder";
import type { AskingPorts } from "../kernel/world";
import { type CommandContext, type CommandRun, resolveNamespace } from "./context";
import type { Report } from "../kernel/report";
import { placeCommand } from "./kubectl-command";

/**
 * Connects, and begins the report of this kind, or continues with that of the run that this is a part of. Ends
 * where the command cannot work in its namespace.
 */
export async function runPorts(context: CommandContext, kind: string): Promise<AskingPorts> {
  const { names, clock, signal, ask, present, run, recorder } = context;
  const { options, connect } = await resolveNamespace(context);
  const part = recorder && String(recorder.beginPart());
  return {
    cluster: await connect(),
    ...{ clock, signal, names, ask, present, advised: context.advised },
    recorder: recorder ?? (await startRecorder(context, kind)),
    journal: openJournal(await context.home(), run.id, part),
    yaml: renderCompactly,
    command: (words) => placeCommand(words, options.contextArgs),
  };
}

/** Begins the report of this kind. */
export async function startRecorder(context: CommandContext, kind: string): Promise<Recorder> {
  const { clock, event, run, names, needs, cancelled } = context;
  const { connect } = await resolveNamespace(context);
  const { server, namespace } = await connect();
  const base = { kind, run, target: { server, namespace } };
  return new Recorder(base, { clock, event, names, needs, cancelled });
}

/** The context of a part of a run: it continues with the record of that run. */
export function within(
  context: CommandContext,
  recorder: Recorder,
  changes: Partial<Pick<CommandContext, "options" | "run" | "ask">> = {},
): CommandContext {
  const event: CommandContext["event"] = (one) => {
    recorder.tell(one);
  };
  return { ...context, ...changes, recorder, event };
}

/** How a command writes and waits, by the flags of every command. */
export function writeOptions({ options, names }: CommandContext) {
  const { dryRun, wait, fieldManager = names.fieldManager, verbosity } = options;
  return { dryRun, wait, fieldManager, shows: verbosity > 0 };
}

/** A run that is prepared first: what is wrong with the input is said before a cluster is asked. */
export function runPrepared<F>(
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
export function nameProbe({ run }: Pick<CommandContext, "run">): string {
  return `kubectl-engine-probe-${run.id}`.toLowerCase();
}
