/** A command as the program knows it: what is written down of it, bound to what is loaded to run it. */
import type { Text } from "../domain/names/text";
import { type CommandContext, type CommandRun, resolveNamespace } from "./context";
import {
  FlagReader,
  type FlagSpec,
  type FlagTable,
  flagTable,
  listFlags,
  type RawFlags,
} from "./flags";
import type { MakePart } from "./part-command";
import type { RoleWish } from "./print-role";
import { type CommandSpec, type Described, readCommand } from "./spec";
import type { TextStyle } from "../output/text";
import type { Needs } from "../domain/facts/needs";
import type { Report } from "../kernel/report";
import { rehearsedByDefault } from "./standard-flags";

/** What a loaded command offers: the act, and a text of its own where the common one does not fit. */
export interface LoadedCommand {
  readonly run: (context: CommandContext, args: readonly string[]) => Promise<Report>;
  readonly text?: (report: Report, style: TextStyle) => string;
}

/** A command line judged: what to load and run, and what is wrong with the flags. */
export interface PreparedCommand {
  readonly problems: readonly string[];
  /** What is not given; a mistyped flag may be the one that is missing. */
  readonly missing?: readonly string[];
  readonly warnings?: readonly string[];
  /** An interrupt is its usual end, of which nothing is said. */
  readonly watches?: boolean;
  /** As typed, for the lines that fix its findings. */
  readonly raw?: RawFlags;
  readonly load: () => Promise<LoadedCommand>;
}

/** One command. */
export interface CommandEntry extends Described {
  /** Without the program's name, which depends on who calls. */
  readonly examples: readonly { readonly does: string; readonly line: Text }[];
  readonly flags: readonly FlagSpec[];
  /** `inner` is the command that this one is given, flags and all. */
  readonly prepare: (raw: RawFlags, inner?: Chosen) => PreparedCommand;
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
  /** What it may need, whatever the cluster holds: no cluster is asked for it. */
  readonly needs?: (wish: RoleWish<F>) => Needs | Promise<Needs>;
}

const printRole = "print-role";

const roleFlag = flagTable({
  [printRole]: {
    help: "Print the complete Role that it needs in the namespace of -n, and do nothing else: no cluster is asked",
  },
});

/** A command with its run, which is loaded when it is wanted. */
export function command<T extends FlagTable, F>(
  spec: CommandSpec<T, F>,
  load: () => Promise<Handler<NoInfer<F>>>,
): CommandEntry {
  return makeEntry(spec, (raw) => {
    const read = new FlagReader(raw);
    const flags = readCommand(spec, read);
    return {
      problems: read.problems,
      missing: read.missing,
      warnings: read.warnings,
      watches: spec.watches?.(read) === true,
      raw,
      load: async () => {
        const { run, text, needs } = await load();
        if (needs !== undefined && read.on(printRole)) {
          const { runPrintRole, roleText } = await import("./print-role.ts");
          return { run: runPrintRole(spec, (wish) => needs({ ...wish, flags })), text: roleText };
        }
        const { withCommands } = await import("./kubectl-command.ts");
        return {
          run: async (context, args) => {
            const report = await run(context, args, flags);
            // one that has not connected stays where it is
            const here = report.target === undefined ? context : await resolveNamespace(context);
            return withCommands(report, here, raw);
          },
          text,
        };
      },
    };
  });
}

/** The same for a command that is one part. */
export function partCommand<T extends FlagTable, F extends object>(
  spec: CommandSpec<T, F>,
  load: () => Promise<MakePart<NoInfer<F>>>,
): CommandEntry {
  return command(spec, async () => {
    const [{ runPartCommand }, { writeOptions }, make] = await Promise.all([
      import("./part-command.ts"),
      import("./run-ports.ts"),
      load(),
    ]);
    return {
      run: runPartCommand(spec.kind, make),
      needs: ({ context, args, flags, namespace }) =>
        make(flags, { namespace, args, ...writeOptions(context) }).needs(context.names),
    };
  });
}

/** The entry of what is written down. */
export function makeEntry(
  { examples, flags, ...described }: Omit<CommandSpec<FlagTable, unknown>, "judge">,
  prepare: CommandEntry["prepare"],
): CommandEntry {
  return {
    ...described,
    examples: Object.entries(examples).map(([does, line]) => ({ does, line })),
    flags: listFlags(described.writes === true ? { ...flags, ...roleFlag } : flags),
    prepare,
  };
}

/** The command that is meant where none is given, without any flag. */
export function mainJob(commands: readonly CommandEntry[]): Chosen {
  const entry = commands.find(({ path }) => path === rehearsedByDefault);
  if (entry === undefined) throw new Error(`there is no command ${rehearsedByDefault}`);
  return { entry, args: [], raw: {}, words: [entry.path] };
}

export const listPaths = (commands: readonly CommandEntry[]): readonly string[] =>
  commands.map(({ path }) => path);
