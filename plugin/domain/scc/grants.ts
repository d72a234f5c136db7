/** Which bindings let their subjects `use` a constraint, and how much else their role gives. */
import { type Facts, factNamed } from "../facts/facts";
import { rbacKinds, constraintResource } from "../kube/kinds";
import { listGroups, listSubjects, readServiceAccount } from "../kube/role-rules";
import type {
  ClusterRole,
  ClusterRoleBinding,
  Pod,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from "../kube/models";
import { type KubeObject, objectLabel, type Ref, refTo } from "../kube/objects";
import { getPath, asArray, getOwn, asString } from "../base/values";
import type { Names } from "../names/names";

/** Roles and bindings, cluster-wide and namespaced. */
export const accessResources = {
  clusterRoles: rbacKinds.clusterRole,
  clusterRoleBindings: rbacKinds.clusterRoleBinding,
  roles: rbacKinds.role,
  roleBindings: rbacKinds.roleBinding,
} as const;

/** The lists of these. */
export const accessKeys = ["clusterRoles", "clusterRoleBindings", "roles", "roleBindings"] as const;

/** The annotation in which a pod carries the constraint that it was admitted by. */
const constraintAnnotation = "openshift.io/scc";

/** The ClusterRole and the bindings that `oc adm policy add-scc-to-user` makes for a constraint. */
export function grantName(constraint: string): string {
  return `system:openshift:scc:${constraint}`;
}

/** How a constraint or a binding is addressed. */
export function accessRef(object: KubeObject): Ref {
  const resources = [constraintResource, ...Object.values(accessResources)];
  return refTo(resources.find(({ kind }) => kind === object.kind) ?? constraintResource, object);
}

/** A service account. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** The account of an EC: spec.serviceAccountName, else the EC's own name. */
export function readAccount(cluster: KubeObject, names: Names): Account {
  const { namespace = "", name = "" } = cluster.metadata;
  return { namespace, name: asString(getPath(cluster, names.ecFields.serviceAccountName)) ?? name };
}

/** The user name that the API server knows an account by. */
export function renderUser({ namespace, name }: Account): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The group of all accounts of a namespace. */
export function renderGroup(namespace: string): string {
  return `system:serviceaccounts:${namespace}`;
}

/** True for a binding's subject that is this one account, in either of its two spellings. */
export function isAccount(subject: Subject, account: Account): boolean {
  return listSubjects({ subjects: [subject] })
    .map(readServiceAccount)
    .some((one) => one?.namespace === account.namespace && one.name === account.name);
}

/** The group of a binding's subject that the account is in, undefined for any other subject. */
export function findGroup({ kind, name }: Subject, account: Account): string | undefined {
  if (kind !== "Group" || typeof name !== "string") return undefined;
  return listGroups(account).includes(name) ? name : undefined;
}

/** A binding's subject for people. */
export function subjectLabel({ kind, namespace, name }: Subject): string {
  return [kind, namespace, name].filter((part) => asString(part) !== undefined).join("/");
}

/** All roles and bindings of a cluster, as stored: aggregated rules are in the stored ones. */
export interface AccessObjects {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
}

/**
 * What a role that grants the constraint's use is: about the product's constraints `only`; it `names` the
 * constraint and gives more besides; `wide`: it reaches the constraint by a wildcard alone.
 */
export type Breadth = "only" | "names" | "wide";

/** A binding of either scope. */
export type Binding = ClusterRoleBinding | RoleBinding;

/** A binding whose role grants `use` on the constraint. */
export interface SccGrant {
  readonly binding: Binding;
  /** `ClusterRole/name` or `Role/namespace/name`. */
  readonly role: string;
  readonly breadth: Breadth;
}

/** Every binding, of any name, to any role with `use` on the constraint; `own`: the product's constraints. */
export function listGrants(
  access: AccessObjects,
  constraint: string,
  own: readonly string[] = [],
): readonly SccGrant[] {
  const breadths = new Map(
    [...access.clusterRoles, ...access.roles].map((role) => [
      objectLabel(role),
      measureBreadth(role, constraint, own),
    ]),
  );
  return listBindings(access).flatMap((binding) => {
    const role = labelRole(binding);
    const breadth = breadths.get(role);
    return breadth === undefined ? [] : [{ binding, role, breadth }];
  });
}

/** All bindings, the cluster-wide ones first. */
export function listBindings(access: AccessObjects): readonly Binding[] {
  return [...access.clusterRoleBindings, ...access.roleBindings];
}

/** The role that a binding refers to, as a label. */
export function labelRole(binding: Binding): string {
  const { roleRef } = binding;
  const name = roleRef?.name ?? "";
  return roleRef?.kind === "Role"
    ? `Role/${binding.metadata.namespace ?? ""}/${name}`
    : `ClusterRole/${name}`;
}

/** True where the account may use the constraint of this name, itself or as a member of a group. */
export function mayUse(facts: Facts, name: string, account: Account): boolean {
  const constraint = factNamed(facts, "constraints", { name });
  const known: readonly unknown[] = [renderUser(account), ...listGroups(account)];
  const direct = ["users", "groups"].flatMap((field) => asArray(getOwn(constraint, field)));
  return (
    direct.some((one) => known.includes(one)) ||
    listGrants(facts.objects, name).some(({ binding }) =>
      binding.subjects?.some(
        (subject) => isAccount(subject, account) || findGroup(subject, account) !== undefined,
      ),
    )
  );
}

function measureBreadth(
  role: ClusterRole | Role,
  constraint: string,
  own: readonly string[],
): Breadth | undefined {
  const rules = role.rules ?? [];
  const granting = rules.filter((rule) => grantsUse(rule, constraint));
  if (granting.length === 0) return undefined;
  if (rules.every((rule) => isWithin(rule, [constraint, ...own]))) return "only";
  return granting.some(({ resourceNames }) => (resourceNames ?? []).length > 0) ? "names" : "wide";
}

function grantsUse(rule: PolicyRule, constraint: string): boolean {
  const { group, plural } = constraintResource;
  const names = rule.resourceNames ?? [];
  return (
    holds(rule.verbs, "use") &&
    holds(rule.apiGroups, group) &&
    holds(rule.resources, plural) &&
    (names.length === 0 || names.includes(constraint))
  );
}

/** True for a rule that gives nothing on anything but these constraints. */
function isWithin(rule: PolicyRule, constraints: readonly string[]): boolean {
  const { group, plural } = constraintResource;
  const has = (words: PolicyRule["verbs"], isOther: (word: string) => boolean): boolean =>
    words?.some(isOther) === true;
  return (
    !has(rule.nonResourceURLs, () => true) &&
    !has(rule.apiGroups, (word) => word !== group) &&
    !has(rule.resources, (word) => word !== plural) &&
    has(rule.resourceNames, () => true) &&
    !has(rule.resourceNames, (name) => !constraints.includes(name))
  );
}

function holds(found: PolicyRule["verbs"], wanted: string): boolean {
  return found?.some((word) => word === wanted || word === "*") === true;
}

/** True for a pod that runs, or is about to, under the constraint. */
export function runsUnder(pod: Pod, constraint: string): boolean {
  return findConstraint(pod) === constraint;
}

/** The constraint that a pod runs under, undefined for one that has ended or names none. */
export function findConstraint({ metadata, status }: Pod): string | undefined {
  const ended = ["Succeeded", "Failed"].includes(String(status?.phase));
  return ended ? undefined : asString(metadata.annotations?.[constraintAnnotation]);
}

/** The priority by which a constraint wins over those that give less; undefined for one that has none. */
export function readPriority(constraint: KubeObject | undefined): number | undefined {
  const priority = getOwn(constraint, "priority");
  return typeof priority === "number" && priority > 0 ? priority : undefined;
}

/** The constraint that is meant: the one that was named, else that of today's releases. */
export function chooseConstraint(
  names: Names,
  { scc }: { readonly scc?: string | undefined },
): string {
  return scc ?? names.scc.current;
}
