/** Who has written the example's objects: a person, by applying the files of a release. */
import type { Names } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import { fieldsV1Of } from "./memory/field-set";
import { fieldsOf, structureOf } from "./memory/structure";
import { omit } from "./memory/omit";
import type { Registry } from "./model";

/** The manager under which `kubectl apply -f` leaves its fields. */
const documentedWay = "kubectl-client-side-apply";

/** Kinds that a bundle holds. */
const bundled = ["Deployment", "Role", "RoleBinding", "Service", "ServiceAccount"];

/** The objects of the bundle, each with its owner; the others belong to nobody. */
export function asApplied(
  objects: readonly KubeObject[],
  { operator }: Names,
  registry: Registry,
): readonly KubeObject[] {
  const own = [operator.deployment, operator.role, operator.roleBinding, operator.serviceAccount];
  return objects.map((object) => {
    const { kind, metadata } = object;
    const isOfBundle =
      kind === "CustomResourceDefinition" ||
      (bundled.includes(kind) && (kind === "Service" || own.includes(metadata.name ?? "")));
    return isOfBundle ? owned(object, registry) : object;
  });
}

function owned(object: KubeObject, registry: Registry): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const definition = registry.byKind(apiVersion, kind);
  if (definition === undefined) return object;
  const { labels, annotations } = metadata;
  const content = {
    ...omit(object, "apiVersion", "kind", "status"),
    metadata: { labels, annotations },
  };
  // as JSON: what is undefined is not a field
  const given: unknown = JSON.parse(JSON.stringify(content));
  const fields = fieldsOf(given, structureOf(definition));
  const owner = {
    manager: documentedWay,
    operation: "Update",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: fieldsV1Of(fields),
  };
  return { ...object, metadata: { ...metadata, managedFields: [owner] } };
}
