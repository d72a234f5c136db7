/** `rehearse` and `diff` are given a whole command line: which words are their own, which the other's. */
import type { FlagSpec } from "../commands/standard-flags";
import { rehearsedByDefault } from "../commands/standard-flags";
import { isOperand } from "./argv";

/** A command that is given another one. */
export interface Outer {
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
