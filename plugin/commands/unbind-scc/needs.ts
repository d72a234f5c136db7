/** What `unbind-scc` needs. */
import { factSources } from "../../domain/facts/facts";
import { kinds, constraintResource } from "../../domain/kube/kinds";
import { permissionOn, reviewPermission } from "../../domain/kube/permissions";
import { accessResources, grantName } from "../../domain/scc/grants";
import { groundNeeds, leftMarkNeeds, type Needs, type NeedsPlace } from "../../domain/facts/needs";

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
  const name = scc ?? names.scc.current;
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
