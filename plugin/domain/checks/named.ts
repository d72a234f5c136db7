/** Name and namespace of an object as texts: what has none is called by an empty one. */
import type { KubeObject } from "../objects";

/** The name of an object. */
export function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? "";
}

/** The namespace of an object, empty for a cluster-scoped one. */
export function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? "";
}
