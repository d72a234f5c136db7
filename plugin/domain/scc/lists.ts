/** What goes out of which list to take a constraint from accounts, which ways in stay, and who else uses it (S33). */
import { tool } from "../base/remedy";
import { sccFinding } from "./findings";
import type { Pod, Subject } from "../kube/models";
import { type KubeObject, objectLabel } from "../kube/objects";
import { asArray, getOwn } from "../base/values";
import { listGroups } from "../kube/role-rules";
import {
  type AccessObjects,
  type Account,
  listBindings,
  type Breadth,
  type SccGrant,
  grantName,
  listGrants,
  findGroup,
  isAccount,
  labelRole,
  subjectLabel,
  renderGroup,
  renderUser,
  runsUnder,
  type Binding,
} from "./grants";
import { constraintResource } from "../kube/kinds";
import type { Finding } from "../base/findings";

/** The state of the cluster that is planned from. */
export interface SccState {
  /** The constraint's name. */
  readonly name: string;
  /** Undefined when it does not exist: bindings to it may be left. */
  readonly constraint: KubeObject | undefined;
  readonly access: AccessObjects;
  /** Pods of all namespaces. */
  readonly pods: readonly Pod[];
  /** Labels of the ECs that ask for what the constraint gives (S32). */
  readonly wantedBy: readonly string[];
  /** User names of the accounts of every EC of the namespace. */
  readonly members: readonly string[];
  /** The product's own constraints: a role about these alone is about nothing else. */
  readonly own: readonly string[];
}

/** A list, and what is taken out of it. */
interface ListEdit {
  readonly field: "users" | "groups" | "subjects";
  readonly left: readonly unknown[];
  readonly removed: readonly string[];
}

/** One write: the accounts go out of its lists; a binding that then has nobody left is deleted. */
export interface ListChange {
  readonly object: KubeObject;
  readonly lists: readonly ListEdit[];
  readonly deletes: boolean;
}

/** All that a write takes out, for people. */
export function listRemoved({ lists }: Pick<ListChange, "lists">): readonly string[] {
  return lists.flatMap(({ removed }) => removed);
}

/** A way in that is not this tool's to close: closing it would take something from the account or from others. */
export interface SccWay {
  readonly account: Account;
  readonly object: KubeObject;
  /** The group that the account is in: of the constraint's own, or of a binding; absent: it is bound itself. */
  readonly group?: string;
  /** Absent for the constraint's own groups, which no access review sees. */
  readonly role?: string;
  /** Of the role; that of the constraint's own list is about the constraint alone. */
  readonly breadth: Breadth;
}

/** What the lists come to: `plan.ts` judges it, and makes the writes of it. */
export interface ListPlan {
  readonly changes: readonly ListChange[];
  readonly ways: readonly SccWay[];
  /** Who would still use the constraint afterwards, each for people; empty: nobody. */
  readonly users: readonly string[];
  /** Those of them that are pods. */
  readonly pods: readonly string[];
  /** The constraint, when nobody is left. */
  readonly remove: KubeObject | undefined;
  /** The ClusterRole that granting leaves behind, when nobody is bound to it any more. */
  readonly leftover: KubeObject | undefined;
}

/** Plans to take the constraint from the accounts, and from nobody else. */
export function planLists(situation: SccState, accounts: readonly Account[]): ListPlan {
  const { constraint, access, name, own } = situation;
  const grants = listGrants(access, name, own);
  const going = { accounts, groups: listFreeGroups(situation, accounts) };
  const changes = [
    ...listConstraintChanges(constraint, going),
    ...listBindingChanges(grants, going),
  ];
  const pods = listPods(situation);
  const users = usersAfter(situation, { grants, changes, pods });
  const isLeft = ({ group, breadth }: SccWay): boolean =>
    group === undefined || breadth !== "only" || !going.groups.includes(group);
  return {
    changes,
    ways: accounts.flatMap((account) =>
      [
        ...constraintWays(constraint, account),
        ...grants.flatMap((grant) => bindingWays(grant, account)),
      ].filter(isLeft),
    ),
    users,
    pods,
    remove: users.length === 0 ? constraint : undefined,
    leftover: findLeftover(situation, changes),
  };
}

/** True for an account that a list or a binding about the constraint alone names: the others have nothing to lose. */
export function isNamed({ constraint, access, name, own }: SccState, account: Account): boolean {
  const going = { accounts: [account], groups: [] };
  const grants = listGrants(access, name, own);
  return (
    listConstraintChanges(constraint, going).length + listBindingChanges(grants, going).length > 0
  );
}

