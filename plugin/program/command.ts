/** commander's Command as this tool needs it: problems are collected, nothing prints, nothing exits. */
import { Command, type ErrorOptions, Option } from "commander";
import type { FlagSpec } from "../commands/standard-flags";
import { standardFlags } from "../commands/standard-flags";
import { isOperand, opposite } from "./argv";
import { suggestion } from "../domain/suggest";

/** Thrown when help is to be shown: parsing ends here. */
export class HelpAsked extends Error {
  constructor(
    readonly help: string,
    /** False when a command was missing and help is the answer to that. */
    readonly explicit: boolean,
  ) {
    super("help");
  }
}

/** What one command is made of. */
export interface CommandParts {
  readonly flags: readonly FlagSpec[];
  readonly help: () => string;
  /** All commands of one parse share the list. */
  readonly problems: string[];
}

/** One command of the tree. */
export class EngineCommand extends Command {
  /** Words behind an unknown flag: each may be its value, a secret even. */
  #doubtful = 0;
  /** With an unknown flag, whether a word is its value or an argument cannot be told. */
  #mistyped = false;

  constructor(
    name: string,
    private readonly parts: CommandParts,
  ) {
    super(name);
    this.helpCommand(false);
    for (const flag of parts.flags) addFlag(this, flag);
  }

  override outputHelp(asked?: unknown): never {
    const explicit = asked === undefined;
    const unknown = explicit && this.commands.length > 0 && this.args.slice(0, 1).some(isOperand);
    if (unknown) this.unknownCommand();
    throw new HelpAsked(this.parts.help(), explicit && !unknown);
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
    this.parts.problems.push(message.replace(/^error: /, "").replaceAll(/\s*\n\s*/g, " "));
    return undefined as never; // commander goes on, so that the next problem is found too
  }

  /** Names each unknown flag of a leaf; commander itself stops at the first. */
  override parseOptions(argv: string[]): { operands: string[]; unknown: string[] } {
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
  for (const name of denied ? [opposite(flag.name), flag.name] : [flag.name, opposite(flag.name)]) {
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
