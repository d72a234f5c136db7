/** Whether the wanted release may follow what runs, and whether its files are whole (domain facts 8). */
import type { Found } from "../../domain/diagnosis/symptom";
import { type FactKey, factNamed } from "../../domain/facts/facts";
import { findFixedFields } from "../../domain/operator/fixed-fields";
import { operatorFindings } from "../../domain/operator/findings";
import { readName } from "../../domain/kube/objects";
import { additionsTo } from "../../domain/operator/additions";
import { grantLines } from "../../domain/kube/role-rules";
import { clusterVersionFor } from "../../domain/release/platforms";
import type { ToldTag } from "../../domain/release/contents";
import { compareReleaseTags, isSameRelease } from "../../domain/base/versions";
import { type Check, makeChecks, on } from "../../domain/checks/check";
import { type CheckContext } from "../../domain/checks/context";

const { error, shared, warning } = makeChecks("release");
const source = "Facts 8";
const needs = ["deployments"] as const;

/** The checks of the wanted release. */
export const releaseChecks: readonly Check[] = [
  shared(operatorFindings.older, {
    title: "The target release is not older than the one that runs",
    needs,
    wants: "version",
    judge: ({ deployment, installed, wanted }) =>
      deployment && installed && wanted && compareReleaseTags(wanted.release, installed.release) < 0
        ? [on(deployment, `it is at ${installed.tag}, ${wanted.tag} is requested`)]
        : [],
  }),
  error("RELEASE-TAG-MISMATCH", source, {
    title: "The release's files are of the target release",
    cause: "the operator's image in the bundle is of another release than the one asked for",
    fix: "fetch the files of the release that you want: some tags do not match what is inside",
    needs: [],
    wants: "contents",
    judge: ({ target: { operatorVersion, contents } }) => {
      const inside = contents?.operatorVersion;
      if (operatorVersion === undefined || inside === undefined) return [];
      if (isSameRelease(operatorVersion, inside)) return [];
      return [{ cause: `the bundle holds ${inside}, ${operatorVersion} is requested` }];
    },
  }),
  warning("RELEASE-TAG-UNKNOWN", source, {
    title: "The bundle reports its release",
    cause:
      "the bundle pins the operator's image only by its digest, so it does not report the release",
    fix: "give the release with --target, and check that the digest is of that tag",
    needs: [],
    wants: "contents",
    judge: ({ target: { contents } }) =>
      contents !== undefined && contents.bundle.length > 0 && contents.operatorVersion === undefined
        ? [{ cause: `the operator's image in ${contents.source} has no tag` }]
        : [],
  }),
  error("RELEASE-NO-BUNDLE", "S15", {
    title: "The release holds the bundle of this platform",
    cause: "the release holds no bundle for this platform",
    fix: "give the whole release, or upgrade the operator by its chart",
    needs: [],
    wants: "contents",
    judge: ({ target: { contents } }) =>
      contents?.bundle.length === 0 ? [{ cause: `${contents.source} holds no bundle` }] : [],
  }),
  warning("RELEASE-INCOMPLETE", "S26", {
    title: "The release holds the files of every step",
    cause:
      "the release lacks files of a later step, for which the ones that this tool ships are used",
    fix: "give the whole release",
    needs: ["deployments", "configMaps", "namespaces"],
    wants: "contents",
    judge: judgeFiles,
  }),
  warning("RELEASE-PAIR-UNKNOWN", source, {
    title: "The cluster release of the target operator is known",
    cause: "it is not known here which cluster release belongs to this operator release",
    fix: "see its release notes, and give the tag to upgrade-cluster with --target",
    needs: [],
    wants: "version",
    judge: (situation) =>
      situation.wanted !== undefined && clusterTags(situation).length === 0
        ? [{ cause: `no cluster release is listed for operator ${situation.wanted.tag}` }]
        : [],
  }),
  warning("RELEASE-PAIR-CONTRADICTS", source, {
    title: "The cluster release of the target operator is told without a contradiction",
    cause:
      "the command line, the release's files and the pairs known here name different cluster releases for the operator",
    fix: "see the release notes, and give the right tag: upgrade with --cluster-target, upgrade-cluster with --target",
    needs: [],
    wants: "version",
    judge: (situation) => {
      const told = clusterTags(situation);
      const [first] = told;
      if (first === undefined || told.every(({ tag }) => isSameRelease(tag, first.tag))) return [];
      const each = told.map(({ tag, by }) => `${by} says ${tag}`).join(", ");
      return [{ cause: `${each}; ${first.tag} is taken` }];
    },
  }),
  shared(operatorFindings.fixedField, {
    title: "The release changes no field that the API server never changes",
    needs: ["deployments", "services", "roleBindings", "clusterRoleBindings"],
    wants: "contents",
    judge: judgeFixed,
  }),
  warning("RELEASE-LOCAL-RULES", "S18", {
    title: "The release's roles give all that the roles here give",
    cause:
      "a role has rules that the release's does not have: local changes, or an older release's",
    fix: "merge what you still need into the release's file before you apply it",
    needs: ["roles", "clusterRoles"],
    wants: "contents",
    judge: judgeLocalRules,
  }),
];

/** What reports the cluster release that belongs to the wanted operator, the one that counts first. */
function clusterTags({
  wanted,
  target: { clusterTag, contents },
}: CheckContext): readonly ToldTag[] {
  const listed = wanted && clusterVersionFor(wanted.tag);
  return [
    ...(clusterTag === undefined ? [] : [{ tag: clusterTag, by: "--cluster-target" }]),
    ...(contents?.clusterTold ?? []),
    ...(listed === undefined ? [] : [{ tag: listed, by: "the list of known releases" }]),
  ];
}

function judgeFiles({ target: { contents }, managed }: CheckContext): readonly Found[] {
  if (contents === undefined) return [];
  const missing = [
    ...(contents.webhook === undefined ? ["the webhook's template"] : []),
    ...(managed.length > 0 && contents.rbac.length === 0 ? ["the roles of other namespaces"] : []),
  ];
  return missing.map((what) => ({ cause: `${contents.source} does not hold ${what}` }));
}

/** The lists in which the objects of a bundle stand that have such fields. */
const fixedLists: ReadonlyMap<string, FactKey> = new Map([
  ["Deployment", "deployments"],
  ["Service", "services"],
  ["RoleBinding", "roleBindings"],
  ["ClusterRoleBinding", "clusterRoleBindings"],
]);

function judgeFixed({ target: { contents }, facts }: CheckContext): readonly Found[] {
  return (contents?.bundle ?? []).flatMap((wanted) => {
    const key = fixedLists.get(wanted.kind);
    const place = key === "clusterRoleBindings" ? {} : { namespace: facts.namespace };
    const live = key && factNamed(facts, key, { name: readName(wanted), ...place });
    return live === undefined ? [] : findFixedFields(live, wanted);
  });
}

function judgeLocalRules({ target: { contents }, facts }: CheckContext): readonly Found[] {
  return (contents?.bundle ?? []).flatMap((wanted) => {
    const key = wanted.kind === "Role" ? "roles" : "clusterRoles";
    if (wanted.kind !== "Role" && wanted.kind !== "ClusterRole") return [];
    const name = readName(wanted);
    const place = key === "roles" ? { namespace: facts.namespace } : {};
    const live = factNamed(facts, key, { name, ...place });
    const added = live === undefined ? [] : additionsTo(live, wanted, facts.names).grants;
    return live === undefined || added.length === 0
      ? []
      : [on(live, `beyond the release's: ${grantLines(added).join("; ")}`, { field: "rules" })];
  });
}
