/** Runs a part as a command of its own; how long a command waits in all. */
import { pick } from "../domain/base/values";
import type { Sourced } from "../domain/advisories/row";
import { choosePatience } from "../kernel/wait";
import type { PartRunOptions } from "../kernel/simple-part";
import type { Part } from "../kernel/part";
import { runPart } from "../kernel/run-part";
import type { CommandContext, CommandRun, GlobalOptions } from "./context";
import { usualTimeoutMs } from "./standard-flags";
import { noteBeyond } from "./advisories-age";
import { requireAdvisories } from "./advisories-option";
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
  /** The tag of the cluster that is asked for. */
  readonly target?: string;
}

/** What a part is told beside its own flags. */
export interface PartRun extends PartRunOptions {
  /** The operator's. */
  readonly namespace: string;
  readonly args: readonly string[];
  /** Wait for what is not ready before the write, instead of stopping. */
  readonly wait: boolean;
  /** What is known of releases; absent: what ships with the tool. */
  readonly advised?: readonly Sourced[] | undefined;
}

/** Makes the part of judged flags. */
export type MakePart<F> = (flags: F, run: PartRun) => Part;

/** The run of a command that is one part; every expected end comes back as a report. */
export function runPartCommand<F extends object>(kind: string, make: MakePart<F>): CommandRun<F> {
  const run: CommandRun<F> = async (context, args, flags) => {
    const { target }: RunFlags = flags;
    noteBeyond(context, { cluster: target });
    const ports = await runPorts(context, kind);
    const made = await makePartRun(context, args, flags);
    const { dryRun } = made;
    return await runPart(ports, make(flags, made), {
      dryRun,
      limitMs: choosePatience({ ...flags, ...made }),
    });
  };
  return async (context, args, flags) =>
    "advisories" in flags
      ? await requireAdvisories(run)(context, args, flags)
      : await run(context, args, flags);
}

/** The same, of a command line. */
export async function makePartRun(
  context: CommandContext,
  args: readonly string[],
  { limited }: RunFlags,
): Promise<PartRun> {
  const { namespace } = await context.connect();
  const limit = readLimit(context.options, limited === true);
  return { namespace, args, ...writeOptions(context), ...limit, ...pick(context, "advised") };
}
