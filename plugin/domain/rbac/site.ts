/** One place where a role and its binding are wanted, planned from what was read there. Pure. */
import type { Names } from "../names/names";
import { type KubeObject, objectLabel } from "../kube/objects";
import type { RolePair } from "../kube/kinds";
import type { RoleFiles } from "./lines";
import { type LiveRbac, planSite, type SitePlan, termsFor, type TermsFor } from "./plan";
import { grantsOf, noRules, readRoleRef, readRules } from "../kube/role-rules";
import { getOwn } from "../base/values";

/** The name of the ClusterRole that a RoleBinding is for, undefined for one of a Role. */
export function readClusterRole(binding: KubeObject | undefined): string | undefined {
  const [kind, name] = readRoleRef(binding).split("/");
  return binding !== undefined && kind === "ClusterRole" ? name : undefined;
}

/**
 * True for a ClusterRole that stands for the files' Role: it gives rights on this brand's databases and
 * on nothing by a wildcard. What the API server keeps itself is none.
 */
export function isShared(role: KubeObject | undefined, { group, edb }: Names): role is KubeObject {
  if (role === undefined) return false;
  if (getOwn(role.metadata.labels, "kubernetes.io/bootstrapping") !== undefined) return false;
  const grants = grantsOf(readRules(role));
  return (
    grants.some((one) => one.group === group && one.resource === edb.plural) &&
    grants.every((one) => ![one.group, one.resource, one.verb].includes("*"))
  );
}

/** The pair of a namespace with the ClusterRole in the place of the Role. */
export function nameSharedPair(
  wanted: RolePair<KubeObject>,
  { metadata }: KubeObject,
): RolePair<KubeObject> {
  const name = String(metadata.name);
  const apiGroup = getOwn(wanted.binding["roleRef"], "apiGroup");
  return {
    role: { ...wanted.role, kind: "ClusterRole", metadata: { name } },
    binding: { ...wanted.binding, roleRef: { apiGroup, kind: "ClusterRole", name } },
  };
}

/** The part of a plan that one place writes: the ClusterRole once, the bindings in their namespaces. */
type SharedPart = "role" | "binding";

/** The plan without the other part; what a namespace gains by the ClusterRole is still to be proven there. */
function pickPart(plan: SitePlan, part: SharedPart): SitePlan {
  const { role, binding, local, kept, ...rest } = plan;
  if (part === "role") {
    const none = { subjectsGained: [], subjectsLost: [] };
    return { ...rest, ...none, local, kept, ...(role !== undefined && { role }) };
  }
  return {
    ...{ ...rest, lost: [] },
    local: { ...local, grants: [] },
    kept: { ...kept, grants: [] },
    ...(binding !== undefined && { binding }),
  };
}

/** A namespace, or the whole cluster. */
export interface RbacScope {
  readonly namespace?: string;
  readonly wanted: RolePair<KubeObject>;
  /** The namespaces that exist; absent: not known. */
  readonly existing?: ReadonlySet<string> | undefined;
  /** Where one ClusterRole gives the access: which of the two this place writes. */
  readonly part?: SharedPart;
}

/** What was read of a place. */
export interface PlaceFound extends Omit<LiveRbac, "bound"> {
  /** The role that the binding is for, where that is not the wanted one. */
  readonly boundRole?: KubeObject | undefined;
}

/** A place with its plan. */
export interface Site extends RbacScope {
  readonly found: LiveRbac;
  readonly plan: SitePlan;
}

/** How places are planned. */
interface SiteOptions
  extends Omit<TermsFor, "names" | "files" | "existing">, Pick<RoleFiles, "shipped"> {}

/** Plans a place; a ClusterRole that gives the access takes the place of the role in a namespace. */
export function planPlace(
  place: RbacScope,
  { boundRole, ...found }: PlaceFound,
  options: SiteOptions & { readonly names: Names },
): Site {
  const { namespace, wanted, part } = place;
  const isWide = readClusterRole(found.binding) !== undefined && namespace !== undefined;
  if (part === undefined && isWide && isShared(boundRole, options.names)) {
    const shared = {
      ...place,
      wanted: nameSharedPair(wanted, boundRole),
      part: "binding",
    } as const;
    return completeSite(shared, { ...found, role: boundRole }, options);
  }
  return completeSite(place, { ...found, bound: readRules(boundRole) }, options);
}

function completeSite(
  place: RbacScope,
  found: LiveRbac,
  options: SiteOptions & { readonly names: Names },
): Site {
  const inNamespaces = termsFor({ ...options, files: options, existing: place.existing });
  // no release has changed the role for finding namespaces
  const isWide = place.namespace === undefined && place.part === undefined;
  const terms = isWide ? { ...inNamespaces, released: noRules } : inNamespaces;
  const plan = planSite(found, place.wanted, terms);
  return { ...place, found, plan: place.part === undefined ? plan : pickPart(plan, place.part) };
}

/** Each ClusterRole that gives the access in namespaces is a place of its own, written once. */
export function listSharedRoles(
  sites: readonly Site[],
  options: SiteOptions & { readonly names: Names },
): readonly Site[] {
  const all = sites.filter(({ part }) => part === "binding");
  const byName = new Map(all.map((site) => [objectLabel(site.wanted.role), site]));
  return [...byName.values()].map(({ wanted, found: { role } }) =>
    planPlace({ wanted, part: "role" }, { role }, options),
  );
}

/** The name of the second binding, which holds the access while the binding is replaced. */
export function nameSecond(binding: string, { fieldManager }: Names): string {
  return `${binding}-${fieldManager}`;
}

/** What a place is called in sentences. */
export function placeName({ namespace, part, wanted }: RbacScope): string {
  if (part === "role") return objectLabel(wanted.role);
  return namespace === undefined ? "the whole cluster" : `namespace ${namespace}`;
}
