/** Rules of roles, taken apart into single grants, so that two roles can be compared and united. */
import { isObject, type Json, asArray, getOwn, asString, oncePer } from "../base/values";
import type { KubeObject } from "./objects";

/** One subject of a binding. */
export interface BindingSubject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly apiGroup?: string;
}

/** The subjects as read; what is none is left out. */
export function listSubjects(binding: unknown): readonly BindingSubject[] {
  return asArray(getOwn(binding, "subjects"))
    .filter(isObject)
    .map((subject) => {
      const namespace = asString(getOwn(subject, "namespace"));
      const apiGroup = asString(getOwn(subject, "apiGroup"));
      return {
        kind: String(getOwn(subject, "kind")),
        name: String(getOwn(subject, "name")),
        ...(namespace !== undefined && { namespace }),
        ...(apiGroup !== undefined && { apiGroup }),
      };
    });
}

/** The subjects, of which an account without a namespace is one of where the binding is, or is applied. */
export function placedSubjects(
  binding: unknown,
  { metadata: { namespace } }: KubeObject,
): readonly BindingSubject[] {
  return listSubjects(binding).map((subject) =>
    subject.kind === "ServiceAccount" && namespace !== undefined
      ? { namespace, ...subject }
      : subject,
  );
}

/** A subject for reports and for comparing: the API group follows from the kind. */
export function subjectLabel({ kind, name, namespace }: BindingSubject): string {
  return [kind, ...(namespace === undefined ? [] : [namespace]), name].join("/");
}

/** The service account that a subject is, also where it is named as the user that the API server knows it by. */
export function readServiceAccount(subject: BindingSubject): BindingSubject | undefined {
  if (subject.kind === "ServiceAccount") return subject;
  const [, namespace, name] =
    /^User system:serviceaccount:([^:]+):([^:]+)$/.exec(`${subject.kind} ${subject.name}`) ?? [];
  return namespace === undefined || name === undefined
    ? undefined
    : { kind: "ServiceAccount", namespace, name };
}

/** The same for every spelling of one account. */
function readIdentity(subject: BindingSubject): string {
  return subjectLabel(readServiceAccount(subject) ?? subject);
}

/** The groups that every account of a namespace is in; no access review derives them from a name. */
export function listGroups({ namespace }: Pick<BindingSubject, "namespace">): readonly string[] {
  return [
    "system:serviceaccounts",
    `system:serviceaccounts:${namespace ?? ""}`,
    "system:authenticated",
  ];
}

/** The subjects that are not among the others, in whichever spelling. */
export function subjectsBeyond(
  subjects: readonly BindingSubject[],
  others: readonly BindingSubject[],
): readonly BindingSubject[] {
  const known = new Set(others.map(readIdentity));
  return subjects.filter((subject) => !known.has(readIdentity(subject)));
}

/** The group among the others that a service account is in; undefined for any other subject. */
export function findCoveringGroup(
  subject: BindingSubject,
  others: readonly BindingSubject[],
): BindingSubject | undefined {
  const account = readServiceAccount(subject);
  const groups = account === undefined ? [] : listGroups(account);
  return others.find(({ kind, name }) => kind === "Group" && groups.includes(name));
}

/** The subjects as the others name them: an account that has its access there by a group alone is that group. */
export function nameByGroups(
  subjects: readonly BindingSubject[],
  others: readonly BindingSubject[],
): readonly BindingSubject[] {
  const missing = new Set(subjectsBeyond(subjects, others));
  const named = subjects.map((subject) =>
    missing.has(subject) ? (findCoveringGroup(subject, others) ?? subject) : subject,
  );
  return [...new Map(named.map((subject) => [subjectLabel(subject), subject])).values()];
}

/** The namespace of an account, or of the group of all that are in one; undefined for any other subject. */
export function readAccountNamespace(subject: BindingSubject): string | undefined {
  const { namespace } = readServiceAccount(subject) ?? {};
  return (
    namespace ??
    /^Group system:serviceaccounts:([^:]+)$/.exec(`${subject.kind} ${subject.name}`)?.[1]
  );
}

/** True for a ClusterRole whose rules a controller makes of other ClusterRoles: what else is written to them is undone. */
export function isAggregated(role: KubeObject | undefined): role is KubeObject {
  return role?.["aggregationRule"] !== undefined;
}

/** The labels by which an aggregated ClusterRole finds the others, as kubectl takes them; none where it finds them by expressions alone. */
export function listAggregationLabels(role: KubeObject): readonly string[] {
  const selectors = asArray(getOwn(role["aggregationRule"], "clusterRoleSelectors"));
  const [labels] = selectors.map((selector) => getOwn(selector, "matchLabels")).filter(isObject);
  return Object.entries(labels ?? {}).map(([key, value]) => `${key}=${String(value)}`);
}

/** The role that a binding is for: `kind/name`. */
export function readRoleRef(binding: unknown): string {
  const reference = getOwn(binding, "roleRef");
  return `${String(getOwn(reference, "kind"))}/${String(getOwn(reference, "name"))}`;
}

/** Labels and annotations of the wanted object that the stored one does not have so. */
export function metadataDiffers(live: KubeObject, wanted: KubeObject): boolean {
  return (["labels", "annotations"] as const).some((part) =>
    Object.entries(wanted.metadata[part] ?? {}).some(
      ([key, value]) => getOwn(getOwn(live.metadata, part), key) !== value,
    ),
  );
}

/** One verb on one resource; `name` limits it to one object. A path of the API stands as resource. */
export interface Grant {
  readonly verb: string;
  readonly group: string;
  /** With a subresource behind a slash; a URL path begins with one. */
  readonly resource: string;
  readonly name?: string;
}

