/** What stands against unbinding an EC's account: one finding for each reason (S31, S32). */
import type { Finding } from "../findings";
import { type Names, termOf } from "../names";
import { type KubeObject, objectLabel } from "../objects";
import { at, own, text } from "../values";
import { type Account, accountOf, userOf } from "./account";
import { runsUnder } from "./plan";
import { isPrivileged, releasesOf, unprivilegedFrom } from "./release";

/** The part of the cluster around the ECs of one namespace. */
export interface Surroundings {
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
  around: Surroundings,
  names: Names,
): readonly JudgedAccount[] {
  const byUser = new Map<string, readonly KubeObject[]>();
  for (const cluster of clusters) {
    const user = userOf(accountOf(cluster, names));
    byUser.set(user, [...(byUser.get(user) ?? []), cluster]);
  }
  return [...byUser.values()].flatMap((same) =>
    same.slice(0, 1).map((first) => ({
      ...accountOf(first, names),
      clusters: same,
      findings: same.flatMap((cluster) => judgeCluster(cluster, around, names)),
      wanted: same.some((cluster) => wantsAdjustment(cluster, names)),
    })),
  );
}

/** True when nothing but warnings stands against it. */
export function isFree({ findings }: JudgedAccount): boolean {
  return findings.every(({ severity }) => severity !== "error");
}

/** True when an EC may raise its limits, for which it needs the constraint. */
export function wantsAdjustment(cluster: KubeObject, names: Names): boolean {
  return at(cluster, names.ecFields.allowAutoAdjustment) === true;
}

function judgeCluster(cluster: KubeObject, around: Surroundings, names: Names): readonly Finding[] {
  const pods = podsOf(cluster, around.pods, names);
  return [
    ...judgeAdjustment(cluster, names),
    ...judgeRelease(cluster, { ...around, pods }, names),
    ...judgeState(cluster, names),
    ...pods.filter((pod) => runsUnder(pod, around.constraint)).map((pod) => judgePod(pod, around)),
  ];
}

/** The pods of an EC: those of its stateful set, and all that run as its account. */
function podsOf(
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
    return ordinal || own(spec, "serviceAccountName") === name;
  });
}

function judgeAdjustment(cluster: KubeObject, names: Names): readonly Finding[] {
  if (!wantsAdjustment(cluster, names)) return [];
  return [
    {
      code: "SCC-ADJUSTMENT",
      severity: "error",
      object: objectLabel(cluster),
      field: names.ecFields.allowAutoAdjustment.join("."),
      cause: `the ${termOf(names.ec)} asks for automatic resource adjustment, which needs the constraint`,
      fix: "leave it bound while that is wanted; else set the field to false, wait for the rolling update, then run again",
      source: "S32",
    },
  ];
}

function judgeRelease(
  cluster: KubeObject,
  { deployment, pods }: Surroundings,
  names: Names,
): readonly Finding[] {
  const releases = releasesOf({ deployment, cluster, pods }, names);
  if (releases.length === 0) {
    return [
      {
        code: "SCC-RELEASE-UNKNOWN",
        severity: "warning",
        object: objectLabel(cluster),
        cause: `neither the operator nor the ${termOf(names.ec)} tells its release: that it runs unprivileged was judged by its pods alone`,
        fix: `see that both are at ${unprivilegedFrom} or later`,
        source: "S31",
      },
    ];
  }
  return releases.filter(isPrivileged).map(({ object, tag }) => ({
    code: "SCC-RELEASE-OLD",
    severity: "error",
    object,
    cause: `release ${tag} is older than ${unprivilegedFrom}, from which on nothing needs the constraint`,
    fix: `upgrade the operator and the ${termOf(names.ec)} first, then run again`,
    source: "S31",
  }));
}

function judgeState(cluster: KubeObject, names: Names): readonly Finding[] {
  const state = text(at(cluster, names.ecFields.state));
  if (state === undefined || state === "Running") return [];
  return [
    {
      code: "SCC-EC-NOT-RUNNING",
      severity: "error",
      object: objectLabel(cluster),
      field: names.ecFields.state.join("."),
      cause: `the ${termOf(names.ec)} is in state ${state}: its pods may still be made anew`,
      fix: "wait until it is Running, then run again",
      source: "domain facts 5",
    },
  ];
}

function judgePod(pod: KubeObject, { constraint }: Surroundings): Finding {
  return {
    code: "SCC-POD-RUNNING",
    severity: "error",
    object: objectLabel(pod),
    cause: `the pod still runs under ${constraint}`,
    fix: "wait until the rolling upgrade has made the pod anew, or delete the pod so that it is, then run again",
    source: "S33",
  };
}
