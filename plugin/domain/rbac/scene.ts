/** The managed namespaces with what is in them, and what the release wants there (S34; domain facts 6). */
import { asString, getPath, oncePer } from "../base/values";
import type { Scene } from "../diagnosis/symptom";
import { type FactKey, factNamed, type Facts } from "../facts/facts";
import type { RolePair } from "../kube/kinds";
import type { ClusterRole, Deployment, Role, RoleBinding } from "../kube/models";
import { type KubeObject, readName, readNamespace } from "../kube/objects";
import { noRules } from "../kube/role-rules";
import type { Names } from "../names/names";
import { type ReleaseRoles, resolveRoles, type RoleFiles } from "./lines";
import { type Configured, listExisting } from "./managed";
import { planSite, type SitePlan, termsFor } from "./plan";
import { isShared, nameSharedPair, readClusterRole } from "./site";
import { pairIn, type RbacTemplates, renderRbac } from "./templates";

/** What the rows look at. */
export interface RbacScene extends Scene {
  readonly names: Names;
  /** The operator's. */
  readonly deployment: Deployment | undefined;
  /** The operator's release that runs, where it tells. */
  readonly installed: { readonly tag: string } | undefined;
  /** The ECs whose accounts the bindings are for. */
  readonly clusters: readonly KubeObject[];
  readonly configured: Configured;
  /** The managed namespaces, those that are only told of included; without the operator's own. */
  readonly managed: readonly string[];
  /** The files for managed namespaces: the release's, else the shipped ones. */
  readonly target: { readonly rbac?: RoleFiles };
}

/** What has to have been read for the managed namespaces to be known. */
export const settingNeeds = [
  "deployments",
  "configMaps",
  "namespaces",
] as const satisfies readonly FactKey[];

/** What has to have been read for what is in them to be known. */
export const siteNeeds = [...settingNeeds, "roles", "roleBindings", "clusterRoles"] as const;

/** The release's documents, or those of the release that runs. */
export function chooseRoles({ installed, names, target }: RbacScene): ReleaseRoles {
  if (target.rbac === undefined) return { is: "unknown", because: "there is no template" };
  return resolveRoles(target.rbac, installed?.tag, names);
}

/** The service accounts of the ECs, each once. */
export function nameAccounts(
  clusters: readonly KubeObject[],
  { ecFields }: Names,
): readonly string[] {
  const named = clusters.map(
    (ec) => asString(getPath(ec, ecFields.serviceAccountName)) ?? readName(ec),
  );
  return [...new Set(named)];
}

/** The release's documents with this operator's names in them; undefined where they are not known. */
export const findTemplates = oncePer((scene: RbacScene): RbacTemplates | undefined => {
  const { clusters, configured, facts, names } = scene;
  const roles = chooseRoles(scene);
  if (roles.is === "unknown") return undefined;
  return renderRbac(roles.documents, {
    namespace: facts.namespace,
    accounts: nameAccounts(clusters, names),
    label: configured.is === "label",
    names,
  });
});

/** What is in a managed namespace. */
export interface HeldSite {
  readonly namespace: string;
  /** Undefined where it does not exist. */
  readonly found: KubeObject | undefined;
  readonly role: Role | ClusterRole | undefined;
  readonly binding: RoleBinding | undefined;
  /** The role, where it is a ClusterRole that gives the access in the place of a Role. */
  readonly shared: ClusterRole | undefined;
}

/** The managed namespaces with what is in them. */
export const heldSites = oncePer(({ facts, managed, names }: RbacScene): readonly HeldSite[] => {
  const roles = byNamespace(facts.objects.roles, names.rbac.consumerRole);
  const bindings = byNamespace(facts.objects.roleBindings, names.rbac.consumerBinding);
  return managed.map((namespace) => {
    const binding = bindings.get(namespace);
    const shared = sharedRoleIn(facts, binding);
    const found = factNamed(facts, "namespaces", { name: namespace });
    return { namespace, found, role: shared ?? roles.get(namespace), binding, shared };
  });
});

/** The ClusterRole that gives the access in the place of a Role, where one does. */
function sharedRoleIn(facts: Facts, binding: RoleBinding | undefined): ClusterRole | undefined {
  const name = readClusterRole(binding);
  const role = name === undefined ? undefined : factNamed(facts, "clusterRoles", { name });
  return isShared(role, facts.names) ? role : undefined;
}

function byNamespace<T extends KubeObject>(
  objects: readonly T[],
  name: string,
): ReadonlyMap<string, T> {
  return new Map(
    objects
      .filter(({ metadata }) => metadata.name === name)
      .map((object) => [readNamespace(object), object]),
  );
}

/** A managed namespace with what is wanted in it, and how far it is from that. */
export interface PlannedSite extends HeldSite {
  readonly wanted: RolePair<KubeObject>;
  readonly plan: SitePlan;
}

/** The managed namespaces, where the files fit. */
export const plannedSites = oncePer((scene: RbacScene): readonly PlannedSite[] => {
  const templates = findTemplates(scene);
  if (templates?.is !== "rendered") return [];
  const terms = termsOf(scene);
  return heldSites(scene).map((site) => {
    const pair = pairIn(templates.consumer, site.namespace);
    const wanted = site.shared === undefined ? pair : nameSharedPair(pair, site.shared);
    return { ...site, wanted, plan: planSite(site, wanted, terms) };
  });
});

/** The pair by which the operator finds its namespaces; undefined where it needs none. */
export function planLabelPair(scene: RbacScene): SitePlan | undefined {
  const templates = findTemplates(scene);
  if (templates?.is !== "rendered" || templates.label === undefined) return undefined;
  const { label } = templates;
  const found = {
    role: factNamed(scene.facts, "clusterRoles", { name: readName(label.role) }),
    binding: factNamed(scene.facts, "clusterRoleBindings", { name: readName(label.binding) }),
  };
  // no release has changed the role for finding namespaces
  return planSite(found, label, { ...termsOf(scene), released: noRules });
}

function termsOf({ facts, target: { rbac } }: RbacScene) {
  const files = rbac?.shipped === true ? { shipped: rbac.shipped } : {};
  return termsFor({ ...facts, existing: listExisting(facts), files, mode: "contract" });
}
