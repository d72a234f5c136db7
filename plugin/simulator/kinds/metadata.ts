/** The rules for metadata, which are the same for every kind. */
import type { KubeObject } from "../../ports/kubernetes";
import { isObject, asArray, getOwn, asString } from "../../domain/base/values";
import { labelRule, labelValueRule, qualifiedRule } from "./names";
import {
  breaches,
  type FieldError,
  forbidden,
  invalid,
  required,
  type FieldRule,
  tooLong,
} from "./refusal";

/** What a kind asks of its objects' metadata. */
interface NameRules {
  readonly namespaced: boolean;
  readonly name: FieldRule;
}

/** Everything wrong with an object's metadata. */
export function metadataErrors(
  { metadata }: KubeObject,
  { namespaced, name }: NameRules,
): readonly FieldError[] {
  return [
    ...nameErrors(metadata, name),
    ...(namespaced ? namespaceErrors(metadata) : strayNamespace(metadata)),
    ...labelErrors(getOwn(metadata, "labels"), "metadata.labels"),
    ...listKeys(getOwn(metadata, "annotations")).flatMap((key) =>
      qualifiedRule(key.toLowerCase()).map((why) => invalid("metadata.annotations", key, why)),
    ),
    ...annotationSizeErrors(getOwn(metadata, "annotations")),
    ...asArray(getOwn(metadata, "ownerReferences")).flatMap(ownerErrors),
    ...asArray(getOwn(metadata, "finalizers")).flatMap((finalizer) =>
      breaches("metadata.finalizers", String(finalizer), qualifiedRule),
    ),
  ];
}

function nameErrors(metadata: KubeObject["metadata"], rule: FieldRule): readonly FieldError[] {
  const name = asString(metadata.name);
  if (name !== undefined) return breaches("metadata.name", name, rule);
  return [required("metadata.name", "name or generateName is required")];
}

function namespaceErrors({ namespace = "" }: KubeObject["metadata"]): readonly FieldError[] {
  if (namespace === "") return [required("metadata.namespace")];
  return breaches("metadata.namespace", namespace, labelRule);
}

function strayNamespace({ namespace = "" }: KubeObject["metadata"]): readonly FieldError[] {
  return namespace === "" ? [] : [forbidden("metadata.namespace", "not allowed on this type")];
}

/** Labels wherever they stand. */
function labelErrors(labels: unknown, field: string): readonly FieldError[] {
  return listKeys(labels).flatMap((key) => [
    ...breaches(field, key, qualifiedRule),
    ...breaches(field, String(getOwn(labels, key)), labelValueRule),
  ]);
}

const mostAnnotations = 256 * 1024;

function annotationSizeErrors(annotations: unknown): readonly FieldError[] {
  const texts = listKeys(annotations).flatMap((key) => [key, String(getOwn(annotations, key))]);
  const size = texts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  return size > mostAnnotations ? [tooLong("metadata.annotations", mostAnnotations)] : [];
}

function listKeys(value: unknown): readonly string[] {
  return isObject(value) ? Object.keys(value) : [];
}

function ownerErrors(reference: unknown): readonly FieldError[] {
  return ["apiVersion", "kind", "name", "uid"]
    .filter((key) => asString(getOwn(reference, key)) === undefined)
    .map((key) => {
      const why = key === "apiVersion" ? "version must not be empty" : "must not be empty";
      return invalid(`metadata.ownerReferences.${key}`, "", why);
    });
}

/** What is wrong with a selector. */
export function selectorErrors(selector: unknown, field: string): readonly FieldError[] {
  return [
    ...labelErrors(getOwn(selector, "matchLabels"), `${field}.matchLabels`),
    ...asArray(getOwn(selector, "matchExpressions")).flatMap((expression, index) =>
      expressionErrors(expression, `${field}.matchExpressions[${index}]`),
    ),
  ];
}

function expressionErrors(expression: unknown, field: string): readonly FieldError[] {
  const values = asArray(getOwn(expression, "values"));
  return [
    ...operatorErrors(expression, field),
    ...breaches(`${field}.key`, readText(getOwn(expression, "key")), qualifiedRule),
    ...values.flatMap((value, index) =>
      breaches(`${field}.values[${index}]`, readText(value), labelValueRule),
    ),
  ];
}

function operatorErrors(expression: unknown, field: string): readonly FieldError[] {
  const operator = readText(getOwn(expression, "operator"));
  const some = asArray(getOwn(expression, "values")).length > 0;
  switch (operator) {
    case "In":
    case "NotIn":
      if (some) return [];
      return [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (!some) return [];
      return [
        forbidden(
          `${field}.values`,
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
      ];
    default:
      return [invalid(`${field}.operator`, operator, "not a valid selector operator")];
  }
}

function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
