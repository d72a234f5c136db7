/** The rules for what makes and keeps Pods. */
import type { KubeObject } from "../../../run/ports";
import { at, isObject, type Json, list, own, sameJson } from "../../../domain/values";
import { type FieldError, forbidden, invalid, required } from "../refusal";
import { podErrors } from "./pod";
import { selectorErrors } from "./selector";

/** What is wrong with what makes Pods; `what` is its name in the words. */
export function workloadErrors(object: KubeObject, what: string): readonly FieldError[] {
  const selector = at(object, ["spec", "selector"]);
  const isEmpty = isObject(selector) && Object.keys(selector).length === 0;
  const empty = `empty selector is invalid for ${what}`;
  return [
    ...(selector === undefined
      ? [required("spec.selector")]
      : selectorErrors(selector, "spec.selector")),
    ...(isEmpty ? [invalid("spec.selector", selector, empty)] : []),
    ...templateErrors(object, selector),
    ...podErrors(object, ["spec", "template", "spec"]),
  ];
}

function templateErrors(object: KubeObject, selector: unknown): readonly FieldError[] {
  const labels = at(object, ["spec", "template", "metadata", "labels"]);
  const wanted = own(selector, "matchLabels");
  const fits =
    selector !== undefined &&
    (!isObject(wanted) ||
      Object.entries(wanted).every(([key, value]) => own(labels, key) === value));
  if (fits) return [];
  const field = "spec.template.metadata.labels";
  return [invalid(field, labels, "`selector` does not match template `labels`")];
}

/** A Deployment that is recreated rolls nothing. */
export function strategyErrors(object: KubeObject): readonly FieldError[] {
  const strategy = at(object, ["spec", "strategy"]);
  const rolling = own(strategy, "rollingUpdate");
  if (own(strategy, "type") !== "Recreate" || rolling === undefined) return [];
  const why = "may not be specified when strategy `type` is 'Recreate'";
  return [forbidden("spec.strategy.rollingUpdate", why)];
}

/** A selector that an update changes. */
export function immutableSelector(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const selector = at(object, ["spec", "selector"]);
  const isKept = sameJson(selector, at(before, ["spec", "selector"]));
  if (before === undefined || isKept) return [];
  return [invalid("spec.selector", selector, "field is immutable")];
}

const changeable = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

/** Fields of a StatefulSet that an update may not change. */
export function frozenStatefulSet(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const frozen = (spec: unknown): Json =>
    Object.fromEntries(
      Object.entries(isObject(spec) ? spec : {}).filter(([key]) => !changeable.includes(key)),
    );
  if (before === undefined) return [];
  if (sameJson(frozen(object["spec"]), frozen(before["spec"]))) return [];
  const names = changeable.map((name) => `'${name}'`);
  const shown = `${names.slice(0, -1).join(", ")} and ${list(names).at(-1) as string}`;
  return [
    forbidden("spec", `updates to statefulset spec for fields other than ${shown} are forbidden`),
  ];
}
