/** Statements of the specification by the numbers that steps, findings and messages cite. */
import { exitMeanings } from "../../domain/base/errors";

/** One of them, with the heading that it stands under. */
export interface Statement {
  /** As the program prints it: `S27`, `C3`, `Facts 7`. */
  readonly number: string;
  readonly heading: string;
  readonly text: string;
}

/**
 * The numbers in words as they are printed: `S27`, `S27, S28`, `S25-S30`, a chapter of facts as `Facts 7` or
 * `Facts-7`, an exit code as `exit code 5` or `exit-5`. Undefined where something else is among them.
 */
export function readNumbers(typed: string): readonly string[] | undefined {
  const words = typed
    .replaceAll(/\b(facts|exit|code) (?=\d|code)/gi, "$1-")
    .replaceAll(/\badmission facts-/gi, "admission-facts-")
    .split(/[\s,]+/)
    .filter((word) => word !== "");
  const numbers = words.map((word) => readChapter(word) ?? readExit(word) ?? readRange(word));
  return words.length === 0 || numbers.includes(undefined)
    ? undefined
    : numbers.flatMap((some) => some ?? []);
}

function readChapter(word: string): readonly string[] | undefined {
  const [, own, number = ""] = /^(admission-)?facts-?(\d+(?:\.\d+)?)$/i.exec(word) ?? [];
  if (number === "") return undefined;
  return [`${own === undefined ? "Facts" : "Admission facts"} ${number}`];
}

function readExit(word: string): readonly string[] | undefined {
  const [, code] = /^exit-(?:code-)?(\d{1,3})$/i.exec(word) ?? [];
  return code === undefined ? undefined : [`exit code ${code}`];
}

/** `S27` as itself, `S25-S30` as all from one to the other. */
function readRange(word: string): readonly string[] | undefined {
  const [, kind = "", from = "", , to = from] =
    /^([SC])(\d{1,3})(?:[-\u2013]([SC])?(\d{1,3}))?$/i.exec(word) ?? [];
  if (kind === "") return undefined;
  const count = Math.max(1, Number(to) - Number(from) + 1);
  return Array.from(
    { length: count },
    (_, index) => `${kind.toUpperCase()}${String(Number(from) + index)}`,
  );
}

/** The statement of a number in the text of the specification; undefined where it has none. */
export function findStatement(specification: string, number: string): Statement | undefined {
  if (number.startsWith("exit code ")) return describeExit(number);
  if (/^[SC]/.test(number)) return findRow(specification, number);
  const [, chapter = "", part] = /^(\D+ \d+)(?:\.(\d+))?$/.exec(number) ?? [];
  const found = findChapter(specification, chapter);
  if (part === undefined || found === undefined) return found;
  const within = findChapter(found.text, `${chapter.replace(/^\D+/, "")}.${part}`);
  return within === undefined ? undefined : { ...within, number };
}

function describeExit(number: string): Statement | undefined {
  const meanings: Readonly<Record<string, readonly [means: string, leaves: string]>> = exitMeanings;
  const code = number.replace("exit code ", "");
  const [means, leaves] = Object.hasOwn(meanings, code) ? (meanings[code] ?? []) : [];
  if (means === undefined || leaves === undefined) return undefined;
  return { number, heading: "Exit codes", text: `${means}. State left: ${leaves}` };
}

function findRow(specification: string, number: string): Statement | undefined {
  let heading = "";
  for (const line of specification.split("\n")) {
    heading = /^##+ (.*)$/.exec(line)?.[1] ?? heading;
    const [, text] = new RegExp(`^\\| ${number} \\| (.*) \\|$`).exec(line) ?? [];
    if (text !== undefined) return { number, heading, text };
  }
  return undefined;
}

/** A chapter by what its heading begins with, up to the next heading of its level. */
function findChapter(specification: string, number: string): Statement | undefined {
  const lines = specification.split("\n");
  const isHeading = (line: string): boolean =>
    /^##+ /.test(line) && new RegExp(`^##+ ${number.replace(".", "\\.")}[: ]`).test(line);
  const at = lines.findIndex(isHeading);
  const [, level = "", heading = ""] = /^(##+) (.*)$/.exec(lines[at] ?? "") ?? [];
  if (level === "") return undefined;
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => /^#+ /.test(line) && line.indexOf(" ") <= level.length);
  const text = rest.slice(0, end < 0 ? undefined : end).join("\n");
  return { number, heading, text: text.trim() };
}
