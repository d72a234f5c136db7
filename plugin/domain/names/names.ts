/**
 * The names that a brand of the operator may have otherwise (S2; domain facts chapter 3): the values
 * of names/, put together, any subset of which a names file replaces; and how names are typed.
 */
import { fieldNamesOfKinds, restNames } from "./fields";
import { apiNames, operatorNames, releaseNames, valueNames, webhookNames } from "./objects";
import { NameSpec } from "./types";
import type { KubeObject } from "../kube/objects";
import { isObject } from "../base/values";

/** The value with every token in its texts replaced. */
export function replaceTokens(value: unknown, tokens: readonly string[], by: string): unknown {
  if (typeof value === "string") {
    return tokens.reduce((result, token) => result.replaceAll(token, by), value);
  }
  if (Array.isArray(value)) return value.map((item) => replaceTokens(item, tokens, by));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, replaceTokens(inner, tokens, by)]),
  );
}

/** The known placeholder spellings that still stand somewhere in a value, keys included. */
export function leftovers(value: unknown, names: Names): readonly string[] {
  const written = JSON.stringify(value);
  const known = [...names.placeholders.namespace, ...names.placeholders.serviceAccount];
  return known.filter((token) => written.includes(token));
}

/** The product's kinds. */
export const kinds = ["ec", "edb", "eaadb", "erc"] as const;

/** One of the product's kinds. */
export type ProductKind = (typeof kinds)[number];

/** A name taken apart; what was not typed is absent. */
interface TypedName {
  readonly kind?: ProductKind;
  readonly namespace?: string;
  readonly name: string;
}

/** Reads [KIND/][NAMESPACE/]NAME; a kind as kubectl takes it: its name, plural or short name, with its group. */
export function readName(typed: string, names: Names): TypedName {
  const parts = typed.split("/");
  const kind = parts.length > 1 ? findKind(String(parts[0]), names) : undefined;
  const place = kind === undefined ? parts : parts.slice(1);
  return {
    ...(kind !== undefined && { kind }),
    ...(place.length > 1 && { namespace: place.slice(0, -1).join("/") }),
    name: String(place.at(-1)),
  };
}

function findKind(word: string, names: Names): ProductKind | undefined {
  const typed = word.toLowerCase();
  return kinds.find((key) => {
    const { kind, plural, short } = names[key];
    const words = [kind, plural, short].map((one) => one.toLowerCase());
    return words.some((one) => typed === one || typed === `${one}.${names.group}`);
  });
}

/** What stands against a name where only some kinds are asked for; undefined when nothing does. */
export function nameProblem(
  typed: string,
  wanted: readonly ProductKind[],
  names: Names,
): string | undefined {
  const { kind, namespace, name } = readName(typed, names);
  const terms = wanted.map((key) => renderTerm(names[key])).join(" or ");
  const shown = JSON.stringify(typed);
  if (name === "") return `${shown} has no name`;
  if (kind !== undefined && !wanted.includes(kind)) {
    return `${shown} is of kind ${renderTerm(names[kind])}; the name of an ${terms} is expected`;
  }
  if (namespace === undefined) return undefined;
  if (wanted.includes("ec"))
    return `${shown} is not the name of an ${terms}; a namespace goes with -n`;
  return namespace.includes("/") ? `${shown} is not the name of an ${terms}` : undefined;
}

/** Whether a typed name means this object. */
export function isNamed(
  { kind, namespace, name }: TypedName,
  object: { readonly kind: ProductKind; readonly object: KubeObject },
): boolean {
  const { metadata } = object.object;
  return (
    metadata.name === name &&
    (kind === undefined || kind === object.kind) &&
    (namespace === undefined || metadata.namespace === namespace)
  );
}

/** Names with their comments and sorts, in the order in which they are shown. */
export const namesTree = {
  ...apiNames,
  ...webhookNames,
  ...operatorNames,
  ...fieldNamesOfKinds,
  ...valueNames,
  ...releaseNames,
  ...restNames,
};

/** The words of a tree of declared names. */
type NameValues<T> = {
  readonly [K in keyof T]: T[K] extends NameSpec<infer V> ? V : NameValues<T[K]>;
};

/** The full set of names; every value is a string, a list of strings or a group of those. */
export type Names = NameValues<typeof namesTree>;

/** A kind that the API server serves: how it is written in a manifest and in a URL. */
export type KindNames = Names["ec"];

/** A group of declared names. */
export interface NamesTree {
  readonly [key: string]: NameSpec | NamesTree;
}

/** The tree with another value in the place of every declared name. */
export function mapNames(
  tree: NamesTree,
  value: (named: NameSpec, path: readonly string[]) => unknown,
  path: readonly string[] = [],
): unknown {
  const entries = Object.entries(tree).map(([key, inner]) => {
    const here = [...path, key];
    return [key, inner instanceof NameSpec ? value(inner, here) : mapNames(inner, value, here)];
  });
  return Object.fromEntries(entries);
}

/** The specification's words, and the field's where the specification gives none. */
export const defaultNames = mapNames(namesTree, ({ value }) => value) as Names;

/** What messages call a kind: its short name in capitals, as the specification writes EC and EDB. */
export function renderTerm({ short }: KindNames): string {
  return short.toUpperCase();
}
