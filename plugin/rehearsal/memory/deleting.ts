/** Deletions: preconditions, finalizers, and what goes with a definition. */
import type { KubeObject } from "../../domain/objects";
import { asArray } from "../../domain/values";
import type { Preconditions } from "../../run/ports";
import { conflict, notFound, pluralOf, qualifiedKind } from "./answers";
import { judge, keyOf, type Plane, requireMortal, timestamp, type WriteRequest } from "./request";

/** Deletes an object, or marks it when a finalizer keeps it. */
export async function remove(
  plane: Plane,
  request: WriteRequest,
  preconditions: Preconditions,
): Promise<void> {
  const kind = pluralOf(request.definition);
  requireMortal(request);
  for (;;) {
    const before = plane.store.get(kind, request.name, request.namespace);
    if (before === undefined) throw notFound(kind, request.name);
    requireSame(before, preconditions, request);
    await judge(plane, request, { operation: "DELETE", object: undefined, before });
    if (request.options.dryRun === true) return;
    if (plane.store.get(kind, request.name, request.namespace) !== before) continue;
    take(plane, request, before);
    return;
  }
}

function take(plane: Plane, request: WriteRequest, before: KubeObject): void {
  const key = keyOf(request);
  if (!isKept(before)) plane.store.remove(key);
  else if (before.metadata.deletionTimestamp === undefined) {
    plane.store.put(key, marked(before, timestamp(plane.parts)));
  }
}

/** A finalizer keeps the object; namespaces have one in their spec. */
function isKept(object: KubeObject): boolean {
  return asArray(object.metadata["finalizers"]).length > 0 || isKeptNamespace(object);
}

function isKeptNamespace({ apiVersion, kind, spec }: KubeObject): boolean {
  if (apiVersion !== "v1" || kind !== "Namespace") return false;
  return asArray((spec as { finalizers?: unknown } | undefined)?.finalizers).length > 0;
}

function marked(object: KubeObject, time: string): KubeObject {
  const { metadata } = object;
  const { generation = 0 } = metadata;
  if (isKeptNamespace(object)) {
    const status = { ...(object["status"] as object), phase: "Terminating" };
    return { ...object, metadata: { ...metadata, deletionTimestamp: time }, status };
  }
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(generation > 0 && { generation: generation + 1 }),
      deletionTimestamp: time,
      deletionGracePeriodSeconds: 0,
    },
  };
}

function requireSame(
  { metadata }: KubeObject,
  { uid, resourceVersion }: Preconditions,
  { definition, name }: WriteRequest,
): void {
  const subject = qualifiedKind(definition.resource);
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      subject,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ""}). ` +
        "The object might have been deleted and then recreated",
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      subject,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ` +
        `ResourceVersion in record (${metadata.resourceVersion ?? ""}). The object might have been modified`,
    );
  }
}
