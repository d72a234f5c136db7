/**
 * `__complete WORDS…`: what may stand in the place of the last word, in the form that kubectl asks
 * of a plugin's completion (cobra's): one candidate a line, a tab, its help; then a directive.
 */
import type { Completed, FlagSpec, Offer } from "../cmdutil/flags";
import { verdictForms } from "../domain/base/output-form";
import { standardFlags } from "../cmdutil/standard-flags";
import { entries, wrapperCommands, parents } from "./commands";
import type { CommandEntry } from "../cmdutil/entry";
import type { Names, ProductKind } from "../domain/names/names";
import { type Text, textIn } from "../domain/names/text";
import { isUnsafe } from "../domain/base/quote";

/** A word that may be typed, and what it is. */
export type Suggestion = readonly [word: string, help: string];

/** What is asked of the kubeconfig and of the cluster that the line leads to. */
export interface Question {
  readonly what: Exclude<Offer, "code"> | readonly ProductKind[];
  /** The words before the one that is typed. */
  readonly before: readonly string[];
  /** The part of the value that is typed. */
  readonly typed: string;
}

/** Where words come from that this list of commands does not have. */
export interface Sources {
  readonly codes: () => Promise<readonly (readonly [code: string, cause: Text])[]>;
  /** Gives nothing where it cannot be had at once. */
  readonly found: (question: Question) => Promise<readonly Suggestion[]>;
  readonly names: Names;
}

/** Whether the shell may offer files as well. */
const directives = { files: ":0", wordsOnly: ":4" };

/** The answer; the sources are asked only where what they have may stand. */
export async function complete(words: readonly string[], sources: Sources): Promise<string> {
  const current = (words.at(-1) ?? "").replace(/^""$/, ""); // PowerShell cannot pass an empty word
  const before = words.slice(0, -1);
  const place = findPlaceOfCursor(operands(before));
  const { entry, flags } = place;
  const valued = valueFlag(flags, before.at(-1), current);
  if (valued !== undefined) {
    const flag = entry?.verdicts === true ? valued.flag : dropVerdicts(valued.flag);
    return ofValue(flag, { ...valued, current, before }, sources);
  }
  if (current.startsWith("-")) {
    const spelled = flags.map((flag): Suggestion => [
      `--${flag.name}`,
      textIn(flag.help, sources.names),
    ]);
    return answer([...spelled, ["--help", "Show this help"]], current);
  }
  if (entry === undefined) {
    const next = nextWords(place).map(([word, help]): Suggestion => [
      word,
      textIn(help, sources.names),
    ]);
    return answer(next, current);
  }
  const given = place.typed.slice(entry.path.split(" ").length);
  const { argument } = entry;
  if (argument === undefined || (given.length > 0 && argument.repeat !== true)) {
    return answer([], current);
  }
  return ofValue(argument, { lead: "", current, before, given }, sources);
}

/** A command that gives no verdicts on objects refuses their forms. */
function dropVerdicts(flag: FlagSpec): FlagSpec {
  if (flag.name !== "output") return flag;
  const forms: readonly string[] = verdictForms;
  return { ...flag, choices: (flag.choices ?? []).filter((choice) => !forms.includes(choice)) };
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
function findPlaceOfCursor(words: readonly string[]): CompletionContext {
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
  const valued = known.filter(({ value }) => value !== undefined);
  return words.filter(
    (word, at) => !word.startsWith("-") && !valued.some((flag) => isFlag(words[at - 1], flag)),
  );
}

function isAt(path: string, typed: readonly string[]): boolean {
  const parts = path.split(" ");
  return parts.every((part, index) => typed[index] === part);
}

/** Commands and the words that lead to them, below what was typed so far. */
function nextWords({ typed, commands }: CompletionContext): readonly (readonly [string, Text])[] {
  const lead = typed.map((word) => `${word} `).join("");
  const below = commands.filter(({ path }) => path.startsWith(lead));
  const words = below.map(({ path, summary }): readonly [string, Text] => {
    const [word = "", ...more] = path.slice(lead.length).split(" ");
    return [word, more.length === 0 ? summary : (parents[word] ?? "")];
  });
  return [...new Map(words)];
}

/** The flag whose value is being typed: `--output js`, `--output=js` or `-o js`. */
function valueFlag(
  flags: readonly FlagSpec[],
  previous: string | undefined,
  current: string,
): { readonly flag: FlagSpec; readonly lead: string } | undefined {
  const valued = flags.filter(({ value }) => value !== undefined);
  const [, bound] = /^--([^=]+)=/.exec(current) ?? [];
  const flag = valued.find((one) =>
    bound === undefined ? isFlag(previous, one) : one.name === bound,
  );
  return flag && { flag, lead: bound === undefined ? "" : `--${bound}=` };
}

function isFlag(word: string | undefined, { name, short }: FlagSpec): boolean {
  return word === `--${name}` || (short !== undefined && word === `-${short}`);
}

/** A value as far as it is typed. */
interface Typed {
  /** What of the word is not the value: `--output=`. */
  readonly lead: string;
  readonly current: string;
  readonly before: readonly string[];
  /** Values that were typed already. */
  readonly given?: readonly string[];
}

/** Where commas separate values, the last one is completed. */
async function ofValue(
  value: Completed,
  { lead, current, before, given = [] }: Typed,
  sources: Sources,
): Promise<string> {
  const end = value.repeat === true ? current.lastIndexOf(",") + 1 : 0;
  const start = current.slice(0, Math.max(end, lead.length));
  const typed = current.slice(start.length);
  const others = [...given, ...start.slice(lead.length).split(",")];
  const offered = await listOffers(value, { before, typed }, sources);
  const fresh = offered.filter(([word]) => !others.includes(word));
  return answer(
    fresh.map(([word, help]) => [`${start}${word}`, help]),
    current,
    value.file === true ? directives.files : directives.wordsOnly,
  );
}

async function listOffers(
  { choices, kinds, offers, help, meanings = {} }: Completed,
  asked: Omit<Question, "what">,
  sources: Sources,
): Promise<readonly Suggestion[]> {
  const words = choices ?? (typeof offers === "object" ? offers : undefined);
  if (words !== undefined)
    return words.map((word) => [word, meanings[word] ?? textIn(help, sources.names)]);
  if (offers === "code") {
    return (await sources.codes()).map(([code, cause]) => [code, textIn(cause, sources.names)]);
  }
  const what = kinds ?? (typeof offers === "string" ? offers : undefined);
  return what === undefined ? [] : sources.found({ ...asked, what });
}

/** A word that no shell could type is not offered. */
function answer(
  candidates: readonly Suggestion[],
  start: string,
  directive = directives.wordsOnly,
): string {
  const fitting = candidates.filter(
    ([word]) => word.startsWith(start) && !isUnsafe(word) && !/\s/.test(word),
  );
  const lines = fitting.map(([word, help]) => `${word}\t${help}`);
  return `${[...lines, directive].join("\n")}\n`;
}
