/** Texts with words of the names in them, which are made where the names are known. */
import { type Names, renderTerm } from "./names";

/** A text of the program, or what makes it with the names. */
export type Text = string | ((names: Names) => string);

/** A text with such texts in it, as a tagged template. */
export function text(parts: TemplateStringsArray, ...words: readonly Text[]) {
  return (names: Names): string =>
    String.raw({ raw: parts }, ...words.map((word) => textIn(word, names)));
}

/** The text as it is printed. */
export function textIn(made: Text, names: Names): string {
  return typeof made === "string" ? made : made(names);
}

/** What messages call a cluster. */
export const ec = (names: Names): string => renderTerm(names.ec);

/** What messages call a database. */
export const edb = (names: Names): string => renderTerm(names.edb);

/** What messages call an active-active database. */
export const eaadb = (names: Names): string => renderTerm(names.eaadb);

/** The short name of clusters, which examples give to one. */
export const ecShort = (names: Names): string => names.ec.short;

/** The short name of databases. */
export const edbShort = (names: Names): string => names.edb.short;

/** The product, as help and messages call it. */
export const product = (names: Names): string => names.product;

/** The namespace that examples have for the operator. */
export const namespace = (names: Names): string => names.operator.namespace;

/** The namespace of the companion webhook. */
export const companionNamespace = (names: Names): string => names.companion.namespace;

/** The Secret with the certificate of the admission webhook. */
export const webhookSecret = (names: Names): string => names.webhook.secret;

/** The channel of the newest version of a major release. */
export const majorChannel = (names: Names): string => names.majorChannel;

/** The channel of the newest version of all. */
export const latestChannel = (names: Names): string => names.latestChannel;
