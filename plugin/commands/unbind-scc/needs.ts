/** What `unbind-scc` needs. */
import { factSources } from "../../domain/facts/facts";
import { kinds, constraintResource } from "../../domain/kube/kinds";
import { type Permission, permissionOn, reviewPermission } from "../../domain/kube/permissions";
import { accessResources, grantName, chooseConstraint } from "../../domain/scc/grants";
import { groundNeeds, leftMarkNeeds, type Needs, type NeedsPlace } from "../../domain/facts/needs";
import { bindNeed } from "../../domain/kube/write-needs";
import { type Delete, listPermissions, type Patch, recreateObject } from "../../domain/kube/change";
import { listPlaces, type UnbindPlan } from "./plan";
import type { UnbindDeps } from "./read";

/** What an access review is asked for. */
export const sccProof = "to prove who may use the constraint";

/** What `unbind-scc` is told. */
interface UnbindWish extends NeedsPlace {
  readonly namespace: string;
  /** The constraint to unbind. */
  readonly scc: string | undefined;
}

/** The constraint, and whatever grants it. */
export function unbindNeeds(wish: UnbindWish): Needs {
  const { names, namespace, scc } = wish;
  const { ecs, pods } = factSources(names);
  const name = chooseConstraint(names, wish);
  const constraints = scc === undefined ? [name, names.scc.older] : [scc];
  const { clusterRoles, clusterRoleBindings, roleBindings } = accessResources;
  const { deployment } = names.operator;
  const why = "to take the account out of it";
  return {
    reads: [
      ...constraints.map((one) =>
        permissionOn("get", constraintResource, {
          why: "to see who is in its users and groups",
          name: one,
        }),
      ),
      ...Object.values(accessResources).map((resource) =>
        permissionOn("list", resource, { why: "to find every binding that grants the constraint" }),
      ),
      permissionOn("list", pods.resource, { why: "to see which pods run under the constraint" }),
      permissionOn("list", ecs.resource, {
        why: "to find the service accounts and whether they need it",
        namespace,
      }),
      permissionOn("list", kinds.statefulSet, {
        why: "to see what their pods are made with",
        namespace,
      }),
      permissionOn("get", kinds.deployment, {
        why: "to see the operator's release",
        namespace,
        name: deployment,
      }),
    ],
    may: [
      reviewPermission(sccProof),
      permissionOn("patch", constraintResource, { why, name }),
      permissionOn("delete", constraintResource, { why: "to delete it when nobody is left", name }),
      permissionOn("bind", clusterRoles, {
        why: "to write a binding of it",
        name: grantName(name),
      }),
      ...[clusterRoleBindings, roleBindings].flatMap((resource) =>
        ["get", "patch", "delete", "create"].map((verb) => permissionOn(verb, resource, { why })),
      ),
    ],
    beside: [...groundNeeds(wish), ...leftMarkNeeds()],
  };
}

/** What the plan writes, its way back and its proof included. */
export async function listWritePermissions(
  { cluster, reviews }: UnbindDeps,
  plan: UnbindPlan,
): Promise<readonly Permission[]> {
  const { constraint: name, changes, afterProof } = plan;
  const namespaces = [...new Set(listPlaces(plan).map(({ namespace }) => namespace))];
  const isPossible = await Promise.all(namespaces.map((each) => reviews.possible(each)));
  const bindings = changes.filter(({ object }) => object.kind !== constraintResource.kind);
  // a binding may be written only by those who hold what it grants, or may bind its role
  const holds =
    bindings.length === 0 ||
    (await cluster.can({ ...permissionOn("use", constraintResource, { why: "" }), name }));
  return [
    // nothing is removed unproven
    ...namespaces
      .filter((_each, index) => isPossible[index] !== true)
      .map((each) => reviewPermission(sccProof, each)),
    ...changes.flatMap(changePermissions),
    ...(holds ? [] : bindings.map(({ object }) => bindNeed(object))),
    ...afterProof.flatMap(listPermissions),
  ];
}

function changePermissions(change: Patch | Delete): readonly Permission[] {
  if (change.verb === "patch") return listPermissions(change);
  const back = { ...recreateObject(change), needs: "to put it back if the proof fails" };
  return [change, back].flatMap(listPermissions);
}
