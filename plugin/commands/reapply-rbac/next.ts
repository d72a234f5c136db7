/** In how many places role and binding differ from the release's (S34; domain facts 6). */
import { diagnose, gate, verdictOf } from "../../domain/diagnosis/diagnose";
import type { Finding } from "../../domain/base/findings";
import { boundList, countNoun, few } from "../../domain/base/values";
import type { CheckContext } from "../../domain/checks/context";
import { type ClusterReleases, findBehind } from "../../domain/engine-cluster/operator";
import type { KubeObject } from "../../domain/kube/objects";
import { findLivingOwner } from "../../domain/kube/owners";
import { isAggregated } from "../../domain/kube/role-rules";
import { rbacFinding, renderAggregatedWay } from "../../domain/rbac/findings";
import type { RoleFiles } from "../../domain/rbac/lines";
import { isAsWanted, type SitePlan, takesAway } from "../../domain/rbac/plan";
import {
  chooseRoles,
  findTemplates,
  heldSites,
  planLabelPair,
  plannedSites,
  type RbacScene,
  settingNeeds,
} from "../../domain/rbac/scene";
import { readClusterRole } from "../../domain/rbac/site";
import { ownSymptoms, settingSymptoms } from "../../domain/rbac/symptoms";
import { wantsAccounts } from "../../domain/rbac/templates";
import {
  type ComponentHealth,
  restingOn,
  stalledBy,
  unreadVerdict,
} from "../../domain/rollout/health";
import {
  holdStep,
  type NextRelease,
  type NextStep,
  releaseWords,
} from "../../domain/rollout/next-step";

/** What is shown of the managed namespaces. */
export interface RbacStatus {
  /** Places that were compared: the managed namespaces, and the whole cluster in label mode. */
  readonly places: number;
  /** Those that differ; the whole cluster is called so. */
  readonly differing: readonly string[];
  /** Those among them that lack a permission or an account: the operator fails there. */
  readonly lacking: readonly string[];
  /** Those among them that have what only another release needs. */
  readonly beyond: readonly string[];
  /** Places with rules or subjects that a person added: no difference. */
  readonly local: readonly string[];
  readonly comparedWith: string;
  readonly verdict: ComponentHealth;
}

const wholeCluster = "the whole cluster";

/** Compares every managed namespace with the templates, as checks have them. */
export function rbacStatus(scene: RbacScene, files: RoleFiles): RbacStatus {
  const { configured, managed } = scene;
  const empty = { places: 0, differing: [], lacking: [], beyond: [], local: [] };
  const none = { ...empty, comparedWith: files.source };
  const own = verdictOf(diagnose(ownSymptoms, scene), "");
  const roles = chooseRoles(scene);
  const because = findUnseen(scene);
  if (because !== undefined) return { ...none, verdict: { is: "unknown", because } };
  if ((managed.length === 0 && configured.is !== "label") || roles.is === "unknown") {
    const fine: ComponentHealth = {
      is: "fine",
      says: "no other namespace is managed",
      rests: ofOwn,
    };
    return { ...none, verdict: own.is === "fine" ? fine : own };
  }
  const label = planLabelPair(scene);
  const plans = [
    ...plannedSites(scene).map(({ namespace, plan }) => [namespace, plan] as const),
    ...(label === undefined ? [] : [[wholeCluster, label] as const]),
  ];
  const where = (is: (plan: SitePlan) => boolean): readonly string[] =>
    plans.filter(([, plan]) => is(plan)).map(([place]) => place);
  const status = {
    places: plans.length,
    differing: where((plan) => !isAsWanted(plan) || lacks(plan)),
    lacking: where(lacks),
    beyond: where(takesAway),
    local: where(({ local: { grants, subjects } }) => grants.length + subjects.length > 0),
    comparedWith: roles.source,
  };
  const verdict = verdictOn(status, findOtherWay(scene, status.lacking));
  const compared = `compared: role and binding of ${few(plans.map(([place]) => place))}`;
  // without its own the operator does nothing in any namespace
  return {
    ...status,
    verdict: own.is === "fine" ? restingOn(verdict, `${compared}; ${ofOwn}`) : own,
  };
}

/** That the operator's own are there and bound is a row; no file tells what they have to hold. */
const ofOwn = "rules of the operator's own Role not compared";

function isOwn({ code }: { readonly code?: string }): boolean {
  return ownSymptoms.some((row) => row.code === code);
}

/** What helps where the command does not: what stands against it, or whoever makes a ClusterRole of others. */
function findOtherWay(
  scene: RbacScene,
  lacking: readonly string[],
): { readonly what: "aggregated" | "behind"; readonly fix: string } | undefined {
  const ahead = findAhead(scene);
  if (ahead !== undefined) return { what: "behind", fix: ahead.fix };
  const aggregated = findAggregated(scene, lacking);
  return aggregated && { what: "aggregated", fix: renderAggregatedWay(aggregated) };
}

/** What stands against the command: it would end with this, and write nothing. */
function findAhead(scene: RbacScene): Finding | undefined {
  const found = gate(Object.values(settingSymptoms), "reapply-rbac", scene);
  return found.find(({ severity }) => severity === "error");
}

/** Why nothing can be said of the roles; undefined where they can be compared, or nothing is managed. */
function findUnseen(scene: RbacScene): string | undefined {
  const { configured, facts, managed } = scene;
  const basic = unreadVerdict(facts, [...settingNeeds, "roles", "roleBindings"]);
  if (basic !== undefined) return basic.because;
  if (configured.is === "unknown") return configured.because;
  return managed.length === 0 && configured.is !== "label" ? undefined : findUncompared(scene);
}

