/** Sets of fields, as managedFields hold them: a tree keyed by path elements. */
import { isObject, type Json, asArray, asString, omit } from "../../domain/base/values";
import type { KubeObject, ManagedFields } from "../../domain/kube/objects";

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
export function makeFieldSet(
  member: boolean,
  children: Iterable<readonly [string, FieldSet]>,
): FieldSet {
  const held = [...children].filter(([, set]) => !isEmpty(set));
  return !member && held.length === 0 ? none : { member, children: new Map(held) };
}

/** What is in one set or the other. */
export function union(one: FieldSet, other: FieldSet): FieldSet {
  if (isEmpty(one)) return other;
  if (isEmpty(other)) return one;
  const keys = new Set([...one.children.keys(), ...other.children.keys()]);
  return makeFieldSet(
    one.member || other.member,
    [...keys].map((key) => [key, union(below(one, key), below(other, key))]),
  );
}

/** What is in both sets. */
export function intersection(one: FieldSet, other: FieldSet): FieldSet {
  return makeFieldSet(
    one.member && other.member,
    [...one.children].map(([key, set]) => [key, intersection(set, below(other, key))]),
  );
}

/** What is in the first set alone. */
export function difference(one: FieldSet, other: FieldSet): FieldSet {
  if (isEmpty(other)) return one;
  return makeFieldSet(
    one.member && !other.member,
    [...one.children].map(([key, set]) => [key, difference(set, below(other, key))]),
  );
}

/** The part of a set below a path element. */
export function below({ children }: FieldSet, key: string): FieldSet {
  return children.get(key) ?? none;
}

/** Path elements of all members: of a place first those directly in it, then what lies deeper. */
export function listPaths(set: FieldSet): readonly (readonly string[])[] {
  const entries = [...set.children].sort(byElement);
  return [
    ...entries.filter(([, child]) => child.member).map(([key]) => [key]),
    ...entries.flatMap(([key, child]) => listPaths(child).map((path) => [key, ...path])),
  ];
}

/** The set as `fieldsV1` writes it. */
export function renderFieldsV1(set: FieldSet): Json {
  const entries = [...set.children].sort(byElement);
  return Object.fromEntries([
    ...(set.member && entries.length > 0 ? [[".", {}] as const] : []),
    ...entries.map(([key, child]) => [key, renderFieldsV1(child)] as const),
  ]);
}

/** Reads `fieldsV1`; an entry without fields below is a member. */
function parseFieldsV1(value: unknown): FieldSet {
  const entries = Object.entries(isObject(value) ? value : {});
  return makeFieldSet(
    false,
    entries.filter(([key]) => key !== ".").map(([key, inner]) => [key, parseChild(inner)]),
  );
}

function parseChild(value: unknown): FieldSet {
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
export function renderPath(path: readonly string[]): string {
  return path.map(renderElement).join("");
}

function renderElement(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith("k:")) {
    const keys = Object.entries(JSON.parse(rest) as Json);
    return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`;
  }
  if (element.startsWith("v:")) return `[=${rest}]`;
  return element.startsWith("i:") ? `[${rest}]` : `.${rest}`;
}

/** One manager's fields. */
export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string | undefined;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Owners by what identifies them: who applies is one owner in every version. */
export type Owners = ReadonlyMap<string, Owner>;

/** What identifies an owner. */
export function ownerKey(owner: Omit<Owner, "time" | "fields">): string {
  const { manager, operation, apiVersion, subresource } = owner;
  return JSON.stringify([manager, operation, operation === "Apply" ? "" : apiVersion, subresource]);
}

/** The owners of an object; none when an entry is not as the API server writes it. */
export function parseOwners(object: KubeObject | undefined): Owners {
  const owners = asArray(object?.metadata.managedFields).map((entry) =>
    parseOwner(entry as ManagedFields),
  );
  if (owners.some((owner) => owner === undefined)) return new Map();
  return indexOwners(owners.filter((owner) => owner !== undefined));
}

/** Owners by their keys; of those without fields none is kept. */
export function indexOwners(owners: Iterable<Owner>): Owners {
  return new Map([...owners].filter(isHolding).map((owner) => [ownerKey(owner), owner]));
}

function isHolding({ fields }: Owner): boolean {
  return !isEmpty(fields);
}

function parseOwner({
  manager,
  operation,
  apiVersion,
  subresource,
  ...rest
}: ManagedFields): Owner | undefined {
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (typeof apiVersion !== "string" || rest["fieldsType"] !== "FieldsV1") return undefined;
  return {
    manager: manager ?? "",
    operation,
    apiVersion,
    subresource,
    time: asString(rest["time"]),
    fields: parseFieldsV1(rest.fieldsV1),
  };
}

/** True when a write asks for the managers to be forgotten: an empty list or one empty entry. */
export function isReset({ metadata }: KubeObject): boolean {
  const { managedFields } = metadata;
  if (managedFields === undefined) return false;
  const [first, ...more] = managedFields;
  return first === undefined || (more.length === 0 && Object.keys(first).length === 0);
}

/** The object with these owners, in the API server's order. */
export function withOwners(object: KubeObject, owners: Owners): KubeObject {
  const metadata = omit(object.metadata, "managedFields");
  if (owners.size === 0) return { ...object, metadata };
  const managedFields = [...owners.values()].sort(inOrder).map(renderEntry);
  return { ...object, metadata: { ...metadata, managedFields } };
}

function renderEntry({
  manager,
  operation,
  apiVersion,
  subresource,
  time,
  fields,
}: Owner): ManagedFields {
  return {
    manager,
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: "FieldsV1",
    fieldsV1: renderFieldsV1(fields),
    ...(subresource !== undefined && { subresource }),
  };
}

function inOrder(one: Owner, other: Owner): number {
  const keys = (owner: Owner): readonly string[] => [
    owner.operation,
    owner.time ?? "",
    owner.manager,
    owner.apiVersion,
    owner.subresource ?? "",
  ];
  const right = keys(other);
  const differing = keys(one).map((key, at) => [key, right[at] ?? ""] as const);
  const [left, rest] = differing.find(([mine, theirs]) => mine !== theirs) ?? ["", ""];
  return left < rest ? -1 : left > rest ? 1 : 0;
}

const mostUpdaters = 10;

/** Of more than ten managers that update, the oldest become one. */
export function capOwners(owners: Owners): Owners {
  const updaters = [...owners.values()].filter(({ operation }) => operation === "Update");
  const surplus = updaters.length - mostUpdaters;
  if (surplus <= 0) return owners;
  // one more than the surplus goes, because what they become is a manager as well
  const oldest = updaters.sort(inOrder).slice(0, surplus + 1);
  const versions = [...new Set(oldest.map(({ apiVersion }) => apiVersion))];
  const ancient = versions.map((apiVersion): Owner => {
    const merged = oldest.filter((owner) => owner.apiVersion === apiVersion);
    const fields = merged.map((owner) => owner.fields).reduce(union);
    const time = merged.at(-1)?.time;
    const manager = "ancient-changes";
    return { manager, operation: "Update", apiVersion, subresource: undefined, time, fields };
  });
  return indexOwners([
    ...[...owners.values()].filter((owner) => !oldest.includes(owner)),
    ...ancient,
  ]);
}
