/**
 * Takes a constraint from the ECs' service accounts and from nobody else: unbind, prove, and only
 * then delete what nobody uses (S33).
 */
import { EngineError, exitCodes, UnknownOutcomeError } from "../../domain/base/errors";
import { objectLabel } from "../../domain/kube/objects";
import { renderUser } from "../../domain/scc/grants";
import { constraintResource } from "../../domain/kube/kinds";
import type { Delete, Patch } from "../../domain/kube/change";
import type { Outcome } from "../../kernel/part";
import { requirePermissions } from "../../kernel/permissions";
import { ChangedError, workByPlan } from "../../kernel/send";
import type { Session } from "../../kernel/session";
import type { Finding } from "../../domain/base/findings";
import type { ExitReport } from "../../kernel/report";
import type { SccWay } from "../../domain/scc/lists";
import { listWritePermissions } from "./needs";
import { type AccountReview, listPlaces, planUnbind, type UnbindPlan } from "./plan";
import { readFacts, type UnbindDeps, type UnbindOptions } from "./read";
import { recordReviews, settleReviews, unexplained } from "./proof";

/** How a plan is made, and made again. */
export interface UnbindContext {
  readonly deps: UnbindDeps;
  readonly options: UnbindOptions;
  readonly session: Session;
  readonly tell: (findings: readonly Finding[]) => void;
}

/** A plan that nothing stands against, with all that it takes allowed. */
export async function planFit({
  deps,
  options,
  session,
  tell,
}: UnbindContext): Promise<UnbindPlan> {
  const plan = planUnbind(await readFacts(deps, options), options);
  session.requireStaying([...plan.changes, ...plan.afterProof]);
  await requirePermissions(deps, await listWritePermissions(deps, plan));
  tell(plan.findings);
  return plan;
}

/** The API server continues allowing what no binding explains. */
class StillAllowedError extends EngineError {
  readonly code = "SCC-STILL-ALLOWED";
  readonly exitCode = exitCodes.rolledBack;
}

/** Carries a plan out. */
export class UnbindAct {
  /** Everywhere that has to be asked about, by its words. */
  readonly #places = new Map<string, AccountReview>();
  /** Every way that a plan has left open. */
  readonly #ways: SccWay[] = [];

  constructor(
    private readonly own: UnbindContext,
    private readonly first: UnbindPlan,
  ) {
    this.#see(first);
  }

  async act(): Promise<Outcome> {
    try {
      return await this.#run();
    } catch (error) {
      return await this.#end(error);
    }
  }

