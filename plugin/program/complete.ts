/**
 * `__complete WORDS…`: what may stand in the place of the last word, in the form that kubectl asks
 * of a plugin's completion (cobra's): one candidate a line, a tab, its help; then a directive.
 */
import type { FlagSpec } from "../commands/flags";
import { standardFlags } from "../commands/standard-flags";
import { entries, wrapperCommands, parents } from "./commands";
import type { CommandEntry } from "./entry";

type Suggestion = readonly [word: string, help: string];

/** Whether the shell may offer files as well. */
const directives = { files: ":0", wordsOnly: ":4" };

/** The answer; `codes` are the finding codes, asked for only where one may stand. */
export async function complete(
  words: readonly string[],
  codes: () => Promise<readonly Suggestion[]>,
): Promise<string> {
  const current = (words.at(-1) ?? "").replace(/^""$/, ""); // PowerShell cannot pass an empty word
  const before = words.slice(0, -1);
  const place = placeOf(operands(before));
  const { entry, flags } = place;
  const valued = valueFlag(flags, before.at(-1), current);
  if (valued !== undefined) return ofValue(valued.flag, valued.lead, current);
  if (current.startsWith("-")) {
    const spelled = flags.map((flag): Suggestion => [`--${flag.name}`, flag.help]);
    return answer([...spelled, ["--help", "Show this help"]], current);
  }
  if (entry === undefined) return answer(nextWords(place), current);
  return answer(await argumentsOf(entry, codes), current);
}

interface CompletionContext {
  /** The words of the command, as far as they were typed. */
  readonly typed: readonly string[];
  readonly entry: CommandEntry | undefined;
  readonly flags: readonly FlagSpec[];
  /** The commands that may stand here. */
  readonly commands: readonly CommandEntry[];
}

/** After `rehearse` and `diff`, another command stands, and the flags of both. */
function placeOf(words: readonly string[]): CompletionContext {
  const outer = wrapperCommands.find(({ path }) => path === words[0]);
  const typed = outer === undefined ? words : words.slice(1);
  const known = outer?.argument?.choices;
  const commands = known ? entries.filter(({ path }) => known.includes(path)) : entries;
  const entry = commands.find(({ path }) => isAt(path, typed));
  const own = outer?.flags ?? [];
  return { typed, entry, flags: [...own, ...(entry?.flags ?? []), ...standardFlags], commands };
}

/** The words that are neither flags nor the values of flags. */
function operands(words: readonly string[]): readonly string[] {
  const known = [...standardFlags, ...entries.flatMap((entry) => entry.flags)];
  return words.filter((word, index) => {
    if (word.startsWith("-")) return false;
    const before = words[index - 1];
    return !known.some(
      ({ name, short, value }) => value !== undefined && isWord(before, name, short),
    );
  });
}

function isAt(path: string, typed: readonly string[]): boolean {
  const parts = path.split(" ");
  return parts.every((part, index) => typed[index] === part);
}

/** Commands and the words that lead to them, below what was typed so far. */
function nextWords({ typed, commands }: CompletionContext): readonly Suggestion[] {
  if (typed.length === 0) {
    const leaves = commands.filter(({ path }) => !path.includes(" "));
    const found = leaves.map(({ path, summary }): Suggestion => [path, summary]);
    const leads = Object.entries(parents).filter(([word]) =>
      commands.some(({ path }) => path.startsWith(`${word} `)),
    );
    return [...found, ...leads];
  }
  const lead = `${typed.join(" ")} `;
  return commands
    .filter(({ path }) => path.startsWith(lead))
    .map(({ path, summary }): Suggestion => [path.slice(lead.length), summary]);
}

async function argumentsOf(
  { argument }: CommandEntry,
  codes: () => Promise<readonly Suggestion[]>,
): Promise<readonly Suggestion[]> {
  if (argument === undefined) return [];
  if (argument.choices === undefined) return codes();
  return argument.choices.map((choice) => [choice, argument.help]);
}

/** The flag whose value is being typed: `--output js`, `--output=js` or `-o js`. */
function valueFlag(
  flags: readonly FlagSpec[],
  previous: string | undefined,
  current: string,
): { readonly flag: FlagSpec; readonly lead: string } | undefined {
  const valued = flags.filter(({ value }) => value !== undefined);
  const [, bound] = /^--([^=]+)=/.exec(current) ?? [];
  if (bound !== undefined) {
    const flag = valued.find(({ name }) => name === bound);
    return flag === undefined ? undefined : { flag, lead: `--${bound}=` };
  }
  const flag = valued.find(({ name, short }) => isWord(previous, name, short));
  return flag === undefined ? undefined : { flag, lead: "" };
}

function isWord(word: string | undefined, name: string, short: string | undefined): boolean {
  return word === `--${name}` || (short !== undefined && word === `-${short}`);
}

function ofValue(flag: FlagSpec, lead: string, current: string): string {
  if (flag.file === true) return `${directives.files}\n`;
  const choices = flag.choices ?? [];
  return answer(
    choices.map((choice) => [`${lead}${choice}`, flag.help]),
    current,
  );
}

function answer(candidates: readonly Suggestion[], start: string): string {
  const fitting = candidates.filter(([word]) => word.startsWith(start));
  const lines = fitting.map(([word, help]) => `${word}\t${help}`);
  return `${[...lines, directives.wordsOnly].join("\n")}\n`;
}
