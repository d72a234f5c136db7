/**
 * Access of many namespaces by one ClusterRole, with a RoleBinding to it in each: a documented variant
 * of the files (domain facts 6). Its rules are the ones to bring up to date, and no Roles are made.
 */
import type { Names } from "../names";
import type { KubeObject } from "../objects";
import { own } from "../values";
import type { Pair } from "./kinds";
import type { SitePlan } from "./plan";
import { grantsOf, rulesOf } from "./rules";
import { roleRefOf } from "./subjects";

/** The name of the ClusterRole that a RoleBinding is for, undefined for one of a Role. */
export function clusterRoleOf(binding: KubeObject | undefined): string | undefined {
  const [kind, name] = roleRefOf(binding).split("/");
  return binding !== undefined && kind === "ClusterRole" ? name : undefined;
}

/**
 * True for a ClusterRole that stands for the files' Role: it gives rights on this brand's databases and
 * on nothing by a wildcard. What the API server keeps itself, or makes of other roles, is none.
 */
export function isShared(role: KubeObject | undefined, { group, edb }: Names): role is KubeObject {
  if (role === undefined || role["aggregationRule"] !== undefined) return false;
  if (own(role.metadata.labels, "kubernetes.io/bootstrapping") !== undefined) return false;
  const grants = grantsOf(rulesOf(role));
  return (
    grants.some((one) => one.group === group && one.resource === edb.plural) &&
    grants.every((one) => ![one.group, one.resource, one.verb].includes("*"))
  );
}

/** The pair of a namespace with the ClusterRole in the place of the Role. */
export function sharedPair(wanted: Pair<KubeObject>, { metadata }: KubeObject): Pair<KubeObject> {
  const name = String(metadata.name);
  const apiGroup = own(wanted.binding["roleRef"], "apiGroup");
  return {
    role: { ...wanted.role, kind: "ClusterRole", metadata: { name } },
    binding: { ...wanted.binding, roleRef: { apiGroup, kind: "ClusterRole", name } },
  };
}

/** The part of a plan that one place writes: the ClusterRole once, the bindings in their namespaces. */
export type SharedPart = "role" | "binding";

/** The plan without the other part; what a namespace gains by the ClusterRole is still to be proven there. */
export function partOf(plan: SitePlan, part: SharedPart): SitePlan {
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
