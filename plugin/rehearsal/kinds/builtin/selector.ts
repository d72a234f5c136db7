/** Label selectors: their shape and their rules. */
import { list, own } from "../../../domain/values";
import { labelErrors } from "../metadata";
import { labelValueRule, qualifiedRule } from "../names";
import { breaches, type FieldError, forbidden, invalid, required } from "../refusal";
import { listOf, string, struct, valuesOf, whole } from "../shapes";

/** Which objects are meant, by their labels. */
export const labelSelector = whole(
  struct("LabelSelector", {
    matchLabels: valuesOf(string),
    matchExpressions: listOf(
      struct("LabelSelectorRequirement", { key: string, operator: string, values: listOf(string) }),
    ),
  }),
);

/** What is wrong with a selector. */
export function selectorErrors(selector: unknown, field: string): readonly FieldError[] {
  return [
    ...labelErrors(own(selector, "matchLabels"), `${field}.matchLabels`),
    ...list(own(selector, "matchExpressions")).flatMap((expression, index) =>
      expressionErrors(expression, `${field}.matchExpressions[${index}]`),
    ),
  ];
}

function expressionErrors(expression: unknown, field: string): readonly FieldError[] {
  const values = list(own(expression, "values"));
  return [
    ...operatorErrors(expression, field),
    ...breaches(`${field}.key`, textOf(own(expression, "key")), qualifiedRule),
    ...values.flatMap((value, index) =>
      breaches(`${field}.values[${index}]`, textOf(value), labelValueRule),
    ),
  ];
}

function operatorErrors(expression: unknown, field: string): readonly FieldError[] {
  const operator = textOf(own(expression, "operator"));
  const some = list(own(expression, "values")).length > 0;
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

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
