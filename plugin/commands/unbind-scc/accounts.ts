/** What is written for whom, what stands against it, and what is said of it: pure over what was read. */
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { type Names, renderTerm } from "../../domain/names/names";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { findLivingOwner, type LeftMarks, renderOwnersWay } from "../../domain/kube/owners";
import { sccFindings } from "../../domain/scc/findings";
import type { Needs } from "../../domain/facts/needs";
import { sccProof, unbindNeeds } from "./needs";
import { bindNeed } from "../../domain/kube/write-needs";
import { type Permission, permissionOn, reviewPermission } from "../../domain/kube/permissions";
import { type Account, readAccount, renderUser, accessRef } from "../../domain/scc/grants";
import { constraintResource } from "../../domain/kube/kinds";
import {
  listFindings,
  olderLeft,
  type ListChange,
  isNamed,
  listRemoved,
  makeState,
  planUnbind,
  type SccState,
  type Unbinding,
} from "./plan";
import {
  isFree,
  type JudgedAccount,
  judgeAccounts,
  judgeOperator,
} from "../../domain/scc/refusals";
import { getOwn } from "../../domain/base/values";
import {
  backBy,
  recreateObject,
  listPermissions,
  type Delete,
  type Patch,
} from "../../domain/kube/change";
import { findConstraint, type UnbindDeps, type UnbindFacts, type UnbindOptions } from "./read";

/** A plan that nothing stands against. */
export interface UnbindPlan extends Pick<Unbinding, "ways" | "users"> {
  /** Name of the constraint. */
  readonly constraint: string;
  /** The constraint was there when it was read. */
  readonly exists: boolean;
  /** Accounts that go out of a list, and bindings of nobody else. */
  readonly changes: readonly (Patch | Delete)[];
  /** The constraint's deletion, once it is proven that nobody uses it. */
  readonly afterProof: readonly Delete[];
  readonly accounts: readonly JudgedAccount[];
  /** Accounts of other ECs, which something stands against. */
  readonly blocked: readonly JudgedAccount[];
  readonly findings: readonly Finding[];
  /** All writes, as they are asked about. */
  readonly acts: string;
}

/** Throws BlockedError (3, 5) where something stands against it. */
export function makeUnbindPlan(
  deps: Pick<UnbindDeps, "names" | "engine">,
  options: UnbindOptions,
  facts: UnbindFacts,
): UnbindPlan {
  const { situation, accounts: all } = judged(deps.names, options, facts);
  const { name, constraint } = situation;
  const { plan, accounts, blocked, findings } = freed(situation, all);
  const { changes, remove, ways, users } = plan;
  const owned = changes.flatMap(({ object }) => ownedBy(object, "error", facts.left));
  if (owned.length > 0) throw new BlockedError(exitCodes.conflict, owned);
  const unused = remove === undefined ? [] : [remove];
  const kept = unused.flatMap((each) => ownedBy(each, "warning", facts.left));
  const removed = kept.length > 0 ? [] : unused;
  const deletions = removed.map((each) => `delete ${objectLabel(each)}`);
  return {
    ...{ constraint: name, exists: constraint !== undefined, ways, users, accounts, blocked },
    changes: changes.map(makeChange),
    afterProof: removed.map(makeRemoval),
    acts: [...changes.map(describeAct), ...deletions].join(", then "),
    findings: [...findOlder(deps, facts), ...findings, ...kept, ...listFindings(plan, name)],
  };
}

/** The plan for those that nothing stands against; where nothing is to be written nobody is judged. */
function freed(
  situation: SccState,
  accounts: readonly JudgedAccount[],
): Pick<UnbindPlan, "accounts" | "blocked" | "findings"> & { readonly plan: Unbinding } {
  const plan = planUnbind(situation, accounts);
  const findings = accounts.flatMap((account) => account.findings);
  if (plan.changes.length === 0 && plan.remove === undefined) {
    const left = findings.filter(({ code }) => code === sccFindings.podLeft.code);
    return { plan, accounts, blocked: [], findings: left };
  }
  const free = accounts.filter(isFree);
  if (free.length === 0) throw new BlockedError(exitCodes.blocked, findings);
  const blocked = accounts.filter((account) => !isFree(account));
  return { plan: planUnbind(situation, free), accounts: free, blocked, findings };
}

function findOlder(
  { names, engine }: Pick<UnbindDeps, "names" | "engine">,
  { older }: UnbindFacts,
): readonly Finding[] {
  const { older: name } = names.scc;
  return older === undefined ? [] : [olderLeft(name, engine(["unbind-scc", "--scc", name]))];
}

interface SccFindings {
  readonly situation: SccState;
  readonly accounts: readonly JudgedAccount[];
}

function judged(names: Names, options: UnbindOptions, facts: UnbindFacts): SccFindings {
  const { constraint, access, pods, clusters, deployment } = facts;
  const name = findConstraint(names, options);
  const around = { name, constraint, access, deployment, pods };
  const accounts = judgeAccounts(meant(clusters, names, options), around, names);
  const situation = makeState(around, clusters, names);
  const beside = options.ec === undefined ? judgeOperator(around, names) : [];
  return { situation, accounts: [...accounts, ...beside.filter((one) => isNamed(situation, one))] };
}

