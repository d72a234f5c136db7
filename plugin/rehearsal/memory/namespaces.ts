/** What the life of a namespace means for the objects in it. */
import type { StateView } from "../model";
import { kinds } from "../../domain/kinds";
import { notFound, qualified, refusal403 } from "./answers";
import type { WriteRequest } from "./request";

/** Nothing is created in a namespace that is absent or on its way out. */
export function requireNamespace(
  state: StateView,
  { definition, name, namespace }: WriteRequest,
): void {
  if (namespace === undefined) return;
  const found = state.get(kinds.namespace, namespace);
  if (found === undefined) throw notFound(kinds.namespace, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const what = qualified(definition.resource);
  throw refusal403(
    name === "" ? what : `${what} "${name}"`,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: "NamespaceTerminating",
        field: "metadata.namespace",
        message: `namespace ${namespace} is being terminated`,
      },
    ],
  );
}

const immortal = ["default", "kube-system", "kube-public"];

/** The namespaces that every cluster needs are not deleted. */
export function requireMortal({ definition, name }: WriteRequest): void {
  const { group, plural } = definition.resource;
  if (group !== "" || plural !== "namespaces" || !immortal.includes(name)) return;
  throw refusal403(`namespaces "${name}"`, "this namespace may not be deleted");
}
