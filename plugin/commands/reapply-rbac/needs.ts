/** What `reapply-rbac` needs. */
import { factSources } from "../../domain/facts/facts";
import { kinds, kindsIn, rbacKinds, type RolePair } from "../../domain/kube/kinds";
import type { Resource } from "../../domain/kube/objects";
import { type Permission, permissionOn, reviewPermission } from "../../domain/kube/permissions";
import { nameSecond } from "../../domain/rbac/site";
import { groundNeeds, leftMarkNeeds, type Needs, type NeedsPlace } from "../../domain/facts/needs";
import { applyNeeds } from "../../domain/kube/write-needs";

/** The words of the command. */
export const rbacCommand = "reapply-rbac";

/** More namespaces than these are asked for by one ClusterRole. */
export const fewNamespaces = 3;

/** What an access review is asked for. */
export const rbacProof = "to prove the access (or go without proof: --no-probe)";

/** What `reapply-rbac` is told, and what is known by now. */
export interface RbacWish extends NeedsPlace {
  readonly namespace: string;
  /** The managed namespaces; undefined while they are not known. */
  readonly managed: readonly string[] | undefined;
  /** The cluster-wide pair of label mode is written; undefined while that is not known. */
  readonly label?: boolean | undefined;
  /** Names of the ClusterRoles of persons that give the access, and are written. */
  readonly shared?: readonly string[] | undefined;
  /** The accounts of the clusters are to be found. */
  readonly accounts: boolean;
  /** Namespaces are chosen by it. */
  readonly selector?: string | undefined;
  /** What is left over is deleted. */
  readonly prune: boolean;
  /** The access is proven. */
  readonly prove: boolean;
}

/** Roles and bindings of the managed namespaces. */
export function rbacNeeds(wish: RbacWish): Needs {
  const { names, namespace, accounts, selector } = wish;
  const told = "to see which namespaces the operator is told to manage";
  const { deployment } = names.operator;
  const namespaces = permissionOn("list", kinds.namespace, {
    why: "to find the namespaces by label",
  });
  return {
    reads: [
      permissionOn("get", kinds.deployment, { why: told, namespace, name: deployment }),
      permissionOn("get", kinds.configMap, { why: told, namespace, name: names.configMap.name }),
      ...(accounts
        ? [
            permissionOn("list", factSources(names).ecs.resource, {
              why: "to see the clusters' service accounts",
              namespace,
            }),
          ]
        : []),
      ...(selector === undefined ? [] : [namespaces]),
    ],
    may: [
      namespaces,
      ...inventoryNeeds(wish),
      ...chooseScopes(wish.managed).flatMap((scope) => pairNeeds(wish, scope)),
      ...(wish.label === false ? [] : labelNeeds(wish)),
      ...boundRoleReads(chooseScopes(wish.managed)),
      ...(wish.shared ?? []).flatMap(sharedNeeds),
      ...(wish.prune ? pruneNeeds(wish) : []),
      ...(wish.prove ? [reviewPermission(rbacProof)] : []),
    ],
    beside: [...labelReads(wish), ...groundNeeds(wish), ...leftMarkNeeds()],
  };
}

/** The role of a person's binding: it is known once the binding is read. */
function boundRoleReads(scopes: readonly (string | undefined)[]): readonly Permission[] {
  const why = "to read the role that a binding is for";
  return [
    permissionOn("get", rbacKinds.clusterRole, { why }),
    ...scopes.map((namespace) => permissionOn("get", rbacKinds.role, { why, namespace })),
  ];
}

/** Never asked for without its name: who may write and bind any ClusterRole is an administrator. */
function sharedNeeds(name: string): readonly Permission[] {
  const resource = rbacKinds.clusterRole;
  return applyNeeds({ resource, name }, "to bring roles and bindings up to date");
}

/** Undefined is the whole cluster. */
function chooseScopes(managed: readonly string[] | undefined): readonly (string | undefined)[] {
  return managed === undefined || managed.length > fewNamespaces ? [undefined] : managed;
}

/** What is there, found with one request for each name. */
export function inventoryNeeds({ names }: Pick<NeedsPlace, "names">): readonly Permission[] {
  const why = "to find what exists with one request";
  const { consumerRole, consumerBinding } = names.rbac;
  const bindings = [consumerBinding, nameSecond(consumerBinding, names)];
  return [
    permissionOn("list", rbacKinds.role, { why, name: consumerRole }),
    ...bindings.map((name) => permissionOn("list", rbacKinds.roleBinding, { why, name })),
  ];
}

/** The pair of label mode, as it is read. */
export function labelReads({ names }: Pick<NeedsPlace, "names">): readonly Permission[] {
  const why = "to see what exists";
  const { labelRole, labelBinding } = names.rbac;
  return [
    permissionOn("get", rbacKinds.clusterRole, { why, name: labelRole }),
    permissionOn("get", rbacKinds.clusterRoleBinding, { why, name: labelBinding }),
  ];
}

/** Role and binding in a namespace. */
function pairNeeds({ names }: RbacWish, namespace: string | undefined): readonly Permission[] {
  const { consumerRole: role, consumerBinding: binding } = names.rbac;
  const kinds = { role: rbacKinds.role, binding: rbacKinds.roleBinding };
  return writing({ role, binding }, { kinds, names, namespace });
}

/** The cluster-wide pair of label mode. */
function labelNeeds({ names }: RbacWish): readonly Permission[] {
  const { labelRole: role, labelBinding: binding } = names.rbac;
  return writing({ role, binding }, { kinds: kindsIn(undefined), names });
}

/** Leftovers are wherever nothing is managed any more. */
function pruneNeeds({ names: { rbac } }: RbacWish): readonly Permission[] {
  const why = "to delete what is left over (--prune)";
  const { role, roleBinding, clusterRole, clusterRoleBinding } = rbacKinds;
  const left = [
    { kind: role, name: rbac.consumerRole },
    { kind: roleBinding, name: rbac.consumerBinding },
    { kind: clusterRole, name: rbac.labelRole },
    { kind: clusterRoleBinding, name: rbac.labelBinding },
  ];
  return [
    ...left.map(({ kind, name }) => permissionOn("delete", kind, { why, name })),
    // a role that others use too is left to them
    ...[roleBinding, clusterRoleBinding].map((kind) => permissionOn("list", kind, { why })),
  ];
}

interface Written {
  readonly kinds: RolePair<Resource>;
  readonly names: NeedsPlace["names"];
  readonly namespace?: string | undefined;
}

/** A role and its bindings, which are replaced where they are for another one. */
function writing(
  { role, binding }: RolePair<string>,
  { kinds, names, namespace }: Written,
): readonly Permission[] {
  const why = "to bring roles and bindings up to date";
  const binds = permissionOn("bind", kinds.role, {
    why: "to bind a role that gives more than its writer has",
    namespace,
    name: role,
  });
  return [
    permissionOn("get", kinds.role, { why, namespace, name: role }),
    ...applyNeeds({ resource: kinds.role, name: role, namespace }, why),
    ...[binding, nameSecond(binding, names)].flatMap((name) => [
      ...["get", "delete"].map((verb) =>
        permissionOn(verb, kinds.binding, { why, namespace, name }),
      ),
      ...applyNeeds({ resource: kinds.binding, name, namespace, binds }, why),
    ]),
  ];
}
