/** In how many places role and binding differ from the release's (S34; domain facts 6). */
import type { Situation } from "../checks/situation";
import { factNamed, type Facts } from "../facts";
import type { KubeObject } from "../objects";
import type { Pair } from "../rbac/kinds";
import { isAsWanted, planSite, type SitePlan } from "../rbac/plan";
import { pairIn, renderRbac, wantsAccounts, type RbacTemplates } from "../rbac/templates";
import { at, text } from "../values";
import { bounded, unreadVerdict, type Verdict } from "./verdict";

/** Roles and bindings to compare with, and where they are from. */
export interface RbacInput {
  readonly documents: readonly unknown[];
  readonly source: string;
}

/** What is shown of the managed namespaces. */
export interface RbacStatus {
  /** Places that were compared: the managed namespaces, and the whole cluster in label mode. */
  readonly places: number;
  /** Those that differ; the whole cluster is called so. */
  readonly differing: readonly string[];
  /** Those among them that lack a right or an account: the operator fails there. */
  readonly lacking: readonly string[];
  readonly comparedWith: string;
  readonly verdict: Verdict;
}

const wholeCluster = "the whole cluster";

/** Compares every managed namespace with the templates. */
export function rbacStatus(
  { facts, configured, managed: namespaces, clusters }: Situation,
  { documents, source }: RbacInput,
): RbacStatus {
  const none = { places: 0, differing: [], lacking: [], comparedWith: source };
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
  const rendered = rendering({ facts, clusters, byLabel }, documents);
  if (rendered.is === "unknown") return { ...none, verdict: rendered };
  const plans = plansOf(facts, rendered, namespaces);
  const differing = plans.filter(({ plan }) => !isAsWanted(plan));
  const status = {
    places: plans.length,
    differing: differing.map(({ place }) => place),
    lacking: differing.filter(({ plan }) => lacks(plan)).map(({ place }) => place),
    comparedWith: source,
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
  namespaces: readonly string[],
): readonly PlannedPlace[] {
  const roles = placed(facts.objects.roles, consumer.role);
  const bindings = placed(facts.objects.roleBindings, consumer.binding);
  const inEach = namespaces.map((place) =>
    planned(place, pairIn(consumer, place), [roles.get(place), bindings.get(place)]),
  );
  if (label === undefined) return inEach;
  const found = (key: "clusterRoles" | "clusterRoleBindings", { metadata }: KubeObject) =>
    factNamed(facts, key, { name: String(metadata.name) });
  return [
    ...inEach,
    planned(wholeCluster, label, [
      found("clusterRoles", label.role),
      found("clusterRoleBindings", label.binding),
    ]),
  ];
}

function planned(
  place: string,
  wanted: Pair<KubeObject>,
  [role, binding]: readonly (KubeObject | undefined)[],
): PlannedPlace {
  const found = { ...(role !== undefined && { role }), ...(binding !== undefined && { binding }) };
  return { place, plan: planSite(found, wanted, "exact") };
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

function verdictOn({
  places,
  differing,
  lacking,
  comparedWith,
}: Omit<RbacStatus, "verdict">): Verdict {
  const count = places === 1 ? "1 namespace" : `${places} namespaces`;
  if (differing.length === 0) return { is: "fine", says: `${count} as in ${comparedWith}` };
  const said = `${differing.length} of ${count} differ from ${comparedWith}: ${bounded(differing)}`;
  const missing = lacking.length === 0 ? "" : `; ${lacking.length} lack a right or an account`;
  return {
    is: "stalled",
    because: `${said}${missing}`,
    fix: "bring them up to date with reapply-rbac",
  };
}