function findUncompared(scene: RbacScene): string | undefined {
  const { clusters, configured, facts } = scene;
  const roles = chooseRoles(scene);
  if (roles.is === "unknown") return `${roles.because}; give --release`;
  if (clusters.length === 0 && wantsAccounts(roles.documents, facts.names)) {
    const unread = unreadVerdict(facts, ["ecs"])?.because;
    return unread ?? "no cluster resource reports the service account that the bindings are for";
  }
  const byClusterRole = heldSites(scene).some(
    ({ binding }) => readClusterRole(binding) !== undefined,
  );
  const unread =
    configured.is === "label"
      ? unreadVerdict(facts, ["clusterRoles", "clusterRoleBindings"])
      : byClusterRole && unreadVerdict(facts, ["clusterRoles"]);
  if (unread) return unread.because;
  const templates = findTemplates(scene);
  return templates?.is === "unfit"
    ? `the files do not fit: ${templates.problems.join("; ")}`
    : undefined;
}

/** The ClusterRole that a controller makes of others, where that is what lacks something. */
function findAggregated(scene: RbacScene, lacking: readonly string[]): KubeObject | undefined {
  const found = heldSites(scene).filter(({ namespace }) => lacking.includes(namespace));
  return found.map(({ shared }) => shared).find(isAggregated);
}

function lacks({ gained, subjectsGained, rebind }: SitePlan): boolean {
  return rebind || gained.length + subjectsGained.length > 0;
}

function verdictOn(
  { places, comparedWith, ...of }: Omit<RbacStatus, "verdict">,
  other: ReturnType<typeof findOtherWay>,
): ComponentHealth {
  const { differing, lacking, beyond, local } = of;
  const count = places === 1 ? "1 namespace" : `${places} namespaces`;
  const added = local.length === 0 ? "" : `; local additions in ${boundList(local)}`;
  if (differing.length === 0) {
    return { is: "fine", says: `${count} as in ${comparedWith}${added}` };
  }
  const said = `${differing.length} of ${count} differ from ${comparedWith}: ${boundList(differing)}`;
  const missing = lacking.length === 0 ? "" : `; ${lacking.length} lack a permission or an account`;
  const more = beyond.length === 0 ? "" : `; ${beyond.length} have permissions of another release`;
  const narrows = lacking.length === 0 && beyond.length > 0;
  const cause = `${said}${missing}${more}`;
  if (other !== undefined) return stalledBy(rbacFinding(other.what, { cause, fix: other.fix }));
  const fix = narrows
    ? "take back what this release does not need with reapply-rbac --mode contract"
    : "bring them up to date with reapply-rbac";
  return stalledBy(rbacFinding(narrows ? "beyond" : "behind", { cause, fix }));
}

/** What the steps are chosen from. */
interface RbacNext {
  readonly rbac: RbacStatus;
  readonly situation: CheckContext;
  readonly release?: NextRelease;
}

/** Missing rights hurt the operator that runs now; what is too much may wait for the EC. */
export function lackingStep({
  rbac: { lacking, verdict },
  release,
  clusters,
  situation,
}: RbacNext & {
  readonly clusters: { readonly items: readonly ClusterReleases[] };
}): NextStep | undefined {
  if (verdict.is === "stalled" && isOwn(verdict)) return holdStep("the operator's access", verdict);
  const isBehind = findBehind(situation.facts, clusters.items) !== undefined;
  // without its role or binding in one place the operator stops, whatever its release
  const urgent = isBehind ? lacking : lacking.filter((place) => isAbsent(situation, place));
  if (urgent.length === 0) return undefined;
  return unlessOwned(situation, urgent, {
    says: `grant the operator the permissions that it lacks in ${places(urgent)}`,
    words: ["reapply-rbac", ...releaseWords(release)],
  });
}

function isAbsent(situation: CheckContext, place: string): boolean {
  return heldSites(situation).some(
    ({ namespace, role, binding }) =>
      namespace === place && (role === undefined || binding === undefined),
  );
}

/** The step, as long as it has something to write that nobody else owns. */
function unlessOwned(
  situation: CheckContext,
  differing: readonly string[],
  step: NextStep,
): NextStep {
  const owners = new Map(
    heldSites(situation).map(({ namespace, role, binding }) => {
      const [owner] = [role, binding].flatMap(
        (object) => (object && findLivingOwner(object, situation.facts.left)) ?? [],
      );
      return [namespace, owner] as const;
    }),
  );
  const ahead = findAhead(situation);
  if (ahead !== undefined) return { says: `before you ${step.says}: ${ahead.fix}` };
  const aggregated = findAggregated(situation, differing);
  if (aggregated !== undefined) {
    return { says: `${step.says}: ${renderAggregatedWay(aggregated)}` };
  }
  const found = differing.map((place) => owners.get(place));
  const [first] = found;
  if (first === undefined || found.includes(undefined)) return step;
  return { says: `${step.says}; ${first.name} owns them: ${first.way}` };
}

function places(all: readonly string[]): string {
  return all.length === 1 ? String(all[0]) : countNoun(all.length, "place");
}

/** Roles differ from those of the release (S34). */
export function rbacStep({ rbac, release, situation }: RbacNext): NextStep | undefined {
  const { differing, lacking, beyond, comparedWith } = rbac;
  if (differing.length === 0) return undefined;
  const narrows = lacking.length === 0 && beyond.length > 0;
  return unlessOwned(situation, differing, {
    says: `bring role and binding in ${places(differing)} in line with ${comparedWith}`,
    words: ["reapply-rbac", ...(narrows ? ["--mode=contract"] : []), ...releaseWords(release)],
  });
}
