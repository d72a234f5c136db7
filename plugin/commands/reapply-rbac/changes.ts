/** The writes of one place in their order, each with what a plan tells of it. Pure. */
import type { Names } from "../../domain/names/names";
import type { KubeObject, Resource } from "../../domain/kube/objects";
import type { ChangedField, PlannedWrite } from "../../domain/kube/planned-write";
import { countNoun, oncePer } from "../../domain/base/values";
import { differences } from "../../domain/kube/differences";
import { kindsIn, type RolePair } from "../../domain/kube/kinds";
import { type Mode, type SitePlan, temporaryBinding, type Write } from "../../domain/rbac/plan";
import {
  compareRules,
  type Grant,
  grantLines,
  readRoleRef,
  readRules,
  subjectLabel,
  subjectsBeyond,
  listSubjects,
} from "../../domain/kube/role-rules";
import { nameSecond, type Site } from "../../domain/rbac/site";
import type { Stale } from "../../domain/rbac/managed";
import { type Apply, backBy, type Delete, type PutBack } from "../../domain/kube/change";

/** The writes of a place, in the order in which they are sent. */
export interface SiteWrites {
  readonly role?: Apply | undefined;
  /** A second binding of another change, which is in the way of this one's. */
  readonly leftOver?: Delete | undefined;
  /** The second binding, which gives the access while the binding is replaced. */
  readonly second?: Apply | undefined;
  /** The binding as it is, where it is for another role: a roleRef cannot be changed. */
  readonly old?: Delete | undefined;
  readonly binding?: Apply | undefined;
  /** The second binding, when the binding itself is in force again. */
  readonly end?: Delete | undefined;
}

/** What the words and objects of the writes are made with. */
export interface RbacContext {
  readonly names: Names;
  readonly mode: Mode;
  readonly command: (words: readonly string[]) => string;
  /** The user by whom the second binding is seen to be in force; absent: nobody looks. */
  readonly witness?: string | undefined;
}

/** What has to be written at a place. */
export function listWrites({ plan }: Site, context: RbacContext): SiteWrites {
  const { role, binding, temporary } = plan;
  const does = {
    role: grantLines(plan.lost).map((line) => `take ${line} away`),
    binding: plan.subjectsLost.map((who) => `take ${who} out of it`),
  };
  const first = {
    role: role && buildApply(role, { why: whyRole(plan), does: does.role }, context),
  };
  if (plan.rebind && binding?.live !== undefined) {
    return {
      ...first,
      ...buildReplacement({ ...binding, live: binding.live }, { plan, does, context }),
    };
  }
  const reason = { why: whyBinding(plan), does: does.binding };
  return {
    ...first,
    binding: binding && buildApply(binding, reason, context),
    end: temporary && buildDelete(temporary, inForceAgain),
  };
}

/** The writes by which a binding for another role is replaced. */
function buildReplacement(
  { object, live }: Pick<Write, "object"> & { readonly live: KubeObject },
  { plan, does, context }: Replacing,
): SiteWrites {
  const secondName = nameSecond(object.metadata.name ?? "", context.names);
  const second = temporaryBinding(plan, secondName, context.witness);
  const [from, to] = [readRoleRef(live), readRoleRef(object)];
  const { temporary: left } = plan;
  const isInTheWay = left !== undefined && readRoleRef(left) !== to;
  const write = { object: second, live: isInTheWay ? undefined : left };
  const meanwhile = `the access through ${to} while the binding is replaced`;
  return {
    leftOver: isInTheWay
      ? buildDelete(left, { why: "left over from another change", does: [] })
      : undefined,
    second: buildApply(write, { why: meanwhile, does: [] }, context),
    old: buildDelete(live, {
      why: `it is for ${from}, expected ${to}`,
      does: ["delete it", ...does.role],
      putBack: "replace --force",
    }),
    binding: buildApply({ object }, { why: "with the right role", does: does.binding }, context),
    end: buildDelete(second, inForceAgain),
  };
}

interface Replacing {
  readonly plan: SitePlan;
  /** What a person has to have confirmed of each. */
  readonly does: RolePair<readonly string[]>;
  readonly context: RbacContext;
}

