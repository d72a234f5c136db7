/** Pods, and what makes and keeps them: what is filled in beside the defaults, and their rules. */
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
import type { Container, PodSpec, RollingUpdate } from "../../domain/kube/models";
import { selectorErrors } from "./metadata";
import { type FieldError, forbidden, invalid, required } from "./refusal";

/** Pods of their own have one default more than those that others make. */
const ownPod: PodSpec = { enableServiceLinks: true };

/** A Pod with what its containers imply. */
export function completePod(object: KubeObject): KubeObject {
  return withSpec(object, (spec) => ({ ...ownPod, ...completePodSpec(spec) }));
}

/** An object that makes Pods, its template completed. */
export function completeTemplate(object: KubeObject): KubeObject {
  return withSpec(object, (spec) => {
    const template = isObject(spec["template"]) ? spec["template"] : {};
    const pod = isObject(template["spec"]) ? template["spec"] : {};
    return { ...spec, template: { ...template, spec: completePodSpec(pod) } };
  });
}

/** Limits of a rolling update are filled in only where there is one. */
export function completeDeployment(object: KubeObject): KubeObject {
  const complete = withSpec(object, (spec) => {
    const strategy = isObject(spec["strategy"]) ? spec["strategy"] : {};
    if (strategy["type"] !== "RollingUpdate" || strategy["rollingUpdate"] !== undefined) {
      return spec;
    }
    const rollingUpdate: RollingUpdate = { maxUnavailable: "25%", maxSurge: "25%" };
    return { ...spec, strategy: { ...strategy, rollingUpdate } };
  });
  return completeTemplate(complete);
}

function withSpec(object: KubeObject, change: (spec: Json) => Json): KubeObject {
  const { spec } = object;
  return isObject(spec) ? { ...object, spec: change(spec) } : object;
}

function completePodSpec(spec: Json): Json {
  const account = asString(spec["serviceAccountName"]) ?? asString(spec["serviceAccount"]);
  const accounts: PodSpec =
    account === undefined ? {} : { serviceAccountName: account, serviceAccount: account };
  const containers = (["containers", "initContainers"] as const).flatMap((key) =>
    Array.isArray(spec[key]) ? [[key, asArray(spec[key]).map(completeContainer)] as const] : [],
  );
  return {
    ...spec,
    ...accounts,
    ...Object.fromEntries(containers),
  };
}

function completeContainer(item: unknown): unknown {
  if (!isObject(item)) return item;
  const image = asString(item["image"]) ?? "";
  const name = image.slice(image.lastIndexOf("/") + 1);
  const isLatest = !/[:@]/.test(name) || name.endsWith(":latest");
  const usual = isLatest ? "Always" : "IfNotPresent";
  const pull: Container = { imagePullPolicy: asString(item["imagePullPolicy"]) ?? usual };
  return { ...item, ...pull };
}

/** What is wrong with a Pod's spec, as far as it keeps Pods from being named and started. */
export function podErrors(object: unknown, path: readonly string[]): readonly FieldError[] {
  const field = [...path, "containers"].join(".");
  const items = asArray(getPath(object, [...path, "containers"]));
  if (items.length === 0) return [required(field)];
  return items.flatMap((item, index) =>
    ["name", "image"]
      .filter((key) => asString(getOwn(item, key)) === undefined)
      .map((key) => required(`${field}[${index}].${key}`)),
  );
}

const templateSpec = ["spec", "template", "spec"];

/** What is wrong with a Job. */
export function jobErrors(object: KubeObject): readonly FieldError[] {
  return podErrors(object, templateSpec);
}

/** What is wrong with a Deployment, and with what an update changes. */
export function deploymentErrors(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const strategy = getPath(object, ["spec", "strategy"]);
  const isOdd =
    getOwn(strategy, "type") === "Recreate" && getOwn(strategy, "rollingUpdate") !== undefined;
  const why = "may not be specified when strategy `type` is 'Recreate'";
  return [
    ...workloadErrors(object, "deployment"),
    ...(isOdd ? [forbidden("spec.strategy.rollingUpdate", why)] : []),
    ...immutableSelector(object, before),
  ];
}

/** What is wrong with a ReplicaSet, and with what an update changes. */
export function replicaSetErrors(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  return [...workloadErrors(object, "replica set"), ...immutableSelector(object, before)];
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

/** What is wrong with a StatefulSet, most of which an update may not change. */
export function statefulSetErrors(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const errors = workloadErrors(object, "statefulset");
  const frozen = ({ spec }: KubeObject): Json =>
    Object.fromEntries(
      Object.entries(isObject(spec) ? spec : {}).filter(([key]) => !changeable.includes(key)),
    );
  if (before === undefined || sameJson(frozen(object), frozen(before))) return errors;
  const shown = changeable
    .map((name) => `'${name}'`)
    .join(", ")
    .replace(/, ([^,]*)$/, " and $1");
  const why = `updates to statefulset spec for fields other than ${shown} are forbidden`;
  return [...errors, forbidden("spec", why)];
}

/** What is wrong with anything that makes Pods; `what` is its name in the words. */
function workloadErrors(object: KubeObject, what: string): readonly FieldError[] {
  const selector = getPath(object, ["spec", "selector"]);
  const isEmpty = isObject(selector) && Object.keys(selector).length === 0;
  return [
    ...(selector === undefined
      ? [required("spec.selector")]
      : selectorErrors(selector, "spec.selector")),
    ...(isEmpty
      ? [invalid("spec.selector", selector, `empty selector is invalid for ${what}`)]
      : []),
    ...templateErrors(object, selector),
    ...podErrors(object, templateSpec),
  ];
}

function templateErrors(object: KubeObject, selector: unknown): readonly FieldError[] {
  const labels = getPath(object, ["spec", "template", "metadata", "labels"]);
  const wanted = Object.entries((getOwn(selector, "matchLabels") ?? {}) as Json);
  if (selector !== undefined && wanted.every(([key, value]) => getOwn(labels, key) === value)) {
    return [];
  }
  const field = "spec.template.metadata.labels";
  return [invalid(field, labels, "`selector` does not match template `labels`")];
}

function immutableSelector(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const selector = getPath(object, ["spec", "selector"]);
  const isKept = sameJson(selector, getPath(before, ["spec", "selector"]));
  if (before === undefined || isKept) return [];
  return [invalid("spec.selector", selector, "field is immutable")];
}
