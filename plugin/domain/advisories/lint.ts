/** What a machine can see of a row that reads well, and says or does something else than was meant. */
import type { Row } from "./row";
import { withoutHoles } from "./texts";

/** A text that says too little, with its place in the row. */
export interface TextProblem {
  readonly path: readonly (string | number)[];
  readonly says: string;
}

/** Fewer words tell nobody what is meant. */
const fewest = 2;

/** Texts that say nothing by themselves, since what is in braces is known only when it fires; guards that let pass. */
export function judgeTexts(row: Row): readonly TextProblem[] {
  const { title, cause, fix, remedies = [], source } = row;
  const texts: readonly (readonly [path: TextProblem["path"], text: string | undefined])[] = [
    [["title"], title],
    [["cause"], cause],
    [["fix"], fix],
    ...remedies.map(({ says }, at) => [["remedies", at, "says"], says] as const),
    [["source"], source],
  ];
  const empty = texts.flatMap(([path, text]) => {
    if (text === undefined || countWords(text) >= fewest) return [];
    return [
      { path, says: `${String(path[0])} says nothing without what is in its braces: "${text}"` },
    ];
  });
  return [...empty, ...judgeGuards(row)];
}

/** Words of a row that forbids, whose absence would let the act pass. */
function judgeGuards({ forbids, when = "" }: Row): readonly TextProblem[] {
  if (forbids === undefined) return [];
  const guarded = [...when.matchAll(/(?<!!\s*)\bhas\(([\w.]+)\)\s*&&/g)].map(([, word]) =>
    String(word),
  );
  return (
    guarded
      // without a target there is nothing to forbid
      .filter((word) => !word.startsWith("target.") && when.split(word).length > 2)
      .map((word) => ({
        path: ["when"],
        says: `where ${word} is absent, has() makes the row silent, and the act is not refused: without has() it is not checked`,
      }))
  );
}

/** Words outside of placeholders. */
function countWords(text: string): number {
  return [...withoutHoles(text).matchAll(/\p{L}[\p{L}\p{N}'-]+/gu)].length;
}
