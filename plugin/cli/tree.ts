/** The command line, parsed: commander's tree is made from the list of commands. */
import type { Names } from "../domain/names/names";
import type { GlobalOptions, Prefix } from "../cmdutil/context";
import {
  attribute,
  FlagReader,
  type FlagSpec,
  listFlags,
  type RawFlags,
  readOptions,
} from "../cmdutil/flags";
import {
  connectionTable,
  rehearsedByDefault,
  runTable,
  standardFlags,
} from "../cmdutil/standard-flags";
import { isOperand, normalize, opposite, splitGiven, type SplitLine } from "./argv";
import { entries, parents, wrapperCommands } from "./commands";
import type { ArgumentSpec } from "../cmdutil/spec";
import type { Chosen } from "../cmdutil/entry";
import { commandHelp, parentHelp, rootHelp } from "./help";
import { wideForm } from "../domain/base/output-form";
import { publicWords } from "../domain/base/redact";
import { omit, suggestion } from "../domain/base/values";
import { Command, type ErrorOptions, Option } from "commander";
import type { ConnectionFlags } from "../adapters/kubernetes/target";

/** Help in the words of the names. */
export type HelpText = (names: Names) => string;

/** What a command line says; `help` is there when help is what was asked for. */
export interface Parsed {
  readonly chosen?: Chosen;
  /** The global flags. */
  readonly raw: RawFlags;
  readonly help?: HelpText;
  /** The words of the line, values bound to their flags. */
  readonly words: readonly string[];
  readonly problems: readonly string[];
}

/** Every flag of every command, for binding values to flags before commander sees them. */
const allFlags = [...standardFlags, ...entries.flatMap((entry) => entry.flags)];

/** The same flags, with the short names of the line's own commands alone: `-f` is not everybody's. */
function parseRootFlags(argv: readonly string[]): readonly FlagSpec[] {
  const operands = normalize(argv, allFlags).filter(isOperand);
  const [first, ...others] = operands;
  const inner = wrapperCommands.some(({ path }) => path === first) ? others : operands;
  const line = inner.length > 0 ? inner.join(" ") : rehearsedByDefault;
  const own = entries
    .filter(({ path }) => path === first || `${line} `.startsWith(`${path} `))
    .flatMap(({ flags }) => flags);
  return allFlags.map(({ short, ...flag }) => {
    const known =
      short !== undefined && [...standardFlags, ...own].some((one) => one.short === short);
    return known ? { ...flag, short } : flag;
  });
}

/** Reads a command line; never throws for what a person may have typed. */
export function parse(argv: readonly string[], prefix: Prefix): Parsed {
  const words = normalize(argv, parseRootFlags(argv));
  const split = splitGiven(words, wrapperCommands);
  const parsed = split === undefined ? parseWords(words, prefix) : parseGiven(split, prefix);
  return { ...parsed, words };
}

/**
 * A command and the one that it is given: each part of the line is read by the same parser as
 * if it stood alone, and the problems of both are named at once.
 */
function parseGiven({ own, given }: SplitLine, prefix: Prefix): Omit<Parsed, "words"> {
  const outer = parseWords(own, prefix);
  if (outer.help !== undefined) return outer;
  const { chosen: inner, raw, help, problems } = parseWords(given, prefix);
  if (help !== undefined) return { raw, help, problems };
  const chosen = outer.chosen && { ...outer.chosen, inner };
  return { chosen, raw, problems: [...outer.problems, ...problems] };
}

function parseWords(words: readonly string[], prefix: Prefix): Omit<Parsed, "words"> {
  const problems: string[] = [];
  const choices: Chosen[] = [];
  const root = buildTree(prefix, problems, (choice) =>
    choices.push({ ...choice, words: publicWords(words) }),
  );
  const end = helpAsked(() => root.parse([...words], { from: "user" }));
  const [chosen] = choices;
  const raw: RawFlags = omit(root.opts(), ...takenOver(chosen));
  if (end !== undefined && (end.explicit || problems.length === 0)) {
    return { raw, help: end.help, problems: [] };
  }
  return { chosen, raw, problems };
}

/** Global flags that the command reads for itself. */
function takenOver(chosen: Chosen | undefined): readonly string[] {
  return chosen?.entry.takesOver?.(new FlagReader(chosen.raw)) ?? [];
}

function helpAsked(run: () => unknown): HelpAsked | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof HelpAsked) return error;
    throw error;
  }
}

