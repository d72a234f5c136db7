/** Which permissions an operator's upgrade needs, asked for before the first write (exit 4). */
import { kinds } from "../../domain/kinds";
import { bundleRef } from "../../domain/operator/kinds";
import type { Wanted } from "../../domain/operator/wanted";
import type { Ref, Resource } from "../../domain/objects";
import type { Permission } from "../../domain/permissions";
import type { BundleOptions, OperatorDeps } from "./deps";
import { clusterResource, pullSecretRef } from "./read";

const permission = (verb: string, { resource, name, namespace }: Ref, why: string): Permission => ({
  verb,
  group: resource.group,
  resource: resource.plural,
  // a list or a creation is of no single name
  ...(verb !== "list" && verb !== "create" && { name }),
  ...(namespace !== undefined && { namespace }),
  why,
});

/** What is read before anything is planned. */
export function readPermissions(
  { names }: OperatorDeps,
  { namespace, registry, pullSecret }: BundleOptions,
  wanted: readonly Wanted[],
): readonly Permission[] {
  const list = (resource: Resource, why: string): Permission =>
    permission("list", { resource, name: "", namespace }, why);
  return [
    permission("get", { resource: kinds.namespace, name: namespace }, "to see that it exists"),
    list(kinds.deployment, "to follow the operator's roll-out"),
    ...(registry === undefined && pullSecret === undefined
      ? []
      : [list(clusterResource(names), "to find the clusters that follow the registry")]),
    ...(pullSecret === undefined
      ? []
      : [permission("get", pullSecretRef(namespace, pullSecret), "to see that it exists")]),
    ...wanted.map(({ kind, object }) =>
      permission("get", bundleRef(kind, object), "to compare it with the release"),
    ),
  ];
}

/** What the plan writes. */
export function writePermissions(
  writes: readonly { readonly ref: Ref; readonly creates: boolean }[],
): readonly Permission[] {
  return writes.flatMap(({ ref, creates }) => [
    ...(creates ? [permission("create", ref, "to apply what does not exist yet")] : []),
    permission("patch", ref, "to apply the release's"),
  ]);
}

/** What the cluster resources' patches need. */
export function clusterPermissions(refs: readonly Ref[]): readonly Permission[] {
  return refs.flatMap((ref) => [
    permission("get", ref, "to write over what is stored by then"),
    permission("patch", ref, "to have it pull from the registry"),
  ]);
}
