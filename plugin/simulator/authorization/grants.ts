/** Which rules a user holds, and through which binding. */
import type { KubeObject } from "../../ports/kubernetes";
import { selects } from "../../domain/kube/selectors";
import { asString, oncePer, sameJson } from "../../domain/base/values";
import type {
  BuiltInKind,
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  Subject,
  Typed,
} from "../../domain/kube/models";
import { asKind, isKind, ofKind } from "../../domain/kube/typed";
import type { AccessControl, Attempt, Attributes, StateView, User } from "../model";
import { rbacKinds } from "../../domain/kube/kinds";
import bootstrap from "./bootstrap.json";
import {
  type AccessRequest,
  findUncovered,
  printRules,
  quoteList,
  type AccessRule,
  ruleAllows,
  rulesOf,
} from "./rules";
import { ApiError } from "../../domain/base/errors";

/** The API group of roles and bindings. */
const rbacGroup = "rbac.authorization.k8s.io";

/** A role as a binding names it; `namespace` is that of the binding. */
interface RoleReference {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Rules that reach a user through one binding; `rules` undefined: the role is not there. */
interface RoleGrant {
  readonly role: RoleReference;
  readonly rules: readonly AccessRule[] | undefined;
  /** The binding in the API server's words. */
  readonly source: () => string;
}

interface GrantSubject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

type AnyBinding = ClusterRoleBinding | RoleBinding;

interface Binding {
  readonly object: AnyBinding;
  readonly role: RoleReference;
  readonly subjects: readonly GrantSubject[];
}

/**
 * Roles and bindings that every API server keeps from its start on, as far as people and products
 * lean on them. They count also where a dump leaves them out; a stored object of the same name
 * takes precedence.
 */
const bootstrapRoles = byName(bootstrap.roles, "ClusterRole");
const bootstrapBindings = byName(bootstrap.bindings, "ClusterRoleBinding");

function byName<Kind extends BuiltInKind>(
  objects: readonly object[],
  kind: Kind,
): ReadonlyMap<string, Typed<Kind>> {
  const typed = ofKind(objects as KubeObject[], kind);
  return new Map(typed.map((one) => [one.metadata.name ?? "", one]));
}

/** What a user holds cluster-wide and, where one is given, in a namespace; bindings of others are not touched. */
export function* listGrants(
  user: User,
  namespace: string | undefined,
  state: StateView,
): Generator<RoleGrant> {
  for (const object of bindingsIn(namespace, state)) {
    const grant = grantBy(object, user, state);
    if (grant !== undefined) yield grant;
  }
}

function* bindingsIn(namespace: string | undefined, state: StateView): Generator<AnyBinding> {
  for (const [name, object] of bootstrapBindings) {
    if (state.get(rbacKinds.clusterRoleBinding, name) === undefined) yield object;
  }
  yield* state.list(rbacKinds.clusterRoleBinding);
  if (namespace !== undefined && namespace !== "")
    yield* state.list(rbacKinds.roleBinding, namespace);
}

function grantBy(object: AnyBinding, user: User, state: StateView): RoleGrant | undefined {
  const binding = bindingOf(object);
  const subject = binding.subjects.find((one) => isMeant(user, one));
  if (subject === undefined) return undefined;
  const { role } = binding;
  return { role, rules: rulesBehind(role, state), source: () => describeGrant(binding, subject) };
}

/** What a binding says; stored objects are never changed in place, so it stays right. */
const bindingOf = oncePer((object: AnyBinding): Binding => {
  const { namespace } = object.metadata;
  return {
    object,
    role: readReference(object),
    subjects: (object.subjects ?? []).map((subject) => readSubject(subject, namespace)),
  };
});

/** The role that a binding names. */
function readReference({ roleRef, metadata }: AnyBinding): RoleReference {
  const { kind, name } = roleRef ?? {};
  return { kind: kind ?? "", name: name ?? "", namespace: metadata.namespace };
}

/** A service account without a namespace is one of the binding's namespace. */
function readSubject(subject: Subject, namespace: string | undefined): GrantSubject {
  return {
    kind: subject.kind ?? "",
    name: subject.name ?? "",
    namespace: asString(subject.namespace) ?? namespace,
  };
}

function isMeant(user: User, { kind, name, namespace }: GrantSubject): boolean {
  switch (kind) {
    case "User":
      return user.name === name;
    case "Group":
      return user.groups.includes(name);
    case "ServiceAccount":
      return namespace !== undefined && user.name === `system:serviceaccount:${namespace}:${name}`;
    default:
      return false;
  }
}

/** The rules of a role, undefined when there is none of that name. */
function rulesBehind(
  { kind, name, namespace }: RoleReference,
  state: StateView,
): readonly AccessRule[] | undefined {
  if (kind === "Role") {
    const role = state.get(rbacKinds.role, name, namespace);
    return role && rulesOf(role);
  }
  const role = state.get(rbacKinds.clusterRole, name) ?? bootstrapRoles.get(name);
  return role && gatherRules(role, state, new Set());
}

/**
 * An aggregated role holds what a controller has gathered into it. Where none has, the rules are
 * gathered here; `seen` ends a circle.
 */
function gatherRules(
  role: ClusterRole,
  state: StateView,
  seen: Set<string>,
): readonly AccessRule[] {
  const rules = rulesOf(role);
  const selectors = role.aggregationRule?.clusterRoleSelectors ?? [];
  const name = role.metadata.name ?? "";
  if (rules.length > 0 || selectors.length === 0 || seen.has(name)) return rules;
  seen.add(name);
  return allClusterRoles(state)
    .filter(({ metadata: { labels = {} } }) => selectors.some((one) => selects(one, labels)))
    .flatMap((part) => gatherRules(part, state, seen));
}

function allClusterRoles(state: StateView): readonly ClusterRole[] {
  const stored = state.list(rbacKinds.clusterRole);
  const names = new Set(stored.map(({ metadata }) => metadata.name));
  return [
    ...stored,
    ...[...bootstrapRoles.values()].filter((one) => !names.has(one.metadata.name)),
  ];
}

function describeGrant({ object, role }: Binding, subject: GrantSubject): string {
  const { name = "", namespace } = object.metadata;
  const full = namespace === undefined ? name : `${name}/${namespace}`;
  const account = subject.kind === "ServiceAccount" ? `/${subject.namespace ?? ""}` : "";
  return (
    `${object.kind} ${JSON.stringify(full)} of ${role.kind} ${JSON.stringify(role.name)} ` +
    `to ${subject.kind} ${JSON.stringify(`${subject.name}${account}`)}`
  );
}

/** A verdict; `reason` in the API server's words, empty when there is none. */
interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Its members may do everything, whatever the roles say. */
const allMighty = "system:masters";

/** May the user do it, and by which binding, or which bindings lead nowhere. */
export function decide(user: User, asked: AccessRequest, state: StateView): Decision {
  if (user.groups.includes(allMighty)) return { allowed: true, reason: "" };
  const lost: string[] = [];
  const namespace = "path" in asked ? undefined : asked.namespace;
  for (const grant of listGrants(user, namespace, state)) {
    if (grant.rules?.some((rule) => ruleAllows(rule, asked)) === true) {
      return { allowed: true, reason: `RBAC: allowed by ${grant.source()}` };
    }
    if (grant.rules === undefined) lost.push(notFound(grant));
  }
  const [first] = lost;
  return { allowed: false, reason: first === undefined ? "" : `RBAC: ${aggregate(lost)}` };
}

/** A binding to a role that is not there. */
export function notFound({ role }: RoleGrant): string {
  return `${role.kind.toLowerCase()}.${rbacGroup} ${JSON.stringify(role.name)} not found`;
}

/** Several errors as one, each named once. */
export function aggregate(problems: readonly string[]): string {
  const different = [...new Set(problems)];
  return different.length === 1 ? different.join() : `[${different.join(", ")}]`;
}

/** The access control of the embedded cluster. */
export const rbac: AccessControl = {
  allows: (user, attributes, state) => decide(user, attributes, state).allowed,
  reason: (user, attributes, state) => decide(user, attributes, state).reason,
  refuseEscalation,
};

const everything: readonly AccessRule[] = [
  {
    apiGroups: ["*"],
    resources: ["*"],
    nonResourceURLs: [],
    resourceNames: [],
    verbs: ["*"],
  },
  { apiGroups: [], resources: [], nonResourceURLs: ["*"], resourceNames: [], verbs: ["*"] },
];

/** Throws 403 where the written role or binding would give more than its writer has. */
function refuseEscalation(attempt: Attempt, state: StateView): void {
  const { definition, object, before, user } = attempt;
  if (definition.resource.group !== rbacGroup || object === undefined) return;
  if (user.groups.includes(allMighty) || isUnchanged(object, before)) return;
  if (isKind(object, "Role") || isKind(object, "ClusterRole")) refuseRole(attempt, object, state);
  if (isKind(object, "RoleBinding") || isKind(object, "ClusterRoleBinding")) {
    refuseBinding(attempt, object, state);
  }
}

/** Equal but for what garbage collection and field owners keep in it: gives nobody anything. */
function isUnchanged(object: KubeObject, before: KubeObject | undefined): boolean {
  return before !== undefined && sameJson(essence(object), essence(before));
}

function essence({ metadata, ...rest }: KubeObject): object {
  const loose = ["ownerReferences", "finalizers", "managedFields", "resourceVersion"];
  const kept = Object.entries(metadata).filter(([key]) => !loose.includes(key));
  return JSON.parse(JSON.stringify({ ...rest, metadata: Object.fromEntries(kept) })) as object;
}

function refuseRole(attempt: Attempt, object: ClusterRole | Role, state: StateView): void {
  if (mayDo(attempt, state, { verb: "escalate", name: attempt.name })) return;
  const missing = listMissing(attempt, rulesOf(object), state);
  if (missing !== undefined) throw forbidden(attempt, missing);
  const gathers = [object, attempt.before].some(hasAggregation);
  if (gathers && listMissing(attempt, everything, state) !== undefined) {
    throw forbidden(attempt, "must have cluster-admin privileges to use the aggregationRule");
  }
}

function hasAggregation(role: KubeObject | undefined): boolean {
  const { aggregationRule } = asKind(role, "ClusterRole") ?? {};
  return (aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

function refuseBinding(attempt: Attempt, object: AnyBinding, state: StateView): void {
  const role = { ...readReference(object), namespace: attempt.namespace };
  const resource = role.kind === "Role" ? "roles" : "clusterroles";
  if (mayDo(attempt, state, { verb: "bind", name: role.name, resource })) return;
  const rules = rulesBehind(role, state);
  if (rules === undefined) {
    throw new ApiError(absent(attempt, role.name), { status: 404, reason: "NotFound" });
  }
  const missing = listMissing(attempt, rules, state);
  if (missing !== undefined) throw forbidden(attempt, missing);
}

function mayDo(
  { user, namespace, definition }: Attempt,
  state: StateView,
  what: Pick<Attributes, "verb" | "name"> & { readonly resource?: string },
): boolean {
  const asked = { group: rbacGroup, resource: definition.resource.plural, ...what };
  return decide(user, { ...asked, ...(namespace !== undefined && { namespace }) }, state).allowed;
}

/** What the writer lacks, in the API server's words; undefined when nothing. */
function listMissing(
  attempt: Attempt,
  wanted: readonly AccessRule[],
  state: StateView,
): string | undefined {
  const { user, namespace } = attempt;
  const grants = [...listGrants(user, namespace, state)];
  const missing = findUncovered(
    grants.flatMap(({ rules = [] }) => rules),
    wanted,
  );
  if (missing.length === 0) return undefined;
  const lost = grants.filter(({ rules }) => rules === undefined);
  const problems = lost.map(({ role }) => absent(attempt, role.name));
  const errors = problems.length === 0 ? "" : `; resolution errors: [${aggregate(problems)}]`;
  return (
    `user ${JSON.stringify(user.name)} (groups=${quoteList(user.groups)}) is attempting to ` +
    `grant RBAC permissions not currently held:\n${printRules(missing)}${errors}`
  );
}

/** The API server names the kind that is being written here, not that of the absent role. */
function absent({ definition }: Attempt, role: string): string {
  return `${definition.resource.plural}.${rbacGroup} ${JSON.stringify(role)} not found`;
}

function forbidden({ definition, name }: Attempt, because: string): ApiError {
  return new ApiError(
    `${definition.resource.plural}.${rbacGroup} ${JSON.stringify(name)} is forbidden: ${because}`,
    { status: 403, reason: "Forbidden" },
  );
}
