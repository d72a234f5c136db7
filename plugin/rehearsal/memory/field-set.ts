/** Sets of fields, as managedFields hold them: a tree keyed by path elements. */
import { isObject, type Json } from "../../domain/values";

/** A set of fields below one place; `member` says whether the place itself belongs to it. */
export interface FieldSet {
  readonly member: boolean;
  /** By path element as managedFields write it: `f:spec`, `k:{"name":"x"}`, `v:"x"`. */
  readonly children: ReadonlyMap<string, FieldSet>;
}

const none: FieldSet = { member: false, children: new Map() };

/** The set without any field. */
export const noFields = none;

/** A set with this place alone. */
export const onlyHere: FieldSet = { member: true, children: new Map() };

/** True when nothing belongs to the set. */
export function isEmpty({ member, children }: FieldSet): boolean {
  return !member && children.size === 0;
}

/** A set from its parts; parts without fields are left out. */
export function setOf(member: boolean, children: Iterable<readonly [string, FieldSet]>): FieldSet {
  const held = [...children].filter(([, set]) => !isEmpty(set));
  return !member && held.length === 0 ? none : { member, children: new Map(held) };
}

/** What is in one set or the other. */
export function union(one: FieldSet, other: FieldSet): FieldSet {
  if (isEmpty(one)) return other;
  if (isEmpty(other)) return one;
  const keys = new Set([...one.children.keys(), ...other.children.keys()]);
  return setOf(
    one.member || other.member,
    [...keys].map((key) => [key, union(below(one, key), below(other, key))]),
  );
}

/** What is in both sets. */
export function intersection(one: FieldSet, other: FieldSet): FieldSet {
  return setOf(
    one.member && other.member,
    [...one.children].map(([key, set]) => [key, intersection(set, below(other, key))]),
  );
}

/** What is in the first set alone. */
export function difference(one: FieldSet, other: FieldSet): FieldSet {
  if (isEmpty(other)) return one;
  return setOf(
    one.member && !other.member,
    [...one.children].map(([key, set]) => [key, difference(set, below(other, key))]),
  );
}

/** The part of a set below a path element. */
export function below({ children }: FieldSet, key: string): FieldSet {
  return children.get(key) ?? none;
}

/** Path elements of all members: of a place first those directly in it, then what lies deeper. */
export function pathsOf(set: FieldSet): readonly (readonly string[])[] {
  const entries = [...set.children].sort(byElement);
  return [
    ...entries.filter(([, child]) => child.member).map(([key]) => [key]),
    ...entries.flatMap(([key, child]) => pathsOf(child).map((path) => [key, ...path])),
  ];
}

/** The set as `fieldsV1` writes it. */
export function fieldsV1Of(set: FieldSet): Json {
  const entries = [...set.children].sort(byElement);
  return Object.fromEntries([
    ...(set.member && entries.length > 0 ? [[".", {}] as const] : []),
    ...entries.map(([key, child]) => [key, fieldsV1Of(child)] as const),
  ]);
}

/** Reads `fieldsV1`; an entry without fields below is a member. */
export function parseFieldsV1(value: unknown): FieldSet {
  const entries = Object.entries(isObject(value) ? value : {});
  return setOf(
    false,
    entries.filter(([key]) => key !== ".").map(([key, inner]) => [key, childOf(inner)]),
  );
}

function childOf(value: unknown): FieldSet {
  const { children } = parseFieldsV1(value);
  const member = children.size === 0 || (isObject(value) && Object.hasOwn(value, "."));
  return { member, children };
}

function byElement(
  [one]: readonly [string, FieldSet],
  [other]: readonly [string, FieldSet],
): number {
  return one < other ? -1 : 1;
}

/** A path as messages show it: `.webhooks[name="x"].rules`. */
export function shownPath(path: readonly string[]): string {
  return path.map(shownElement).join("");
}

function shownElement(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith("k:")) {
    const keys = Object.entries(JSON.parse(rest) as Json);
    return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`;
  }
  if (element.startsWith("v:")) return `[=${rest}]`;
  return element.startsWith("i:") ? `[${rest}]` : `.${rest}`;
}
