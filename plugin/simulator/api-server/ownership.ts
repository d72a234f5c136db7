/** Who owns what after a write: the rules of server-side apply, and of every other write. */
import type { KubeObject } from "../../domain/kube/objects";
import { isObject, type Json, sameJson, omit } from "../../domain/base/values";
import type { Structure } from "../../adapters/schema/schema";
import {
  capOwners,
  difference,
  type FieldSet,
  intersection,
  isEmpty,
  isReset,
  noFields,
  onlyHere,
  type Owner,
  ownerKey,
  type Owners,
  indexOwners,
  parseOwners,
  listPaths,
  makeFieldSet,
  renderPath,
  union,
  withOwners,
} from "./field-set";
import {
  compare,
  type Comparison,
  collectFields,
  fieldStructure,
  isAssociative,
  indexItems,
  withNamedFields,
  removeFields,
} from "./structure";
import { ApiError } from "../../domain/base/errors";

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
const unowned: FieldSet = makeFieldSet(false, [
  ["f:apiVersion", onlyHere],
  ["f:kind", onlyHere],
  [
    "f:metadata",
    makeFieldSet(
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
  return withOwners(object, capOwners(updateOwners(owners, managing, ignored)));
}

function updateOwners(owners: Owners, managing: Managing, ignored: Ignored): Owners {
  const { before, object, manager, subresource, structure, empty, time } = managing;
  const change = filterComparison(compare(bare(before ?? empty), bare(object), structure), ignored);
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
  if (isEmpty(mine)) return indexOwners(rest);
  const previous = rest.find((owner) => ownerKey(owner) === ownerKey(self));
  const others = rest.filter((owner) => owner !== previous);
  const fields = union(mine, previous?.fields ?? noFields);
  return indexOwners([...others, { ...self, time, fields }]);
}

/** The merged object with its owners; throws a conflict that `force` does not settle. */
export function manageApply(managing: Managing, force: boolean, ignored: Ignored): KubeObject {
  const { before, object, manager, structure, empty, time } = managing;
  const { apiVersion } = object;
  const known = parseOwners(before);
  const owners =
    known.size > 0 || before === undefined
      ? known
      : updateOwners(
          known,
          { ...managing, before: undefined, object: before, manager: "before-first-apply" },
          ignored,
        );
  const live = bare(before ?? empty);
  const self = { manager, operation: "Apply", apiVersion, subresource: undefined } as const;
  const key = ownerKey(self);
  const last = owners.get(key);
  const fields = filter(collectFields(bare(object), structure), ignored);
  const mine: Owner = { ...self, time: last?.time, fields };
  const others = [...owners.values()].filter((owner) => ownerKey(owner) !== key);
  const merged = merge(live, bare(object), structure);
  const result = prune(merged, { last, owners: [...others, mine], structure });
  const change = filterComparison(compare(live, result, structure), ignored);
  const taken = union(change.added, change.modified);
  const disputed = others.map((owner) => ({ owner, fields: intersection(owner.fields, taken) }));
  if (!force) refuse(disputed.filter(({ fields: held }) => !isEmpty(held)));
  const rest = others.map((owner) => ({
    ...owner,
    fields: difference(difference(owner.fields, taken), change.removed),
  }));
  const changed = before === undefined || !sameJson(live, result);
  const own = { ...mine, ...(changed && { time }), fields: difference(fields, unowned) };
  return withOwners({ ...(result as KubeObject), apiVersion }, indexOwners([...rest, own]));
}

function refuse(disputed: readonly { readonly owner: Owner; readonly fields: FieldSet }[]): void {
  if (disputed.length > 0) throw explainConflicts(disputed);
}

interface Pruning {
  readonly last: Owner | undefined;
  readonly owners: readonly Owner[];
  readonly structure: Structure;
}

/** Removes what the manager applied last time, does not apply now, and nobody else owns. */
function prune(merged: unknown, { last, owners, structure }: Pruning): unknown {
  if (last === undefined) return merged;
  const addNamedFields = (set: FieldSet): FieldSet => withNamedFields(set, structure);
  const fields = addNamedFields(collectFields(merged, structure));
  const applied = addNamedFields(last.fields);
  const left = addNamedFields(collectFields(removeFields(merged, applied, structure), structure));
  const owned = addNamedFields(owners.map((owner) => owner.fields).reduce(union, noFields));
  const kept = removeFields(merged, difference(fields, union(left, owned)), structure);
  const remaining = addNamedFields(collectFields(kept, structure));
  return removeFields(merged, intersection(difference(fields, remaining), applied), structure);
}

/** Without what no manager counts. */
function bare(object: unknown): unknown {
  const { metadata, ...rest } = object as KubeObject;
  return { ...rest, metadata: omit(metadata, "managedFields") };
}

function filterComparison({ added, modified, removed }: Comparison, ignored: Ignored): Comparison {
  return {
    added: filter(added, ignored),
    modified: filter(modified, ignored),
    removed: filter(removed, ignored),
  };
}

function filter(set: FieldSet, { status }: Ignored): FieldSet {
  if (!status || !set.children.has("f:status")) return set;
  return makeFieldSet(
    set.member,
    [...set.children].filter(([key]) => key !== "f:status"),
  );
}

/** What of a manager's fields an apply would change. */
interface Disputed {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

/** 409 that names every field and its manager. */
function explainConflicts(disputed: readonly Disputed[]): ApiError {
  const conflicts = disputed.flatMap(({ owner, fields }) =>
    listPaths(fields).map((path) => ({ manager: renderManager(owner), path: renderPath(path) })),
  );
  const [first, ...more] = conflicts;
  const text =
    first !== undefined && more.length === 0
      ? `1 conflict: conflict with ${first.manager}: ${first.path}`
      : `${conflicts.length} conflicts: ${groupConflicts(disputed)}`;
  return new ApiError(`Apply failed with ${text}`, {
    status: 409,
    reason: "Conflict",
    causes: conflicts.map(({ manager, path }) => ({
      reason: "FieldManagerConflict",
      field: path,
      message: `conflict with ${manager}`,
    })),
  });
}

function groupConflicts(disputed: readonly Disputed[]): string {
  return [...disputed]
    .sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
    .flatMap(({ owner, fields }) => [
      `conflicts with ${renderManager(owner)}:`,
      ...listPaths(fields).map((path) => `- ${renderPath(path)}`),
    ])
    .join("\n");
}

function sortKey({ owner }: Disputed): string {
  return JSON.stringify([owner.manager, owner.operation, owner.apiVersion]);
}

function renderManager({ manager, operation, apiVersion, subresource }: Owner): string {
  const within = subresource === undefined ? "" : ` with subresource "${subresource}"`;
  return `"${manager}"${within}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}

/** The live value with the applied one laid over it; undefined for a value that is not there. */
export function merge(live: unknown, applied: unknown, structure: Structure): unknown {
  if (applied === undefined) return live;
  if (isObject(live) && isMapOrNull(applied)) {
    return structure.atomic === true ? applied : mergeMaps(live, applied ?? {}, structure);
  }
  if (Array.isArray(live) && isListOrNull(applied)) {
    return isAssociative(structure) ? mergeLists(live, applied ?? [], structure) : applied;
  }
  return applied;
}

function isMapOrNull(value: unknown): value is Json | null {
  return value === null || isObject(value);
}

function isListOrNull(value: unknown): value is readonly unknown[] | null {
  return value === null || Array.isArray(value);
}

function mergeMaps(live: object, applied: object, structure: Structure): unknown {
  const keys = [...new Set([...Object.keys(live), ...Object.keys(applied)])];
  if (keys.length === 0) return applied;
  const value = (from: object, key: string): unknown =>
    Object.hasOwn(from, key) ? (from as Record<string, unknown>)[key] : undefined;
  return Object.fromEntries(
    keys.map((key) => [
      key,
      merge(value(live, key), value(applied, key), fieldStructure(structure, key)),
    ]),
  );
}

/** The order of the applied list, and the items of the live list where they stood among them. */
function mergeLists(
  live: readonly unknown[],
  applied: readonly unknown[],
  structure: Structure,
): readonly unknown[] {
  const left = indexItems(structure, live).items;
  const right = indexItems(structure, applied).items;
  const mergeElement = (element: string): unknown =>
    merge(left.get(element), right.get(element), structure.items ?? {});
  return mergeOrder([...left.keys()], [...right.keys()]).map(mergeElement);
}

/**
 * Both orders in one, as the API server finds it: shared elements stand as on the right, others
 * after what they followed.
 */
function mergeOrder(left: readonly string[], right: readonly string[]): readonly string[] {
  const onLeft = new Set(left);
  const shared = right.filter((element) => onLeft.has(element));
  const onRight = new Set(right);
  const order = new Set<string>();
  let [l, r, next] = [0, 0, 0];
  while (l < left.length || r < right.length) {
    const at = { mine: left[l], theirs: right[r], wanted: shared[next], onRight };
    const { chosen, from } = chooseMove(at);
    if (chosen !== undefined) order.add(chosen);
    // an element that is placed already is passed
    if (from !== "right" || isPlaced(at.mine, order)) l += 1;
    if (from !== "right") continue;
    r += 1;
    if (chosen === at.wanted) next += 1;
  }
  return [...order];
}

function isPlaced(element: string | undefined, order: ReadonlySet<string>): boolean {
  return element !== undefined && order.has(element);
}

interface Position {
  readonly mine: string | undefined;
  readonly theirs: string | undefined;
  /** The next element that both lists have. */
  readonly wanted: string | undefined;
  readonly onRight: ReadonlySet<string>;
}

interface Move {
  readonly from: "left" | "right" | "nowhere";
  readonly chosen: string | undefined;
}

/** Which element comes next; "nowhere" passes one on the left that comes with the right. */
function chooseMove({ mine, theirs, wanted, onRight }: Position): Move {
  if (mine === undefined || mine === theirs) return { from: "right", chosen: theirs };
  if (!onRight.has(mine)) return { from: "left", chosen: mine };
  const comesLater = theirs === undefined || (wanted !== undefined && wanted !== mine);
  return comesLater ? { from: "nowhere", chosen: undefined } : { from: "right", chosen: theirs };
}
