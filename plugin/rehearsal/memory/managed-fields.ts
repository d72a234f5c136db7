/** Who owns which fields, read from metadata.managedFields and written back. */
import type { KubeObject, ManagedFields } from "../../domain/objects";
import { list, text } from "../../domain/values";
import { type FieldSet, fieldsV1Of, isEmpty, parseFieldsV1, union } from "./field-set";
import { omit } from "./omit";

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
  const owners = list(object?.metadata.managedFields).map((entry) =>
    ownerOf(entry as ManagedFields),
  );
  if (owners.some((owner) => owner === undefined)) return new Map();
  return ownersOf(owners.filter((owner) => owner !== undefined));
}

/** Owners by their keys; of those without fields none is kept. */
export function ownersOf(owners: Iterable<Owner>): Owners {
  return new Map([...owners].filter(isHolding).map((owner) => [ownerKey(owner), owner]));
}

function isHolding({ fields }: Owner): boolean {
  return !isEmpty(fields);
}

function ownerOf({
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
    time: text(rest["time"]),
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
  const managedFields = [...owners.values()].sort(inOrder).map(entryOf);
  return { ...object, metadata: { ...metadata, managedFields } };
}

function entryOf({
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
    fieldsV1: fieldsV1Of(fields),
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
export function capped(owners: Owners): Owners {
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
  return ownersOf([...[...owners.values()].filter((owner) => !oldest.includes(owner)), ...ancient]);
}
