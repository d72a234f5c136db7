/** YAML in and out. JSON is YAML, so both kinds of files are read. */
import { shapeProblem, textProblem } from "../domain/values";
import type { UsageError } from "../domain/errors";
import { InputError } from "../domain/errors";
import { parseMarked } from "../domain/names/judge";
import { dump, loadAll } from "js-yaml";

/** Characters; a text of more is no manifest. */
const longest = 16 * 2 ** 20;

/**
 * The documents of a text; InputError that names the source and the line when it is not a YAML, or more
 * than any manifest: nobody else has to bound what was read here.
 */
export function parseDocuments(
  text: string,
  source: string,
  load: (text: string) => readonly unknown[] = (given) => loadAll(given),
): readonly unknown[] {
  const refused = (problem: string): UsageError =>
    new InputError(`${source} is not YAML: ${problem}`);
  if (text.length > longest) throw refused(`it has more than ${longest} characters`);
  const before = textProblem(text);
  if (before !== undefined) throw refused(before);
  const documents = loaded(text, source, load);
  const problem = shapeProblem(documents, text.length);
  if (problem !== undefined) throw refused(problem);
  return documents;
}

/** The same for a names file, in which each key that is there twice is told by its judge. */
export function parseNamesFile(text: string, source: string): readonly unknown[] {
  return parseDocuments(text, source, (given) => parseMarked(given, (marked) => loadAll(marked)));
}

function loaded(
  text: string,
  source: string,
  load: (text: string) => readonly unknown[],
): readonly unknown[] {
  try {
    return load(text);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new InputError(`${source} is not YAML: ${reason}`);
  }
}

/** Objects as a YAML stream that kubectl apply takes. */
export function renderDocuments(objects: readonly unknown[]): string {
  return objects.map((object) => dump(object, { noRefs: true, lineWidth: 100 })).join("---\n");
}

/** A text or a list of texts on one line, quoted where YAML would read something else. */
export function inlineYaml(value: unknown): string {
  return dump(value, { flowLevel: 0, lineWidth: -1 }).trimEnd();
}
