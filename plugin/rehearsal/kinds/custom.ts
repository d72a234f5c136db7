/** Kinds that a stored CustomResourceDefinition brings. */
import type { KubeObject, Resource } from "../../run/ports";
import { at, isObject, list, own, text } from "../../domain/values";
import type { KindDefinition, Prepared } from "../model";
import { schemaOf } from "./custom-schema";
import { decodingProblem } from "./decode";
import { filled } from "./defaults";
import { duplicateErrors } from "./duplicates";
import { metadataErrors } from "./metadata";
import { objectMeta } from "./metadata-schema";
import { subdomainRule } from "./names";
import { plain } from "./plain";
import { prune } from "./prune";
import { refuseInvalid, undecodable } from "./refusal";
import type { Schema } from "./schema";
import { string } from "./shapes";
import { schemaErrors } from "./validate";

/** A served version of a custom kind. */
interface Version {
  readonly resource: Resource;
  readonly namespaced: boolean;
  readonly schema: Schema;
  readonly warnings: readonly string[];
}

/** The kinds of a definition, one for each served version; none when it names no kind. */
export function customKinds(definition: KubeObject): readonly KindDefinition[] {
  const { spec } = definition;
  const group = text(own(spec, "group"));
  const plural = text(at(spec, ["names", "plural"]));
  const kind = text(at(spec, ["names", "kind"]));
  if (group === undefined || plural === undefined || kind === undefined) return [];
  return list(own(spec, "versions")).flatMap((entry) => {
    const version = text(own(entry, "name"));
    if (version === undefined || own(entry, "served") !== true) return [];
    const resource = { group, version, plural, kind };
    return [
      defineCustom(
        {
          resource,
          namespaced: own(spec, "scope") !== "Cluster",
          schema: { ...schemaOf(at(entry, ["schema", "openAPIV3Schema"])), embedded: true },
          warnings: deprecation(entry, resource),
        },
        isObject(at(entry, ["subresources", "status"])),
      ),
    ];
  });
}

function deprecation(entry: unknown, { group, version, kind }: Resource): readonly string[] {
  if (own(entry, "deprecated") !== true) return [];
  const words = text(own(entry, "deprecationWarning"));
  return [words ?? `${group}/${version} ${kind} is deprecated`];
}

function defineCustom(version: Version, hasStatus: boolean): KindDefinition {
  const { resource, namespaced, schema } = version;
  return {
    resource,
    namespaced,
    custom: true,
    hasStatus,
    counted: true,
    structure: {
      ...schema,
      fields: { apiVersion: string, kind: string, ...schema.fields, metadata: objectMeta },
    },
    prepare: (object, before) => prepared(version, object, before),
  };
}

function prepared(
  { resource, namespaced, schema, warnings }: Version,
  given: KubeObject,
  before: KubeObject | undefined,
): Prepared {
  const why = decodingProblem(given.metadata, objectMeta);
  if (why !== undefined) throw undecodable(resource, why);
  const { metadata, unknown } = readMetadata(given);
  const pruned = prune({ ...given, metadata: {} }, schema);
  const value = filled(pruned.value, schema);
  const fields = isObject(value) ? value : {};
  const { apiVersion, kind } = given;
  const object: KubeObject = { ...fields, apiVersion, kind, metadata };
  refuseInvalid(resource, object, [
    ...metadataErrors(object, { namespaced, name: subdomainRule }),
    ...schemaErrors({ value: object, before }, withoutMetadata(schema), ""),
    ...duplicateErrors(fields, schema, ""),
  ]);
  const paths = [...unknown, ...pruned.unknown.toSorted()];
  return { object, warnings: [...warnings, ...paths.map((path) => `unknown field "${path}"`)] };
}

/** Metadata is the same for every kind, whatever the schema says of it. */
function readMetadata(given: KubeObject): {
  readonly metadata: KubeObject["metadata"];
  readonly unknown: readonly string[];
} {
  const { value, unknown } = prune(given.metadata, objectMeta);
  const metadata = plain(value, objectMeta);
  return {
    metadata: isObject(metadata) ? metadata : {},
    unknown: unknown.map((path) => `metadata.${path}`),
  };
}

function withoutMetadata(schema: Schema): Schema {
  const fields = Object.entries(schema.fields ?? {}).filter(([key]) => key !== "metadata");
  return { ...schema, fields: Object.fromEntries(fields) };
}
