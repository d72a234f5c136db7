/** Which permissions an unbinding needs (exit 4 when one is missing). */
import { factSources } from "../../domain/facts";
import { kinds } from "../../domain/kinds";
import type { KubeObject, Resource } from "../../domain/objects";
import type { Permission } from "../../domain/permissions";
import { accessResources, constraintResource, grantName } from "../../domain/scc/grants";
import { own, text } from "../../domain/values";
import { type Delete, type Patch, permissionsOf } from "../engine/change";
import { recreated } from "../engine/inverse";
import { reviewPermission } from "../reviews";
import type { UnbindPlan } from "./plan";
import { constraintOf, type UnbindDeps, type UnbindOptions } from "./read";
import { placesOf } from "./reviews";

const toProve = "to prove who may use the constraint";

/** What is read in any case, the right to prove included. */
export async function readPermissions(
  { names, reviews }: UnbindDeps,
  { namespace, scc }: UnbindOptions,
): Promise<readonly Permission[]> {
  const { ecs, pods } = factSources(names);
  const constraints = scc === undefined ? [names.scc.current, names.scc.older] : [scc];
  return [
    ...constraints.map((name) => ({
      ...ask("get", constraintResource, "to see who is in its users and groups"),
      name,
    })),
    ...Object.values(accessResources).map((resource) =>
      ask("list", resource, "to find every binding that grants the constraint"),
    ),
    ask("list", pods.resource, "to see which pods run under the constraint"),
    {
      ...ask("list", ecs.resource, "to find the service accounts and whether they need it"),
      namespace,
    },
    { ...ask("get", kinds.deployment, "to see the operator's release"), namespace },
    ...((await reviews.possible(namespace)) ? [] : [reviewPermission(toProve)]),
  ];
}

/** What a run without any plan would most likely write, for a refusal that comes before the plan. */
export function usualPermissions(
  { names }: UnbindDeps,
  options: UnbindOptions,
): readonly Permission[] {
  const name = constraintOf(names, options);
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

/** What the plan writes, its way back and its proof included. */
export async function writePermissions(
  { cluster, reviews }: UnbindDeps,
  plan: UnbindPlan,
): Promise<readonly Permission[]> {
  const { constraint: name, changes, afterProof } = plan;
  const namespaces = [...new Set(placesOf(plan).map(({ namespace }) => namespace))];
  const isPossible = await Promise.all(namespaces.map((each) => reviews.possible(each)));
  const bindings = changes.filter(({ object }) => object.kind !== constraintResource.kind);
  // a binding may be written only by those who hold what it grants, or may bind its role
  const holds =
    bindings.length === 0 || (await cluster.can({ ...ask("use", constraintResource, ""), name }));
  return [
    // nothing is taken away unproven
    ...namespaces
      .filter((_each, index) => isPossible[index] !== true)
      .map((each) => reviewPermission(toProve, each)),
    ...changes.flatMap(changePermissions),
    ...(holds ? [] : bindings.map(({ object }) => bindPermission(object))),
    ...afterProof.flatMap(permissionsOf),
  ];
}

function changePermissions(change: Patch | Delete): readonly Permission[] {
  if (change.verb === "patch") return permissionsOf(change);
  const back = { ...recreated(change), needs: "to put it back if the proof fails" };
  return [change, back].flatMap(permissionsOf);
}

function bindPermission(binding: KubeObject): Permission {
  const roleRef = own(binding, "roleRef");
  const { clusterRoles, roles } = accessResources;
  const { namespace } = binding.metadata;
  return {
    ...ask(
      "bind",
      own(roleRef, "kind") === "Role" ? roles : clusterRoles,
      "to write a binding of it",
    ),
    name: text(own(roleRef, "name")) ?? "",
    ...(namespace !== undefined && { namespace }),
  };
}

function ask(verb: string, { group, plural }: Resource, why: string): Permission {
  return { verb, group, resource: plural, why };
}
