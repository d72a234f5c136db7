/** Which releases an operator and an EC report, and whether they run unprivileged (S31). */
import type { Names } from "../names";
import { annotationOf, type KubeObject, objectLabel } from "../objects";
import { at, list, own, text } from "../values";
import { compareReleaseTags, parseReleaseTag, type ReleaseTag } from "../versions";

/** From this release on nothing runs with extra permissions or capabilities (S31). */
export const unprivilegedFrom = "7.22.0-6";

/** A release that an object reports. */
export interface ReportedRelease {
  /** Label of the object. */
  readonly object: string;
  /** As found. */
  readonly tag: string;
  readonly release: ReleaseTag;
}

/** What reports a release. */
export interface ReleaseSources {
  /** The operator's, where it is in this namespace. */
  readonly deployment: KubeObject | undefined;
  readonly cluster: KubeObject | undefined;
  /** The EC's pods. */
  readonly pods: readonly KubeObject[];
}

/** Every release that can be read: the operator's image or chart, the EC's tag, its pods' images. */
export function releasesOf(
  { deployment, cluster, pods }: ReleaseSources,
  names: Names,
): readonly ReportedRelease[] {
  const podSpec = ["spec", "template", "spec"];
  return [
    ...reported(deployment, [
      imageTag(at(deployment, podSpec), names.operator.container),
      annotationOf(deployment, names.annotations.operatorVersion),
    ]),
    ...reported(cluster, [text(at(cluster, names.ecFields.versionTag))]),
    ...pods.flatMap((pod) => reported(pod, [imageTag(own(pod, "spec"), names.pods.container)])),
  ];
}

/** True for a release whose pods may still need the constraint. */
export function isPrivileged({ release }: Pick<ReportedRelease, "release">): boolean {
  const threshold = parseReleaseTag(unprivilegedFrom);
  return threshold !== undefined && compareReleaseTags(release, threshold) < 0;
}

/** The first of the tags that is a release's. */
function reported(
  object: KubeObject | undefined,
  tags: readonly (string | undefined)[],
): readonly ReportedRelease[] {
  if (object === undefined) return [];
  return tags
    .filter((tag) => tag !== undefined)
    .flatMap((tag) => {
      const release = parseReleaseTag(tag);
      return release === undefined ? [] : [{ object: objectLabel(object), tag, release }];
    })
    .slice(0, 1);
}

/** The tag of a container's image, undefined where it is pinned by its digest alone. */
function imageTag(podSpec: unknown, container: string): string | undefined {
  const found = list(own(podSpec, "containers")).find((each) => own(each, "name") === container);
  return /^[^@]*:([^:/@]+)(?:@.*)?$/.exec(text(own(found, "image")) ?? "")?.[1];
}
