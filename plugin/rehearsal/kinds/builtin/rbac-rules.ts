/** The rules for roles and bindings. */
import type { KubeObject } from "../../../run/ports";
import { at, list, own, sameJson, text } from "../../../domain/values";
import { pathSegmentRule, subdomainRule } from "../names";
import { breaches, type FieldError, invalid, required, unsupported } from "../refusal";
import { selectorErrors } from "./selector";

const group = "rbac.authorization.k8s.io";

/** What is wrong with the rules of a role. */
export function ruleErrors(object: KubeObject, namespaced: boolean): readonly FieldError[] {
  return list(object["rules"]).flatMap((rule, index) => {
    const field = `rules[${index}]`;
    const isEmpty = (key: string): boolean => list(own(rule, key)).length === 0;
    return [
      ...(isEmpty("verbs")
        ? [required(`${field}.verbs`, "verbs must contain at least one value")]
        : []),
      ...(isEmpty("nonResourceURLs")
        ? resourceErrors(isEmpty, field)
        : urlErrors(rule, { field, namespaced })),
    ];
  });
}

function resourceErrors(isEmpty: (key: string) => boolean, field: string): readonly FieldError[] {
  const need = "resource rules must supply at least one";
  return [
    ...(isEmpty("apiGroups") ? [required(`${field}.apiGroups`, `${need} api group`)] : []),
    ...(isEmpty("resources") ? [required(`${field}.resources`, `${need} resource`)] : []),
  ];
}

function urlErrors(
  rule: unknown,
  { field, namespaced }: { readonly field: string; readonly namespaced: boolean },
): readonly FieldError[] {
  const urls = own(rule, "nonResourceURLs");
  const path = `${field}.nonResourceURLs`;
  const mixed = ["apiGroups", "resources", "resourceNames"].some(
    (key) => list(own(rule, key)).length > 0,
  );
  return [
    ...(namespaced
      ? [invalid(path, urls, "namespaced rules cannot apply to non-resource URLs")]
      : []),
    ...(mixed
      ? [invalid(path, urls, "rules cannot apply to both regular resources and non-resource URLs")]
      : []),
  ];
}

/** What is wrong with the selectors of a role that is made of others. */
export function aggregationErrors(object: KubeObject): readonly FieldError[] {
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
  kinds: readonly string[],
): readonly FieldError[] {
  const namespaced = kinds.includes("Role");
  return [
    ...roleRefErrors(object["roleRef"], kinds),
    ...list(object["subjects"]).flatMap((subject, index) =>
      subjectErrors(subject, { field: `subjects[${index}]`, namespaced }),
    ),
    ...immutableRoleRef(object["roleRef"], before),
  ];
}

function roleRefErrors(roleRef: unknown, kinds: readonly string[]): readonly FieldError[] {
  const [apiGroup, kind, name] = ["apiGroup", "kind", "name"].map(
    (key) => text(own(roleRef, key)) ?? "",
  );
  return [
    ...(apiGroup === group ? [] : [unsupported("roleRef.apiGroup", apiGroup, [group])]),
    ...(kinds.includes(kind ?? "") ? [] : [unsupported("roleRef.kind", kind, kinds)]),
    ...(name === undefined || name === ""
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
  { field, namespaced }: { readonly field: string; readonly namespaced: boolean },
): readonly FieldError[] {
  const kind = text(own(subject, "kind")) ?? "";
  const name = text(own(subject, "name"));
  return [
    ...(name === undefined ? [required(`${field}.name`)] : []),
    ...(kind === "ServiceAccount"
      ? accountErrors(subject, { field, namespaced })
      : personErrors(subject, field)),
  ];
}

function accountErrors(
  subject: unknown,
  { field, namespaced }: { readonly field: string; readonly namespaced: boolean },
): readonly FieldError[] {
  const [name, apiGroup, namespace] = ["name", "apiGroup", "namespace"].map((key) =>
    text(own(subject, key)),
  );
  const isLost = !namespaced && namespace === undefined;
  return [
    ...(name === undefined ? [] : breaches(`${field}.name`, name, subdomainRule)),
    ...(apiGroup === undefined ? [] : [unsupported(`${field}.apiGroup`, apiGroup, [""])]),
    ...(isLost ? [required(`${field}.namespace`)] : []),
  ];
}

function personErrors(subject: unknown, field: string): readonly FieldError[] {
  const kind = text(own(subject, "kind")) ?? "";
  const apiGroup = text(own(subject, "apiGroup")) ?? "";
  if (kind !== "User" && kind !== "Group") {
    return [unsupported(`${field}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  }
  return apiGroup === group ? [] : [unsupported(`${field}.apiGroup`, apiGroup, [group])];
}
