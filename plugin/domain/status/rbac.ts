/** In how many places role and binding differ from the release's (S34; domain facts 6). */
import { sharedRoleIn } from "../checks/rbac-sites";
import type { Situation } from "../checks/situation";
import { factNamed, type Facts } from "../facts";
import type { KubeObject } from "../objects";
import type { Pair } from "../rbac/kinds";
import { type RoleFiles, rolesFor } from "../rbac/lines";
import { isAsWanted, planSite, type SitePlan, takesAway, type Terms } from "../rbac/plan";
import { clusterRoleOf, sharedPair } from "../rbac/shared";
import { termsFor } from "../rbac/terms";
import { pairIn, renderRbac, wantsAccounts, type RbacTemplates } from "../rbac/templates";
import { at, text } from "../values";
import { bounded, unreadVerdict, type Verdict } from "./verdict";

/** What is shown of the managed namespaces. */
export interface RbacStatus {
  /** Places that were compared: the managed namespaces, and the whole cluster in label mode. */
  readonly places: number;
  /** Those that differ; the whole cluster is called so. */
  readonly differing: readonly string[];
  /** Those among them that lack a right or an account: the operator fails there. */
  readonly lacking: readonly string[];
  /** Those among them that have what only another release needs. */
  readonly beyond: readonly string[];
  /** Places with rules or subjects that a person added: no difference. */
  readonly local: readonly string[];
  readonly comparedWith: string;
  readonly verdict: Verdict;
}

const wholeCluster = "the whole cluster";

/** Compares every managed namespace with the templates. */
export function rbacStatus(
  { facts, configured, installed, managed: namespaces, clusters }: Situation,
  files: RoleFiles,
): RbacStatus {
  const empty = { places: 0, differing: [], lacking: [], beyond: [], local: [] };
  const none = { ...empty, comparedWith: files.source };
  const unread = unreadVerdict(facts, [
    "deployments",
    "configMaps",
    "namespaces",
    "roles",
    "roleBindings",
  ]);
  if (unread !== undefined) return { ...none, verdict: unread };
  if (configured.is === "unknown") {
    return { ...none, verdict: { is: "unknown", because: configured.because } };
  }
  const byLabel = configured.is === "label";
  if (namespaces.length === 0 && !byLabel) {
    return { ...none, verdict: { is: "fine", says: "no other namespace is managed" } };
  }
  const roles = rolesFor(files, installed?.tag, facts.names);
  if (roles.is === "unknown")
    return { ...none, verdict: { ...roles, because: `${roles.because}; give --release` } };
  const rendered = rendering({ facts, clusters, byLabel }, roles.documents);
  if (rendered.is === "unknown") return { ...none, verdict: rendered };
  const plans = plansOf(facts, rendered, { namespaces, files });
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

type Rendered = Extract<RbacTemplates, { is: "rendered" }>;

function rendering(
  {
    facts,
    clusters,
    byLabel: label,
  }: Pick<Situation, "facts" | "clusters"> & { readonly byLabel: boolean },
  documents: readonly unknown[],
): Rendered | Extract<Verdict, { is: "unknown" }> {
  const { names, namespace } = facts;
  const accounts = clusters.map(
    (ec) => text(at(ec, names.ecFields.serviceAccountName)) ?? String(ec.metadata.name),
  );
  if (accounts.length === 0 && wantsAccounts(documents, names)) {
    const because = "no cluster resource tells the service account that the bindings are for";
    return unreadVerdict(facts, ["ecs"]) ?? { is: "unknown", because };
  }
  const byClusterRole = facts.objects.roleBindings.some(
    (binding) =>
      binding.metadata.name === names.rbac.consumerBinding && clusterRoleOf(binding) !== undefined,
  );
  const shared = byClusterRole ? unreadVerdict(facts, ["clusterRoles"]) : undefined;
  if (shared !== undefined) return shared;
  const unread = label ? unreadVerdict(facts, ["clusterRoles", "clusterRoleBindings"]) : undefined;
  if (unread !== undefined) return unread;
  const unique = [...new Set(accounts)].sort();
  const result = renderRbac(documents, { namespace, accounts: unique, label, names });
  return result.is === "rendered"
    ? result
    : { is: "unknown", because: `the files do not fit: ${result.problems.join("; ")}` };
}

interface PlannedPlace {
  readonly place: string;
  readonly plan: SitePlan;
}

function plansOf(
  facts: Facts,
  { consumer, label }: Rendered,
  { namespaces, files }: { readonly namespaces: readonly string[]; readonly files: RoleFiles },
): readonly PlannedPlace[] {
  const terms = termsFor({ ...facts, files, mode: "contract" });
  const roles = placed(facts.objects.roles, consumer.role);
  const bindings = placed(facts.objects.roleBindings, consumer.binding);
  const inEach = namespaces.map((place) => {
    const binding = bindings.get(place);
    const shared = sharedRoleIn(facts, binding);
    const pair = pairIn(consumer, place);
    const wanted = shared === undefined ? pair : sharedPair(pair, shared);
    return planned(place, { wanted, terms }, [shared ?? roles.get(place), binding]);
  });
  if (label === undefined) return inEach;
  const found = (key: "clusterRoles" | "clusterRoleBindings", { metadata }: KubeObject) =>
    factNamed(facts, key, { name: String(metadata.name) });
  return [
    ...inEach,
    planned(wholeCluster, { wanted: label, terms: { ...terms, lines: [] } }, [
      found("clusterRoles", label.role),
      found("clusterRoleBindings", label.binding),
    ]),
  ];
}

function planned(
  place: string,
  { wanted, terms }: { readonly wanted: Pair<KubeObject>; readonly terms: Terms },
  [role, binding]: readonly (KubeObject | undefined)[],
): PlannedPlace {
  const found = { ...(role !== undefined && { role }), ...(binding !== undefined && { binding }) };
  return { place, plan: planSite(found, wanted, terms) };
}

/** The objects of a template's name, by namespace. */
function placed(
  objects: readonly KubeObject[],
  { metadata }: KubeObject,
): ReadonlyMap<string | undefined, KubeObject> {
  const ours = objects.filter((object) => object.metadata.name === metadata.name);
  return new Map(ours.map((object) => [object.metadata.namespace, object]));
}

function lacks({ gained, subjectsGained, rebind }: SitePlan): boolean {
  return rebind || gained.length + subjectsGained.length > 0;
}

function verdictOn({ places, comparedWith, ...of }: Omit<RbacStatus, "verdict">): Verdict {
  const { differing, lacking, beyond, local } = of;
  const count = places === 1 ? "1 namespace" : `${places} namespaces`;
  const added = local.length === 0 ? "" : `; local additions in ${bounded(local)}`;
  if (differing.length === 0) {
    return { is: "fine", says: `${count} as in ${comparedWith}${added}` };
  }
  const said = `${differing.length} of ${count} differ from ${comparedWith}: ${bounded(differing)}`;
  const missing = lacking.length === 0 ? "" : `; ${lacking.length} lack a right or an account`;
  const more = beyond.length === 0 ? "" : `; ${beyond.length} have rights of another release`;
  return {
    is: "stalled",
    because: `${said}${missing}${more}`,
    fix:
      lacking.length === 0 && beyond.length > 0
        ? "take back what this release does not need with reapply-rbac --mode contract"
        : "bring them up to date with reapply-rbac",
  };
}
