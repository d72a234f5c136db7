/** Runs a part as a command of its own; how long a command waits in all. */
import { choosePatience } from "../kernel/wait";
import type { PartRunOptions } from "../kernel/simple-part";
import type { Part } from "../kernel/part";
import { runPart } from "../kernel/run-part";
import type { CommandContext, CommandRun, GlobalOptions } from "./context";
import { usualTimeoutMs } from "./standard-flags";
import { runPorts, writeOptions } from "./run-ports";

/** The limit of a whole wait: a time that was given, typed or in the environment; else what continues may. */
export function readLimit(
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

/** What a part is told beside its own flags. */
export interface PartRun extends PartRunOptions {
  /** The operator's. */
  readonly namespace: string;
  readonly args: readonly string[];
  /** Wait for what is not ready before the write, instead of stopping. */
  readonly wait: boolean;
}

/** Makes the part of judged flags. */
export type MakePart<F> = (flags: F, run: PartRun) => Part;

/** The run of a command that is one part; every expected end comes back as a report. */
export function runPartCommand<F extends object>(kind: string, make: MakePart<F>): CommandRun<F> {
  return async (context, args, flags) => {
    const ports = await runPorts(context, kind);
    const run = await makePartRun(context, args, flags);
    const { dryRun } = run;
    return await runPart(ports, make(flags, run), {
      dryRun,
      limitMs: choosePatience({ ...flags, ...run }),
    });
  };
}

/** The same, of a command line. */
export async function makePartRun(
  context: CommandContext,
  args: readonly string[],
  { limited }: RunFlags,
): Promise<PartRun> {
  const { namespace } = await context.connect();
  const limit = readLimit(context.options, limited === true);
  return { namespace, args, ...writeOptions(context), ...limit };
}
