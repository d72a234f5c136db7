/** Who owns what after a write: the rules of server-side apply, and of every other write. */
import type { KubeObject } from "../../domain/objects";
import { sameJson } from "../../domain/values";
import type { Structure } from "../model";
import { conflictsOf } from "./conflicts";
import { omit } from "./omit";
import {
  difference,
  type FieldSet,
  intersection,
  isEmpty,
  noFields,
  onlyHere,
  setOf,
  union,
} from "./field-set";
import { compare, type Comparison, fieldsOf, withNamedFields, without } from "./fields";
import {
  capped,
  isReset,
  type Owner,
  ownerKey,
  type Owners,
  ownersOf,
  parseOwners,
  withOwners,
} from "./managed-fields";
import { merge } from "./merge";

/** A write as far as its owners are concerned. */
export interface Managing {
  readonly before: KubeObject | undefined;
  readonly object: KubeObject;
  readonly manager: string;
  /** The part that was written, undefined for the object itself. */
  readonly subresource: string | undefined;
  readonly structure: Structure;
  /** What an object of the kind holds before anything is said. */
  readonly empty: unknown;
  /** What the API server filled in by itself. */
  readonly given?: FieldSet;
  /** RFC 3339, in whole seconds. */
  readonly time: string;
}

const identity = ["name", "namespace", "creationTimestamp", "uid", "generation", "resourceVersion"];

/** Fields that belong to nobody. */
const unowned: FieldSet = setOf(false, [
  ["f:apiVersion", onlyHere],
  ["f:kind", onlyHere],
  [
    "f:metadata",
    setOf(
      true,
      [...identity, "selfLink", "managedFields"].map((name) => [`f:${name}`, onlyHere] as const),
    ),
  ],
]);

/** The status of a kind with a status subresource is nobody's in a write of the object. */
export interface Ignored {
  readonly status: boolean;
}

/** The written object with its owners: the manager has what it changed. */
export function manageUpdate(managing: Managing, ignored: Ignored): KubeObject {
  const { before, object } = managing;
  const sent = isReset(object) ? new Map<string, Owner>() : parseOwners(object);
  const owners = sent.size > 0 || isReset(object) ? sent : parseOwners(before);
  if (owners.size === 0 && before !== undefined) return withOwners(object, new Map());
  return withOwners(object, capped(updated(owners, managing, ignored)));
}

function updated(owners: Owners, managing: Managing, ignored: Ignored): Owners {
  const { before, object, manager, subresource, structure, empty, time } = managing;
  const change = filtered(compare(bare(before ?? empty), bare(object), structure), ignored);
  const taken = union(change.added, change.modified);
  const rest = [...owners.values()].map((owner) => ({
    ...owner,
    fields: difference(difference(owner.fields, taken), change.removed),
  }));
  const self = {
    manager,
    operation: "Update",
    apiVersion: object.apiVersion,
    subresource,
  } as const;
  const mine = difference(difference(taken, managing.given ?? noFields), unowned);
  if (isEmpty(mine)) return ownersOf(rest);
  const previous = rest.find((owner) => ownerKey(owner) === ownerKey(self));
  const others = rest.filter((owner) => owner !== previous);
  const fields = union(mine, previous?.fields ?? noFields);
  return ownersOf([...others, { ...self, time, fields }]);
}

/** The merged object with its owners; throws a conflict that `force` does not settle. */
export function manageApply(managing: Managing, force: boolean, ignored: Ignored): KubeObject {
  const { before, object, manager, structure, empty, time } = managing;
  const { apiVersion } = object;
  const known = parseOwners(before);
  const owners =
    known.size > 0 || before === undefined
      ? known
      : updated(
          known,
          { ...managing, before: undefined, object: before, manager: "before-first-apply" },
          ignored,
        );
  const live = bare(before ?? empty);
  const self = { manager, operation: "Apply", apiVersion, subresource: undefined } as const;
  const key = ownerKey(self);
  const last = owners.get(key);
  const fields = filter(fieldsOf(bare(object), structure), ignored);
  const mine: Owner = { ...self, time: last?.time, fields };
  const others = [...owners.values()].filter((owner) => ownerKey(owner) !== key);
  const merged = merge(live, bare(object), structure);
  const result = prune(merged, { last, owners: [...others, mine], structure });
  const change = filtered(compare(live, result, structure), ignored);
  const taken = union(change.added, change.modified);
  const disputed = others.map((owner) => ({ owner, fields: intersection(owner.fields, taken) }));
  if (!force) refuse(disputed.filter(({ fields: held }) => !isEmpty(held)));
  const rest = others.map((owner) => ({
    ...owner,
    fields: difference(difference(owner.fields, taken), change.removed),
  }));
  const changed = before === undefined || !sameJson(live, result);
  const own = { ...mine, ...(changed && { time }), fields: difference(fields, unowned) };
  return withOwners({ ...(result as KubeObject), apiVersion }, ownersOf([...rest, own]));
}

function refuse(disputed: readonly { readonly owner: Owner; readonly fields: FieldSet }[]): void {
  if (disputed.length > 0) throw conflictsOf(disputed);
}

interface Pruning {
  readonly last: Owner | undefined;
  readonly owners: readonly Owner[];
  readonly structure: Structure;
}

/** Removes what the manager applied last time, does not apply now, and nobody else owns. */
function prune(merged: unknown, { last, owners, structure }: Pruning): unknown {
  if (last === undefined) return merged;
  const named = (set: FieldSet): FieldSet => withNamedFields(set, structure);
  const fields = named(fieldsOf(merged, structure));
  const applied = named(last.fields);
  const left = named(fieldsOf(without(merged, applied, structure), structure));
  const owned = named(owners.map((owner) => owner.fields).reduce(union, noFields));
  const kept = without(merged, difference(fields, union(left, owned)), structure);
  const remaining = named(fieldsOf(kept, structure));
  return without(merged, intersection(difference(fields, remaining), applied), structure);
}

/** Without what no manager counts. */
function bare(object: unknown): unknown {
  const { metadata, ...rest } = object as KubeObject;
  return { ...rest, metadata: omit(metadata, "managedFields") };
}

function filtered({ added, modified, removed }: Comparison, ignored: Ignored): Comparison {
  return {
    added: filter(added, ignored),
    modified: filter(modified, ignored),
    removed: filter(removed, ignored),
  };
}

function filter(set: FieldSet, { status }: Ignored): FieldSet {
  if (!status || !set.children.has("f:status")) return set;
  return setOf(
    set.member,
    [...set.children].filter(([key]) => key !== "f:status"),
  );
}
