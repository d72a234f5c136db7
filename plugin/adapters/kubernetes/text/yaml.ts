/** Whole texts in and out: documents whose problems are errors, and objects as kubectl apply takes them. */
import { InputError } from "../../../domain/base/errors";
import { dump } from "js-yaml";
import { splitDocuments, type TextProblem, type TwiceManner } from "./documents";

/** Characters; a text of more is no manifest. */
const longest = 16 * 2 ** 20;

/**
 * The documents of a text, YAML or JSON, without the empty ones; InputError that names the source and
 * every problem with its place when it cannot be read, or is more than any manifest: nobody else has
 * to bound what was read here.
 */
export function parseDocuments(
  text: string,
  source: string,
  twice: TwiceManner = "refused",
): readonly unknown[] {
  const { documents, problems } = readDocuments(text, twice);
  if (problems.length === 0) return documents;
  throw new InputError(problems.map((problem) => `${source} ${problem}`));
}

/** The same; each problem completes a sentence that begins with the source. */
export function readDocuments(
  text: string,
  twice: TwiceManner = "refused",
): { readonly documents: readonly unknown[]; readonly problems: readonly string[] } {
  if (text.length > longest) {
    return {
      documents: [],
      problems: [unread({ what: `it has more than ${longest} characters` })],
    };
  }
  const found = [...splitDocuments(text, twice)];
  return {
    documents: found.flatMap((document) => ("value" in document ? [document.value] : [])),
    problems: found.flatMap((each) => ("problems" in each ? each.problems.map(unread) : [])),
  };
}

/** What is said of a text that cannot be read, with the place in it. */
export function unread({ what, at }: TextProblem): string {
  return `cannot be read: ${what}${at === undefined ? "" : ` (line ${at.line}, column ${at.column})`}`;
}

/** Objects as a YAML stream that kubectl apply takes. */
export function renderDocuments(objects: readonly unknown[]): string {
  return objects.map((object) => dump(object, { noRefs: true, lineWidth: 100 })).join("---\n");
}

/** The same in few lines: each field is one, and each entry of a list of objects. */
export function renderCompactly(objects: readonly object[]): string {
  const render = (object: object): string =>
    Object.entries(object)
      .flatMap(([key, value]: [string, unknown]) =>
        Array.isArray(value) && value.some((one) => typeof one === "object")
          ? [`${key}:`, ...value.map((one) => `  - ${inlineYaml(one)}`)]
          : [`${key}: ${inlineYaml(value)}`],
      )
      .map((line) => `${line}\n`)
      .join("");
  return objects.map(render).join("---\n");
}

/** A text or a list of texts on one line, quoted where YAML would read something else. */
export function inlineYaml(value: unknown): string {
  return dump(value, { flowLevel: 0, lineWidth: -1 }).trimEnd();
}
