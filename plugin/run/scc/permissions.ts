/** Which permissions an unbinding needs (exit 4 when one is missing). */
import { accessResources, constraintResource, grantName, refOf } from "../../domain/scc/constraint";
import type { Account } from "../../domain/scc/account";
import type { Change, Unbinding } from "../../domain/scc/plan";
import { kinds } from "../../domain/kinds";
import type { KubeObject, Resource } from "../../domain/objects";
import type { Permission } from "../../domain/permissions";
import { own, text } from "../../domain/values";
import { constraintOf, type UnbindDeps, type UnbindOptions } from "./deps";
import { clusterResource, podResource } from "./read";
import { reviewPermission } from "../reviews";
import { type Place, placesOf } from "./reviews";

/** What is read in any case, the right to prove included. */
export async function readPermissions(
  deps: UnbindDeps,
  options: UnbindOptions,
): Promise<readonly Permission[]> {
  const { namespace } = options;
  const { names } = deps;
  const constraints =
    options.scc === undefined ? [names.scc.current, names.scc.older] : [options.scc];
  return [
    ...constraints.map((name) => ({
      ...ask("get", constraintResource, "to see who is in its users and groups"),
      name,
    })),
    ...Object.values(accessResources).map((resource) =>
      ask("list", resource, "to find every binding that grants the constraint"),
    ),
    ask("list", podResource, "to see which pods run under the constraint"),
    {
      ...ask(
        "list",
        clusterResource(names),
        "to find the service accounts and whether they need it",
      ),
      namespace,
    },
    { ...ask("get", kinds.deployment, "to see the operator's release"), namespace },
    ...((await deps.reviews.possible(namespace)) ? [] : [reviewPermission(toProve)]),
  ];
}

const toProve = "to prove who may use the constraint";

/** The right to ask where the plan's proof has to ask: nothing is taken away unproven. */
async function proofPermissions(
  { reviews }: UnbindDeps,
  places: readonly Place[],
): Promise<readonly Permission[]> {
  const namespaces = [...new Set(places.map(({ namespace }) => namespace))];
  const possible = await Promise.all(namespaces.map((each) => reviews.possible(each)));
  return namespaces
    .filter((_each, index) => possible[index] !== true)
    .map((each) => reviewPermission(toProve, each));
}

/** What the plan writes, its way back and its proof included. */
export async function writePermissions(
  deps: UnbindDeps,
  options: UnbindOptions,
  { plan, accounts }: { readonly plan: Unbinding; readonly accounts: readonly Account[] },
): Promise<readonly Permission[]> {
  const { changes, remove } = plan;
  const constraint = { ...ask("use", constraintResource, ""), name: constraintOf(deps, options) };
  const bindings = changes.filter(({ field }) => field === "subjects");
  // a binding may be written only by those who hold what it grants, or may bind its role
  const holds = bindings.length === 0 || (await deps.cluster.can(constraint));
  return [
    ...(await proofPermissions(deps, placesOf(accounts, plan))),
    ...changes.flatMap(changePermissions),
    ...(holds ? [] : bindings.map(({ object }) => bindPermission(object))),
    ...(remove === undefined
      ? []
      : [{ ...constraint, verb: "delete", why: "to delete the constraint when nobody is left" }]),
  ];
}

/** What a run without any plan would most likely write, for a refusal that comes before the plan. */
export function usualPermissions(deps: UnbindDeps, options: UnbindOptions): readonly Permission[] {
  const name = constraintOf(deps, options);
  const { clusterRoles, clusterRoleBindings, roleBindings } = accessResources;
  const why = "to take the account out of it";
  return [
    { ...ask("patch", constraintResource, why), name },
    { ...ask("delete", constraintResource, "to delete it when nobody is left"), name },
    { ...ask("bind", clusterRoles, "to write a binding of it"), name: grantName(name) },
    ...[clusterRoleBindings, roleBindings].flatMap((resource) =>
      ["patch", "delete", "create"].map((verb) => ask(verb, resource, why)),
    ),
  ];
}

function changePermissions({ object, deletes }: Change): readonly Permission[] {
  const { resource, name, namespace } = refOf(object);
  const on = (verb: string, why: string): Permission => ({
    ...ask(verb, resource, why),
    ...(namespace !== undefined && { namespace }),
  });
  if (!deletes) return [{ ...on("patch", "to take the account out of it"), name }];
  return [
    { ...on("delete", "to delete a binding of nobody else"), name },
    on("create", "to put it back if the proof fails"),
  ];
}

function bindPermission(binding: KubeObject): Permission {
  const roleRef = own(binding, "roleRef");
  const { clusterRoles, roles } = accessResources;
  const namespaced = own(roleRef, "kind") === "Role";
  const { namespace } = binding.metadata;
  return {
    ...ask("bind", namespaced ? roles : clusterRoles, "to write a binding of it"),
    name: text(own(roleRef, "name")) ?? "",
    ...(namespace !== undefined && { namespace }),
  };
}

function ask(verb: string, { group, plural }: Resource, why: string): Permission {
  return { verb, group, resource: plural, why };
}
