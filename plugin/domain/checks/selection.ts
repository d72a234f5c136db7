/** Which checks are asked for, and which findings a person has decided to live with. */
import { suggestion } from "../suggest";

/** A finding to leave out: all of a code, or those on one object. */
export interface Skip {
  readonly code: string;
  /** As a report prints it. */
  readonly object?: string;
}

/** What a person chose. */
export interface Selection {
  readonly only?: readonly string[];
  readonly skip?: readonly Skip[];
}

/** Reads `CODE` and `CODE=OBJECT`; codes may be typed in any case, with underscores. */
export function parseSkip(word: string): Skip {
  const cut = word.indexOf("=");
  if (cut < 0) return { code: parseCode(word) };
  return { code: parseCode(word.slice(0, cut)), object: word.slice(cut + 1) };
}

/** A code as it is kept. */
export function parseCode(word: string): string {
  return word.trim().toUpperCase().replaceAll("_", "-");
}

/** One problem for each code that is none, with the nearest one that is. */
export function unknownCodes(
  { only = [], skip = [] }: Selection,
  known: readonly string[],
): readonly string[] {
  const named = [
    ...only.map((code) => ({ flag: "--only", code })),
    ...skip.map(({ code }) => ({ flag: "--skip", code })),
  ];
  return named
    .filter(({ code }) => !known.includes(code))
    .map(({ flag, code }) => `${flag}: there is no check ${code}${suggestion(code, known)}`);
}

/** True for a whole code that is skipped, or for its findings on one object. */
export function isSkipped({ skip = [] }: Selection, code: string, object?: string): boolean {
  return skip.some(
    (one) => one.code === code && (one.object === undefined || one.object === object),
  );
}
