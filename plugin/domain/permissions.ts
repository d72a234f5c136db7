/** Permissions as access reviews ask for them, and the Roles that grant them. */
import type { Resource } from "./objects";
import type { Json } from "./values";

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

/** One line for a missing permission. */
export function permissionLine(permission: Permission): string {
  const group = permission.group === "" ? "" : `.${permission.group}`;
  const name = permission.name === undefined ? "" : ` "${permission.name}"`;
  const where = permission.namespace === undefined ? "" : ` in namespace ${permission.namespace}`;
  return `${permission.verb} ${permission.resource}${group}${name}${where}`;
}

/**
 * The ClusterRole, Roles and bindings that would grant the permissions; `subject` is the user as
 * the API server names it, a placeholder where it is not known.
 */
export function rolesFor(permissions: readonly Permission[], subject: string): readonly Json[] {
  const scopes = [...new Set(permissions.map((permission) => permission.namespace))];
  return scopes.flatMap((namespace) => {
    const rules = rulesOf(permissions.filter((item) => item.namespace === namespace));
    const metadata = { name: "kubectl-engine", ...(namespace !== undefined && { namespace }) };
    const kind = namespace === undefined ? "ClusterRole" : "Role";
    const apiVersion = "rbac.authorization.k8s.io/v1";
    return [
      { apiVersion, kind, metadata, rules },
      {
        apiVersion,
        kind: `${kind}Binding`,
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: "kubectl-engine" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: subject }],
      },
    ];
  });
}

function rulesOf(permissions: readonly Permission[]): readonly Json[] {
  const targets = new Map<string, readonly Permission[]>();
  for (const permission of permissions) {
    const key = targetKey(permission);
    targets.set(key, [...(targets.get(key) ?? []), permission]);
  }
  return [...targets.values()].map((same) => {
    const names = same.flatMap(({ name }) => (name === undefined ? [] : [name]));
    return {
      apiGroups: [...new Set(same.map(({ group }) => group))],
      resources: [...new Set(same.map(({ resource }) => resource))],
      // create and list cannot be limited to a name
      ...(names.length > 0 && { resourceNames: [...new Set(names)] }),
      verbs: [...new Set(same.map(({ verb }) => verb))].sort(),
    };
  });
}

function targetKey({ group, resource, name }: Permission): string {
  return [group, resource, name ?? ""].join("|");
}
