/** What is wrong with a definition of a custom kind. */
import type { KubeObject } from "../../../run/ports";
import { at, isObject, type Json, list, own, sameJson, text } from "../../../domain/values";
import { oldLabelRule, subdomainRule } from "../names";
import { breaches, type FieldError, invalid, required, unsupported } from "../refusal";

function specOf(object: KubeObject): Json {
  const { spec } = object;
  return isObject(spec) ? spec : {};
}

/** The versions that are marked as stored; there is to be one. */
export function storageVersions(spec: Json): readonly unknown[] {
  return list(spec["versions"])
    .filter((one) => own(one, "storage") === true)
    .map((one) => own(one, "name"));
}

/** Everything wrong with a definition, and with what an update changes. */
export function definitionErrors(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const spec = specOf(object);
  return [
    ...(before === undefined ? nameErrors(object) : []),
    ...groupErrors(text(spec["group"])),
    ...scopeErrors(text(spec["scope"])),
    ...versionErrors(spec),
    ...namesErrors(spec["names"]),
    ...storedErrors(object),
    ...(before === undefined ? [] : immutableErrors(object, before)),
  ];
}

function nameErrors(object: KubeObject): readonly FieldError[] {
  const { name } = object.metadata;
  const spec = specOf(object);
  const plural = text(at(spec, ["names", "plural"])) ?? "";
  if (name === `${plural}.${text(spec["group"]) ?? ""}`) return [];
  return [invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

function groupErrors(group: string | undefined): readonly FieldError[] {
  if (group === undefined) return [required("spec.group")];
  const wrong = subdomainRule(group);
  if (wrong.length > 0) return [invalid("spec.group", group, wrong.join(","))];
  if (group.includes(".")) return [];
  return [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function scopeErrors(scope: string | undefined): readonly FieldError[] {
  if (scope === undefined) return [required("spec.scope")];
  const known = ["Cluster", "Namespaced"];
  return known.includes(scope) ? [] : [unsupported("spec.scope", scope, known)];
}

function versionErrors(spec: Json): readonly FieldError[] {
  const versions = list(spec["versions"]);
  const single = storageVersions(spec).length === 1;
  return [
    ...versions.flatMap((one, index) => {
      const field = `spec.versions[${index}]`;
      const schema = own(own(one, "schema"), "openAPIV3Schema");
      return [
        ...breaches(`${field}.name`, text(own(one, "name")) ?? "", oldLabelRule),
        ...(isObject(schema) ? [] : [required(`${field}.schema.openAPIV3Schema`)]),
      ];
    }),
    ...(single
      ? []
      : [
          invalid(
            "spec.versions",
            spec["versions"] === undefined ? undefined : versions.map(shownVersion),
            "must have exactly one version marked as storage version",
          ),
        ]),
    ...structureErrors(versions),
  ];
}

/** As the API server's own code names the fields; schemas are not shown. */
function shownVersion(one: unknown): Json {
  return {
    Name: own(one, "name") ?? "",
    Served: own(one, "served") ?? false,
    Storage: own(one, "storage") ?? false,
    Deprecated: own(one, "deprecated") ?? false,
    DeprecationWarning: own(one, "deprecationWarning") ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };
}

function structureErrors(versions: readonly unknown[]): readonly FieldError[] {
  return versions.flatMap((one, index) => {
    const schema = own(own(one, "schema"), "openAPIV3Schema");
    // A single schema is the same for all versions, and named without one.
    const field =
      versions.length === 1
        ? "spec.validation.openAPIV3Schema"
        : `spec.versions[${index}].schema.openAPIV3Schema`;
    return isObject(schema) ? typeErrors(schema, field, "at the root") : [];
  });
}

/** Every field has a type, or says that it has none. */
function typeErrors(schema: unknown, field: string, where: string): readonly FieldError[] {
  const properties = own(schema, "properties");
  const { items } = isObject(schema) ? schema : {};
  const isFree =
    own(schema, "x-kubernetes-int-or-string") === true ||
    (where !== "at the root" && own(schema, "x-kubernetes-preserve-unknown-fields") === true);
  return [
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([key, inner]) =>
      typeErrors(inner, `${field}.properties[${key}]`, "for specified object fields"),
    ),
    ...(isObject(items) ? typeErrors(items, `${field}.items`, "for specified array items") : []),
    ...(isFree || text(own(schema, "type")) !== undefined
      ? []
      : [required(`${field}.type`, `must not be empty ${where}`)]),
  ];
}

function namesErrors(given: unknown): readonly FieldError[] {
  return ["plural", "singular", "kind", "listKind"].flatMap((key) => {
    const field = `spec.names.${key}`;
    const name = text(own(given, key));
    if (name === undefined) return [required(field)];
    return oldLabelRule(
      name.toLowerCase() === name || key === "plural" ? name : name.toLowerCase(),
    ).map((why) => invalid(field, name, why));
  });
}

function storedErrors(object: KubeObject): readonly FieldError[] {
  const stored = at(object, ["status", "storedVersions"]);
  if (list(stored).length > 0) return [];
  return [invalid("status.storedVersions", undefined, "must have at least one stored version")];
}

function immutableErrors(object: KubeObject, before: KubeObject): readonly FieldError[] {
  return [["scope"], ["names", "kind"], ["group"], ["names", "plural"]].flatMap((path) => {
    const value = at(object, ["spec", ...path]);
    if (sameJson(value, at(before, ["spec", ...path]))) return [];
    return [invalid(["spec", ...path].join("."), value, "field is immutable")];
  });
}
