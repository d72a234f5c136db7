/** Finds roles and bindings that are left where this operator does not manage anything any more. */
import type { KubeObject } from "../../domain/objects";
import { rbacKinds } from "../../domain/rbac/kinds";
import type { Configured } from "../../domain/rbac/managed";
import { findStale, type Stale } from "../../domain/rbac/stale";
import { missingPermissions } from "../ledger";
import type { RbacDeps, RbacOptions } from "./deps";
import type { Inventory } from "./read";
import type { Targets } from "./targets";

/** What was read before. */
interface Known {
  readonly targets: Targets;
  readonly inventory: Inventory | undefined;
  readonly configured: Configured | undefined;
}

/** The left-overs of namespaces, and of label mode where the operator is not told a label any more. */
export async function readStale(
  deps: RbacDeps,
  options: RbacOptions,
  { targets, inventory, configured }: Known,
): Promise<readonly Stale[]> {
  const { kept } = targets;
  if (kept === undefined) return [];
  const facts = { kept, operatorNamespace: options.namespace, names: deps.names };
  const { roles = [], bindings = [] } = inventory ?? {};
  const wide = configured?.is === "label" ? undefined : await readWidePair(deps);
  return [
    ...findStale({ ...facts, roles, bindings }),
    ...(wide === undefined ? [] : findStale({ ...facts, ...wide })),
  ];
}

/** The pair of label mode; undefined where it may not be read. */
async function readWidePair({ cluster, names }: RbacDeps) {
  const { clusterRole, clusterRoleBinding } = rbacKinds;
  const may = await missingPermissions(
    cluster,
    [clusterRole, clusterRoleBinding].map(({ group, plural }) => {
      return { verb: "get", group, resource: plural, why: "" };
    }),
  );
  if (may.length > 0) return undefined;
  const [role, binding] = await Promise.all([
    cluster.get({ resource: clusterRole, name: names.rbac.labelRole }),
    cluster.get({ resource: clusterRoleBinding, name: names.rbac.labelBinding }),
  ]);
  return { roles: listed(role), bindings: listed(binding) };
}

function listed(object: KubeObject | undefined): readonly KubeObject[] {
  return object === undefined ? [] : [object];
}
