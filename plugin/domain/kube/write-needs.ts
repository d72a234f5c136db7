/** What an apply takes, that of a role or a binding included. */
import { rbacKinds } from "./kinds";
import type { KubeObject, Resource } from "./objects";
import { type Permission, permissionOn } from "./permissions";
import { getOwn } from "../base/values";

const bindingKinds = [rbacKinds.roleBinding, rbacKinds.clusterRoleBinding];

/** An object that is written by an apply. */
interface Applied {
  readonly resource: Resource;
  readonly name: string | undefined;
  readonly namespace?: string | undefined;
  /** The role that a binding is for. */
  readonly binds?: Permission | undefined;
}

/** A role gives what its writer may not have: it takes `escalate` on it to write it, and `bind` to bind it. */
export function applyNeeds(
  { resource, name, namespace, binds }: Applied,
  why: string,
): readonly Permission[] {
  const on = (verb: string, says = why): Permission =>
    permissionOn(verb, resource, { why: says, namespace, name });
  const isRole = [rbacKinds.role, rbacKinds.clusterRole].some(
    ({ plural }) => plural === resource.plural,
  );
  return [
    on("patch"),
    // what is created by an apply cannot be limited to a name
    permissionOn("create", resource, { why, namespace }),
    ...(isRole ? [on("escalate", "to write a role that gives more than its writer has")] : []),
    ...(binds === undefined ? [] : [binds]),
  ];
}

/** The right to bind the role of a binding; undefined for any other object. */
export function needBind(object: KubeObject): Permission | undefined {
  const isBinding = bindingKinds.some(({ kind }) => kind === object.kind);
  return isBinding ? bindNeed(object) : undefined;
}

/** The right to bind the role of a binding. */
export function bindNeed(binding: KubeObject): Permission {
  const why = "to write a binding of it";
  const roleRef = getOwn(binding, "roleRef");
  const { role, clusterRole } = rbacKinds;
  const kind = getOwn(roleRef, "kind") === "Role" ? role : clusterRole;
  const { namespace } = binding.metadata;
  return permissionOn("bind", kind, { why, name: String(getOwn(roleRef, "name")), namespace });
}
