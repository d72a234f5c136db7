/** In how many places role and binding differ from the release's (S34; domain facts 6). */
import { rbacFindings } from "../../domain/rbac/findings";
import { heldSites, settingNeeds, templatesIn, wantedAt } from "./site-checks";
import { rolesOf } from "../../domain/checks/roles";
import type { CheckContext } from "../../domain/checks/context";
import { factNamed } from "../../domain/facts/facts";
import type { KubeObject } from "../../domain/kube/objects";
import type { RolePair } from "../../domain/kube/kinds";
import type { RoleFiles } from "../../domain/rbac/lines";
import {
  isAsWanted,
  planSite,
  type SitePlan,
  takesAway,
  type Terms,
  termsFor,
} from "../../domain/rbac/plan";
import { clusterRoleOf } from "../../domain/rbac/site";
import { type RbacTemplates, wantsAccounts } from "../../domain/rbac/templates";
import { noRules } from "../../domain/kube/role-rules";
import { bounded } from "../../domain/base/values";
import { unreadVerdict, type ComponentHealth } from "../../domain/rollout/health";

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
  const roles = rolesOf(situation);
  if (roles.is === "unknown")
    return { ...none, verdict: { ...roles, because: `${roles.because}; give --release` } };
  const unread = unreadFor(situation, roles.documents);
  if (unread !== undefined) return { ...none, verdict: unread };
  const templates = templatesIn(situation, roles);
  if (templates.is === "unfit") {
    const because = `the files do not fit: ${templates.problems.join("; ")}`;
    return { ...none, verdict: { is: "unknown", because } };
  }
  const plans = plansOf(situation, templates, files);
  const where = (is: (plan: SitePlan) => boolean): readonly string[] =>
    plans.filter(({ plan }) => is(plan)).map(({ place }) => place);
  const status = {
    places: plans.length,
    differing: where((plan) => !isAsWanted(plan)),
    lacking: where(lacks),
    beyond: where(takesAway),
    local: where(({ local: { grants, subjects } }) => grants.length + subjects.length > 0),
    comparedWith: roles.source,
  };
  return { ...status, verdict: verdictOn(status) };
}

/** What cannot be compared since accounts or cluster roles are not known. */
function unreadFor(
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
      clusterRoleOf(binding) !== undefined,
  );
  return byClusterRole ? unreadVerdict(facts, ["clusterRoles"]) : undefined;
}

interface PlannedPlace {
  readonly place: string;
  readonly plan: SitePlan;
}

function plansOf(
  situation: CheckContext,
  { consumer, label }: Extract<RbacTemplates, { is: "rendered" }>,
  files: RoleFiles,
): readonly PlannedPlace[] {
  const { facts } = situation;
  const terms = termsFor({ ...facts, files, mode: "contract" });
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

function verdictOn({ places, comparedWith, ...of }: Omit<RbacStatus, "verdict">): ComponentHealth {
  const { differing, lacking, beyond, local } = of;
  const count = places === 1 ? "1 namespace" : `${places} namespaces`;
  const added = local.length === 0 ? "" : `; local additions in ${bounded(local)}`;
  if (differing.length === 0) {
    return { is: "fine", says: `${count} as in ${comparedWith}${added}` };
  }
  const said = `${differing.length} of ${count} differ from ${comparedWith}: ${bounded(differing)}`;
  const missing = lacking.length === 0 ? "" : `; ${lacking.length} lack a permission or an account`;
  const more = beyond.length === 0 ? "" : `; ${beyond.length} have permissions of another release`;
  const narrows = lacking.length === 0 && beyond.length > 0;
  return {
    is: "stalled",
    code: (narrows ? rbacFindings.beyond : rbacFindings.behind).code,
    because: `${said}${missing}${more}`,
    fix: narrows
      ? "take back what this release does not need with reapply-rbac --mode contract"
      : "bring them up to date with reapply-rbac",
  };
}
