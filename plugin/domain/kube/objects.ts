/** Kubernetes objects: their shapes, how they are addressed, and what identifies one. */
import { asString, getOwn, isObject, type Json } from "../base/values";

/** A kind as it is addressed in a URL: group "" is the core group. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

/** A kind as discovery tells it. */
export interface ServedResource extends Resource {
  /** Whether its objects live in namespaces; absent: not known. */
  readonly namespaced?: boolean;
}

/** One object; `namespace` absent for a cluster-scoped kind. */
export interface Ref {
  readonly resource: Resource;
  readonly name: string;
  readonly namespace?: string;
}

export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly ManagedFields[];
  readonly ownerReferences?: readonly Json[];
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly [key: string]: unknown;
}

export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Json;
  readonly [key: string]: unknown;
}

/** A Kubernetes object as read or as it is to be sent. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [key: string]: unknown;
}

/** Whether a value says what it is, as every object of the API does. */
export function isKubeObject(value: unknown): value is KubeObject {
  const said = [getOwn(value, "apiVersion"), getOwn(value, "kind")];
  return said.every((word) => typeof word === "string") && isObject(getOwn(value, "metadata"));
}

/** The group of an apiVersion, empty for the core's, and the version in it. */
export function splitApiVersion(apiVersion: string): Pick<Resource, "group" | "version"> {
  const slash = apiVersion.indexOf("/");
  return { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1) };
}

/** The annotation in which kubectl keeps the file that it applied last. */
export const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** An object as reports name it: kind, namespace where it has one, and name. */
export function objectLabel({ kind, metadata }: KubeObject): string {
  const { namespace, name = "" } = metadata;
  return (namespace === undefined ? [kind, name] : [kind, namespace, name]).join("/");
}

/** The spelling of an annotation's key that the object has, the first of those that are there. */
export function annotationKey(
  object: KubeObject | undefined,
  spellings: readonly string[],
): string | undefined {
  return spellings.find((key) => asString(getOwn(object?.metadata.annotations, key)) !== undefined);
}

/** What that annotation says. */
export function readAnnotation(
  object: KubeObject | undefined,
  spellings: readonly string[],
): string | undefined {
  const key = annotationKey(object, spellings);
  return key === undefined ? undefined : asString(getOwn(object?.metadata.annotations, key));
}

/** The name of an object. */
export function readName({ metadata }: KubeObject): string {
  return metadata.name ?? "";
}

/** The namespace of an object, empty for a cluster-scoped one. */
export function readNamespace({ metadata }: KubeObject): string {
  return metadata.namespace ?? "";
}

/** Where an object of a resource is. */
export function refTo(resource: Resource, { metadata }: KubeObject): Ref {
  const { name = "", namespace } = metadata;
  return { resource, name, ...(namespace !== undefined && { namespace }) };
}

/** The identity of an object as read: a write bound to it reaches no other object, no later state. */
export function readPreconditions({ metadata }: KubeObject): {
  readonly uid?: string;
  readonly resourceVersion?: string;
} {
  const { uid, resourceVersion } = metadata;
  return {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
