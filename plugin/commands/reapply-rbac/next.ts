/** In how many places role and binding differ from the release's (S34; domain facts 6). */
import { findOwner } from "../../domain/kube/owners";
import { rbacFinding, renderAggregatedWay } from "../../domain/rbac/findings";
import { heldSites, settingNeeds } from "../../domain/checks/managed-sites";
import { templatesIn, wantedAt } from "./site-checks";
import { chooseRoles } from "../../domain/checks/roles";
import type { CheckContext } from "../../domain/checks/context";
import { factNamed } from "../../domain/facts/facts";
import type { KubeObject } from "../../domain/kube/objects";
import type { RolePair } from "../../domain/kube/kinds";
import type { RoleFiles } from "../../domain/rbac/lines";
import { type ClusterReleases, findBehind } from "../../domain/engine-cluster/operator";
import { type NextRelease, type NextStep, releaseWords } from "../../domain/rollout/next-step";
import {
  isAsWanted,
  planSite,
  type SitePlan,
  takesAway,
  type Terms,
  termsFor,
} from "../../domain/rbac/plan";
import { listExisting } from "../../domain/rbac/managed";
import { readClusterRole } from "../../domain/rbac/site";
import { type RbacTemplates, wantsAccounts } from "../../domain/rbac/templates";
import { isAggregated, noRules } from "../../domain/kube/role-rules";
import { boundList, countNoun } from "../../domain/base/values";
import { unreadVerdict, type ComponentHealth, stalledBy } from "../../domain/rollout/health";

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
export function rbacStatus(situation: CheckContext, files: RoleFiles): RbacStatus {
  const { facts, configured, managed } = situation;
  const empty = { places: 0, differing: [], lacking: [], beyond: [], local: [] };
  const none = { ...empty, comparedWith: files.source };
  const basic = unreadVerdict(facts, [...settingNeeds, "roles", "roleBindings"]);
  if (basic !== undefined) return { ...none, verdict: basic };
  if (configured.is === "unknown") {
    return { ...none, verdict: { is: "unknown", because: configured.because } };
  }
  if (managed.length === 0 && configured.is !== "label") {
    return { ...none, verdict: { is: "fine", says: "no other namespace is managed" } };
  }
  const roles = chooseRoles(situation);
  if (roles.is === "unknown")
    return { ...none, verdict: { ...roles, because: `${roles.because}; give --release` } };
  const unread = findUnread(situation, roles.documents);
  if (unread !== undefined) return { ...none, verdict: unread };
  const templates = templatesIn(situation, roles);
  if (templates.is === "unfit") {
    const because = `the files do not fit: ${templates.problems.join("; ")}`;
    return { ...none, verdict: { is: "unknown", because } };
  }
  const plans = listPlans(situation, templates, files);
  const where = (is: (plan: SitePlan) => boolean): readonly string[] =>
    plans.filter(({ plan }) => is(plan)).map(({ place }) => place);
  const status = {
    places: plans.length,
    differing: where((plan) => !isAsWanted(plan) || lacks(plan)),
    lacking: where(lacks),
    beyond: where(takesAway),
    local: where(({ local: { grants, subjects } }) => grants.length + subjects.length > 0),
    comparedWith: roles.source,
  };
  return { ...status, verdict: verdictOn(status, findAggregated(situation, status.lacking)) };
}

/** The ClusterRole that a controller makes of others, where that is what lacks something. */
function findAggregated(
  situation: CheckContext,
  lacking: readonly string[],
): KubeObject | undefined {
  const found = heldSites(situation).filter(({ namespace }) => lacking.includes(namespace));
  return found.map(({ shared }) => shared).find(isAggregated);
}

/** What cannot be compared since accounts or cluster roles are not known. */
function findUnread(
  { facts, configured, clusters }: CheckContext,
  documents: readonly unknown[],
): ComponentHealth | undefined {
  if (clusters.length === 0 && wantsAccounts(documents, facts.names)) {
    const because = "no cluster resource reports the service account that the bindings are for";
    return unreadVerdict(facts, ["ecs"]) ?? { is: "unknown", because };
  }
  if (configured.is === "label")
    return unreadVerdict(facts, ["clusterRoles", "clusterRoleBindings"]);
  const byClusterRole = facts.objects.roleBindings.some(
    (binding) =>
      binding.metadata.name === facts.names.rbac.consumerBinding &&
      readClusterRole(binding) !== undefined,
  );
  return byClusterRole ? unreadVerdict(facts, ["clusterRoles"]) : undefined;
}

interface PlannedPlace {
  readonly place: string;
  readonly plan: SitePlan;
}

function listPlans(
  situation: CheckContext,
  { consumer, label }: Extract<RbacTemplates, { is: "rendered" }>,
  files: RoleFiles,
): readonly PlannedPlace[] {
  const { facts } = situation;
  const terms = termsFor({ ...facts, existing: listExisting(facts), files, mode: "contract" });
  const inEach = heldSites(situation).map((site) =>
    planned(site.namespace, { wanted: wantedAt(consumer, site), terms }, [site.role, site.binding]),
  );
  if (label === undefined) return inEach;
  const found = (key: "clusterRoles" | "clusterRoleBindings", { metadata }: KubeObject) =>
    factNamed(facts, key, { name: String(metadata.name) });
  return [
    ...inEach,
    planned(wholeCluster, { wanted: label, terms: { ...terms, released: noRules } }, [
      found("clusterRoles", label.role),
      found("clusterRoleBindings", label.binding),
    ]),
  ];
}

function planned(
  place: string,
  { wanted, terms }: { readonly wanted: RolePair<KubeObject>; readonly terms: Terms },
  [role, binding]: readonly (KubeObject | undefined)[],
): PlannedPlace {
  const found = { ...(role !== undefined && { role }), ...(binding !== undefined && { binding }) };
  return { place, plan: planSite(found, wanted, terms) };
}

function lacks({ gained, subjectsGained, rebind }: SitePlan): boolean {
  return rebind || gained.length + subjectsGained.length > 0;
}

function verdictOn(
  { places, comparedWith, ...of }: Omit<RbacStatus, "verdict">,
  aggregated: KubeObject | undefined,
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
  if (aggregated !== undefined) {
    const fix = renderAggregatedWay(aggregated);
    return stalledBy(rbacFinding("aggregated", { cause, fix }));
  }
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
  rbac: { lacking },
  release,
  clusters,
  situation,
}: RbacNext & {
  readonly clusters: { readonly items: readonly ClusterReleases[] };
}): NextStep | undefined {
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
    heldSites(situation).flatMap(({ namespace, role, binding }) => {
      const [owner] = [role, binding].flatMap(
        (object) => (object && findOwner(object, situation.facts.left)) ?? [],
      );
      return owner === undefined || owner.left !== undefined ? [] : [[namespace, owner] as const];
    }),
  );
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
