/** Which releases are reported around an EC, and which of them need the constraint (S31). */
import { asString, getPath } from "../base/values";
import { isOlder, parseReleaseTag } from "../base/versions";
import type { Deployment, Pod, PodSpec } from "../kube/models";
import { readAnnotation, type KubeObject, objectLabel } from "../kube/objects";
import type { Names } from "../names/names";
import { parseImage } from "../release/images";
import { unprivilegedFrom } from "../release/unprivileged";

/** A release that an object reports. */
interface ReportedRelease {
  /** Label of the object. */
  readonly object: string;
  /** As found. */
  readonly tag: string;
}

/** What reports a release. */
interface ReleaseSources {
  /** The operator's, where it is in this namespace. */
  readonly deployment: Deployment | undefined;
  readonly cluster?: KubeObject | undefined;
  /** The EC's pods. */
  readonly pods?: readonly Pod[];
}

/** Every release that can be read: the operator's image or chart, the EC's tag, its pods' images. */
export function listReleases(
  { deployment, cluster, pods = [] }: ReleaseSources,
  names: Names,
): readonly ReportedRelease[] {
  return [
    ...makeReported(deployment, [
      imageTag(deployment?.spec?.template?.spec, names.operator.container),
      readAnnotation(deployment, names.annotations.operatorVersion),
    ]),
    ...makeReported(cluster, [asString(getPath(cluster, names.ecFields.versionTag))]),
    ...pods.flatMap((pod) => makeReported(pod, [imageTag(pod.spec, names.pods.container)])),
  ];
}

/** True for a release whose pods may still need the constraint. */
export function isPrivileged({ tag }: { readonly tag: string | undefined }): boolean {
  return isOlder(tag, unprivilegedFrom);
}

/** The first of the tags that is a release's. */
function makeReported(
  object: KubeObject | undefined,
  tags: readonly (string | undefined)[],
): readonly ReportedRelease[] {
  const tag = tags.find((one) => parseReleaseTag(one) !== undefined);
  return object === undefined || tag === undefined ? [] : [{ object: objectLabel(object), tag }];
}

/** The tag of a container's image, undefined where it is pinned by its digest alone. */
function imageTag(spec: PodSpec | null | undefined, container: string): string | undefined {
  return parseImage(spec?.containers?.find(({ name }) => name === container)?.image)?.tag;
}
