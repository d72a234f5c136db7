/** What is written for whom, what stands against it, and what is said of it; `lists.ts` says what goes out of which list. */
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { type Names, renderTerm } from "../../domain/names/names";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import {
  chooseCause,
  findLivingOwner,
  type LeftMarks,
  renderOwnersWay,
} from "../../domain/kube/owners";
import { sccFindings } from "../../domain/scc/findings";
import { type Account, chooseConstraint, readAccount, renderUser } from "../../domain/scc/grants";
import { describeAct, makeChange, makeRemoval } from "./changes";
import {
  listFindings,
  olderLeft,
  isNamed,
  makeState,
  planLists,
  type SccState,
  type ListPlan,
} from "./lists";
import {
  isFree,
  type JudgedAccount,
  judgeAccounts,
  judgeOperator,
} from "../../domain/scc/refusals";
import type { Delete, Patch } from "../../domain/kube/change";
import type { UnbindDeps, UnbindFacts, UnbindOptions } from "./read";

/** A plan that nothing stands against. */
export interface UnbindPlan extends Pick<ListPlan, "ways" | "users"> {
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
export function planUnbind(
  deps: Pick<UnbindDeps, "names">,
  options: UnbindOptions,
  facts: UnbindFacts,
): UnbindPlan {
  const { situation, accounts: all } = judgeAll(deps.names, options, facts);
  const { name, constraint } = situation;
  const { plan, accounts, blocked, findings } = planFree(situation, all);
  const { changes, remove, ways, users } = plan;
  const owned = changes.flatMap(({ object }) => findOwned(object, "error", facts.left));
  if (owned.length > 0) throw new BlockedError(exitCodes.conflict, owned);
  const unused = remove === undefined ? [] : [remove];
  const kept = unused.flatMap((each) => findOwned(each, "warning", facts.left));
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
function planFree(
  situation: SccState,
  accounts: readonly JudgedAccount[],
): Pick<UnbindPlan, "accounts" | "blocked" | "findings"> & { readonly plan: ListPlan } {
  const plan = planLists(situation, accounts);
  const findings = accounts.flatMap((account) => account.findings);
  if (plan.changes.length === 0 && plan.remove === undefined) {
    const left = findings.filter(({ code }) => code === sccFindings.podLeft.code);
    return { plan, accounts, blocked: [], findings: left };
  }
  const free = accounts.filter(isFree);
  if (free.length === 0) throw new BlockedError(exitCodes.blocked, findings);
  const blocked = accounts.filter((account) => !isFree(account));
  return { plan: planLists(situation, free), accounts: free, blocked, findings };
}

function findOlder(
  { names }: Pick<UnbindDeps, "names">,
  { older }: UnbindFacts,
): readonly Finding[] {
  const { older: name } = names.scc;
  return older === undefined ? [] : [olderLeft(name)];
}

interface SccFindings {
  readonly situation: SccState;
  readonly accounts: readonly JudgedAccount[];
}

function judgeAll(names: Names, options: UnbindOptions, facts: UnbindFacts): SccFindings {
  const { constraint, access, pods, clusters, deployment, statefulSets } = facts;
  const name = chooseConstraint(names, options);
  const around = { name, constraint, access, deployment, pods, statefulSets };
  const accounts = judgeAccounts(listMeant(clusters, names, options), around, names);
  const situation = makeState(around, clusters, names);
  const beside = options.ec === undefined ? judgeOperator(around, names) : [];
  return { situation, accounts: [...accounts, ...beside.filter((one) => isNamed(situation, one))] };
}

/** The EC that was named with all that share its account, else every EC. */
function listMeant(
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
function findOwned(
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
      cause: chooseCause(
        owner,
        `${owner.name} owns it and may undo the change: it is left as it is`,
      ),
      fix: `${renderOwnersWay(owner)}; then run again`,
      source: "Facts 5",
    },
  ];
}

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
