/** Which bindings let their subjects `use` a constraint, and how much else their role gives. */
import { type KubeObject, objectLabel } from "../objects";
import { list, own, text } from "../values";
import { constraintResource } from "./constraint";

/** All roles and bindings of a cluster, as stored: aggregated rules are in the stored ones. */
export interface AccessObjects {
  readonly clusterRoles: readonly KubeObject[];
  readonly clusterRoleBindings: readonly KubeObject[];
  readonly roles: readonly KubeObject[];
  readonly roleBindings: readonly KubeObject[];
}

/**
 * What a role that grants the constraint's use is: about this constraint `only`; it `names` the
 * constraint and gives more besides; `wide`: it reaches the constraint by a wildcard alone.
 */
export type Breadth = "only" | "names" | "wide";

/** A binding whose role grants `use` on the constraint. */
export interface Grant {
  readonly binding: KubeObject;
  /** `ClusterRole/name` or `Role/namespace/name`. */
  readonly role: string;
  readonly breadth: Breadth;
}

/** Every binding, of any name, to any role with `use` on the constraint. */
export function grantsOf(access: AccessObjects, constraint: string): readonly Grant[] {
  const breadths = new Map(
    [...access.clusterRoles, ...access.roles].map((role) => [
      objectLabel(role),
      breadthOf(role, constraint),
    ]),
  );
  return bindingsOf(access).flatMap((binding) => {
    const role = roleLabelOf(binding);
    const breadth = breadths.get(role);
    return breadth === undefined ? [] : [{ binding, role, breadth }];
  });
}

/** All bindings, the cluster-wide ones first. */
export function bindingsOf(access: AccessObjects): readonly KubeObject[] {
  return [...access.clusterRoleBindings, ...access.roleBindings];
}

/** The role that a binding refers to, as a label. */
export function roleLabelOf(binding: KubeObject): string {
  const roleRef = own(binding, "roleRef");
  const name = text(own(roleRef, "name")) ?? "";
  const namespaced = own(roleRef, "kind") === "Role";
  return namespaced ? `Role/${binding.metadata.namespace ?? ""}/${name}` : `ClusterRole/${name}`;
}

function breadthOf(role: KubeObject, constraint: string): Breadth | undefined {
  const rules = list(own(role, "rules"));
  const granting = rules.filter((rule) => grantsUse(rule, constraint));
  if (granting.length === 0) return undefined;
  if (rules.every((rule) => isWithin(rule, constraint))) return "only";
  return granting.some((rule) => words(rule, "resourceNames").length > 0) ? "names" : "wide";
}

function grantsUse(rule: unknown, constraint: string): boolean {
  const { group, plural } = constraintResource;
  const names = words(rule, "resourceNames");
  return (
    holds(words(rule, "verbs"), "use") &&
    holds(words(rule, "apiGroups"), group) &&
    holds(words(rule, "resources"), plural) &&
    (names.length === 0 || names.includes(constraint))
  );
}

/** True for a rule that gives nothing on anything but this constraint. */
function isWithin(rule: unknown, constraint: string): boolean {
  const { group, plural } = constraintResource;
  const names = words(rule, "resourceNames");
  return (
    words(rule, "nonResourceURLs").length === 0 &&
    words(rule, "apiGroups").every((word) => word === group) &&
    words(rule, "resources").every((word) => word === plural) &&
    names.length > 0 &&
    names.every((name) => name === constraint)
  );
}

function holds(found: readonly unknown[], wanted: string): boolean {
  return found.includes(wanted) || found.includes("*");
}

function words(rule: unknown, key: string): readonly unknown[] {
  return list(own(rule, key));
}
