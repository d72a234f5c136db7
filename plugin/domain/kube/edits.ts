/** Fields of an object that are to change: the patch that writes them, and who holds them. */
import type { StatusCause } from "../base/errors";
import type { KubeObject } from "./objects";
import type { ChangedField } from "./planned-write";
import {
  asString,
  getPath,
  isObject,
  type Json,
  getOwn,
  renderValue,
  sameJson,
  withValue,
} from "../base/values";

/** One field that is to change. */
export interface FieldEdit {
  readonly path: readonly string[];
  readonly from: unknown;
  readonly to: unknown;
}

/** What is to change for the fields to have these values; nothing for those that have them. */
export function fieldEdits(
  object: KubeObject,
  wanted: readonly (readonly [path: readonly string[], to: unknown])[],
): readonly FieldEdit[] {
  return wanted
    .map(([path, to]) => ({ path, from: getPath(object, path), to }))
    .filter(({ from, to }) => !sameJson(from, to));
}

/** The fields as a merge patch has them; `value` chooses which side. */
export function buildPatch(
  edits: readonly FieldEdit[],
  value: (edit: FieldEdit) => unknown = ({ to }) => to,
): Json {
  return edits.reduce<Json>((body, edit) => withValue(body, edit.path, value(edit)), {});
}

/** The same as a plan tells it. */
export function listFieldChanges(edits: readonly FieldEdit[]): readonly ChangedField[] {
  return edits.map(({ path, to }) => ({ path: `.${path.join(".")}`, to }));
}

/** The patch that puts the old values back: null takes a field away again. */
export function buildReverse(edits: readonly FieldEdit[]): Json {
  return buildPatch(edits, ({ from }) => from ?? null);
}

/** True when the object has every value of the edits; null is none. */
export function holds(object: KubeObject | undefined, edits: readonly FieldEdit[]): boolean {
  return findDroppedEdits(object, edits).length === 0;
}

/** The edits whose value the object does not have; null is none. */
export function findDroppedEdits(
  object: KubeObject | undefined,
  edits: readonly FieldEdit[],
): readonly FieldEdit[] {
  return edits.filter(({ path, to }) => !sameJson(getPath(object, path), to ?? undefined));
}

/** The edits for people: "versionTag 7.22.0-28 -> 8.0.2-17"; fields of one name are told apart by their paths. */
export function renderEdits(edits: readonly FieldEdit[]): string {
  const leaves = edits.map(({ path }) => path.slice(-1).join(""));
  return edits
    .map(({ path, from, to }, at) => {
      const leaf = String(leaves[at]);
      const isAlone = leaves.indexOf(leaf) === leaves.lastIndexOf(leaf);
      return `${isAlone ? leaf : path.slice(1).join(".")} ${renderEdit(from)} -> ${renderEdit(to)}`;
    })
    .join(", ");
}

function renderEdit(value: unknown): string {
  return asString(value) ?? renderValue(value);
}

/**
 * Who else holds the fields, told as the API server tells conflicts of an apply: a patch of these
 * fields alone asks nobody, so what managedFields say is judged before it is sent (S18).
 */
export function listHolders(
  object: KubeObject,
  edits: readonly FieldEdit[],
): readonly Required<StatusCause>[] {
  const managers = (object.metadata.managedFields ?? []).filter(
    ({ subresource }) => subresource === undefined || subresource === "",
  );
  return edits.flatMap(({ path }) =>
    managers
      .filter(({ fieldsV1 }) => includes(fieldsV1, path))
      .map(({ manager = "" }) => ({
        reason: "FieldManagerConflict",
        field: `.${path.join(".")}`,
        message: `conflict with "${manager}"`,
      })),
  );
}

/** True when a set of fields holds the path, or a whole that it is part of. */
function includes(fields: unknown, [first, ...rest]: readonly string[]): boolean {
  const inner = getOwn(fields, `f:${String(first)}`);
  // a leaf is written as an empty object, and so is a whole that is held as one
  return isObject(inner) && (Object.keys(inner).length === 0 || includes(inner, rest));
}
