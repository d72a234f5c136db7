/** One place where a role and its binding are wanted, planned from what was read there. Pure. */
import type { Names } from "../names";
import { type KubeObject, objectLabel } from "../objects";
import type { Pair } from "./kinds";
import type { RoleFiles } from "./lines";
import { expanded, type Found, planSite, type SitePlan } from "./plan";
import { rulesOf } from "./rules";
import { clusterRoleOf, isShared, partOf, type SharedPart, sharedPair } from "./shared";
import { termsFor, type TermsFor } from "./terms";

/** A namespace, or the whole cluster. */
export interface Place {
  readonly namespace?: string;
  readonly wanted: Pair<KubeObject>;
  /** Where one ClusterRole gives the access: which of the two this place writes. */
  readonly part?: SharedPart;
}

/** What was read of a place. */
export interface PlaceFound extends Omit<Found, "bound"> {
  /** The role that the binding is for, where that is not the wanted one. */
  readonly boundRole?: KubeObject | undefined;
}

/** A place with its plan. */
export interface Site extends Place {
  readonly found: Found;
  readonly plan: SitePlan;
}

/** How places are planned. */
export interface SiteOptions extends Omit<TermsFor, "names" | "files">, Pick<RoleFiles, "shipped"> {
  /** What is read is first taken through the plan of `expand`, to show a contract that follows it. */
  readonly assumeExpanded?: true;
}

/** Plans a place; a ClusterRole that gives the access takes the place of the role in a namespace. */
export function siteOf(
  place: Place,
  { boundRole, ...found }: PlaceFound,
  options: SiteOptions & { readonly names: Names },
): Site {
  const { namespace, wanted, part } = place;
  const isWide = clusterRoleOf(found.binding) !== undefined && namespace !== undefined;
  if (part === undefined && isWide && isShared(boundRole, options.names)) {
    const shared = { namespace, wanted: sharedPair(wanted, boundRole), part: "binding" } as const;
    return planned(shared, { ...found, role: boundRole }, options);
  }
  return planned(place, { ...found, bound: rulesOf(boundRole) }, options);
}

function planned(
  place: Place,
  read: Found,
  options: SiteOptions & { readonly names: Names },
): Site {
  const inNamespaces = termsFor({ ...options, files: options });
  // no release has changed the role for finding namespaces
  const isWide = place.namespace === undefined && place.part === undefined;
  const terms = isWide ? { ...inNamespaces, lines: [] } : inNamespaces;
  const found = options.assumeExpanded === true ? expanded(read, place.wanted, terms) : read;
  const plan = planSite(found, place.wanted, terms);
  return { ...place, found, plan: place.part === undefined ? plan : partOf(plan, place.part) };
}

/** Each ClusterRole that gives the access in namespaces is a place of its own, written once. */
export function sharedRoles(
  sites: readonly Site[],
  options: SiteOptions & { readonly names: Names },
): readonly Site[] {
  const all = sites.filter(({ part }) => part === "binding");
  const byName = new Map(all.map((site) => [objectLabel(site.wanted.role), site]));
  return [...byName.values()].map(({ wanted, found: { role } }) =>
    siteOf({ wanted, part: "role" }, { role }, options),
  );
}

/** The name of the second binding, which holds the access while the binding is replaced. */
export function secondNameOf(binding: string, { fieldManager }: Names): string {
  return `${binding}-${fieldManager}`;
}

/** What a place is called in sentences. */
export function placeName({ namespace, part, wanted }: Place): string {
  if (part === "role") return objectLabel(wanted.role);
  return namespace === undefined ? "the whole cluster" : `namespace ${namespace}`;
}
