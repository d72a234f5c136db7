/** What stands against unbinding an EC's account: one finding for each reason (S31, S32). */
import { sccFinding } from "./findings";
import type { Finding } from "../base/findings";
import { parseImage } from "../release/images";
import { type Names, termOf } from "../names/names";
import { annotationOf, type KubeObject, objectLabel } from "../kube/objects";
import { getPath, asArray, getOwn, asString } from "../base/values";
import { type Account, accountOf, userOf, runsUnder } from "./grants";
import { compareReleaseTags, parseReleaseTag, type ReleaseTag } from "../base/versions";

/** From this release on nothing runs with extra permissions or capabilities (S31). */
export const unprivilegedFrom = "7.22.0-6";

/** A release that an object reports. */
interface ReportedRelease {
  /** Label of the object. */
  readonly object: string;
  /** As found. */
  readonly tag: string;
  readonly release: ReleaseTag;
}

/** What reports a release. */
interface ReleaseSources {
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
      imageTag(getPath(deployment, podSpec), names.operator.container),
      annotationOf(deployment, names.annotations.operatorVersion),
    ]),
    ...reported(cluster, [asString(getPath(cluster, names.ecFields.versionTag))]),
    ...pods.flatMap((pod) => reported(pod, [imageTag(getOwn(pod, "spec"), names.pods.container)])),
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
  const found = asArray(getOwn(podSpec, "containers")).find(
    (each) => getOwn(each, "name") === container,
  );
  return parseImage(getOwn(found, "image"))?.tag;
}

/** The part of the cluster around the ECs of one namespace. */
export interface SccEnvironment {
  readonly constraint: string;
  readonly deployment: KubeObject | undefined;
  readonly pods: readonly KubeObject[];
}

/** An account, the ECs that use it, and what stands against unbinding it. */
export interface JudgedAccount extends Account {
  readonly clusters: readonly KubeObject[];
  readonly findings: readonly Finding[];
  /** An EC wants the extra capability: the account keeps the constraint, and rightly so (S32). */
  readonly wanted: boolean;
}

/** The accounts of ECs, each judged once with every EC that uses it. */
export function judgeAccounts(
  clusters: readonly KubeObject[],
  around: SccEnvironment,
  names: Names,
): readonly JudgedAccount[] {
  const accounts = new Map(
    clusters.map((cluster) => accountOf(cluster, names)).map((one) => [userOf(one), one]),
  );
  return [...accounts].map(([user, account]) => {
    const same = clusters.filter((cluster) => userOf(accountOf(cluster, names)) === user);
    return {
      ...account,
      clusters: same,
      findings: same.flatMap((cluster) => judgeCluster(cluster, around, names)),
      wanted: same.some((cluster) => wantsAdjustment(cluster, names)),
    };
  });
}

/** True when nothing but warnings stands against it. */
export function isFree({ findings }: JudgedAccount): boolean {
  return findings.every(({ severity }) => severity !== "error");
}

/** True when an EC may raise its limits, for which it needs the constraint. */
export function wantsAdjustment(cluster: KubeObject, names: Names): boolean {
  return getPath(cluster, names.ecFields.allowAutoAdjustment) === true;
}

function judgeCluster(
  cluster: KubeObject,
  around: SccEnvironment,
  names: Names,
): readonly Finding[] {
  const pods = podsOfCluster(cluster, around.pods, names);
  return [
    ...judgeAdjustment(cluster, names),
    ...judgeRelease(cluster, { ...around, pods }, names),
    ...judgeState(cluster, names),
    ...pods
      .filter((pod) => runsUnder(pod, around.constraint))
      .map((pod) => judgePod(pod, around, names)),
  ];
}

/** The pods of an EC: those of its stateful set, and all that run as its account. */
export function podsOfCluster(
  cluster: KubeObject,
  pods: readonly KubeObject[],
  names: Names,
): readonly KubeObject[] {
  const { namespace, name } = accountOf(cluster, names);
  const prefix = `${cluster.metadata.name ?? ""}-`;
  return pods.filter(({ metadata, spec }) => {
    if (metadata.namespace !== namespace) return false;
    const pod = metadata.name ?? "";
    const ordinal = pod.startsWith(prefix) && /^\d+$/.test(pod.slice(prefix.length));
    return ordinal || getOwn(spec, "serviceAccountName") === name;
  });
}

function judgeAdjustment(cluster: KubeObject, names: Names): readonly Finding[] {
  if (!wantsAdjustment(cluster, names)) return [];
  return [
    sccFinding(
      "adjustment",
      {
        object: objectLabel(cluster),
        field: names.ecFields.allowAutoAdjustment.join("."),
        cause: `the ${termOf(names.ec)} asks for automatic resource adjustment, which needs the constraint`,
      },
      names,
    ),
  ];
}

function judgeRelease(
  cluster: KubeObject,
  { deployment, pods }: SccEnvironment,
  names: Names,
): readonly Finding[] {
  const releases = releasesOf({ deployment, cluster, pods }, names);
  if (releases.length === 0) {
    return [
      sccFinding(
        "releaseUnknown",
        {
          object: objectLabel(cluster),
          cause: `neither the operator nor the ${termOf(names.ec)} reports its release: that it runs unprivileged was judged by its pods alone`,
          fix: `check that both are at ${unprivilegedFrom} or later`,
        },
        names,
      ),
    ];
  }
  return releases.filter(isPrivileged).map(({ object, tag }) =>
    sccFinding(
      "releaseOld",
      {
        object,
        cause: `release ${tag} is older than ${unprivilegedFrom}, from which on nothing needs the constraint`,
        fix: `upgrade the operator and the ${termOf(names.ec)} first, then run again`,
      },
      names,
    ),
  );
}

function judgeState(cluster: KubeObject, names: Names): readonly Finding[] {
  const state = asString(getPath(cluster, names.ecFields.state));
  if (state === undefined || state === "Running") return [];
  return [
    sccFinding(
      "ecNotRunning",
      {
        object: objectLabel(cluster),
        field: names.ecFields.state.join("."),
        cause: `the ${termOf(names.ec)} is in state ${state}: its pods may still be recreated`,
      },
      names,
    ),
  ];
}

function judgePod(pod: KubeObject, { constraint }: SccEnvironment, names: Names): Finding {
  const cause = `the pod still runs under ${constraint}`;
  return sccFinding("podRunning", { object: objectLabel(pod), cause }, names);
}
