/** Values that were read from YAML: aliases make a short text a huge object, or one without an end. */
import { list } from "./values";

/** Levels; no manifest is nested deeper, and other code may then walk an object by recursion. */
const deepest = 250;
/** Nodes that aliases may add to what is written out. */
const aliased = 1_000_000;
/** Characters of a text that has merge keys, each of which copies every key that it names. */
const mergeable = 65_536;

/** Why a text is not given to the parser; undefined where nothing is against it. */
export function textProblem(text: string): string | undefined {
  if (text.length <= mergeable || !/<<["']?\s*:|!!merge|2002:merge/.test(text)) return undefined;
  return `it has merge keys (<<) and more than ${mergeable} characters: write it without them`;
}

/** Why a value read from a text of so many characters is not used; undefined where nothing is against it. */
export function shapeProblem(value: unknown, length: number): string | undefined {
  let left = length + aliased;
  const visit = (node: unknown, depth: number): string | undefined => {
    if ((left -= 1) < 0)
      return "its aliases (&, *) expand to an absurd size: write it without them";
    if (typeof node !== "object" || node === null) return undefined;
    if (depth > deepest) return `it is nested deeper than ${deepest} levels, or contains itself`;
    for (const inner of Array.isArray(node) ? list(node) : Object.values(node)) {
      const problem = visit(inner, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return visit(value, 1);
}
