/**
 * kubectl's spelling of flags turned into commander's: `-o=json`, `--yes=false`, and the value
 * bound to its flag, so that `--template -n` cannot be mistaken for a flag of its own.
 */
import { type FlagSpec, parseBoolean } from "../cmdutil/flags";
import { rehearsedByDefault } from "../cmdutil/standard-flags";

/** Whether a word is a command's or an argument, in a line whose values are bound to their flags. */
export function isOperand(word: string): boolean {
  return !word.startsWith("-") || word === "-";
}

/** The command line with every value bound to its flag; what follows `--` stays as it is. */
export function normalize(argv: readonly string[], flags: readonly FlagSpec[]): readonly string[] {
  const words = argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
  const out: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (word === "--") return [...out, ...words.slice(index)];
    const { bound, follows } = bind(word, words[index + 1], { flags, before: out });
    out.push(bound);
    if (follows) index += 1;
  }
  return out;
}

/** The word as commander takes it, and whether the next one is its value. */
function bind(
  word: string,
  next: string | undefined,
  line: { readonly flags: readonly FlagSpec[]; readonly before: readonly string[] },
): { readonly bound: string; readonly follows: boolean } {
  const typed = splitFlag(word, line.flags);
  if (typed === undefined) return { bound: word, follows: false };
  const commands = line.before.filter(isOperand);
  if (asksVersion(word, next) && commands.length === 0) return { bound: "version", follows: false };
  const { name } = typed.flag;
  const own = line.flags.find(
    (one) => one.name === name && one.alone !== undefined && commands.includes(one.alone),
  );
  if (own !== undefined && isBare({ flag: own, value: typed.value }, next)) {
    // the next word is none of its values, and must not be taken for one
    const [usual] = own.choices ?? [];
    return { bound: usual === undefined ? `--${name}` : `--${name}=${usual}`, follows: false };
  }
  const follows = isFollowed(typed, next);
  return { bound: withBound(typed, follows ? next : typed.value), follows };
}

/** As most programs take it; behind a command it is a flag of that command. */
function asksVersion(word: string, next: string | undefined): boolean {
  return word === "--version" && (next === undefined || next.startsWith("-"));
}

interface TypedFlag {
  readonly flag: FlagSpec;
  readonly value: string | undefined;
}

/** The flag that a word names, with the value in the same word; undefined for every other word. */
function splitFlag(word: string, flags: readonly FlagSpec[]): TypedFlag | undefined {
  const [, long, longValue] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (long !== undefined)
    return withValue(
      flags.find(({ name }) => name === long),
      longValue,
    );
  const [, letter, rest = ""] = /^-([a-zA-Z])(.*)$/s.exec(word) ?? [];
  if (letter === undefined) return undefined;
  const flag = flags.find(({ short }) => short === letter);
  if (rest === "") return withValue(flag, undefined);
  // `-qv6` is left to commander: groups of short flags are its own
  const valued = flag?.value !== undefined || rest.startsWith("=");
  return valued ? withValue(flag, rest.replace(/^=/, "")) : undefined;
}

function withValue(flag: FlagSpec | undefined, value: string | undefined): TypedFlag | undefined {
  return flag === undefined ? undefined : { flag, value };
}

/**
 * Whether the next word is the flag's value. `--dry-run -o json`: another flag where one of a few
 * words belongs is a forgotten value.
 */
function isFollowed({ flag, value }: TypedFlag, next: string | undefined): boolean {
  if (flag.value === undefined || value !== undefined || next === undefined) return false;
  return flag.choices === undefined || !next.startsWith("-");
}

/** `options --names`, with nothing or another flag behind it, or what is none of its values. */
function isBare({ flag, value }: TypedFlag, next: string | undefined): boolean {
  if (value !== undefined) return false;
  return next === undefined || /^-./.test(next) || flag.choices?.includes(next) === false;
}

/** The word for a flag with its value; a boolean one is set, or its opposite is. */
function withBound({ flag }: TypedFlag, value: string | undefined): string {
  if (flag.value !== undefined) return `--${flag.name}=${value ?? ""}`;
  if (value === undefined) return `--${flag.name}`;
  const wanted = parseBoolean(value);
  if (wanted === undefined) return `--${flag.name}=${value}`; // named as a problem later
  return wanted ? `--${flag.name}` : `--${opposite(flag.name)}`;
}

/** `yes` ↔ `no-yes`, `no-input` ↔ `input`. */
export function opposite(name: string): string {
  return name.startsWith("no-") ? name.slice("no-".length) : `no-${name}`;
}

/** A command that is given another one. */
interface Outer {
  readonly path: string;
  readonly flags: readonly FlagSpec[];
}

/** The two parts, each to be parsed as a line of its own. */
export interface SplitLine {
  /** The outer command and its own flags. */
  readonly own: readonly string[];
  /** The command that it is given with its flags, and the global flags, wherever they stood. */
  readonly given: readonly string[];
}

/**
 * Splits a line whose first command is given another one; undefined for every other line. Values are
 * bound to their flags already, so a word without a dash is a command's.
 */
export function splitGiven(
  words: readonly string[],
  outers: readonly Outer[],
): SplitLine | undefined {
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  const typed = words.slice(0, end);
  const at = typed.findIndex(isOperand);
  const outer = outers.find(({ path }) => path === typed[at]);
  if (outer === undefined) return undefined;
  const rest = typed.filter((_word, index) => index !== at);
  const isOwn = (word: string): boolean =>
    outer.flags.some(({ name }) => word === `--${name}` || word.startsWith(`--${name}=`));
  const others = [...rest.filter((word) => !isOwn(word)), ...words.slice(end)];
  const named = others.some((word) => word !== "--" && isOperand(word));
  const own = [outer.path, ...rest.filter(isOwn)];
  if (named) return { own, given: others };
  const asked = others.filter((word) => word === "--help" || word === "-h");
  return { own: [...own, ...asked], given: [rehearsedByDefault, ...others] };
}
