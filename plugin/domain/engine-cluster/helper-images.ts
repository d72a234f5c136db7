/** The helper images of an EC: the bootstrapper's, the services rigger's, the call-home client's (domain facts 7). */
import type { Finding } from "../base/findings";
import type { Names } from "../names/names";
import { type KubeObject, objectLabel } from "../kube/objects";
import { clusterVersionFor } from "../release/platforms";
import { asString, type FieldPath, getPath } from "../base/values";
import { compareTags, isSameRelease } from "../base/versions";
import { clusterFinding } from "./findings";

/** Their image specs, by path. */
function helperImages({ ecFields }: Names): readonly FieldPath[] {
  return [ecFields.bootstrapperImage, ecFields.riggerImage, ecFields.meterImage];
}

/** A field below each of their image specs, as the nodes' own image spec spells it. */
export function helperFields(names: Names, own: FieldPath): readonly FieldPath[] {
  return helperImages(names).map((path) => [...path, ...own.slice(-1)]);
}

/** Which operator the tags have to fit. */
export interface HelperWish {
  readonly names: Names;
  /** Release of the operator that looks after the EC once it is written; undefined where it is not known. */
  readonly operator: string | undefined;
  /** Release that it had before this upgrade. */
  readonly before: string | undefined;
}

/** The tags that are of the old operator's release, each with the new one; a digest pins its image. */
export function helperTags(
  ec: KubeObject,
  wish: HelperWish,
): readonly (readonly [path: FieldPath, to: string])[] {
  const { names, operator } = wish;
  if (operator === undefined) return [];
  const { versionTag, digestHash } = names.ecFields;
  return helperImages(names).flatMap((image) => {
    const path = [...image, ...versionTag.slice(-1)];
    const tag = asString(getPath(ec, path));
    const isPinned = asString(getPath(ec, [...image, ...digestHash.slice(-1)])) !== undefined;
    if (tag === undefined || isPinned || isSameRelease(tag, operator)) return [];
    return isOfOldOperator(tag, ec, wish) ? [[path, operator] as const] : [];
  });
}

/** A run that is resumed no longer sees the old operator: its release is the one that managed the EC's tag. */
function isOfOldOperator(tag: string, ec: KubeObject, { names, before }: HelperWish): boolean {
  if (before !== undefined && isSameRelease(tag, before)) return true;
  return (
    compareTags(clusterVersionFor(tag), asString(getPath(ec, names.ecFields.versionTag))) === 0
  );
}

/** The tags that are of none of these releases and stay as they are. */
export function helperFindings(
  ec: KubeObject,
  names: Names,
  { operator, fits }: { readonly operator: string; readonly fits: readonly string[] },
): readonly Finding[] {
  return helperFields(names, names.ecFields.versionTag).flatMap((path) => {
    const tag = asString(getPath(ec, path));
    if (tag === undefined || fits.some((one) => isSameRelease(tag, one))) return [];
    const field = path.join(".");
    const cause = `${field} is ${tag}, the operator ${operator}`;
    return [clusterFinding("helperImages", { object: objectLabel(ec), field, cause })];
  });
}
