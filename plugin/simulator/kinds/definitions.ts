/** Definitions of custom kinds: what is filled in beside the defaults, and their rules. */
import type { KubeObject } from "../../ports/kubernetes";
import {
  getPath,
  isObject,
  type Json,
  asArray,
  getOwn,
  sameJson,
  asString,
} from "../../domain/base/values";
import type { DefinitionCondition } from "../../domain/kube/models";
import { hasDefault } from "../../domain/operator/definition-limits";
import { oldLabelRule, subdomainRule } from "./names";
import { breaches, choice, type FieldError, invalid, required } from "./refusal";

function readSpec(object: KubeObject): Json {
  const { spec } = object;
  return isObject(spec) ? spec : {};
}

/** The versions that are marked as stored; there is to be one. */
function storageVersions(spec: Json): readonly unknown[] {
  return asArray(spec["versions"])
    .filter((one) => getOwn(one, "storage") === true)
    .map((one) => getOwn(one, "name"));
}

/** A definition with all its names, and the status of a kind that is served. */
export function completeDefinition(object: KubeObject, before: KubeObject | undefined): KubeObject {
  const spec = readSpec(object);
  const given = isObject(spec["names"]) ? spec["names"] : {};
  const kind = asString(given["kind"]);
  const names = {
    ...(kind !== undefined && { singular: kind.toLowerCase(), listKind: `${kind}List` }),
    ...given,
  };
  const completed = { ...spec, names };
  return { ...object, spec: completed, status: buildStatus(completed, before ?? object) };
}

/** The kind is there at once: no controller has to look at its names first. */
function buildStatus(spec: Json, held: KubeObject): Json {
  const time = asString(held.metadata["creationTimestamp"]);
  const condition = (type: string, reason: string, message: string): DefinitionCondition => ({
    type,
    status: "True",
    ...(time !== undefined && { lastTransitionTime: time }),
    reason,
    message,
  });
  const known = asArray(getPath(held, ["status", "conditions"]));
  const stored = asArray(getPath(held, ["status", "storedVersions"]));
  const conditions = [
    condition("NamesAccepted", "NoConflicts", "no conflicts found"),
    condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
  ];
  return {
    conditions: known.length > 0 ? known : conditions,
    acceptedNames: spec["names"],
    storedVersions: [...new Set([...stored, ...storageVersions(spec)])],
  };
}

/** Everything wrong with a definition, and with what an update changes. */
export function definitionErrors(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const spec = readSpec(object);
  const scope = asString(spec["scope"]);
  return [
    ...(before === undefined ? nameErrors(object) : []),
    ...groupErrors(asString(spec["group"])),
    ...(scope === undefined
      ? [required("spec.scope")]
      : choice("spec.scope", scope, ["Cluster", "Namespaced"])),
    ...versionErrors(spec),
    ...namesErrors(spec["names"]),
    ...checkStored(object),
    ...(before === undefined ? [] : immutableErrors(object, before)),
    ...findUnpruned(spec, before),
  ];
}

/** What was once allowed to keep unknown fields may go on to; nothing else may begin to. */
function findUnpruned(spec: Json, before: KubeObject | undefined): readonly FieldError[] {
  const field = "spec.preserveUnknownFields";
  if (spec["preserveUnknownFields"] !== true) return [];
  const isOld = getPath(before, ["spec", "preserveUnknownFields"]) === true;
  const versions = asArray(spec["versions"]);
  const hasDefaults = versions.some((one) =>
    hasDefault(getPath(one, ["schema", "openAPIV3Schema"])),
  );
  const converts = getPath(spec, ["conversion", "strategy"]) ?? "None";
  const told =
    "set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [
    ...(hasDefaults
      ? [invalid(field, true, "must be false in order to use defaults in the schema")]
      : []),
    ...(converts === "None"
      ? []
      : [
          invalid(
            "spec.conversion.strategy",
            converts,
            "must be None if spec.preserveUnknownFields is true",
          ),
        ]),
    ...(isOld ? [] : [invalid(field, true, `cannot set to true, ${told}`)]),
  ];
}

