/** The command line, parsed: commander's tree is made from the list of commands. */
import type { Prefix } from "../commands/context";
import { type FlagSpec, rehearsedByDefault, standardFlags } from "../commands/standard-flags";
import { isOperand, normalise } from "./argv";
import { EngineCommand, HelpAsked } from "./command";
import { entries, outers, parents } from "./commands";
import type { ArgumentSpec, Chosen } from "./entry";
import { commandHelp, parentHelp, rootHelp } from "./help";
import { splitGiven, type SplitLine } from "./given-line";
import { publicWords } from "../domain/public-words";
import { suggestion } from "../domain/suggest";
import type { RawFlags } from "./values";

/** What a command line says; `help` is there when help is what was asked for. */
export interface Parsed {
  readonly chosen?: Chosen;
  /** The global flags. */
  readonly raw: RawFlags;
  readonly help?: string;
  /** The words of the line, values bound to their flags. */
  readonly words: readonly string[];
  readonly problems: readonly string[];
}

/** Every flag of every command, for binding values to flags before commander sees them. */
const allFlags = [...standardFlags, ...entries.flatMap((entry) => entry.flags)];

/** The same flags, with the short names of the line's own commands alone: `-f` is not everybody's. */
function flagsOf(argv: readonly string[]): readonly FlagSpec[] {
  const operands = normalise(argv, allFlags).filter(isOperand);
  const [first, ...others] = operands;
  const inner = outers.some(({ path }) => path === first) ? others : operands;
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
  const words = normalise(argv, flagsOf(argv));
  const split = splitGiven(words, outers);
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
  const chosen = outer.chosen && { ...outer.chosen, ...(inner !== undefined && { inner }) };
  return {
    ...(chosen !== undefined && { chosen }),
    raw,
    problems: [...outer.problems, ...problems],
  };
}

function parseWords(words: readonly string[], prefix: Prefix): Omit<Parsed, "words"> {
  const problems: string[] = [];
  const choices: Chosen[] = [];
  const root = buildTree(prefix, problems, (choice) =>
    choices.push({ ...choice, words: publicWords(words) }),
  );
  const end = helpAsked(() => root.parse([...words], { from: "user" }));
  const [chosen] = choices;
  const raw: RawFlags = root.opts();
  if (end !== undefined && (end.explicit || problems.length === 0)) {
    return { raw, help: end.help, problems: [] };
  }
  return { ...(chosen !== undefined && { chosen }), raw, problems };
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
  const root = new EngineCommand("engine", {
    flags: standardFlags,
    help: () => rootHelp(prefix),
    problems,
  });
  const groups = new Map<string, EngineCommand>();
  for (const [name, summary] of Object.entries(parents)) {
    const help = (): string => parentHelp(prefix, name, summary);
    const group = new EngineCommand(name, { flags: [], help, problems });
    groups.set(name, group);
    root.addCommand(group);
  }
  for (const entry of entries) {
    const [first = "", second] = entry.path.split(" ");
    const help = (): string => commandHelp(prefix, entry);
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
