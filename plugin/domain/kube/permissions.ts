/** Permissions as access reviews ask for them, and the Roles that grant them. */
import { reviewKinds } from "./kinds";
import type { Resource } from "./objects";
import { groupBy, type Json } from "../base/values";

/** A permission as an access review asks for it. */
export interface Permission {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  /** What it is needed for, shown beside it. */
  readonly why: string;
}

/** A permission on a kind: everywhere, in a namespace, or on one object. */
export function permissionOn(
  verb: string,
  { group, plural: resource }: Pick<Resource, "group" | "plural">,
  at: Pick<Permission, "namespace" | "name" | "why">,
): Permission {
  return { verb, group, resource, ...at };
}

/** The right to ask about everybody everywhere, or in one namespace. */
export function reviewPermission(why: string, namespace?: string): Permission {
  const kind = namespace === undefined ? reviewKinds.wide : reviewKinds.local;
  return permissionOn("create", kind, { why, namespace });
}

/** One line for a missing permission. */
export function permissionLine(permission: Permission): string {
  const group = permission.group === "" ? "" : `.${permission.group}`;
  const name = permission.name === undefined ? "" : ` "${permission.name}"`;
  const where = permission.namespace === undefined ? "" : ` in namespace ${permission.namespace}`;
  return `${permission.verb} ${permission.resource}${group}${name}${where}`;
}

/** What the Roles are called, and whom they are bound to. */
export interface RoleWish {
  readonly name: string;
  /** The user as the API server names it, a placeholder where it is not known. */
  readonly subject: string;
}

/** The ClusterRole, Roles and bindings that would grant the permissions. */
export function buildRoles(
  permissions: readonly Permission[],
  { name, subject }: RoleWish,
): readonly Json[] {
  const scopes = [...new Set(permissions.map((permission) => permission.namespace))];
  return scopes.flatMap((namespace) => {
    const rules = buildRules(permissions.filter((item) => item.namespace === namespace));
    const metadata = { name, ...(namespace !== undefined && { namespace }) };
    const kind = namespace === undefined ? "ClusterRole" : "Role";
    const apiVersion = "rbac.authorization.k8s.io/v1";
    return [
      { apiVersion, kind, metadata, rules },
      {
        apiVersion,
        kind: `${kind}Binding`,
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: subject }],
      },
    ];
  });
}

/** Each once, without those that another one includes; in an order that depends on nothing else. */
export function narrowPermissions(permissions: readonly Permission[]): readonly Permission[] {
  const known = new Map(permissions.map((one) => [permissionLine(one), one]));
  const wider = ({ namespace, name, ...one }: Permission): readonly string[] =>
    [{ ...one, namespace }, { ...one, name }, { ...one }].map(permissionLine);
  return [...known]
    .filter(([line, one]) => wider(one).every((other) => other === line || !known.has(other)))
    .sort(([line], [other]) => (line < other ? -1 : 1))
    .map(([, one]) => one);
}

/** One rule for the verbs of kinds, and one for those of named objects of a kind. */
function buildRules(permissions: readonly Permission[]): readonly Json[] {
  const targets = groupBy(permissions, ({ group, resource, name }) =>
    [group, resource, name ?? ""].join("|"),
  );
  const rules = [...targets.values()].map((same) => ({
    same,
    verbs: [...new Set(same.map(({ verb }) => verb))].sort(),
  }));
  // kinds share a rule but where it names objects: each name would be one of every kind
  const alike = groupBy(rules, ({ same: [first], verbs }) =>
    [first?.group, first?.name === undefined ? "" : first.resource, verbs].join("|"),
  );
  return [...alike.values()].map((list) => {
    const same = list.flatMap((one) => one.same);
    const names = same.flatMap(({ name }) => (name === undefined ? [] : [name]));
    return {
      apiGroups: [...new Set(same.map(({ group }) => group))],
      resources: [...new Set(same.map(({ resource }) => resource))],
      // create and list cannot be limited to a name
      ...(names.length > 0 && { resourceNames: [...new Set(names)] }),
      verbs: [...new Set(list.flatMap(({ verbs }) => verbs))],
    };
  });
}
