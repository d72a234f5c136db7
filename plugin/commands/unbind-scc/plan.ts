/** What takes a constraint from accounts, which ways in stay, and who else uses it (S33). */
import { sccFinding } from "../../domain/scc/findings";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { asArray, getOwn } from "../../domain/base/values";
import {
  type AccessObjects,
  type Account,
  bindingsOf,
  type Breadth,
  type SccGrant,
  grantName,
  grantsOf,
  groupOf,
  groupsOf,
  isAccount,
  roleLabelOf,
  subjectLabel,
  userOf,
  runsUnder,
} from "../../domain/scc/grants";
import { constraintResource } from "../../domain/kube/kinds";
import type { Finding } from "../../domain/base/findings";

/** The state of the cluster that is planned from. */
export interface SccState {
  /** The constraint's name. */
  readonly name: string;
  /** Undefined when it does not exist: bindings to it may be left. */
  readonly constraint: KubeObject | undefined;
  readonly access: AccessObjects;
  /** Pods of all namespaces. */
  readonly pods: readonly KubeObject[];
  /** Labels of the ECs that ask for what the constraint gives (S32). */
  readonly wantedBy: readonly string[];
}

/** One write: the accounts go out of a list; a binding that then has nobody left is deleted. */
export interface ListChange {
  readonly object: KubeObject;
  readonly field: "users" | "subjects";
  readonly left: readonly unknown[];
  readonly removed: readonly string[];
  readonly deletes: boolean;
}

/** A way in that is not this tool's to close: closing it would take something from the account or from others. */
export type SccWay = GroupWay | RoleWay;

/** The account is in a group: of the constraint's own, or of a binding. */
interface GroupWay {
  readonly account: Account;
  readonly object: KubeObject;
  readonly group: string;
  /** Absent for the constraint's own groups, which no access review sees. */
  readonly role?: string;
}

/** The account itself is bound to a role that is about more than the constraint. */
interface RoleWay {
  readonly account: Account;
  readonly object: KubeObject;
  readonly group?: undefined;
  readonly role: string;
  readonly breadth: Breadth;
}

/** The whole plan. */
export interface Unbinding {
  readonly changes: readonly ListChange[];
  readonly ways: readonly SccWay[];
  /** Who would still use the constraint afterwards, each for people; empty: nobody. */
  readonly users: readonly string[];
  /** The constraint, when nobody is left. */
  readonly remove: KubeObject | undefined;
  /** The ClusterRole that granting leaves behind, when nobody is bound to it any more. */
  readonly leftover: KubeObject | undefined;
}

/** Plans to take the constraint from the accounts, and from nobody else. */
export function planUnbind(situation: SccState, accounts: readonly Account[]): Unbinding {
  const { constraint, access, name } = situation;
  const grants = grantsOf(access, name);
  const changes = [...constraintChanges(constraint, accounts), ...bindingChanges(grants, accounts)];
  const users = usersAfter(situation, grants, changes);
  return {
    changes,
    ways: accounts.flatMap((account) => [
      ...constraintWays(constraint, account),
      ...grants.flatMap((grant) => bindingWays(grant, account)),
    ]),
    users,
    remove: users.length === 0 ? constraint : undefined,
    leftover: leftoverOf(situation, changes),
  };
}

function constraintChanges(
  constraint: KubeObject | undefined,
  accounts: readonly Account[],
): readonly ListChange[] {
  if (constraint === undefined) return [];
  const ours = new Set<unknown>(accounts.map(userOf));
  const found = asArray(getOwn(constraint, "users"));
  const left = found.filter((user) => !ours.has(user));
  if (left.length === found.length) return [];
  const removed = [...new Set(found.filter((user) => ours.has(user)).map(String))];
  return [{ object: constraint, field: "users", left, removed, deletes: false }];
}

function bindingChanges(
  grants: readonly SccGrant[],
  accounts: readonly Account[],
): readonly ListChange[] {
  return grants.flatMap(({ binding, breadth }) => {
    if (breadth !== "only") return [];
    const found = asArray(getOwn(binding, "subjects"));
    const left = found.filter(
      (subject) => !accounts.some((account) => isAccount(subject, account)),
    );
    if (left.length === found.length) return [];
    const removed = found.filter((subject) => !left.includes(subject)).map(subjectLabel);
    return [{ object: binding, field: "subjects", left, removed, deletes: left.length === 0 }];
  });
}

function constraintWays(constraint: KubeObject | undefined, account: Account): readonly SccWay[] {
  if (constraint === undefined) return [];
  const found = asArray(getOwn(constraint, "groups"));
  return groupsOf(account)
    .filter((group) => found.includes(group))
    .map((group) => ({ account, object: constraint, group }));
}

