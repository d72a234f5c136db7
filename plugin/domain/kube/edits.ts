/** Which fields of an EC an upgrade writes, who holds them, and the patch that writes them (S48-S51). */
import type { StatusCause } from "../base/errors";
import type { Names } from "../names/names";
import type { KubeObject } from "./objects";
import type { PlannedChange } from "./planned-write";
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
import { autoPaths } from "../rules/clusters";
import type { helperTags } from "../engine-cluster/helper-images";

/** What is asked for. */
export interface ClusterWish {
  /** The tag to write; with `auto` the one that the operator is expected to bring. */
  readonly tag?: string;
  readonly auto: boolean;
  readonly imagePullPolicy?: string;
  readonly repository?: string;
}

/** One field that is to change. */
export interface FieldEdit {
  readonly path: readonly string[];
  readonly from: unknown;
  readonly to: unknown;
}

/** The pull policy that is written where there is none: it is required beside a tag (S48). */
export const usualPullPolicy = "IfNotPresent";

/** Where the automatic upgrade is written, and whether it has to be switched off (S51). */
export interface AutoPlan {
  /** Undefined where the definition has no such field. */
  readonly path: readonly string[] | undefined;
  readonly off: boolean;
}

/** The fields that differ from what is asked for; none when the EC is up to date. */
export function editsOf(
  ec: KubeObject,
  wish: ClusterWish,
  {
    names,
    auto,
    helpers,
  }: {
    readonly names: Names;
    readonly auto: AutoPlan;
    readonly helpers: ReturnType<typeof helperTags>;
  },
): readonly FieldEdit[] {
  const { versionTag, imagePullPolicy, repository } = names.ecFields;
  const specced = isObject(getPath(ec, versionTag.slice(0, -1)));
  const manual = !wish.auto;
  // with a tag or a repository the image spec is there, and then it needs a pull policy
  const spec = manual || wish.repository !== undefined || specced;
  const policy = getPath(ec, imagePullPolicy) ?? (spec ? usualPullPolicy : undefined);
  const wanted: readonly (readonly [readonly string[], unknown])[] = [
    ...(manual ? [[versionTag, wish.tag] as const] : []),
    [imagePullPolicy, wish.imagePullPolicy ?? policy],
    [repository, wish.repository],
    ...helpers,
    ...(wish.auto && auto.path !== undefined ? [[auto.path, true] as const] : []),
    ...(auto.off
      ? autoPaths(names)
          .filter((path) => getPath(ec, path) === true)
          .map((path) => [path, false] as const)
      : []),
  ];
  return fieldEdits(
    ec,
    wanted.filter(([, to]) => to !== undefined),
  );
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
export function patchOf(
  edits: readonly FieldEdit[],
  value: (edit: FieldEdit) => unknown = ({ to }) => to,
): Json {
  return edits.reduce<Json>((body, edit) => withValue(body, edit.path, value(edit)), {});
}

/** The same as a plan tells it. */
export function changesOf(edits: readonly FieldEdit[]): readonly PlannedChange[] {
  return edits.map(({ path, to }) => ({ path: `.${path.join(".")}`, to }));
}

/** The patch that puts the old values back: null takes a field away again. */
export function reverseOf(edits: readonly FieldEdit[]): Json {
  return patchOf(edits, ({ from }) => from ?? null);
}

/** True when the object has every value of the edits; null is none. */
export function holds(object: KubeObject | undefined, edits: readonly FieldEdit[]): boolean {
  return droppedOf(object, edits).length === 0;
}

/** The edits whose value the object does not have; null is none. */
export function droppedOf(
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
      return `${isAlone ? leaf : path.slice(1).join(".")} ${shown(from)} -> ${shown(to)}`;
    })
    .join(", ");
}

function shown(value: unknown): string {
  return asString(value) ?? renderValue(value);
}

/**
 * Who else holds the fields, told as the API server tells conflicts of an apply: a patch of these
 * fields alone asks nobody, so what managedFields say is judged before it is sent (S18).
 */
export function holdersOf(ec: KubeObject, edits: readonly FieldEdit[]): readonly StatusCause[] {
  const managers = (ec.metadata.managedFields ?? []).filter(
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