  async #run(): Promise<Outcome> {
    const { own, first } = this;
    const writes = listWrites(first);
    if (writes.length === 0) {
      await this.#prove(first);
      return this.#done(first);
    }
    own.session.noteConfirmed(writes);
    return await workByPlan(own.deps, first, {
      work: (latest) => this.#write(latest),
      again: () => this.#plan(),
    });
  }

  /** After a write, the state is described or undone; an error before it is thrown. */
  async #end(error: unknown): Promise<Outcome> {
    const { deps, session, tell } = this.own;
    const { done } = session;
    if (!(error instanceof EngineError)) throw error;
    if (done.length === 0 && !(error instanceof UnknownOutcomeError)) throw error;
    if (done.length > 0 && error instanceof StillAllowedError) return await this.#rollBack(error);
    return deps.recorder.endByError(error, {
      ...(done.length > 0 && { stands: `the account is out of ${done.join(", ")} already` }),
      next: "run the same command again: it resumes from the state of the cluster",
      tell,
    });
  }

  async #plan(): Promise<UnbindPlan> {
    const plan = await planFit(this.own);
    this.#see(plan);
    return plan;
  }

  #see(plan: UnbindPlan): void {
    this.#ways.push(...plan.ways);
    for (const place of listPlaces(plan)) {
      this.#places.set(`${place.namespace} ${renderUser(place.account)}`, place);
    }
  }

  /** Writes, proves, deletes: what was planned again is what is sent, for these kinds have no generation. */
  async #write(plan: UnbindPlan): Promise<Outcome> {
    const { session } = this.own;
    session.requireSendable(listWrites(plan));
    for (const change of plan.changes) await session.send(change);
    const after = plan.changes.length === 0 ? plan : await this.#plan();
    if (after.changes.length > 0) {
      throw new ChangedError("someone binds the account again", {
        hint: "find who does, then run again",
      });
    }
    await this.#prove(after);
    for (const change of after.afterProof) await session.send(change);
    return this.#done(after);
  }

  /** No review sees the constraint's own users and groups: that they are clean was just read. */
  async #prove(plan: UnbindPlan): Promise<void> {
    const { deps } = this.own;
    const { constraint } = plan;
    const ways = this.#listKnownWays(plan);
    deps.recorder.addStep(
      {
        id: "scc.read-back",
        action: "read",
        object: `${constraintResource.kind}/${constraint}`,
        why: ways.some(({ role }) => role === undefined)
          ? "its users do not name the account, its groups hold one that the account is in"
          : "neither its users nor its groups name the account",
      },
      "done",
    );
    const answers = await settleReviews(deps, { constraint, ways }, [...this.#places.values()]);
    recordReviews(deps, { phase: "after", constraint }, answers);
    const [first] = unexplained(answers, ways);
    if (first === undefined) return;
    const because = first.reason === "" ? "" : ` (${first.reason})`;
    throw new StillAllowedError(
      `the API server still lets ${renderUser(first.account)} use ${constraint} in namespace ${first.namespace}, and no binding explains it${because}`,
      { hint: "ask the cluster's administrator which authorizer allows it, then run again" },
    );
  }

  /** An account that the constraint names no more is in no later plan; the ways that it keeps are those of the earlier one. */
  #listKnownWays({ ways, accounts }: UnbindPlan): readonly SccWay[] {
    const planned = new Set(accounts.map(renderUser));
    const earlier = this.#ways.filter(({ account }) => !planned.has(renderUser(account)));
    return [...ways, ...earlier];
  }

  async #rollBack({ message, hint = "" }: StillAllowedError): Promise<Outcome> {
    try {
      await this.own.session.undoAll();
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return {
        code: exitCodes.rollbackIncomplete,
        reason: `${message}; putting back what was removed failed: ${error.message}`,
        next: "run the printed commands that put the objects back",
      };
    }
    return {
      code: exitCodes.rolledBack,
      reason: `${message}; what was removed was put back`,
      next: hint,
    };
  }

  #done(plan: UnbindPlan): Outcome {
    return describeEnd(plan, {
      deletes: plan.afterProof.length > 0,
      written: this.own.session.written > 0,
    });
  }
}

/** All writes of a plan, in their order. */
export function listWrites({ changes, afterProof }: UnbindPlan): readonly (Patch | Delete)[] {
  return [...changes, ...afterProof];
}

/** How a run ends that comes to its end. */
export function describeEnd(plan: UnbindPlan, ended: Ended): Outcome {
  const { constraint, accounts, users, exists } = plan;
  const left = exists ? "present" : "absent";
  const details: UnbindDetails = {
    ...{ constraint, accounts: accounts.map(renderUser), usedBy: users },
    is: ended.deletes ? "deleted" : left,
  };
  return { ...chooseExit(plan, ended), details };
}

interface Ended {
  readonly deletes: boolean;
  readonly written: boolean;
}

/** `details` of the document. */
export interface UnbindDetails {
  readonly constraint: string;
  /** The service accounts that are taken out, as user names. */
  readonly accounts: readonly string[];
  /** Who uses the constraint beside them. */
  readonly usedBy: readonly string[];
  readonly is: "deleted" | "present" | "absent";
}

/** The end of a run that came to its end; 6 when an EC had to be left out. */
function chooseExit(
  { constraint, ways, users, accounts, blocked, exists }: UnbindPlan,
  { deletes, written }: Ended,
): ExitReport {
  const held = new Set(ways.map(({ account }) => renderUser(account)));
  const free = accounts.map(renderUser).filter((user) => !held.has(user));
  const failed = blocked.filter(({ wanted }) => !wanted);
  const reasons = [
    ...(free.length === 0 ? [] : [`${free.join(", ")} may not use ${constraint}`]),
    ...[...held].map(
      (user) => `${user} may still use it by a way that is not this tool's to close`,
    ),
    ...blocked.map(({ clusters }) => `${clusters.map(objectLabel).join(", ")} was left out`),
    ...(deletes ? ["the constraint is deleted"] : []),
    ...(exists && users.length > 0 ? ["the constraint is kept, it is still used"] : []),
    ...(exists ? [] : ["there is no such constraint"]),
    ...(written ? [] : ["nothing was written"]),
  ];
  return {
    code: failed.length > 0 ? exitCodes.partial : exitCodes.ok,
    reason: reasons.join("; "),
    ...(failed.length > 0 && { next: "fix what the findings name, then run again" }),
  };
}