const inForceAgain = { why: "the binding itself is in force again", does: [] };

/** The writes one after the other. */
export function inOrder(writes: SiteWrites): readonly (Apply | Delete)[] {
  const { role, leftOver, second, old, binding, end } = writes;
  return [role, leftOver, second, old, binding, end].filter((write) => write !== undefined);
}

/** Deletes what is left in one place: the role first, so that a run cut off here finds the binding. */
export function listDeletions({ role, bindings }: Stale): readonly Delete[] {
  const reason = { why: "the namespace is not managed any more", putBack: "create" } as const;
  return [...(role === undefined ? [] : [role]), ...bindings].map((object) => ({
    ...buildDelete(object, reason),
    needs: "to delete what is left over (--prune)",
  }));
}

/** Why it is written, and what a person has to have confirmed of it; absent: all of it. */
type Reason = Pick<Apply, "why" | "does">;

const needs = "to bring roles and bindings up to date";

function buildApply(write: Write, reason: Reason, context: RbacContext): Apply {
  const { object, live } = write;
  return {
    ...{ id: "rbac.apply", verb: "apply", force: "judged", needs, ...reason },
    ...{ resource: findResource(object), object, live },
    // what a plan alone tells: of thousands of writes it is found out for those that one shows
    get changes() {
      return listChanges(object, live);
    },
    get risk() {
      return describeRisk(object, live).risk;
    },
    get isHarmless() {
      return describeRisk(object, live).isHarmless;
    },
    get reverse() {
      return live === undefined ? context.command(deleteWords(object)) : backBy("replace");
    },
    get kubectl() {
      return ["kubectl", ...renderWords(write, context)];
    },
  };
}

function buildDelete(object: KubeObject, reason: Reason & Pick<Delete, "putBack">): Delete {
  const { putBack } = reason;
  return {
    ...{ id: "rbac.delete", verb: "delete", needs, ...reason },
    ...{ resource: findResource(object), object },
    ...riskOfDeleting(putBack),
    reverse: putBack === undefined ? "nothing to take back" : backBy(putBack),
  };
}

function findResource({ kind, metadata }: KubeObject): Resource {
  const { role, binding } = kindsIn(metadata.namespace);
  return kind === role.kind ? role : binding;
}

function whyRole({ gained, lost, role }: SitePlan): string {
  if (role?.live === undefined) return "there is none yet";
  if (gained.length + lost.length === 0) return "its labels or annotations differ";
  return `${countNoun(gained.length, "permission")} more, ${lost.length} fewer`;
}

function whyBinding({ binding, subjectsGained, subjectsLost }: SitePlan): string {
  if (binding?.live === undefined) return "there is none yet";
  const changed = subjectsGained.length + subjectsLost.length > 0;
  return changed ? "its subjects differ" : "its labels or annotations differ";
}

/** Right by right and account by account: a list as a whole would differ wherever someone added to it. */
function listChanges(object: KubeObject, live: KubeObject | undefined): readonly ChangedField[] {
  const { apiVersion, kind, metadata } = object;
  const { gained, lost } = compareRules(readRules(live), readRules(object));
  const { bound, unbound } = compareSubjects(object, live);
  const head = differences(live ?? { apiVersion, kind, metadata: {} }, {
    apiVersion,
    kind,
    metadata,
  });
  return [
    ...gained.map(granted),
    ...lost.map(revoked),
    ...bound.map((who) => describeEntry("subjects", who, "bound")),
    ...unbound.map((who) => describeEntry("subjects", who, null)),
    ...head.map(({ field, wanted }) => ({ path: field, to: wanted })),
  ];
}

function compareSubjects(object: KubeObject, live: KubeObject | undefined) {
  const [before, after] = [listSubjects(live), listSubjects(object)];
  return {
    bound: subjectsBeyond(after, before).map(subjectLabel),
    unbound: subjectsBeyond(before, after).map(subjectLabel),
  };
}

type Risk = Pick<PlannedWrite, "risk" | "isHarmless">;

