/** What is written for whom, and what is said of it; `domain/scc/lists.ts` says what goes out of which list. */
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { factNamed, type Facts } from "../../domain/facts/facts";
import type { Delete, Patch } from "../../domain/kube/change";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { chooseCause, findLivingOwner, renderOwnersWay } from "../../domain/kube/owners";
import { sccFinding, sccFindings } from "../../domain/scc/findings";
import type { Account } from "../../domain/scc/grants";
import { listFindings, type ListPlan, olderLeft, planLists } from "../../domain/scc/lists";
import {
  evaluateUnbinding,
  isFree,
  type JudgedAccount,
  type Unbinding,
} from "../../domain/scc/refusals";
import { describeAct, makeChange, makeRemoval } from "./changes";
import type { UnbindOptions } from "./read";

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
export function planUnbind(facts: Facts, { ec, scc }: UnbindOptions): UnbindPlan {
  const { names } = facts;
  const evaluated = evaluateUnbinding({ facts, clusters: listMeant(facts, ec), ec, scc });
  const { name, constraint } = evaluated.state;
  const { plan, accounts, blocked, findings } = planFree(evaluated);
  const { changes, remove, ways, users } = plan;
  const owned = changes.flatMap(({ object }) => findOwned(object, "error", facts));
  if (owned.length > 0) throw new BlockedError(exitCodes.conflict, owned);
  const unused = remove === undefined ? [] : [remove];
  const kept = unused.flatMap((each) => findOwned(each, "warning", facts));
  const removed = kept.length > 0 ? [] : unused;
  const deletions = removed.map((each) => `delete ${objectLabel(each)}`);
  const isOlderThere =
    scc === undefined && factNamed(facts, "constraints", { name: names.scc.older }) !== undefined;
  const older = isOlderThere ? [olderLeft(names.scc.older)] : [];
  return {
    ...{ constraint: name, exists: constraint !== undefined, ways, users, accounts, blocked },
    changes: changes.map(makeChange),
    afterProof: removed.map(makeRemoval),
    acts: [...changes.map(describeAct), ...deletions].join(", then "),
    findings: [...older, ...findings, ...kept, ...listFindings(plan, name)],
  };
}

/** The plan for those that nothing stands against; where nothing is to be written nobody is judged. */
function planFree({
  state,
  accounts,
  whole,
}: Unbinding): Pick<UnbindPlan, "accounts" | "blocked" | "findings"> & { readonly plan: ListPlan } {
  const findings = accounts.flatMap((account) => account.findings);
  if (whole.changes.length === 0 && whole.remove === undefined) {
    const left = findings.filter(({ code }) => code === sccFindings.podLeft.code);
    return { plan: whole, accounts, blocked: [], findings: left };
  }
  const free = accounts.filter(isFree);
  if (free.length === 0) throw new BlockedError(exitCodes.blocked, findings);
  const blocked = accounts.filter((account) => !isFree(account));
  return { plan: planLists(state, free), accounts: free, blocked, findings };
}

/** The EC that was named, else every one. */
function listMeant({ names, namespace, objects }: Facts, ec?: string): readonly KubeObject[] {
  const named = objects.ecs.filter(({ metadata }) => ec === undefined || metadata.name === ec);
  if (named.length > 0) return named;
  const object =
    ec === undefined ? `Namespace/${namespace}` : `${names.ec.kind}/${namespace}/${ec}`;
  throw new BlockedError(exitCodes.blocked, [sccFinding("noEc", { object }, names)]);
}

/** Helm, OLM and GitOps controllers would undo a change of what they look after. */
function findOwned(
  object: KubeObject,
  severity: Finding["severity"],
  { left }: Facts,
): readonly Finding[] {
  const owner = findLivingOwner(object, left);
  if (owner === undefined) return [];
  const own = `${owner.name} owns it and may undo the change: it is left as it is`;
  const fix = `${renderOwnersWay(owner)}; then run again`;
  const about = { object: objectLabel(object), severity, cause: chooseCause(owner, own), fix };
  return [sccFinding("owned", about)];
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
