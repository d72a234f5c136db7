/** What stands against unbinding an EC's account: one finding for each reason (S31, S32). */
import { sccFinding } from "./findings";
import type { Finding } from "../base/findings";
import { parseImage } from "../release/images";
import { type Names, renderTerm } from "../names/names";
import type { Deployment, Pod, PodSpec, StatefulSet } from "../kube/models";
import { readAnnotation, type KubeObject, objectLabel, readName } from "../kube/objects";
import { getPath, asString } from "../base/values";
import { unprivilegedFrom } from "../release/unprivileged";
import { findClusterPods } from "./pods";
import { findRequired, isRequiredBy } from "./required";
import { listUses } from "./uses";
import {
  type Account,
  mayUse,
  readAccount,
  readPriority,
  renderUser,
  runsUnder,
  type SccAccess,
} from "./grants";
import { compareReleaseTags, parseReleaseTag, type ReleaseTag } from "../base/versions";

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
  readonly deployment: Deployment | undefined;
  readonly cluster: KubeObject | undefined;
  /** The EC's pods. */
  readonly pods: readonly Pod[];
}

/** Every release that can be read: the operator's image or chart, the EC's tag, its pods' images. */
export function listReleases(
  { deployment, cluster, pods }: ReleaseSources,
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
export function isPrivileged({ release }: Pick<ReportedRelease, "release">): boolean {
  const threshold = parseReleaseTag(unprivilegedFrom);
  return threshold !== undefined && compareReleaseTags(release, threshold) < 0;
}

/** The first of the tags that is a release's. */
function makeReported(
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
function imageTag(spec: PodSpec | null | undefined, container: string): string | undefined {
  return parseImage(spec?.containers?.find(({ name }) => name === container)?.image)?.tag;
}

/** The part of the cluster around the ECs of one namespace. */
export interface SccEnvironment extends SccAccess {
  /** The constraint's name; the object is undefined where it does not exist. */
  readonly name: string;
  readonly deployment: Deployment | undefined;
  readonly pods: readonly Pod[];
  /** What makes the pods of ECs. */
  readonly statefulSets: readonly StatefulSet[];
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
    clusters.map((cluster) => readAccount(cluster, names)).map((one) => [renderUser(one), one]),
  );
  return [...accounts].map(([user, account]) => {
    const same = clusters.filter((cluster) => renderUser(readAccount(cluster, names)) === user);
    return {
      ...account,
      clusters: same,
      findings: same.flatMap((cluster) => judgeCluster(cluster, around, names)),
      wanted: same.some((cluster) => wantsAdjustment(cluster, names)),
    };
  });
}

/** The operator's own account, where its release needs no constraint and none of its pods uses one. */
export function judgeOperator(around: SccEnvironment, names: Names): readonly JudgedAccount[] {
  const { deployment, pods } = around;
  const [release] = listReleases({ deployment, cluster: undefined, pods: [] }, names);
  const name = asString(deployment?.spec?.template?.spec?.serviceAccountName);
  const { namespace } = deployment?.metadata ?? {};
  if (release === undefined || isPrivileged(release)) return [];
  if (name === undefined || namespace === undefined) return [];
  const account = { namespace, name };
  const findings = pods
    .filter(
      ({ metadata, spec }) => metadata.namespace === namespace && spec?.serviceAccountName === name,
    )
    .filter((pod) => runsUnder(pod, around.name))
    .map((pod) => judgePod(pod, { ...around, account }, names));
  return [{ ...account, clusters: [], findings, wanted: false }].filter(isFree);
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
  const pods = findClusterPods(cluster, around.pods, names);
  const required = findRequired({ ...around, cluster, pods }, names);
  // where their template or the spec asks for it, the same pods would only come back
  const isAsked = required.some(({ object }) => !pods.some((pod) => objectLabel(pod) === object));
  const others = pods.filter((pod) => !isAsked && !isRequiredBy(pod, around.name));
  return [
    ...judgeAdjustment(cluster, names),
    ...judgeRelease(cluster, { ...around, pods }, names),
    ...judgeState(cluster, names),
    ...required,
    ...others
      .filter((pod) => runsUnder(pod, around.name))
      .map((pod) => judgePod(pod, { ...around, account: readAccount(cluster, names) }, names)),
  ];
}

function judgeAdjustment(cluster: KubeObject, names: Names): readonly Finding[] {
  if (!wantsAdjustment(cluster, names)) return [];
  return [
    sccFinding(
      "adjustment",
      {
        object: objectLabel(cluster),
        field: names.ecFields.allowAutoAdjustment.join("."),
        cause: `the ${renderTerm(names.ec)} asks for automatic resource adjustment, which needs the constraint`,
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
  const releases = listReleases({ deployment, cluster, pods }, names);
  if (releases.length === 0) {
    return [
      sccFinding(
        "releaseUnknown",
        {
          object: objectLabel(cluster),
          cause: `neither the operator nor the ${renderTerm(names.ec)} reports its release: that it runs unprivileged is known only from its pods`,
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
        fix: `upgrade the operator and the ${renderTerm(names.ec)} first, then run again`,
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
        cause: `the ${renderTerm(names.ec)} is in state ${state}: its pods may still be recreated`,
      },
      names,
    ),
  ];
}

/** A pod that needs nothing of the constraint comes back under it for as long as its account may use it. */
function judgePod(
  pod: Pod,
  around: SccEnvironment & { readonly account: Account },
  names: Names,
): Finding {
  const { name, constraint, account } = around;
  const uses = listUses(pod.spec, constraint);
  const priority = readPriority(constraint);
  const object = objectLabel(pod);
  if (uses.length > 0) {
    const cause = `the pod still runs under ${name} and uses what it gives: ${uses.join("; ")}`;
    return sccFinding("podRunning", { object, cause }, names);
  }
  const isBound = mayUse(around, name, account);
  if (isBound && priority === undefined) {
    return sccFinding("podRunning", { object, cause: `the pod still runs under ${name}` }, names);
  }
  const why = isBound
    ? `only by its priority ${String(priority)}, and so does each pod that is made before its account is out`
    : "since before its account was taken out";
  return sccFinding(
    "podLeft",
    {
      object,
      cause: `the pod needs nothing of ${name}; it runs under it ${why}`,
      fix: `${isBound ? "once its account is out, " : ""}delete the pods one at a time, each when every other one is ready and the one before runs under another constraint: kubectl delete pod ${readName(pod)} --namespace=${account.namespace}; then run unbind-scc again`,
    },
    names,
  );
}
