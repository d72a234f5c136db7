/** A manifest that the tool ships, or one in the specification's words, under other names. */
import { defaultNames, type Names } from "./names";
import { moveFields } from "./names/moves";
import { replaceWords } from "./names/replace";
import { isObject, list } from "./values";

/**
 * The document with every whole word that is a default name replaced by the given one, composed
 * ones as PLURAL.GROUP included, and the fields of the product's kinds moved to where the names
 * have them. Texts for people and namespaces stay. The document itself for the default names.
 */
export function rebrand(document: unknown, names: Names): unknown {
  if (names === defaultNames) return document;
  if (isObject(document) && Array.isArray(document["items"])) {
    const { items, ...head } = document;
    return {
      ...(replaceWords(head, names) as object),
      items: list(items).map((item) => rebrand(item, names)),
    };
  }
  return replaceWords(moveFields(document, names), names);
}
