/** Which permissions a run needs, and who lacks them where. */
import { kinds } from "../../domain/kinds";
import type { Resource } from "../../domain/objects";
import { permissionLine, rolesFor, type Permission } from "../../domain/permissions";
import { kindsIn, rbacKinds } from "../../domain/rbac/kinds";
import { missingPermissions } from "../ledger";
import { reviewPermission } from "../reviews";
import type { RbacDeps, RbacOptions } from "./deps";
import type { Site } from "./site";

/** More namespaces than these are asked for by one ClusterRole. */
const fewNamespaces = 3;

function permission(verb: string, resource: Resource, why: string): Permission {
  return { verb, group: resource.group, resource: resource.plural, why };
}

/** What is read of the operator. */
export function readPermissions(
  { names }: RbacDeps,
  { namespace, selector }: RbacOptions,
  accounts: boolean,
): readonly Permission[] {
  const told = "to see which namespaces the operator is told to manage";
  const ec = { group: names.group, version: names.ecVersion, ...names.ec };
  return [
    { ...permission("get", kinds.deployment, told), namespace, name: names.operator.deployment },
    { ...permission("get", kinds.configMap, told), namespace, name: names.configMap.name },
    ...(accounts
      ? [{ ...permission("list", ec, "to see the clusters' service accounts"), namespace }]
      : []),
    ...(selector === undefined
      ? []
      : [permission("list", kinds.namespace, "to find the namespaces by label")]),
  ];
}

/** What is needed to find roles and bindings in all namespaces at once. */
export function listPermissions(): readonly Permission[] {
  return [rbacKinds.role, rbacKinds.roleBinding].map((resource) =>
    permission("list", resource, "to find what exists with one request"),
  );
}

/** What the plan of one place writes. */
export function writePermissions({ namespace, plan, temporaryName }: Site): readonly Permission[] {
  const { binding } = kindsIn(namespace);
  // one ClusterRole may give the access in many namespaces
  const { role } = kindsIn(plan.outcome.role.metadata.namespace);
  const on = (verb: string, resource: Resource, name?: string): Permission => ({
    ...permission(verb, resource, "to bring roles and bindings up to date"),
    ...(namespace !== undefined && resource !== rbacKinds.clusterRole && { namespace }),
    ...(name !== undefined && { name }),
  });
  const apply = (resource: Resource, name: string, creates: boolean): readonly Permission[] => [
    on("patch", resource, name),
    ...(creates ? [on("create", resource)] : []),
  ];
  const { name: roleName = "" } = plan.outcome.role.metadata;
  const { name: bindingName = "" } = plan.outcome.binding.metadata;
  const written = [
    ...(plan.role ? apply(role, roleName, plan.role.live === undefined) : []),
    ...(plan.binding ? apply(binding, bindingName, plan.binding.live === undefined) : []),
  ];
  if (plan.rebind) {
    const replaced = [...apply(binding, bindingName, true), on("delete", binding, bindingName)];
    const second = [...apply(binding, temporaryName, true), on("delete", binding, temporaryName)];
    return [...written, ...replaced, ...second];
  }
  return plan.temporary ? [...written, on("delete", binding, temporaryName)] : written;
}

/** What it takes to see that the access at a place is in force. */
export function proofPermission({ namespace }: Site): Permission {
  return reviewPermission("to prove the access (or go without proof: --no-probe)", namespace);
}

/** The permissions that are missing at each place, those without which nothing is written there. */
export async function missingAt(
  deps: RbacDeps,
  options: RbacOptions,
  sites: readonly Site[],
): Promise<ReadonlyMap<Site, readonly Permission[]>> {
  const writes = await missingWrites(deps, sites);
  const found = await Promise.all(
    sites.map(async (site): Promise<readonly [Site, readonly Permission[]]> => {
      const unseen = await lacksWitness(deps, options, site);
      return [site, [...(writes.get(site) ?? []), ...(unseen ? [proofPermission(site)] : [])]];
    }),
  );
  return new Map(found.filter(([, missing]) => missing.length > 0));
}

/** A binding is taken away only when the second one is seen to be in force. */
async function lacksWitness(
  { reviews }: RbacDeps,
  { prove, dryRun }: RbacOptions,
  { plan, namespace }: Site,
): Promise<boolean> {
  if (!plan.rebind || !prove || dryRun !== "none") return false;
  return !(await reviews.possible(namespace));
}

/** One question each for the whole cluster, and more only for what is not allowed everywhere. */
async function missingWrites(
  deps: RbacDeps,
  sites: readonly Site[],
): Promise<ReadonlyMap<Site, readonly Permission[]>> {
  const wide = new Map<string, Permission>();
  for (const needed of sites.flatMap(writePermissions)) {
    wide.set(lineAnywhere(needed), anywhere(needed));
  }
  const lacking = await missingPermissions(deps.cluster, [...wide.values()]);
  const lines = new Set(lacking.map(permissionLine));
  if (lines.size === 0) return new Map();
  const found = await Promise.all(
    sites.map(async (site): Promise<readonly [Site, readonly Permission[]]> => {
      const open = writePermissions(site).filter((needed) => lines.has(lineAnywhere(needed)));
      return [site, await missingPermissions(deps.cluster, open)];
    }),
  );
  return new Map(found);
}

function lineAnywhere(permission: Permission): string {
  return permissionLine(anywhere(permission));
}

/** Puts what is missing and the Roles to ask for into the report. */
export async function reportMissing(
  { cluster, recorder, yaml }: RbacDeps,
  missing: readonly Permission[],
): Promise<void> {
  const places = new Set(missing.map(({ namespace }) => namespace));
  const asked = places.size > fewNamespaces ? missing.map(anywhere) : missing;
  const each = [...new Map(asked.map((one) => [permissionLine(one), one])).values()];
  const subject = (await cluster.whoAmI()) ?? "REPLACE-WITH-THE-USER";
  recorder.permissions({
    missing: each.map((one) => `${permissionLine(one)}: ${one.why}`),
    manifest: yaml(rolesFor(each, subject)),
  });
}

function anywhere({ verb, group, resource, name, why }: Permission): Permission {
  return { verb, group, resource, ...(name !== undefined && { name }), why };
}
