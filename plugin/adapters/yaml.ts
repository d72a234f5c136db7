/** YAML in and out. JSON is YAML, so both kinds of files are read. */
import { UsageError } from "../domain/errors";
import { dump, loadAll } from "js-yaml";

/** The documents of a text; UsageError that names the source and the line when it is no YAML. */
export function parseDocuments(text: string, source: string): readonly unknown[] {
  try {
    const documents = loadAll(text);
    JSON.stringify(documents); // an alias to its own parent has no end: no manifest holds one
    return documents;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new UsageError(`${source} is not YAML: ${reason}`, { cause: error });
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
