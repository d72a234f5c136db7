/** What is left in namespaces that are no longer managed: reported, and deleted when asked for. */
import { ApiError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { type KubeObject, objectLabel } from "../../domain/objects";
import { rbacFinding } from "../../domain/rbac/codes";
import { rbacKinds } from "../../domain/rbac/kinds";
import type { Permission } from "../../domain/permissions";
import { cutOff, type Stale } from "../../domain/rbac/stale";
import { roleRefOf } from "../../domain/rbac/subjects";
import type { RbacDeps } from "./deps";
import { ChangedError } from "../outcome";
import type { Writer } from "./writer";

/** One finding for each place with left-overs. */
export function staleFindings(all: readonly Stale[]): readonly Finding[] {
  const told = all.map((stale) => {
    const [binding] = stale.bindings;
    const object = binding === undefined ? "" : objectLabel(binding);
    if (stale.others.length === 0) return rbacFinding("stale", { object });
    const cause = `the binding is left, and is also for ${stale.others.join(", ")}`;
    return rbacFinding("staleShared", { object, cause });
  });
  const alone = rbacFinding("stale", {}).code;
  return [
    ...cutOff(told.filter(({ code }) => code === alone)),
    ...cutOff(told.filter(({ code }) => code !== alone)),
  ];
}

/** Those that --prune deletes. */
export function prunable(all: readonly Stale[]): readonly Stale[] {
  return all.filter(({ others }) => others.length === 0);
}

/** What deleting them needs. */
export function prunePermissions(all: readonly Stale[]): readonly Permission[] {
  return all.flatMap(({ namespace, role, bindings }) =>
    [...(role === undefined ? [] : [role]), ...bindings].map((object) => ({
      verb: "delete",
      group: "rbac.authorization.k8s.io",
      resource: `${object.kind.toLowerCase()}s`,
      ...(namespace !== undefined && { namespace }),
      ...(object.metadata.name !== undefined && { name: object.metadata.name }),
      why: "to delete what is left over (--prune)",
    })),
  );
}

/** Deletes one place's left-overs: the role first, so that a run cut off here finds the binding. */
export async function prune(
  deps: RbacDeps,
  writer: Writer,
  { namespace, role, bindings }: Stale,
): Promise<readonly Finding[]> {
  try {
    const why = "the namespace is not managed any more";
    if (role !== undefined && !(await usedByOthers(deps, role, bindings))) {
      await writer.delete(role, why, "create");
    }
    for (const binding of bindings) await writer.delete(binding, why, "create");
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof ChangedError)) throw error;
    const object = `Namespace/${namespace ?? ""}`;
    return [rbacFinding("refused", { object, cause: error.message })];
  }
}

async function usedByOthers(
  { cluster }: RbacDeps,
  role: KubeObject,
  ours: readonly KubeObject[],
): Promise<boolean> {
  const { namespace } = role.metadata;
  const resource = namespace === undefined ? rbacKinds.clusterRoleBinding : rbacKinds.roleBinding;
  const all = (await cluster.list(resource, namespace === undefined ? {} : { namespace })) ?? [];
  const reference = `${role.kind}/${role.metadata.name ?? ""}`;
  const names = ours.map(({ metadata }) => metadata.name);
  return all.some(
    (binding) => roleRefOf(binding) === reference && !names.includes(binding.metadata.name),
  );
}