function buildTree(
  prefix: Prefix,
  problems: string[],
  choose: (chosen: Omit<Chosen, "words">) => void,
): EngineCommand {
  const root = new EngineCommand(prefix, {
    flags: standardFlags,
    help: (names) => rootHelp(prefix, names),
    problems,
  });
  const groups = new Map<string, EngineCommand>();
  for (const name of Object.keys(parents)) {
    const help: HelpText = (names) => parentHelp(prefix, name, names);
    const group = new EngineCommand(name, { flags: [], help, problems });
    groups.set(name, group);
    root.addCommand(group);
  }
  for (const entry of entries) {
    const [first = "", second] = entry.path.split(" ");
    const help: HelpText = (names) => commandHelp(prefix, entry, names);
    const leaf = new EngineCommand(second ?? first, { flags: entry.flags, help, problems });
    if (entry.argument !== undefined) leaf.argument(placeholder(entry.argument));
    leaf.action(() => {
      const args = leaf.certainArgs;
      problems.push(...argumentProblems(entry.argument, args));
      choose({ entry, args, raw: leaf.optsWithGlobals() });
    });
    (groups.get(first) ?? root).addCommand(leaf);
  }
  return root;
}

function placeholder({ name, optional, repeat }: ArgumentSpec): string {
  const shown = repeat === true ? `${name}...` : name;
  return optional === true ? `[${shown}]` : `<${shown}>`;
}

function argumentProblems(
  argument: ArgumentSpec | undefined,
  [given]: readonly string[],
): readonly string[] {
  const choices = argument?.choices;
  if (choices === undefined || given === undefined || choices.includes(given)) return [];
  const what = `${argument?.name ?? ""}: ${JSON.stringify(given)} is not one of ${choices.join(", ")}`;
  return [`${what}${suggestion(given, choices)}`];
}

/** Thrown when help is to be shown: parsing ends here. */
class HelpAsked extends Error {
  constructor(
    readonly help: HelpText,
    /** False when a command was missing and help is the answer to that. */
    readonly explicit: boolean,
  ) {
    super("help");
  }
}

/** What one command is made of. */
interface CommandParts {
  readonly flags: readonly FlagSpec[];
  readonly help: HelpText;
  /** All commands of one parse share the list. */
  readonly problems: string[];
}

/** One command of the tree. */
class EngineCommand extends Command {
  /** Words behind an unknown flag: each may be its value, a secret even. */
  #doubtful = 0;
  /** With an unknown flag, whether a word is its value or an argument cannot be determined. */
  #mistyped = false;

  constructor(
    name: string,
    private readonly parts: CommandParts,
  ) {
    super(name);
    this.helpCommand(false);
  }

  override outputHelp(asked?: unknown): never {
    const explicit = asked === undefined;
    const unknown = explicit && this.commands.length > 0 && this.args.slice(0, 1).some(isOperand);
    if (unknown) this.unknownCommand();
    throw new HelpAsked(this.parts.help, explicit && !unknown);
  }

  /** commander's own hook, which knows the commands of one level alone by their last words. */
  unknownCommand(): void {
    const [typed = ""] = this.args;
    const path = this.parent === null ? [] : [this.name()];
    const paths = this.commands.map((command) => [...path, command.name()].join(" "));
    const wanted = [...path, typed].join(" ");
    this.parts.problems.push(`unknown command: ${wanted}${suggestion(wanted, paths)}`);
  }

