/** What the tests of the kinds share: preparing an object, and the refusal of one. */
import { ApiError } from "../../../../plugin/domain/base/errors";
import type { Json } from "../../../../plugin/domain/base/values";
import { createRegistry } from "../../../../plugin/simulator/kinds/registry";
import type { PreparedWrite, Registry } from "../../../../plugin/simulator/model";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";

/** An object by its apiVersion, kind and fields; named `x`, in namespace `ns` when it has one. */
export function anObject(
  apiVersion: string,
  kind: string,
  { metadata, ...fields }: Json = {},
): KubeObject {
  const namespaced = createRegistry().byKind(apiVersion, kind)?.namespaced ?? true;
  const given = metadata as Json | undefined;
  return {
    apiVersion,
    kind,
    metadata: { name: "x", ...(namespaced && { namespace: "ns" }), ...given },
    ...fields,
  };
}

/** The object as it would be stored, and the warnings. */
export function prepared(
  object: KubeObject,
  { before, registry = createRegistry() }: { before?: KubeObject; registry?: Registry } = {},
): PreparedWrite {
  const definition = registry.byKind(object.apiVersion, object.kind);
  if (definition === undefined) throw new Error(`${object.kind} is not served`);
  return definition.prepare(object, before);
}

/** The refusal of an object; that nothing of it changed is asserted on the way. */
export function refusalOf(
  object: KubeObject,
  more: { before?: KubeObject; registry?: Registry } = {},
): ApiError {
  const copy = structuredClone(object);
  try {
    prepared(object, more);
  } catch (error) {
    expect(object).toEqual(copy);
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("accepted");
}
