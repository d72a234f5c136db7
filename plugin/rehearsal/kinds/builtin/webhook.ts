/** What is wrong with one webhook of a configuration, in the API server's order. */
import { list, own, text } from "../../../domain/values";
import { oldLabelRule, subdomainRule } from "../names";
import { breaches, type FieldError, invalid, required, unsupported } from "../refusal";
import { clientConfigErrors } from "./client-config";
import { selectorErrors } from "./selector";
import { webhookRuleErrors } from "./webhook-rules";

const reviewVersions = ["v1", "v1beta1"];
const sideEffects = ["None", "NoneOnDryRun"];

/** Everything wrong with a webhook. */
export function webhookErrors(webhook: unknown, field: string): readonly FieldError[] {
  const choice = (key: string, values: readonly string[]): readonly FieldError[] =>
    choiceErrors(own(webhook, key), `${field}.${key}`, values);
  return [
    ...nameErrors(own(webhook, "name"), `${field}.name`),
    ...list(own(webhook, "rules")).flatMap((rule, index) =>
      webhookRuleErrors(rule, `${field}.rules[${index}]`),
    ),
    ...choice("failurePolicy", ["Fail", "Ignore"]),
    ...choice("matchPolicy", ["Equivalent", "Exact"]),
    ...(own(webhook, "sideEffects") === undefined
      ? [required(`${field}.sideEffects`, `must specify one of ${sideEffects.join(", ")}`)]
      : choice("sideEffects", sideEffects)),
    ...timeoutErrors(own(webhook, "timeoutSeconds"), `${field}.timeoutSeconds`),
    ...selectorErrors(own(webhook, "namespaceSelector"), `${field}.namespaceSelector`),
    ...selectorErrors(own(webhook, "objectSelector"), `${field}.objectSelector`),
    ...clientConfigErrors(own(webhook, "clientConfig"), `${field}.clientConfig`),
    ...choice("reinvocationPolicy", ["IfNeeded", "Never"]),
    ...conditionErrors(own(webhook, "matchConditions"), `${field}.matchConditions`),
    ...versionErrors(own(webhook, "admissionReviewVersions"), `${field}.admissionReviewVersions`),
  ];
}

function choiceErrors(
  value: unknown,
  field: string,
  values: readonly string[],
): readonly FieldError[] {
  const isKnown = value === undefined || values.some((known) => known === value);
  return isKnown ? [] : [unsupported(field, value, values)];
}

function nameErrors(value: unknown, field: string): readonly FieldError[] {
  const name = text(value);
  if (name === undefined) return [required(field)];
  const wrong = subdomainRule(name);
  if (wrong.length > 0) return [invalid(field, name, wrong.join(","))];
  if (name.split(".").length >= 3) return [];
  return [
    invalid(field, name, "should be a domain with at least three segments separated by dots"),
  ];
}

function timeoutErrors(value: unknown, field: string): readonly FieldError[] {
  if (typeof value !== "number" || (value >= 1 && value <= 30)) return [];
  return [invalid(field, value, "the timeout value must be between 1 and 30 seconds")];
}

/** Whether an expression compiles is beyond what is checked here. */
function conditionErrors(conditions: unknown, field: string): readonly FieldError[] {
  return list(conditions).flatMap((condition, index) =>
    ["expression", "name"]
      .filter((key) => text(own(condition, key))?.trim() === undefined)
      .map((key) => required(`${field}[${index}].${key}`)),
  );
}

function versionErrors(value: unknown, field: string): readonly FieldError[] {
  const versions = list(value).map(String);
  const known = reviewVersions.join(", ");
  if (versions.length === 0) return [required(field, `must specify one of ${known}`)];
  const wrong = versions.flatMap((version, index) => {
    const at = `${field}[${index}]`;
    if (versions.indexOf(version) < index) return [invalid(at, version, "duplicate version")];
    return breaches(at, version, oldLabelRule);
  });
  if (versions.some((version) => reviewVersions.includes(version))) return wrong;
  return [...wrong, invalid(field, versions, `must include at least one of ${known}`)];
}
