/** Access control by roles, as the API server judges it. */
import type { AccessControl, Attempt, Attributes, StateView } from "../model";
import {
  aggregate,
  allMighty,
  decide,
  grantsOf,
  rbacGroup,
  referenceOf,
  rulesBehind,
} from "./grants";
import { ApiError } from "../../domain/errors";
import { asArray, getOwn, sameJson } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import { lacking, printRules, quotedList, type Rule, rulesOf } from "./rules";

/** The access control of the embedded cluster. */
export const rbac: AccessControl = {
  allows: (user, attributes, state) => decide(user, attributes, state).allowed,
  reason: (user, attributes, state) => decide(user, attributes, state).reason,
  refuseEscalation,
};

const everything: readonly Rule[] = [
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
export function refuseEscalation(attempt: Attempt, state: StateView): void {
  const { definition, object, before, user } = attempt;
  const { group, plural } = definition.resource;
  if (group !== rbacGroup || object === undefined) return;
  if (user.groups.includes(allMighty) || isUnchanged(object, before)) return;
  if (plural === "roles" || plural === "clusterroles") refuseRole(attempt, object, state);
  if (plural === "rolebindings" || plural === "clusterrolebindings") {
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

function refuseRole(attempt: Attempt, object: KubeObject, state: StateView): void {
  if (mayDo(attempt, state, { verb: "escalate", name: attempt.name })) return;
  const missing = missingOf(attempt, rulesOf(object), state);
  if (missing !== undefined) throw forbidden(attempt, missing);
  const gathers = [object, attempt.before].some(hasAggregation);
  if (gathers && missingOf(attempt, everything, state) !== undefined) {
    throw forbidden(attempt, "must have cluster-admin privileges to use the aggregationRule");
  }
}

function hasAggregation(role: KubeObject | undefined): boolean {
  return asArray(getOwn(getOwn(role, "aggregationRule"), "clusterRoleSelectors")).length > 0;
}

function refuseBinding(attempt: Attempt, object: KubeObject, state: StateView): void {
  const role = { ...referenceOf(object), namespace: attempt.namespace };
  const resource = role.kind === "Role" ? "roles" : "clusterroles";
  if (mayDo(attempt, state, { verb: "bind", name: role.name, resource })) return;
  const rules = rulesBehind(role, state);
  if (rules === undefined) {
    throw new ApiError(absent(attempt, role.name), { status: 404, reason: "NotFound" });
  }
  const missing = missingOf(attempt, rules, state);
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
function missingOf(
  attempt: Attempt,
  wanted: readonly Rule[],
  state: StateView,
): string | undefined {
  const { user, namespace } = attempt;
  const grants = [...grantsOf(user, namespace, state)];
  const missing = lacking(
    grants.flatMap(({ rules = [] }) => rules),
    wanted,
  );
  if (missing.length === 0) return undefined;
  const lost = grants.filter(({ rules }) => rules === undefined);
  const problems = lost.map(({ role }) => absent(attempt, role.name));
  const errors = problems.length === 0 ? "" : `; resolution errors: [${aggregate(problems)}]`;
  return (
    `user ${JSON.stringify(user.name)} (groups=${quotedList(user.groups)}) is attempting to ` +
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