  /** The arguments as far as they are certain; only these may be quoted. */
  get certainArgs(): readonly string[] {
    return this.args.slice(0, this.args.length - this.#doubtful);
  }

  override error(message: string, { code }: ErrorOptions = {}): never {
    const counts = ["commander.excessArguments", "commander.missingArgument"].includes(code ?? "");
    if (this.#mistyped && counts) return undefined as never;
    const said = counts ? this.#miscounted() : message.replace(/^error: /, "");
    this.parts.problems.push(said.replaceAll(/\s*\n\s*/g, " "));
    return undefined as never; // commander continues, so that the next problem is found too
  }

  /** Names the argument that is missing, or those that are too many. */
  #miscounted(): string {
    const commandLine = ({ parent }: Command, name: string): string =>
      parent === null ? name : commandLine(parent, `${parent.name()} ${name}`);
    const command = commandLine(this, this.name());
    const wanted = this.registeredArguments.map((argument) => argument.name()).join(" ");
    const surplus = this.args.slice(this.registeredArguments.length);
    const words = surplus.map((word) => JSON.stringify(word)).join(", ");
    const takes = wanted === "" ? "takes no argument" : `takes one ${wanted}`;
    const what = words === "" ? `${wanted} is missing` : `unexpected ${words}: ${command} ${takes}`;
    return `${what}; see ${command} --help`;
  }

  /**
   * Only the flags that a line has are added: making all of them takes longer than all else. Names
   * each unknown flag of a leaf; commander itself stops at the first.
   */
  override parseOptions(argv: string[]): { operands: string[]; unknown: string[] } {
    const names = new Set(argv.map((word) => word.replace(/^--(no-)?|=.*$/gs, "")));
    for (const flag of this.parts.flags) {
      // short ones may stand in a group
      if (flag.short !== undefined || names.has(flag.name.replace(/^no-/, ""))) addFlag(this, flag);
    }
    const { operands, unknown } = super.parseOptions(argv);
    if (this.commands.length > 0) return { operands, unknown };
    const literal = unknown.includes("--") ? unknown.indexOf("--") : unknown.length;
    const typed = unknown.slice(0, literal);
    const flags = typed.filter((word) => word.length > 1 && word.startsWith("-"));
    const mistyped = flags.filter((word) => !isHelp(word));
    for (const flag of mistyped) this.unknownFlag(flag);
    this.#mistyped = mistyped.length > 0;
    const words = typed.filter((word) => !flags.includes(word));
    const doubtful = [...words, ...unknown.slice(literal + 1)];
    this.#doubtful = doubtful.length;
    return {
      operands: [...operands, ...doubtful],
      unknown: flags.filter(isHelp),
    };
  }

  /** commander's own hook, called for a flag before any command; it would quote `=value` too. */
  unknownOption(word: string): void {
    this.unknownFlag(word);
  }

  private unknownFlag(word: string): void {
    const known = [...standardFlags, ...this.parts.flags];
    const [, name = word, value] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
    if (value !== undefined && known.some((flag) => flag.name === name)) {
      this.parts.problems.push(`--${name}: ${JSON.stringify(value)} is neither true nor false`);
      return;
    }
    // what follows the letter of a short flag may be its value: `-pSECRET`
    const typed = word.startsWith("--") ? word.replace(/=.*$/s, "") : word.slice(0, 2);
    const spellings = this.parts.problems.length < 10 ? known.map(({ name }) => `--${name}`) : [];
    this.parts.problems.push(`unknown flag: ${typed}${suggestion(typed, spellings)}`);
  }
}

function isHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}

function addFlag(command: Command, flag: FlagSpec): void {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  if (flag.value !== undefined) {
    const value = flag.alone === undefined ? "<value>" : "[value]";
    command.addOption(valueOption(`${short}--${flag.name} ${value}`, flag));
    return;
  }
  // the positive one first: commander then gives a lone `--no-x` no default of its own
  const denied = flag.name.startsWith("no-");
  const names = [flag.name, opposite(flag.name)];
  // the other one may be a flag of its own, which takes a value
  const added = names.filter((name) => !command.options.some(({ long }) => long === `--${name}`));
  for (const name of denied ? added.reverse() : added) {
    command.addOption(new Option(`${name === flag.name ? short : ""}--${name}`));
  }
}

function valueOption(spelled: string, flag: FlagSpec): Option {
  const option = new Option(spelled);
  if (flag.repeat !== true) return option;
  return option.argParser((value: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
}

/** The judged options and every problem that was found on the way. */
interface JudgedOptions {
  readonly options: GlobalOptions;
  readonly problems: readonly string[];
}

/** `oc engine` when the shell or oc itself was started as oc, else `kubectl engine`. */
export function choosePrefix(env: NodeJS.ProcessEnv): Prefix {
  const caller = (env["_"] ?? "").split(/[\\/]/).pop() ?? "";
  return /^oc(\.exe)?$/i.test(caller) ? "oc engine" : "kubectl engine";
}

/** Judges the global flags; unusable values are replaced by defaults and named as problems. */
export function toGlobalOptions(raw: RawFlags, env: NodeJS.ProcessEnv): JudgedOptions {
  const read = new FlagReader(raw, env);
  const connection: ConnectionFlags = readOptions(connectionTable, read);
  const options: GlobalOptions = {
    ...readOptions(runTable, read),
    namespace: connection.namespace,
    prefix: choosePrefix(env),
    wide: read.text("output") === wideForm,
    connection,
    contextArgs: contextArgs({ ...connection }),
  };
  return { options, problems: read.problems };
}

type Value = ConnectionFlags[keyof ConnectionFlags];

const unrepeated = ["token", "request-timeout"];

/**
 * What a printed command must repeat to reach the same place: everything that names the cluster,
 * the identity and the namespace, but no token.
 */
function contextArgs(connection: Readonly<Record<string, Value>>): readonly string[] {
  const words = listFlags(connectionTable)
    .filter(({ name }) => !unrepeated.includes(name))
    .flatMap(({ name }) =>
      [connection[attribute(name)] ?? []]
        .flat()
        .map((value) => (value === true ? `--${name}` : `--${name}=${String(value)}`)),
    );
  const isValued = (word: string): boolean => word.includes("=");
  return [...words.filter(isValued), ...words.filter((word) => !isValued(word))];
}