/** The EC that was named with all that share its account, else every EC. */
function meant(
  clusters: readonly KubeObject[],
  names: Names,
  { namespace, ec }: UnbindOptions,
): readonly KubeObject[] {
  const named = clusters.filter(({ metadata }) => ec === undefined || metadata.name === ec);
  if (named.length === 0) {
    throw new BlockedError(exitCodes.blocked, [
      {
        code: "SCC-NO-EC",
        severity: "error",
        object: ec === undefined ? `Namespace/${namespace}` : `${names.ec.kind}/${namespace}/${ec}`,
        cause: `there is no such ${renderTerm(names.ec)}, so no service account to take the constraint from`,
        fix: `give the namespace of the ${renderTerm(names.ec)} with -n${ec === undefined ? "" : ", and its name with --ec"}`,
        source: "S33",
      },
    ]);
  }
  const userIn = (cluster: KubeObject): string => renderUser(readAccount(cluster, names));
  const users = new Set(named.map(userIn));
  return clusters.filter((cluster) => users.has(userIn(cluster)));
}

/** Helm, OLM and GitOps controllers would undo a change of what they look after. */
function ownedBy(
  object: KubeObject,
  severity: Finding["severity"],
  left: LeftMarks | undefined,
): readonly Finding[] {
  const owner = findLivingOwner(object, left);
  if (owner === undefined) return [];
  return [
    {
      code: "SCC-OWNED",
      severity,
      object: objectLabel(object),
      cause: `${owner.name} owns it and may undo the change: it is left alone`,
      fix: `${renderOwnersWay(owner)}; then run again`,
      source: "Facts 5",
    },
  ];
}

function describeAct(change: ListChange): string {
  const label = objectLabel(change.object);
  return change.deletes
    ? `delete ${label}`
    : `take ${listRemoved(change).join(", ")} out of ${label}`;
}

function makeChange(change: ListChange): Patch | Delete {
  const { object, lists, deletes } = change;
  const who = listRemoved(change).join(", ");
  const does = lists.flatMap(({ field, removed }) =>
    removed.map((one) => `take ${one} out of its ${field}`),
  );
  const told = {
    ...{ id: "scc.unbind", object, resource: accessRef(object).resource },
    risk: `a pod of ${who} that still needs the constraint is not admitted any more`,
  };
  if (deletes) {
    return {
      ...{ ...told, ...deletion, does: [...does, "delete it"] },
      why: `it is bound only to ${who}`,
      needs: "to delete a binding of nobody else",
    };
  }
  const { namespace } = object.metadata;
  return {
    ...{ ...told, verb: "patch", does, keepsWhole: true },
    edits: lists.map(({ field, left }) => ({
      path: [field],
      from: getOwn(object, field),
      to: left,
    })),
    why: `${who} goes out of its ${lists.map(({ field }) => field).join(" and ")}`,
    changes: lists.flatMap(({ field, removed }) =>
      removed.map((one) => ({ path: `.${field}[${JSON.stringify(one)}]`, to: null })),
    ),
    reverse: backBy("replace"),
    where: namespace === undefined ? [] : ["-n", namespace],
    needs: "to take the account out of it",
  };
}

function makeRemoval(constraint: KubeObject): Delete {
  return {
    ...{
      ...deletion,
      id: "scc.delete",
      object: constraint,
      resource: accessRef(constraint).resource,
    },
    why: "no subject and no pod uses it any more",
    source: "S33",
    risk: `low: nobody uses ${objectLabel(constraint)} any more`,
    isHarmless: true,
    needs: "to delete the constraint when nobody is left",
  };
}

const deletion = { verb: "delete", putBack: "create", reverse: backBy("create") } as const;

/** Who is asked about, and where. */
export interface AccountReview {
  readonly account: Account;
  readonly namespace: string;
}

/** Where is asked: a pod is admitted by the rights in its own namespace. */
export function listPlaces({ accounts, changes, ways }: UnbindPlan): readonly AccountReview[] {
  const touched = [...changes, ...ways].map(({ object }) => object.metadata.namespace);
  return accounts.flatMap((account) =>
    [...new Set([account.namespace, ...touched])]
      .filter((namespace) => namespace !== undefined)
      .map((namespace) => ({ account, namespace })),
  );
}

/** What is read in any case, the right to prove included; and what may be written. */
export async function findPermissions(
  { names, reviews }: UnbindDeps,
  { namespace, scc }: UnbindOptions,
): Promise<Needs> {
  const { reads, ...others } = unbindNeeds({ names, namespace, scc });
  const proves = await reviews.possible(namespace);
  return { ...others, reads: [...reads, ...(proves ? [] : [reviewPermission(sccProof)])] };
}

/** What the plan writes, its way back and its proof included. */
export async function writePermissions(
  { cluster, reviews }: UnbindDeps,
  plan: UnbindPlan,
): Promise<readonly Permission[]> {
  const { constraint: name, changes, afterProof } = plan;
  const namespaces = [...new Set(listPlaces(plan).map(({ namespace }) => namespace))];
  const isPossible = await Promise.all(namespaces.map((each) => reviews.possible(each)));
  const bindings = changes.filter(({ object }) => object.kind !== constraintResource.kind);
  // a binding may be written only by those who hold what it grants, or may bind its role
  const holds =
    bindings.length === 0 ||
    (await cluster.can({ ...permissionOn("use", constraintResource, { why: "" }), name }));
  return [
    // nothing is removed unproven
    ...namespaces
      .filter((_each, index) => isPossible[index] !== true)
      .map((each) => reviewPermission(sccProof, each)),
    ...changes.flatMap(changePermissions),
    ...(holds ? [] : bindings.map(({ object }) => bindNeed(object))),
    ...afterProof.flatMap(listPermissions),
  ];
}

function changePermissions(change: Patch | Delete): readonly Permission[] {
  if (change.verb === "patch") return listPermissions(change);
  const back = { ...recreateObject(change), needs: "to put it back if the proof fails" };
  return [change, back].flatMap(listPermissions);
}