/** What goes out of every list that is about the constraint alone. */
interface Going {
  readonly accounts: readonly Account[];
  readonly groups: readonly string[];
}

/**
 * The groups of one namespace each, where no EC of it still needs the constraint and no pod of another
 * account runs under it; the wider groups hold accounts, or people, of the whole cluster.
 */
function listFreeGroups(
  { members, wantedBy, pods, name }: SccState,
  accounts: readonly Account[],
): readonly string[] {
  const users = new Set(accounts.map(renderUser));
  if (wantedBy.length > 0 || !members.every((member) => users.has(member))) return [];
  const isOthers = ({ metadata, spec }: Pod): boolean => {
    const name = String(spec?.serviceAccountName);
    return !users.has(renderUser({ namespace: String(metadata.namespace), name }));
  };
  return [...new Set(accounts.map(({ namespace }) => namespace))]
    .filter(
      (namespace) =>
        !pods.some(
          (pod) => pod.metadata.namespace === namespace && runsUnder(pod, name) && isOthers(pod),
        ),
    )
    .map(renderGroup);
}

function listConstraintChanges(
  constraint: KubeObject | undefined,
  going: Going,
): readonly ListChange[] {
  if (constraint === undefined) return [];
  const ours = new Set<unknown>(going.accounts.map(renderUser));
  const groups = new Set<unknown>(going.groups);
  const lists = [
    ...editList("users", asArray(constraint["users"]), {
      goes: (user) => ours.has(user),
      label: String,
    }),
    ...editList("groups", asArray(constraint["groups"]), {
      goes: (group) => groups.has(group),
      label: (group) => `group ${String(group)}`,
    }),
  ];
  return lists.length === 0 ? [] : [{ object: constraint, lists, deletes: false }];
}

function listBindingChanges(grants: readonly SccGrant[], going: Going): readonly ListChange[] {
  const goes = (subject: Subject): boolean =>
    going.accounts.some(
      (account) =>
        isAccount(subject, account) || going.groups.includes(findGroup(subject, account) ?? ""),
    );
  return grants.flatMap(({ binding, breadth }) => {
    if (breadth !== "only") return [];
    const lists = editList("subjects", binding.subjects ?? [], { goes, label: subjectLabel });
    const deletes = lists.some(({ left }) => left.length === 0);
    return lists.length === 0 ? [] : [{ object: binding, lists, deletes }];
  });
}

interface Removal<T> {
  readonly goes: (one: T) => boolean;
  readonly label: (one: T) => string;
}

function editList<T>(
  field: ListEdit["field"],
  found: readonly T[],
  { goes, label }: Removal<T>,
): readonly ListEdit[] {
  const left = found.filter((one) => !goes(one));
  const removed = [...new Set(found.filter(goes).map(label))];
  return removed.length === 0 ? [] : [{ field, left, removed }];
}

function constraintWays(constraint: KubeObject | undefined, account: Account): readonly SccWay[] {
  if (constraint === undefined) return [];
  const found = asArray(getOwn(constraint, "groups"));
  return listGroups(account)
    .filter((group) => found.includes(group))
    .map((group) => ({ account, object: constraint, group, breadth: "only" }));
}

function bindingWays({ binding, role, breadth }: SccGrant, account: Account): readonly SccWay[] {
  return (binding.subjects ?? []).flatMap((subject): readonly SccWay[] => {
    const group = findGroup(subject, account);
    if (group !== undefined) return [{ account, object: binding, role, group, breadth }];
    const wider = breadth !== "only" && isAccount(subject, account);
    return wider ? [{ account, object: binding, role, breadth }] : [];
  });
}

function listPods({ name, pods }: Pick<SccState, "name" | "pods">): readonly string[] {
  return pods
    .filter((pod) => runsUnder(pod, name))
    .map((pod) => `${objectLabel(pod)}, which runs under it`);
}

/** A wildcard is held by every administrator and says nothing about who needs this constraint. */
function usersAfter(
  { constraint, wantedBy }: SccState,
  {
    grants,
    changes,
    pods,
  }: {
    readonly grants: readonly SccGrant[];
    readonly changes: readonly ListChange[];
    readonly pods: readonly string[];
  },
): readonly string[] {
  return [
    ...leftIn(constraint, "users", changes).map((user) => `user ${String(user)}`),
    ...leftIn(constraint, "groups", changes).map((group) => `group ${String(group)}`),
    ...grants
      .filter(({ breadth }) => breadth !== "wide")
      .flatMap(({ binding }) =>
        subjectsLeft(binding, changes).map(
          (subject) => `${subjectLabel(subject)} by ${objectLabel(binding)}`,
        ),
      ),
    ...pods,
    ...wantedBy.map((cluster) => `${cluster}, which asks for automatic resource adjustment`),
  ];
}

