/** Roles and bindings: what is filled in beside the defaults, and their rules. */
import type { KubeObject } from "../../ports/kubernetes";
import { getPath, isObject, asArray, getOwn, sameJson, asString } from "../../domain/base/values";
import { selectorErrors } from "./metadata";
import { pathSegmentRule, subdomainRule } from "./names";
import { breaches, choice, type FieldError, invalid, required } from "./refusal";

const group = "rbac.authorization.k8s.io";

/** A binding whose role and subjects name their API group. */
export function completeBinding(object: KubeObject): KubeObject {
  const { roleRef } = object;
  const subjects = asArray(object["subjects"]).map((subject) => {
    const isPerson = ["User", "Group"].includes(asString(getOwn(subject, "kind")) ?? "");
    return isObject(subject) && isPerson ? withGroup(subject) : subject;
  });
  return {
    ...object,
    ...(subjects.length > 0 && { subjects }),
    roleRef: withGroup(isObject(roleRef) ? roleRef : {}),
  };
}

function withGroup(reference: object): object {
  return { ...reference, apiGroup: asString(getOwn(reference, "apiGroup")) ?? group };
}

/** What is wrong with the rules of a role. */
export function roleErrors(object: KubeObject): readonly FieldError[] {
  const namespaced = object.kind === "Role";
  const errors = asArray(object["rules"]).flatMap((rule, index) => {
    const field = `rules[${index}]`;
    const isEmpty = (key: string): boolean => asArray(getOwn(rule, key)).length === 0;
    const need = "resource rules must supply at least one";
    return [
      ...(isEmpty("verbs")
        ? [required(`${field}.verbs`, "verbs must contain at least one value")]
        : []),
      ...(isEmpty("nonResourceURLs")
        ? [
            ...(isEmpty("apiGroups") ? [required(`${field}.apiGroups`, `${need} api group`)] : []),
            ...(isEmpty("resources") ? [required(`${field}.resources`, `${need} resource`)] : []),
          ]
        : urlErrors(rule, field, namespaced)),
    ];
  });
  return [...errors, ...aggregationErrors(object)];
}

function urlErrors(rule: unknown, field: string, namespaced: boolean): readonly FieldError[] {
  const wrong = (why: string): FieldError =>
    invalid(`${field}.nonResourceURLs`, getOwn(rule, "nonResourceURLs"), why);
  const mixed = ["apiGroups", "resources", "resourceNames"].some(
    (key) => asArray(getOwn(rule, key)).length > 0,
  );
  return [
    ...(namespaced ? [wrong("namespaced rules cannot apply to non-resource URLs")] : []),
    ...(mixed ? [wrong("rules cannot apply to both regular resources and non-resource URLs")] : []),
  ];
}

/** A role may be made of others. */
function aggregationErrors(object: KubeObject): readonly FieldError[] {
  if (object["aggregationRule"] === undefined) return [];
  const field = "aggregationRule.clusterRoleSelectors";
  const selectors = asArray(getPath(object, ["aggregationRule", "clusterRoleSelectors"]));
  if (selectors.length === 0) {
    const need = "at least one clusterRoleSelector required if aggregationRule is non-nil";
    return [required(field, need)];
  }
  return selectors.flatMap((selector, index) => selectorErrors(selector, `${field}[${index}]`));
}

/** What is wrong with a binding, and with what an update changes. */
export function checkBinding(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const namespaced = object.kind === "RoleBinding";
  return [
    ...roleRefErrors(object["roleRef"], namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"]),
    ...asArray(object["subjects"]).flatMap((subject, index) =>
      subjectErrors(subject, `subjects[${index}]`, namespaced),
    ),
    ...immutableRoleRef(object["roleRef"], before),
  ];
}

function roleRefErrors(roleRef: unknown, kinds: readonly string[]): readonly FieldError[] {
  const name = asString(getOwn(roleRef, "name"));
  return [
    ...choice("roleRef.apiGroup", getOwn(roleRef, "apiGroup"), [group]),
    ...choice("roleRef.kind", getOwn(roleRef, "kind") ?? "", kinds),
    ...(name === undefined
      ? [required("roleRef.name")]
      : breaches("roleRef.name", name, pathSegmentRule)),
  ];
}

function immutableRoleRef(roleRef: unknown, before: KubeObject | undefined): readonly FieldError[] {
  if (before === undefined || sameJson(roleRef, before["roleRef"])) return [];
  // The API server shows the field as its own code names it.
  const shown = {
    APIGroup: getOwn(roleRef, "apiGroup") ?? "",
    Kind: getOwn(roleRef, "kind") ?? "",
    Name: getOwn(roleRef, "name") ?? "",
  };
  return [invalid("roleRef", shown, "cannot change roleRef")];
}

function subjectErrors(
  subject: unknown,
  field: string,
  namespaced: boolean,
): readonly FieldError[] {
  const [kind, name, apiGroup, namespace] = ["kind", "name", "apiGroup", "namespace"].map((key) =>
    asString(getOwn(subject, key)),
  );
  const unnamed = name === undefined ? [required(`${field}.name`)] : [];
  if (kind === "User" || kind === "Group") {
    return [...unnamed, ...choice(`${field}.apiGroup`, apiGroup ?? "", [group])];
  }
  if (kind !== "ServiceAccount") {
    const known = ["ServiceAccount", "User", "Group"];
    return [...unnamed, ...choice(`${field}.kind`, kind ?? "", known)];
  }
  const isLost = !namespaced && namespace === undefined;
  return [
    ...unnamed,
    ...(name === undefined ? [] : breaches(`${field}.name`, name, subdomainRule)),
    ...choice(`${field}.apiGroup`, apiGroup, [""]),
    ...(isLost ? [required(`${field}.namespace`)] : []),
  ];
}
