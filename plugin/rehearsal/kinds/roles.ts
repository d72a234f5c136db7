/** Roles and bindings: what is filled in beside the defaults, and their rules. */
import type { KubeObject } from "../../run/ports";
import { at, isObject, list, own, sameJson, text } from "../../domain/values";
import { selectorErrors } from "./metadata";
import { pathSegmentRule, subdomainRule } from "./names";
import { breaches, choice, type FieldError, invalid, required } from "./refusal";

const group = "rbac.authorization.k8s.io";

/** A binding whose role and subjects name their API group. */
export function completeBinding(object: KubeObject): KubeObject {
  const { roleRef } = object;
  const subjects = list(object["subjects"]).map((subject) => {
    const isPerson = ["User", "Group"].includes(text(own(subject, "kind")) ?? "");
    return isObject(subject) && isPerson ? withGroup(subject) : subject;
  });
  return {
    ...object,
    ...(subjects.length > 0 && { subjects }),
    roleRef: withGroup(isObject(roleRef) ? roleRef : {}),
  };
}

function withGroup(reference: object): object {
  return { ...reference, apiGroup: text(own(reference, "apiGroup")) ?? group };
}

/** What is wrong with the rules of a role. */
export function roleErrors(object: KubeObject): readonly FieldError[] {
  const namespaced = object.kind === "Role";
  const errors = list(object["rules"]).flatMap((rule, index) => {
    const field = `rules[${index}]`;
    const isEmpty = (key: string): boolean => list(own(rule, key)).length === 0;
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
    invalid(`${field}.nonResourceURLs`, own(rule, "nonResourceURLs"), why);
  const mixed = ["apiGroups", "resources", "resourceNames"].some(
    (key) => list(own(rule, key)).length > 0,
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
  const selectors = list(at(object, ["aggregationRule", "clusterRoleSelectors"]));
  if (selectors.length === 0) {
    const need = "at least one clusterRoleSelector required if aggregationRule is non-nil";
    return [required(field, need)];
  }
  return selectors.flatMap((selector, index) => selectorErrors(selector, `${field}[${index}]`));
}

/** What is wrong with a binding, and with what an update changes. */
export function bindingErrors(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const namespaced = object.kind === "RoleBinding";
  return [
    ...roleRefErrors(object["roleRef"], namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"]),
    ...list(object["subjects"]).flatMap((subject, index) =>
      subjectErrors(subject, `subjects[${index}]`, namespaced),
    ),
    ...immutableRoleRef(object["roleRef"], before),
  ];
}

function roleRefErrors(roleRef: unknown, kinds: readonly string[]): readonly FieldError[] {
  const name = text(own(roleRef, "name"));
  return [
    ...choice("roleRef.apiGroup", own(roleRef, "apiGroup"), [group]),
    ...choice("roleRef.kind", own(roleRef, "kind") ?? "", kinds),
    ...(name === undefined
      ? [required("roleRef.name")]
      : breaches("roleRef.name", name, pathSegmentRule)),
  ];
}

function immutableRoleRef(roleRef: unknown, before: KubeObject | undefined): readonly FieldError[] {
  if (before === undefined || sameJson(roleRef, before["roleRef"])) return [];
  // The API server shows the field as its own code names it.
  const shown = {
    APIGroup: own(roleRef, "apiGroup") ?? "",
    Kind: own(roleRef, "kind") ?? "",
    Name: own(roleRef, "name") ?? "",
  };
  return [invalid("roleRef", shown, "cannot change roleRef")];
}

function subjectErrors(
  subject: unknown,
  field: string,
  namespaced: boolean,
): readonly FieldError[] {
  const [kind, name, apiGroup, namespace] = ["kind", "name", "apiGroup", "namespace"].map((key) =>
    text(own(subject, key)),
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
