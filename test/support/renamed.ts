/** Another name in the place of every name there is: whatever still uses a default one shows itself. */
import { mapNames, namesTree, type Names } from "../../plugin/domain/names/names";
import { judgeNames } from "../../plugin/domain/names/judge";

/** A text of the same sort that differs: a release stays one, the rest ends in another letter. */
function other(text: string): string {
  return /^\d+\.\d+$/.test(text) ? `1${text}` : `${text}z`;
}

/** Overrides for every key, none of them the default's. */
export const everyOverride = mapNames(namesTree, ({ value, sort }, path) => {
  if (typeof value === "string") return other(value);
  // a list that is empty has no word to end otherwise
  if (value.length === 0) return [other(path.join("-").toLowerCase()), "onez"];
  return value.map((text, index) => (sort.isPath === true && index === 0 ? text : other(text)));
});

/** The names with every leaf renamed. */
export const renamed: Names = usable(judgeNames(everyOverride));

/** The judged names; a test that needs them cannot continue without. */
export function usable(judged: ReturnType<typeof judgeNames>): Names {
  if ("problems" in judged) throw new Error(judged.problems.join("\n"));
  return judged.names;
}
