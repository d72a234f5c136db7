/** `rehearse` is given a whole command line: which words are its own, which the other command's. */
import type { FlagSpec } from "../commands/standard-flags";
import { rehearsedByDefault } from "../commands/standard-flags";

/** The two parts, each to be parsed as a line of its own. */
export interface SplitLine {
  /** `rehearse` and its own flags. */
  readonly own: readonly string[];
  /** The command to rehearse with its flags, and the global flags, wherever they stood. */
  readonly given: readonly string[];
}

/**
 * Splits a line whose first command is `rehearse`; undefined for every other line. Values are bound
 * to their flags already, so a word without a dash is a command's.
 */
export function splitRehearsal(
  words: readonly string[],
  flags: readonly FlagSpec[],
): SplitLine | undefined {
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  const typed = words.slice(0, end);
  const at = typed.findIndex(isOperand);
  if (typed[at] !== "rehearse") return undefined;
  const rest = typed.filter((_word, index) => index !== at);
  const isOwn = (word: string): boolean =>
    flags.some(({ name }) => word === `--${name}` || word.startsWith(`--${name}=`));
  const others = [...rest.filter((word) => !isOwn(word)), ...words.slice(end)];
  const named = others.some((word) => word !== "--" && isOperand(word));
  const own = ["rehearse", ...rest.filter(isOwn)];
  if (named) return { own, given: others };
  const asked = others.filter((word) => word === "--help" || word === "-h");
  return { own: [...own, ...asked], given: [rehearsedByDefault, ...others] };
}

function isOperand(word: string): boolean {
  return !word.startsWith("-") || word === "-";
}
