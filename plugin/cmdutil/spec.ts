/** What a command is on the command line: its words, its help and its flags, before anything is loaded. */
import type { ExitCode } from "../domain/base/errors";
import type { Text } from "../domain/names/text";
import type { PlaceSign } from "../readers/operator-namespace";
import { type Completed, FlagReader, type FlagTable, type OptionsOf, readOptions } from "./flags";

/** An argument as help and completion show it. */
export interface ArgumentSpec extends Completed {
  readonly name: string;
  /** It may be left out. */
  readonly optional?: true;
}

/** The groups in the order of the help. */
export const groups = {
  upgrade: "Upgrade Commands",
  rules: "Admission Rule Commands",
  certificates: "Certificate Commands",
  look: "Troubleshooting Commands",
  other: "Other Commands",
} as const;

/** What help and the program know of every command. */
export interface Described {
  /** The words after the program: `cert create`. */
  readonly path: string;
  /** `kind` of the document. */
  readonly kind: string;
  readonly group: string;
  readonly summary: Text;
  readonly description: Text;
  readonly argument?: ArgumentSpec;
  /** Reaches a cluster: its documents carry `run`. */
  readonly cluster: boolean;
  /** Exit codes of one that reaches no cluster, beside those of every command. */
  readonly ends?: readonly ExitCode[];
  /** All that it prints as text, where its arguments alone decide: nothing is loaded to run it. */
  readonly says?: (args: readonly string[]) => string | undefined;
  /** It writes objects: it takes --print-role. */
  readonly writes?: true;
  /** Running it again changes nothing. */
  readonly settles?: true;
  /** What its namespace has to hold; `given`: what that of the command has to that it is given. */
  readonly place?: PlaceSign | "given";
  /** Whether it writes nothing at all with these flags: then there is no plan to show before it. */
  readonly reads?: (read: FlagReader) => boolean;
  /** Whether it shows objects with these flags, as every job writes some: then `-o name` is taken. */
  readonly shows?: (read: FlagReader) => boolean;
  /** It judges objects: its findings may be written in the forms that CI systems read. */
  readonly verdicts?: true;
  /** Whether it shows what is there until it is interrupted: then that is its usual end. */
  readonly watches?: (read: FlagReader) => boolean;
  /** The flag with which running it again does the same work again. */
  readonly repeatsWith?: string;
  /** Global flags that mean something else with these flags of its own. */
  readonly takesOver?: (read: FlagReader) => readonly string[];
  /** Does nothing without a release or a chart: on the example, that of the example is meant. */
  readonly needsRelease?: true;
}

/** A command as it is written down: one table of flags, and what they are judged by together. */
export interface CommandSpec<T extends FlagTable, F> extends Described {
  /** What each line does, and the line without the program's name, which depends on who calls. */
  readonly examples: Readonly<Record<string, Text>>;
  readonly flags: T;
  /** The options of the command, where they are not those of the table. */
  readonly judge?: (options: OptionsOf<T>, read: FlagReader) => F;
}

/** Keeps the exact type of the flags. */
export function spec<const T extends FlagTable, F = OptionsOf<T>>(
  command: CommandSpec<T, F>,
): CommandSpec<T, F> {
  return command;
}

/** The options of a command as they were typed; each problem is kept by the reader. */
export function readCommand<T extends FlagTable, F>(
  { flags, judge }: CommandSpec<T, F>,
  read: FlagReader,
): F {
  const options = readOptions(flags, read);
  // without a judge the options are those of the table
  return judge === undefined ? (options as unknown as F) : judge(options, read);
}

/** The options of a command that is given no flag. */
export function readDefaults<T extends FlagTable, F>(command: CommandSpec<T, F>): F {
  return readCommand(command, new FlagReader({}));
}

/** The options of a command, judged. */
export type FlagsOf<S> = S extends {
  readonly judge?: (...args: never[]) => infer F;
}
  ? F
  : never;
