/** A command as the program knows it: what is written down of it, bound to what is loaded to run it. */
import type { CommandContext, CommandRun } from "../commands/context";
import {
  FlagReader,
  type FlagSpec,
  type FlagTable,
  listOf,
  type RawFlags,
} from "../commands/flags";
import type { JobOf } from "../commands/run-ports";
import { type CommandSpec, type Described, readCommand } from "../commands/spec";
import type { TextStyle } from "../output/text";
import type { Plan } from "../run/engine/execute";
import type { Report } from "../run/report";

/** What a loaded command offers: the act, and a text of its own where the common one does not fit. */
export interface LoadedCommand {
  readonly run: (context: CommandContext, args: readonly string[]) => Promise<Report>;
  readonly text?: (report: Report, style: TextStyle) => string;
}

/** A command line judged: what to load and run, and what is wrong with the flags. */
export interface Prepared {
  readonly problems: readonly string[];
  /** What is not given; a mistyped flag may be the one that is missing. */
  readonly missing?: readonly string[];
  readonly warnings?: readonly string[];
  readonly load: () => Promise<LoadedCommand>;
}

/** One command. */
export interface CommandEntry extends Described {
  /** Without the program's name, which depends on who calls. */
  readonly examples: readonly { readonly does: string; readonly line: string }[];
  readonly flags: readonly FlagSpec[];
  /** `inner` is the command that this one is given, flags and all. */
  readonly prepare: (raw: RawFlags, inner?: Chosen) => Prepared;
}

/** A command that was chosen, with its arguments and its own flags. */
export interface Chosen {
  readonly entry: CommandEntry;
  readonly args: readonly string[];
  readonly raw: RawFlags;
  /** The words of the line, values bound to their flags, without any of an outer command. */
  readonly words: readonly string[];
  /** The command that this one is given as its argument. */
  readonly inner?: Chosen;
}

interface Handler<F> {
  readonly run: CommandRun<F>;
  readonly text?: LoadedCommand["text"];
}

/** A command with its run, which is loaded when it is wanted. */
export function command<T extends FlagTable, F>(
  spec: CommandSpec<T, F>,
  load: () => Promise<Handler<NoInfer<F>>>,
): CommandEntry {
  return entryOf(spec, (raw) => {
    const read = new FlagReader(raw);
    const flags = readCommand(spec, read);
    return {
      problems: read.problems,
      missing: read.missing,
      warnings: read.warnings,
      load: async () => {
        const { run, text } = await load();
        const { withCommands } = await import("../commands/kubectl-command.ts");
        return {
          run: async (context, args) => withCommands(await run(context, args, flags), context, raw),
          text,
        };
      },
    };
  });
}

/** The same for a command that is one job. */
export function jobCommand<T extends FlagTable, F extends object, S, P extends Plan>(
  spec: CommandSpec<T, F>,
  load: () => Promise<JobOf<NoInfer<F>, S, P>>,
): CommandEntry {
  return command(spec, async () => {
    const [{ jobRun }, jobOf] = await Promise.all([import("../commands/run-ports.ts"), load()]);
    return { run: jobRun(spec.kind, jobOf) };
  });
}

/** The entry of what is written down. */
export function entryOf(
  { examples, flags, ...described }: Omit<CommandSpec<FlagTable, unknown>, "judge">,
  prepare: CommandEntry["prepare"],
): CommandEntry {
  return {
    ...described,
    examples: Object.entries(examples).map(([does, line]) => ({ does, line })),
    flags: listOf(flags),
    prepare,
  };
}
