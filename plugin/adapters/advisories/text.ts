/** The text of a file of advisories: one document, YAML or JSON, with the place of each part. */
import { CST, Lexer } from "yaml";
import { InputError } from "../../domain/base/errors";
import { placesIn, splitDocuments, type TextPlace } from "../kubernetes/text/documents";

/** A document, and where a part of it begins; of what is not there, where that would be. */
export interface PlacedDocument {
  readonly value: unknown;
  readonly placeOf: (path: readonly (string | number)[]) => TextPlace;
}

/** The one document of a text; InputError with file, line and column of all that is wrong with it. */
export function parsePlaced(text: string, file: string): PlacedDocument {
  const refused = findRefused(text);
  if (refused !== undefined) {
    throw new InputError(`${atPlace(file, refused.at)} ${refused.says}`);
  }
  const documents = [...splitDocuments(text, "refused")];
  const problems = documents.flatMap((document) =>
    "problems" in document
      ? document.problems.map(({ what, at }) => `${atPlace(file, at)} ${what}`)
      : [],
  );
  if (problems.length > 0) throw new InputError(problems);
  const [first, second] = documents;
  if (first === undefined || !("value" in first)) {
    throw new InputError(`${atPlace(file)} it is empty`);
  }
  if (second !== undefined) {
    throw new InputError(`${atPlace(file)} it holds several documents where one is expected`);
  }
  return { value: first.value, placeOf: placesIn(first.source) };
}

/** Where something is, as compilers write it. */
export function atPlace(
  file: string,
  { line, column }: TextPlace = { line: 1, column: 1 },
): string {
  return `${file}:${line}:${column}:`;
}

/** What the lexer puts between the parts of the text, and the text does not have. */
const marks: readonly (string | null)[] = [
  "byte-order-mark",
  "doc-mode",
  "flow-error-end",
  "scalar",
];

const noAlias = "an anchor or an alias (& or *) is not taken: write out what it names";

/** What files of advisories do without, and what is said of it: a tag is a condition that lacks its quotes. */
const refusals: Readonly<Record<string, string>> = {
  anchor: noAlias,
  alias: noAlias,
  tag: "a text that begins with ! needs quotes around it",
};

/** The first of these: a few aliases can name more values than any machine holds. */
function findRefused(text: string): { readonly at: TextPlace; readonly says: string } | undefined {
  if (!/[&*!]/.test(text)) return undefined;
  let at = 0;
  for (const part of new Lexer().lex(text)) {
    const type = CST.tokenType(part);
    const says = type === null ? undefined : refusals[type];
    if (says !== undefined) return { at: locate(text, at), says };
    if (!marks.includes(type)) at += part.length;
  }
  return undefined;
}

function locate(text: string, at: number): TextPlace {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}
