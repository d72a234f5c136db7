/** Reading a kind that Kubernetes has itself: what comes back has the types of that kind. */
import type { KnownResource } from "../domain/kube/kinds";
import type { BuiltInKind, Typed } from "../domain/kube/models";
import { asKind, ofKind } from "../domain/kube/typed";
import type { KubeClient, ListOptions, Ref } from "./kubernetes";

/** As `list` of the port. */
export async function listTyped<Kind extends BuiltInKind>(
  cluster: Pick<KubeClient, "list">,
  resource: KnownResource<Kind>,
  options: ListOptions,
): Promise<readonly Typed<Kind>[] | undefined> {
  const found = await cluster.list(resource, options);
  return found && ofKind(found, resource.kind);
}

/** As `get` of the port. */
export async function getTyped<Kind extends BuiltInKind>(
  cluster: Pick<KubeClient, "get">,
  ref: Ref & { readonly resource: KnownResource<Kind> },
  options?: Parameters<KubeClient["get"]>[1],
): Promise<Typed<Kind> | undefined> {
  return asKind(await cluster.get(ref, options), ref.resource.kind);
}