function describeRisk(object: KubeObject, live: KubeObject | undefined): Risk {
  const { lost } = compareRules(readRules(live), readRules(object));
  const { unbound } = compareSubjects(object, live);
  if (lost.length > 0) {
    const count = countNoun(lost.length, "permission");
    const removed = lost.length === 1 ? "is removed" : "are removed";
    return {
      risk: `${count} ${removed}: an operator that still uses one is refused from then on`,
    };
  }
  if (unbound.length > 0) return { risk: `${unbound.join(", ")} loses the access` };
  return { risk: "low: access is added or stays as it is", isHarmless: true };
}

function describeEntry(field: string, entry: string, to: string | null): ChangedField {
  return { path: `.${field}[${JSON.stringify(entry)}]`, to };
}

/** A grant is one object wherever it is given, and is told in the same words. */
const granted = oncePer((grant: Grant) => describeEntry("rules", renderLine(grant), "granted"));
const revoked = oncePer((grant: Grant) => describeEntry("rules", renderLine(grant), null));

function renderLine(grant: Grant): string {
  return grantLines([grant]).join();
}

function riskOfDeleting(putBack: PutBack | undefined): Risk {
  if (putBack === "create") return { risk: "what only this object gives is gone from then on" };
  return { risk: "low: another binding gives the same access meanwhile", isHarmless: true };
}

/** kubectl's words for an apply: by the release's file, or else by what the object holds. */
function renderWords(
  { object, live, mixed }: Write,
  { names, mode }: RbacContext,
): readonly string[] {
  const file = renderFile(object, names);
  const isUnfiled = mixed === true || (file === undefined && object["rules"] !== undefined);
  if (live !== undefined && isUnfiled) return patchWords(object);
  return file === undefined ? createWords(object) : reconcileWords(file, object, mode);
}

function deleteWords(object: KubeObject): readonly string[] {
  return ["kubectl", "delete", ...findName(object), ...within(object)];
}

/** kubectl's own way of bringing roles and bindings to what a file says. */
function reconcileWords(file: string, object: KubeObject, mode: Mode): readonly string[] {
  const extras = ["--remove-extra-permissions", "--remove-extra-subjects"];
  const words = ["auth", "reconcile", "-f", file, ...within(object)];
  return [...words, ...(mode === "expand" ? [] : extras)];
}

/** No file of a release holds what a person added: the whole list is given instead. */
function patchWords(object: KubeObject): readonly string[] {
  const key = object["rules"] === undefined ? "subjects" : "rules";
  const patch = JSON.stringify({ [key]: object[key] });
  return ["patch", ...findName(object), "--type=merge", "-p", patch, ...within(object)];
}

function createWords(binding: KubeObject): readonly string[] {
  const [kind = "", role = ""] = readRoleRef(binding).split("/");
  const subjects = listSubjects(binding).map((subject) =>
    subject.kind === "ServiceAccount"
      ? `--serviceaccount=${subject.namespace ?? ""}:${subject.name}`
      : `--${subject.kind.toLowerCase()}=${subject.name}`,
  );
  const reference = `--${kind.toLowerCase()}=${role}`;
  return ["create", ...findName(binding), reference, ...subjects, ...within(binding)];
}

function findName({ kind, metadata }: KubeObject): readonly string[] {
  return [kind.toLowerCase(), metadata.name ?? ""];
}

function within({ metadata: { namespace } }: KubeObject): readonly string[] {
  return namespace === undefined ? [] : ["-n", namespace];
}

/** The file of a release that the object is from; the second binding of a change is from none. */
function renderFile({ kind, metadata }: KubeObject, { rbac, release }: Names): string | undefined {
  const files: Readonly<Record<string, readonly string[]>> = {
    [`Role/${rbac.consumerRole}`]: release.consumerRole,
    [`RoleBinding/${rbac.consumerBinding}`]: release.consumerBinding,
    [`ClusterRole/${rbac.labelRole}`]: release.labelRole,
    [`ClusterRoleBinding/${rbac.labelBinding}`]: release.labelBinding,
  };
  return files[`${kind}/${metadata.name ?? ""}`]?.[0];
}
