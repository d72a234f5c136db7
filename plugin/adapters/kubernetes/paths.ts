/** Addresses of the Kubernetes API. */
import { UsageError } from "../../domain/errors";
import type { KubeObject, Ref, Resource } from "../../domain/objects";
import { isObject, getOwn } from "../../domain/values";

/** The path of a group and version; group "" is the core group. */
export function versionPath(group: string, version: string): string {
  return group === "" ? `/api/${segment(version)}` : `/apis/${segment(group)}/${segment(version)}`;
}

/** The path of all objects of a kind, in one namespace or in all. */
export function collectionPath(resource: Resource, namespace: string | undefined): string {
  const within = namespace === undefined ? "" : `/namespaces/${segment(namespace)}`;
  return `${versionPath(resource.group, resource.version)}${within}/${segment(resource.plural)}`;
}

/** The path of one object. */
export function objectPath({ resource, name, namespace }: Ref): string {
  return `${collectionPath(resource, namespace)}/${segment(name)}`;
}

/** `secrets/x in namespace y`, for messages. */
export function nameOf({ resource, name, namespace }: Ref): string {
  return `${resource.plural}/${name}${namespace === undefined ? "" : ` in namespace ${namespace}`}`;
}

/** An empty segment would turn one object into all of them, and dots lead elsewhere. */
function segment(name: string): string {
  if (name === "" || name === "." || name === ".." || name.includes("/")) {
    throw new UsageError(`"${name}" is not a name in the Kubernetes API`);
  }
  return encodeURIComponent(name);
}

/** Whether a value says what it is, as every object of the API does. */
export function isKubeObject(value: unknown): value is KubeObject {
  const said = [getOwn(value, "apiVersion"), getOwn(value, "kind")];
  return said.every((word) => typeof word === "string") && isObject(getOwn(value, "metadata"));
}
