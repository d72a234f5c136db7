/** What a command is to the program: the shape of the entries of program-commands.ts. */
import type { CommandContext, CommandRun } from "../commands/context";
import type { JobOf } from "../commands/job";
import { type FlagSpec, rehearsedByDefault } from "../commands/standard-flags";
import type { ProductKind } from "../domain/names";
import type { TextStyle } from "../output/text";
import type { Plan } from "../run/engine/execute";
import type { Report } from "../run/report";
import type { PlaceSign } from "../run/place";
import type { RawFlags } from "./values";
import { FlagReader } from "./values";

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

/** An argument as help and completion show it; `choices` refuses anything else. */
export interface ArgumentSpec {
  readonly name: string;
  readonly help: string;
  readonly choices?: readonly string[];
  /** It names an object of one of these kinds, its kind before it or not. */
  readonly kinds?: readonly ProductKind[];
  /** It may be left out. */
  readonly optional?: true;
  /** It may be given more than once. */
  readonly repeat?: true;
}

/** One command: its words, its help, its flags, and how it is loaded. */
export interface CommandEntry {
  /** The words after the program: `cert create`. */
  readonly path: string;
  /** `kind` of the document. */
  readonly kind: string;
  readonly group: string;
  readonly summary: string;
  readonly description: string;
  /** Without the program's name, which depends on who calls. */
  readonly examples: readonly { readonly does: string; readonly line: string }[];
  readonly argument?: ArgumentSpec;
  readonly flags: readonly FlagSpec[];
  /** Reaches a cluster: its documents carry `run`. */
  readonly cluster: boolean;
  /** Running it again changes nothing. */
  readonly settles?: true;
  /** What its namespace has to hold; `given`: what that of the command has to that it is given. */
  readonly place?: PlaceSign | "given";
  /** Whether it writes nothing at all with these flags: then there is no plan to show before it. */
  readonly reads?: (read: FlagReader) => boolean;
  /** The flag with which running it again does the same work again. */
  readonly repeatsWith?: string;
  /** Does nothing without a release or a chart: on the example, that of the example is meant. */
  readonly needsRelease?: true;
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

/** The groups in the order of the help. */
export const groups = {
  upgrade: "Upgrade Commands",
  certificates: "Certificate Commands",
  look: "Troubleshooting Commands",
  other: "Other Commands",
} as const;

/** Binds a command's typed flags to its typed run; the list itself needs neither type. */
export function prepare<F>(
  judge: (read: FlagReader) => F,
  load: () => Promise<{ readonly run: CommandRun<F>; readonly text?: LoadedCommand["text"] }>,
): CommandEntry["prepare"] {
  return (raw) => {
    const read = new FlagReader(raw);
    const flags = judge(read);
    return {
      problems: read.problems,
      missing: read.missing,
      warnings: read.warnings,
      load: async () => {
        const { run, text } = await load();
        const { withCommands } = await import("./fix-lines.ts");
        return {
          run: async (context, args) => withCommands(await run(context, args, flags), context, raw),
          ...(text && { text }),
        };
      },
    };
  };
}

/** The same for a command that is one job. */
export function prepareJob<F extends object, S, P extends Plan>(
  kind: string,
  judge: (read: FlagReader) => F,
  load: () => Promise<JobOf<F, S, P>>,
): CommandEntry["prepare"] {
  return prepare(judge, async () => {
    const [{ jobRun }, jobOf] = await Promise.all([import("../commands/job.ts"), load()]);
    return { run: jobRun(kind, jobOf) };
  });
}

/** The command that is meant where `rehearse` and `diff` are given none, without any flag. */
export function mainJob(commands: readonly CommandEntry[]): Chosen {
  const entry = commands.find(({ path }) => path === rehearsedByDefault);
  if (entry === undefined) throw new Error(`there is no command ${rehearsedByDefault}`);
  return { entry, args: [], raw: {}, words: [entry.path] };
}
