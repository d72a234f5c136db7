/**
 * kubectl's spelling of flags turned into commander's: `-o=json`, `--yes=false`, and the value
 * bound to its flag, so that `--template -n` cannot be mistaken for a flag of its own.
 */
import type { FlagSpec } from "../commands/standard-flags";
import { parseBoolean } from "./values";

/** The command line with every value bound to its flag; what follows `--` stays as it is. */
export function normalise(argv: readonly string[], flags: readonly FlagSpec[]): readonly string[] {
  const words = argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
  const out: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (word === "--") return [...out, ...words.slice(index)];
    const typed = splitFlag(word, flags);
    const follows = typed !== undefined && isFollowed(typed, words[index + 1]);
    out.push(typed === undefined ? word : bound(typed, follows ? words[index + 1] : typed.value));
    if (follows) index += 1;
  }
  return out;
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

/** The word for a flag with its value; a boolean one is set, or its opposite is. */
function bound({ flag }: TypedFlag, value: string | undefined): string {
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
