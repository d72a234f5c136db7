/** One place where a role and its binding are wanted: a namespace, or the whole cluster. */
import { exitCodes } from "../../domain/errors";
import { type KubeObject, objectLabel } from "../../domain/objects";
import { rbacFinding } from "../../domain/rbac/codes";
import { type Pair } from "../../domain/rbac/kinds";
import { expanded, type Found, planSite, type SitePlan } from "../../domain/rbac/plan";
import { partOf, type SharedPart } from "../../domain/rbac/shared";
import { termsFor } from "../../domain/rbac/terms";
import { otherOperators } from "../../domain/rbac/stale";
import type { Finding } from "../../domain/findings";
import { ownerOf } from "../../domain/owners";
import { BlockedError } from "../recorder";
import type { RbacDeps, RbacOptions } from "./deps";

/** A place with its plan. */
export interface Site {
  readonly namespace?: string;
  readonly wanted: Pair<KubeObject>;
  /** Where one ClusterRole gives the access: which of the two this place writes. */
  readonly part?: SharedPart;
  /** Name of the second binding that holds the access while the binding is replaced. */
  readonly temporaryName: string;
  readonly found: Found;
  readonly plan: SitePlan;
}

/** Plans a place from what was found there. */
export function siteOf(
  place: Pick<Site, "namespace" | "wanted" | "temporaryName" | "part">,
  read: Found,
  { names, ...options }: RbacOptions & Pick<RbacDeps, "names">,
): Site {
  const inNamespaces = termsFor({ ...options, names, files: options });
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
  { names, recorder }: Pick<RbacDeps, "names" | "recorder">,
  options: RbacOptions,
): readonly Site[] {
  const all = sites.filter(({ part }) => part === "binding");
  const byName = new Map(all.map((site) => [objectLabel(site.wanted.role), site]));
  return [...byName].map(([label, { wanted, temporaryName, found }]) => {
    recorder.note(
      `${label} gives the access in managed namespaces: its rules are updated, no Roles are made`,
    );
    const { role } = found;
    const place = { wanted, temporaryName, part: "role" } as const;
    return siteOf(place, { ...(role && { role }) }, { ...options, names });
  });
}

/** What a place is called in sentences. */
export function placeName({
  namespace,
  part,
  wanted,
}: Pick<Site, "namespace" | "part" | "wanted">): string {
  if (part === "role") return objectLabel(wanted.role);
  return namespace === undefined ? "the whole cluster" : `namespace ${namespace}`;
}

/** Throws where an object belongs to somebody who would fight the change. */
export function requireOurs(site: Site, deps: RbacDeps, options: RbacOptions): void {
  const findings = [...owned(site), ...(options.takeOver ? [] : taken(site, deps, options))];
  if (findings.length > 0) throw new BlockedError(exitCodes.conflict, findings);
}

function owned({ plan }: Site): readonly Finding[] {
  return [plan.role?.live, plan.binding?.live].flatMap((live) => {
    const owner = live === undefined ? undefined : ownerOf(live);
    if (live === undefined || owner === undefined) return [];
    const cause = `${owner.name} owns the object and would undo or fight the change`;
    return [rbacFinding("owned", { object: objectLabel(live), cause, fix: owner.way })];
  });
}

function taken(
  { plan, found }: Site,
  { names }: RbacDeps,
  { namespace }: RbacOptions,
): readonly Finding[] {
  const others = otherOperators(found.binding, { operatorNamespace: namespace, names });
  const kept = otherOperators(plan.outcome.binding, { operatorNamespace: namespace, names });
  const losing = others.filter((other) => !kept.includes(other));
  if (losing.length === 0) return [];
  const object = objectLabel(plan.outcome.binding);
  const cause = `the binding is for the operator of namespace ${losing.join(", ")}, which would lose its access; two operators must not watch one namespace`;
  return [rbacFinding("otherOperator", { object, cause })];
}