function nameErrors(object: KubeObject): readonly FieldError[] {
  const { name } = object.metadata;
  const spec = readSpec(object);
  const plural = asString(getPath(spec, ["names", "plural"])) ?? "";
  if (name === `${plural}.${asString(spec["group"]) ?? ""}`) return [];
  return [invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

function groupErrors(group: string | undefined): readonly FieldError[] {
  if (group === undefined) return [required("spec.group")];
  const wrong = subdomainRule(group);
  if (wrong.length > 0) return [invalid("spec.group", group, wrong.join(","))];
  if (group.includes(".")) return [];
  return [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function versionErrors(spec: Json): readonly FieldError[] {
  const versions = asArray(spec["versions"]);
  const schemas = versions.map((one) => getOwn(getOwn(one, "schema"), "openAPIV3Schema"));
  const shown = Array.isArray(spec["versions"]) ? versions.map(renderVersion) : undefined;
  const why = "must have exactly one version marked as storage version";
  return [
    ...versions.flatMap((one, index) => {
      const field = `spec.versions[${index}]`;
      return [
        ...breaches(`${field}.name`, asString(getOwn(one, "name")) ?? "", oldLabelRule),
        ...(isObject(schemas[index]) ? [] : [required(`${field}.schema.openAPIV3Schema`)]),
      ];
    }),
    ...(storageVersions(spec).length === 1 ? [] : [invalid("spec.versions", shown, why)]),
    ...schemas.flatMap((schema, index) => {
      // A single schema is the same for all versions, and named without one.
      const field =
        versions.length === 1
          ? "spec.validation.openAPIV3Schema"
          : `spec.versions[${index}].schema.openAPIV3Schema`;
      return isObject(schema) ? typeErrors(schema, field, "at the root") : [];
    }),
  ];
}

/** As the API server's own code names the fields; schemas are not shown. */
function renderVersion(one: unknown): Json {
  return {
    Name: getOwn(one, "name") ?? "",
    Served: getOwn(one, "served") ?? false,
    Storage: getOwn(one, "storage") ?? false,
    Deprecated: getOwn(one, "deprecated") ?? false,
    DeprecationWarning: getOwn(one, "deprecationWarning") ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };
}

/** Every field has a type, or says that it has none. */
function typeErrors(schema: Json, field: string, where: string): readonly FieldError[] {
  const { properties, items } = schema;
  const isFree =
    schema["x-kubernetes-int-or-string"] === true ||
    (where !== "at the root" && schema["x-kubernetes-preserve-unknown-fields"] === true);
  return [
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([key, inner]) =>
      typeErrors(
        isObject(inner) ? inner : {},
        `${field}.properties[${key}]`,
        "for specified object fields",
      ),
    ),
    ...(isObject(items) ? typeErrors(items, `${field}.items`, "for specified array items") : []),
    ...(isFree || asString(schema["type"]) !== undefined
      ? []
      : [required(`${field}.type`, `must not be empty ${where}`)]),
  ];
}

function namesErrors(given: unknown): readonly FieldError[] {
  return ["plural", "singular", "kind", "listKind"].flatMap((key) => {
    const field = `spec.names.${key}`;
    const name = asString(getOwn(given, key));
    if (name === undefined) return [required(field)];
    const judged = key === "plural" ? name : name.toLowerCase();
    return oldLabelRule(judged).map((why) => invalid(field, name, why));
  });
}

function checkStored(object: KubeObject): readonly FieldError[] {
  const stored = asArray(getPath(object, ["status", "storedVersions"]));
  if (stored.length === 0) {
    return [invalid("status.storedVersions", undefined, "must have at least one stored version")];
  }
  const versions = asArray(getPath(object, ["spec", "versions"])).map((one) => getOwn(one, "name"));
  return stored.flatMap((one, index) => {
    if (versions.includes(one)) return [];
    const version = String(one);
    const why = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
    return [invalid(`status.storedVersions[${index}]`, one, why)];
  });
}

function immutableErrors(object: KubeObject, before: KubeObject): readonly FieldError[] {
  return [["scope"], ["names", "kind"], ["group"], ["names", "plural"]].flatMap((path) => {
    const value = getPath(object, ["spec", ...path]);
    if (sameJson(value, getPath(before, ["spec", ...path]))) return [];
    return [invalid(["spec", ...path].join("."), value, "field is immutable")];
  });
}