function findLeftover(
  { name, access }: SccState,
  changes: readonly ListChange[],
): KubeObject | undefined {
  const role = access.clusterRoles.find(({ metadata }) => metadata.name === grantName(name));
  const bound = listBindings(access).some(
    (binding) =>
      labelRole(binding) === `ClusterRole/${grantName(name)}` &&
      subjectsLeft(binding, changes).length > 0,
  );
  return bound ? undefined : role;
}

/** Whom a binding is still for once the changes are made. */
function subjectsLeft(binding: Binding, changes: readonly ListChange[]): readonly Subject[] {
  const left = leftIn(binding, "subjects", changes);
  return binding.subjects?.filter((subject) => left.includes(subject)) ?? [];
}

/** What the list holds once the changes are made. */
function leftIn(
  object: KubeObject | undefined,
  field: ListEdit["field"],
  changes: readonly ListChange[],
): readonly unknown[] {
  const lists = changes.find((change) => change.object === object)?.lists ?? [];
  return lists.find((list) => list.field === field)?.left ?? asArray(getOwn(object, field));
}

const shownUsers = 10;

/** Ways in that stay, who else uses the constraint, and what is left behind. */
export function listFindings(plan: ListPlan, constraint: string): readonly Finding[] {
  const { leftover, pods, ways } = plan;
  return [
    ...ways.map((way) => wayFinding(way, constraint, pods)),
    ...inUse(plan, constraint),
    ...(leftover === undefined ? [] : [leftRole(leftover)]),
  ];
}

function leftRole(role: KubeObject): Finding {
  const cause = "nobody is bound to it any more, and nothing removes it";
  return sccFinding("roleLeft", { object: objectLabel(role), cause });
}

function wayFinding(
  { account, object, group, role, breadth }: SccWay,
  constraint: string,
  pods: readonly string[],
): Finding {
  const may = `${renderUser(account)} may still use ${constraint}`;
  const about = { object: objectLabel(object) };
  if (group !== undefined) {
    const field = role === undefined ? "groups" : "subjects";
    const cause = `${may} as a member of group ${group}; removing the group would remove it from all its members`;
    return sccFinding("wayGroup", { ...about, field, cause, fix: wayOut(constraint, group, pods) });
  }
  const reason =
    breadth === "wide"
      ? `by ${role}, a role with a wildcard; this is an administrator's grant and not the constraint's`
      : `by ${role}, which also grants other things that it would lose`;
  return sccFinding("wayRole", { ...about, field: "subjects", cause: `${may} ${reason}` });
}

/** Of a group that has other accounts as well: who of them runs pods by it decides. */
function wayOut(constraint: string, group: string, pods: readonly string[]): string {
  const command = `oc adm policy remove-scc-from-group ${constraint} ${group}`;
  return pods.length === 0
    ? `no pod runs under it: take the group out, then run again: ${command}`
    : `make sure that none of these needs it any more: ${few(pods).join("; ")}; then take the group out: ${command}`;
}

function inUse({ users, pods }: ListPlan, constraint: string): readonly Finding[] {
  if (users.length === 0) return [];
  return [
    sccFinding("inUse", {
      object: `${constraintResource.kind}/${constraint}`,
      cause: `it is kept, it is still used by ${few(users).join("; ")}`,
      fix:
        users.length === pods.length
          ? "once these pods have ended, or are made again under another constraint, run again: it is deleted when nobody is left"
          : "unbind those that no longer need it (other namespaces with -n), then run again: it is deleted when nobody is left",
    }),
  ];
}

/** A whole cluster may use it: the report's details have everybody. */
function few(users: readonly string[]): readonly string[] {
  const more = users.length - shownUsers;
  return more > 0 ? [...users.slice(0, shownUsers), `${more} more`] : users;
}

/** The constraint of releases before 6.4.2-6 is there as well. */
export function olderLeft(older: string): Finding {
  return sccFinding("olderLeft", {
    object: `${constraintResource.kind}/${older}`,
    cause: "the constraint of still older releases exists as well",
    remedies: [
      tool(
        `remove it in the same way with unbind-scc --scc ${older}`,
        "unbind-scc",
        `--scc=${older}`,
      ),
    ],
  });
}