function bindingWays({ binding, role, breadth }: SccGrant, account: Account): readonly SccWay[] {
  return asArray(getOwn(binding, "subjects")).flatMap((subject): readonly SccWay[] => {
    const group = groupOf(subject, account);
    if (group !== undefined) return [{ account, object: binding, role, group }];
    const wider = breadth !== "only" && isAccount(subject, account);
    return wider ? [{ account, object: binding, role, breadth }] : [];
  });
}

/** A wildcard is held by every administrator and says nothing about who needs this constraint. */
function usersAfter(
  { name, constraint, pods, wantedBy }: SccState,
  grants: readonly SccGrant[],
  changes: readonly ListChange[],
): readonly string[] {
  return [
    ...leftIn(constraint, "users", changes).map((user) => `user ${String(user)}`),
    ...asArray(getOwn(constraint, "groups")).map((group) => `group ${String(group)}`),
    ...grants
      .filter(({ breadth }) => breadth !== "wide")
      .flatMap(({ binding }) =>
        leftIn(binding, "subjects", changes).map(
          (subject) => `${subjectLabel(subject)} by ${objectLabel(binding)}`,
        ),
      ),
    ...pods
      .filter((pod) => runsUnder(pod, name))
      .map((pod) => `${objectLabel(pod)}, which runs under it`),
    ...wantedBy.map((cluster) => `${cluster}, which asks for automatic resource adjustment`),
  ];
}

function leftoverOf(
  { name, access }: SccState,
  changes: readonly ListChange[],
): KubeObject | undefined {
  const role = access.clusterRoles.find(({ metadata }) => metadata.name === grantName(name));
  const bound = bindingsOf(access).some(
    (binding) =>
      roleLabelOf(binding) === `ClusterRole/${grantName(name)}` &&
      leftIn(binding, "subjects", changes).length > 0,
  );
  return bound ? undefined : role;
}

/** What the list holds once the changes are made. */
function leftIn(
  object: KubeObject | undefined,
  field: ListChange["field"],
  changes: readonly ListChange[],
): readonly unknown[] {
  return changes.find((change) => change.object === object)?.left ?? asArray(getOwn(object, field));
}

const shownUsers = 10;

/** Ways in that stay, who else uses the constraint, and what is left behind. */
export function findingsOf(plan: Unbinding, constraint: string): readonly Finding[] {
  return [
    ...plan.ways.map((way) => wayFinding(way, constraint)),
    ...inUse(plan, constraint),
    ...leftRole(plan),
  ];
}

function wayFinding({ account, object, group, role, ...way }: SccWay, constraint: string): Finding {
  const may = `${userOf(account)} may still use ${constraint}`;
  const about = { object: objectLabel(object) };
  if (group !== undefined) {
    const field = role === undefined ? "groups" : "subjects";
    const cause = `${may} as a member of group ${group}; removing the group would remove it from all its members`;
    return sccFinding("wayGroup", { ...about, field, cause });
  }
  const reason =
    "breadth" in way && way.breadth === "wide"
      ? `by ${role}, a role with a wildcard; this is an administrator's grant and not the constraint's`
      : `by ${role}, which also grants other things that it would lose`;
  return sccFinding("wayRole", { ...about, field: "subjects", cause: `${may} ${reason}` });
}

function inUse({ users }: Unbinding, constraint: string): readonly Finding[] {
  if (users.length === 0) return [];
  return [
    sccFinding("inUse", {
      object: `${constraintResource.kind}/${constraint}`,
      cause: `it is kept, it is still used by ${few(users).join("; ")}`,
      fix: "unbind those that no longer need it (other namespaces with -n), then run again: it is deleted when nobody is left",
    }),
  ];
}

/** A whole cluster may use it: the report's details have everybody. */
function few(users: readonly string[]): readonly string[] {
  const more = users.length - shownUsers;
  return more > 0 ? [...users.slice(0, shownUsers), `${more} more`] : users;
}

function leftRole({ leftover }: Unbinding): readonly Finding[] {
  if (leftover === undefined) return [];
  return [
    sccFinding("roleLeft", {
      object: objectLabel(leftover),
      cause: "nobody is bound to it any more, and nothing removes it",
    }),
  ];
}

/** The constraint of releases before 6.4.2-6 is there as well. */
export function olderLeft(older: string, command: string): Finding {
  return sccFinding("olderLeft", {
    object: `${constraintResource.kind}/${older}`,
    cause: "the constraint of still older releases exists as well",
    fix: `remove it in the same way: ${command}`,
  });
}