/** What a change of rules gives and takes. */
interface RulesDifference {
  readonly gained: readonly Grant[];
  readonly lost: readonly Grant[];
}

/** The rules of a role as read, none for anything else; the same list again for the same rules. */
export function readRules(role: unknown): Rules {
  const found = asArray(getOwn(role, "rules"));
  if (found.length === 0) return noRules;
  return found.every(isObject) ? found : found.filter(isObject);
}

/** One list for all that have none, so that what is found out about it is kept. */
export const noRules: Rules = [];

/** Every grant of the rules, each once. */
export const grantsOf = oncePer((rules: Rules): readonly Grant[] => [
  ...new Set(rules.flatMap(grantsOfRule)),
]);

function grantsOfRule(rule: Json): readonly Grant[] {
  const verbs = texts(rule, "verbs");
  const names = texts(rule, "resourceNames");
  const onPaths = texts(rule, "nonResourceURLs").map((resource) => ({ group: "", resource }));
  const onObjects = texts(rule, "apiGroups").flatMap((group) =>
    texts(rule, "resources").flatMap((resource) =>
      names.length === 0 ? [{ group, resource }] : names.map((name) => ({ group, resource, name })),
    ),
  );
  return [...onObjects, ...onPaths].flatMap((target) =>
    verbs.map((verb) => sameGrant({ verb, ...target })),
  );
}

/** Roles of thousands of namespaces hold the same few grants: each is one object. */
function sameGrant(grant: Grant): Grant {
  const key = grantKey(grant);
  const known = knownGrants.get(key) ?? grant;
  knownGrants.set(key, known);
  return known;
}

const knownGrants = new Map<string, Grant>();

function texts(rule: Json, key: string): readonly string[] {
  return asArray(getOwn(rule, key)).filter((item) => typeof item === "string");
}

/** Whether the first grant gives what the second gives. */
function covers(wide: Grant, narrow: Grant): boolean {
  const verb = wide.verb === "*" || wide.verb === narrow.verb;
  const group = wide.group === "*" || wide.group === narrow.group;
  const name = wide.name === undefined || wide.name === narrow.name;
  return verb && group && name && coversResource(wide.resource, narrow.resource);
}

function coversResource(wide: string, narrow: string): boolean {
  if (wide === narrow) return true;
  if (narrow.startsWith("/")) {
    return /^\/.*\*$/.test(wide) && narrow.startsWith(wide.slice(0, -1));
  }
  if (wide === "*") return true;
  return wide.startsWith("*/") && narrow.endsWith(wide.slice(1));
}

/** The grants that nothing of the others gives. */
export function beyond(grants: readonly Grant[], others: readonly Grant[]): readonly Grant[] {
  const isKnown = isAmong(others);
  return grants.filter((grant) => !isKnown(grant) && !others.some((other) => covers(other, grant)));
}

/** What replacing the rules by others gives and takes. */
export const compareRules = onceAPair((before, after): RulesDifference => {
  const [old, next] = [grantsOf(before), grantsOf(after)];
  return { gained: beyond(next, old), lost: beyond(old, next) };
});

/** The first rules as they are, and after them those of the second that add something. */
export const uniteRules = onceAPair((first, second) =>
  second.reduce<readonly Json[]>(
    (all, rule) => (beyond(grantsOf([rule]), grantsOf(all)).length === 0 ? all : [...all, rule]),
    first,
  ),
);

/** Of the rules only the grants that are kept; a rule of which all are kept stays as it is written. */
export function rulesGiving(rules: Rules, keeps: (grant: Grant) => boolean): Rules {
  return rules.flatMap((rule) => {
    const grants = grantsOfRule(rule);
    const left = grants.filter(keeps);
    return left.length > 0 && left.length === grants.length ? [rule] : left.map(buildRule);
  });
}

/** Tells the grants of a list from all others, however wide they are. */
export function isAmong(grants: readonly Grant[]): (grant: Grant) => boolean {
  const among = new Set(grants);
  return (grant) => among.has(grant);
}

function buildRule({ verb, group, resource, name }: Grant): Json {
  if (resource.startsWith("/")) return { nonResourceURLs: [resource], verbs: [verb] };
  return {
    apiGroups: [group],
    resources: [resource],
    ...(name !== undefined && { resourceNames: [name] }),
    verbs: [verb],
  };
}

type Rules = readonly Json[];

/** What is found out about two lists of rules, once: thousands of namespaces hold the same ones. */
function onceAPair<T>(
  work: (first: Rules, second: Rules) => T,
): (first: Rules, second: Rules) => T {
  const withFirst = oncePer((first: Rules) => oncePer((second: Rules) => work(first, second)));
  return (first, second) => withFirst(first)(second);
}

/** The grants for a person, one line a resource: `endpointslices.discovery.k8s.io: get, list`. */
export const grantLines = oncePer((grants: readonly Grant[]): readonly string[] => {
  const verbs = new Map<string, readonly string[]>();
  for (const grant of grants) {
    const target = renderTarget(grant);
    verbs.set(target, [...(verbs.get(target) ?? []), grant.verb]);
  }
  return [...verbs].map(([target, of]) => `${target}: ${of.join(", ")}`);
});

/** What a grant is on, for a person: `roles.rbac.authorization.k8s.io "name"`. */
export function renderTarget({ group, resource, name }: Grant): string {
  const named = name === undefined ? "" : ` "${name}"`;
  return `${resource}${group === "" ? "" : `.${group}`}${named}`;
}

function grantKey({ verb, group, resource, name = "" }: Grant): string {
  return [verb, group, resource, name].join("|");
}
