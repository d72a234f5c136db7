/** What looking at an EC, and writing it, takes. */
import { type FactKey, factSources } from "../facts/facts";
import { renderTerm } from "../names/names";
import { type Permission, permissionOn } from "../kube/permissions";
import { needList, type OperatorPlace } from "../facts/needs";

/** Whose rollout is looked at. */
export interface ClusterPlace extends OperatorPlace {
  /** The cluster; undefined while it is not known. */
  readonly name: string | undefined;
}

/** The cluster itself, and the lists of these kinds; `why` knows which are in its namespace alone. */
export function clusterLook(
  place: ClusterPlace,
  { keys, why }: { readonly keys: readonly FactKey[]; readonly why: (own: boolean) => string },
): readonly Permission[] {
  const { names, namespace, name } = place;
  const { resource: ecs } = factSources(names).ecs;
  const asked = `to see what the ${renderTerm(names.ec)} asks for and what state it is in`;
  const unsure = "to see whether a write without an answer was done";
  return [
    permissionOn("list", ecs, { why: asked, namespace }),
    permissionOn("get", ecs, { why: unsure, namespace, name }),
    ...keys.map((key) => {
      const { own = false } = factSources(names)[key];
      return needList(key, place, why(own));
    }),
  ];
}

/** The right to write a cluster. */
export function clusterWrite({ names, namespace, name }: ClusterPlace, why: string): Permission {
  return permissionOn("patch", factSources(names).ecs.resource, { why, namespace, name });
}
