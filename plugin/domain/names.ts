/**
 * Every brand name, object name, field path, placeholder and label, as data (S2; domain facts
 * chapter 3). Real operators carry a brand: a names file replaces any subset of these values.
 */
import { fieldNamesOfKinds } from "./names/fields";
import { apiNames } from "./names/kinds";
import { operatorNames, releaseNames, webhookNames } from "./names/objects";
import { restNames } from "./names/rest";
import { Named } from "./names/sorts";
import { valueNames } from "./names/values";

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
type Words<T> = {
  readonly [K in keyof T]: T[K] extends Named<infer V> ? V : Words<T[K]>;
};

/** The full set of names; every value is a string, a list of strings or a group of those. */
export type Names = Words<typeof namesTree>;

/** A kind that the API server serves: how it is written in a manifest and in a URL. */
export type KindNames = Names["ec"];

/** A group of declared names. */
export interface NamesTree {
  readonly [key: string]: Named | NamesTree;
}

/** The tree with another value in the place of every declared name. */
export function mapNames(
  tree: NamesTree,
  value: (named: Named, path: readonly string[]) => unknown,
  path: readonly string[] = [],
): unknown {
  const entries = Object.entries(tree).map(([key, inner]) => {
    const here = [...path, key];
    return [key, inner instanceof Named ? value(inner, here) : mapNames(inner, value, here)];
  });
  return Object.fromEntries(entries);
}

/** The specification's words, and the field's where the specification gives none. */
export const defaultNames = mapNames(namesTree, ({ value }) => value) as Names;

/** What messages call a kind: its short name in capitals, as the specification writes EC and EDB. */
export function termOf({ short }: KindNames): string {
  return short.toUpperCase();
}
