/** Which checks are asked for, and which findings a person accepts (cli contract, Output). */
import { UsageError } from "../base/errors";
import { suggestion } from "../base/values";
import type { Diagnosed } from "../diagnosis/symptom";
import { isSameCode, type Skip, skipWord } from "../base/skip";

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
  const tell = (flag: string) => (code: string) =>
    `${flag}: there is no check ${code}${suggestion(code, known)}`;
  const skipped = skip.map(({ code }) => code);
  return [
    ...only.filter((code) => !known.includes(code)).map(tell("--only")),
    ...skipped.filter((code) => !known.some((one) => isSameCode(one, code))).map(tell("--skip")),
  ];
}

/** True for a whole code that is skipped, or for its findings on one object. */
export function isSkipped({ skip = [] }: Selection, code: string, object?: string): boolean {
  return skip.some(
    (one) => isSameCode(one.code, code) && (one.object === undefined || one.object === object),
  );
}

/** One problem for each that is none of these codes, or names no object: these are accepted on one only. */
export function findUnnamed(skip: readonly Skip[], codes: readonly string[]): readonly string[] {
  return skip.flatMap(({ code, object = "" }) => {
    if (!codes.includes(code)) {
      const known = codes.join(", ");
      return [`--skip: ${code} is not one of ${known}${suggestion(code, codes)}`];
    }
    return object === "" ? [`--skip ${code}: name its object: ${code}=OBJECT`] : [];
  });
}

/** The findings, those that a person accepts as warnings that block nothing; none is left out. */
export function accept(
  findings: readonly Diagnosed[],
  skip: readonly Skip[] = [],
): readonly Diagnosed[] {
  return findings.map((finding) =>
    isMet(skip, finding) ? { ...finding, severity: "warning", accepted: true } : finding,
  );
}

/** What a --skip may match: a finding, or a whole check without an object. */
type Skippable = Pick<Diagnosed, "code" | "object" | "row">;

/** True where one of them names the finding by its own code, or by that of the row that told it. */
function isMet(skip: readonly Skip[], { code, object, row = code }: Skippable): boolean {
  return isSkipped({ skip }, code, object) || isSkipped({ skip }, row);
}

/**
 * Throws a UsageError that names every --skip that matches nothing: it is mistyped, or it was given for
 * something that is no longer so, and would hide the next thing of that name.
 */
export function requireMatched(skip: readonly Skip[], met: readonly Skippable[]): void {
  const problems = skip
    .filter((one) => !met.some((each) => isMet([one], each)))
    .map((one) => `--skip ${skipWord(one)} matches no finding${nearest(one, met)}`);
  if (problems.length === 0) return;
  throw new UsageError(problems, {
    hint: "leave it out, or give CODE=OBJECT as a report prints them",
  });
}

function nearest({ code }: Skip, met: readonly Skippable[]): string {
  const objects = met.flatMap((one) => (isSameCode(one.code, code) ? (one.object ?? []) : []));
  if (objects.length > 0) return ` (${code} was found on ${objects.join(", ")})`;
  return suggestion(
    code,
    met.map((one) => one.code),
  );
}
