/** The files of the webhook, YAML or JSON: no larger and no deeper than the plugin takes them. */
import { CORE_SCHEMA, loadAll } from "js-yaml";
import { shapeProblem, textProblem } from "../plugin/domain/values";

/** The documents of a text; throws what is wrong with it. */
export function parseYaml(text: string): readonly unknown[] {
  const before = textProblem(text);
  if (before !== undefined) throw new Error(before);
  const documents = loadAll(text, null, { schema: CORE_SCHEMA });
  const problem = shapeProblem(documents, text.length);
  if (problem !== undefined) throw new Error(problem);
  return documents;
}
