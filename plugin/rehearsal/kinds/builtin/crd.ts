/** Definitions of custom kinds: their shape, what is filled in, and their rules. */
import type { KubeObject } from "../../../run/ports";
import { at, isObject, type Json, list, text } from "../../../domain/values";
import type { Schema } from "../schema";
import { boolean, flag, kept, listOf, openStruct, preset } from "../shapes";
import { string, struct, valuesOf } from "../shapes";
import { clientConfig } from "./admission";
import { definitionErrors, storageVersions } from "./crd-rules";
import type { BuiltIn } from "./definition";
import { conditions } from "./conditions";

const names = struct("CustomResourceDefinitionNames", {
  plural: kept(string),
  singular: string,
  shortNames: listOf(string),
  kind: kept(string),
  listKind: string,
  categories: listOf(string),
});

/** A schema within schemas; what is not named here is kept as it comes. */
const schemaFields: Record<string, Schema> = {
  type: string,
  format: string,
  title: string,
  description: string,
  pattern: string,
  required: listOf(string),
  nullable: flag,
  uniqueItems: flag,
  exclusiveMaximum: flag,
  exclusiveMinimum: flag,
  "x-kubernetes-int-or-string": flag,
  "x-kubernetes-embedded-resource": flag,
};
const jsonSchema: Schema = { fields: schemaFields, open: true };
schemaFields["properties"] = valuesOf(jsonSchema);
schemaFields["items"] = jsonSchema;
schemaFields["additionalProperties"] = jsonSchema;

const version = struct("CustomResourceDefinitionVersion", {
  name: string,
  served: preset(boolean, false),
  storage: preset(boolean, false),
  deprecated: flag,
  deprecationWarning: kept(string),
  schema: struct("CustomResourceValidation", { openAPIV3Schema: jsonSchema }),
  subresources: struct("CustomResourceSubresources", {
    status: openStruct("CustomResourceSubresourceStatus", {}),
    scale: openStruct("CustomResourceSubresourceScale", {}),
  }),
  additionalPrinterColumns: listOf(openStruct("CustomResourceColumnDefinition", {})),
  selectableFields: listOf(openStruct("SelectableField", {})),
});

/** The kind that defines kinds. */
export const customResourceDefinition: BuiltIn = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
  hasStatus: true,
  counted: true,
  fields: {
    spec: preset(
      struct("CustomResourceDefinitionSpec", {
        group: kept(string),
        names: preset(names, {}),
        scope: kept(string),
        versions: kept(listOf(version)),
        conversion: preset(
          struct("CustomResourceConversion", {
            strategy: string,
            webhook: struct("WebhookConversion", {
              clientConfig,
              conversionReviewVersions: listOf(string),
            }),
          }),
          { strategy: "None" },
        ),
        preserveUnknownFields: flag,
      }),
      {},
    ),
    status: struct("CustomResourceDefinitionStatus", {
      conditions,
      acceptedNames: names,
      storedVersions: listOf(string),
    }),
  },
  complete,
  judge: definitionErrors,
};

function specOf(object: KubeObject | undefined): Json {
  const spec = object?.["spec"];
  return isObject(spec) ? spec : {};
}

function complete(object: KubeObject, before: KubeObject | undefined): KubeObject {
  const spec = specOf(object);
  const given = isObject(spec["names"]) ? spec["names"] : {};
  const kind = text(given["kind"]);
  const filled = {
    ...(kind !== undefined && { singular: kind.toLowerCase(), listKind: `${kind}List` }),
    ...given,
  };
  const status = statusOf({ ...spec, names: filled }, before ?? object);
  return { ...object, spec: { ...spec, names: filled }, status };
}

/** The kind is there at once: no controller has to look at its names first. */
function statusOf(spec: Json, held: KubeObject): Json {
  const time = text(held.metadata["creationTimestamp"]);
  const condition = (type: string, reason: string, message: string): Json => ({
    type,
    status: "True",
    ...(time !== undefined && { lastTransitionTime: time }),
    reason,
    message,
  });
  const known = list(at(held, ["status", "conditions"]));
  const stored = list(at(held, ["status", "storedVersions"]));
  const storage = storageVersions(spec);
  return {
    conditions:
      known.length > 0
        ? known
        : [
            condition("NamesAccepted", "NoConflicts", "no conflicts found"),
            condition(
              "Established",
              "InitialNamesAccepted",
              "the initial names have been accepted",
            ),
          ],
    acceptedNames: spec["names"],
    storedVersions: [...new Set([...stored, ...storage])],
  };
}
