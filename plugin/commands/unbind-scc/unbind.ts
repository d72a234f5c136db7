/**
 * Takes a constraint from the ECs' service accounts and from nobody else: unbind, prove, and only
 * then delete what nobody uses (S33). The cluster's state is the only memory.
 */
import { EngineError, exitCodes, UnknownOutcomeError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { objectLabel } from "../../domain/kube/objects";
import { groupsOf, userOf } from "../../domain/scc/grants";
import { constraintResource } from "../../domain/kube/kinds";
import { dryRunSays } from "../../kernel/runner";
import { ChangedError, replanned } from "../../kernel/send";
import {
  requireHome,
  requireNeeds,
  requirePermissions,
  requireYes,
} from "../../kernel/permissions";
import { Session } from "../../kernel/session";
import { requireNamespace } from "../../readers/ground";
import type { ExitReport, Report } from "../../kernel/report";
import { Reviews } from "../../readers/reviews";
import {
  readFacts,
  servesConstraints,
  type UnbindDeps,
  type UnbindFacts,
  type UnbindOptions,
  type UnbindPorts,
} from "./read";
import {
  type AccountReview,
  placesOf,
  planOf,
  writePermissions,
  needsOf,
  type UnbindPlan,
} from "./accounts";
import type { SccWay } from "./plan";
import { waitFor } from "../../kernel/wait";

/** Unbinds; expected ends of every kind come back as a report. */
export async function unbindConstraint(
  ports: UnbindPorts,
  options: UnbindOptions,
): Promise<Report> {
  const run = new Unbind({ ...ports, reviews: new Reviews(ports.cluster) }, options);
  try {
    return await run.run();
  } catch (error) {
    return await run.end(error);
  }
}

/** What it reads, and what it plans from that. */
function unbindPart(deps: UnbindDeps, options: UnbindOptions) {
  return {
    needs: () => needsOf(deps, options),
    read: () => readFacts(deps, options),
    plan: (facts: UnbindFacts) => planOf(deps, options, facts),
  };
}

/** The API server continues allowing what no binding explains. */
class StillAllowedError extends EngineError {
  readonly code = "SCC-STILL-ALLOWED";
  readonly exitCode = exitCodes.rolledBack;
}

class Unbind {
  readonly #session: Session;
  readonly #part: ReturnType<typeof unbindPart>;
  readonly #tell: (findings: readonly Finding[]) => void;
  /** Everywhere that has to be asked about, by its words. */
  readonly #places = new Map<string, AccountReview>();

  constructor(
    private readonly deps: UnbindDeps,
    private readonly options: UnbindOptions,
  ) {
    this.#tell = deps.recorder.once();
    this.#session = new Session(deps, options);
    this.#part = unbindPart(deps, options);
  }

  async run(): Promise<Report> {
    const { deps, options } = this;
    if (!(await servesConstraints(deps))) {
      return deps.recorder.success(
        "this is not OpenShift, there are no security context constraints: nothing to do",
      );
    }
    await requireNeeds(deps, "unbind-scc", await this.#part.needs());
    await requireNamespace(deps, options.namespace);
    const plan = await this.#plan();
    const { constraint, changes, afterProof, acts } = plan;
    const answers = await reviewAll(deps, constraint, [...this.#places.values()]);
    recordReviews(deps, { phase: "before", constraint }, answers);
    const writes = [...changes, ...afterProof];
    if (options.dryRun !== "none") {
      for (const change of writes) await this.#session.plan(change);
      return this.#done(plan, dryRunSays(writes.length));
    }
    if (writes.length === 0) {
      this.#tell(await requireHome(deps, false));
      await this.#prove(plan);
      return this.#done(plan);
    }
    await requireHome(deps, true);
    await requireYes(deps, `On ${deps.cluster.server}: ${acts}?`);
    this.#session.confirm(writes);
    return await replanned(deps, plan, {
      work: (latest) => this.#write(latest),
      again: () => this.#plan(),
    });
  }

  /** The report for an end by an error; after a write, the state is described or undone. */
  async end(error: unknown): Promise<Report> {
    const { recorder } = this.deps;
    const { done } = this.#session;
    if (!(error instanceof EngineError)) throw error;
    if (done.length === 0 && !(error instanceof UnknownOutcomeError))
      return recorder.failure(error);
    if (done.length > 0 && error instanceof StillAllowedError) return await this.#rollBack(error);
    return recorder.failure(error, {
      ...(done.length > 0 && { stands: `the account is out of ${done.join(", ")} already` }),
      next: "run the same command again: it resumes from the state of the cluster",
      tell: this.#tell,
    });
  }

  /** A plan that nothing stands against, with all that it takes allowed. */
  async #plan(): Promise<UnbindPlan> {
    const { deps } = this;
    const plan = this.#part.plan(await this.#part.read());
    this.#session.requireStaying([...plan.changes, ...plan.afterProof]);
    await requirePermissions(deps, await writePermissions(deps, plan));
    this.#tell(plan.findings);
    for (const place of placesOf(plan)) {
      this.#places.set(`${place.namespace} ${userOf(place.account)}`, place);
    }
    return plan;
  }

  /** Writes, proves, deletes: what was planned again is what is sent, for these kinds have no generation. */
  async #write(plan: UnbindPlan): Promise<Report> {
    const session = this.#session;
    session.requireConfirmed([...plan.changes, ...plan.afterProof]);
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
  async #prove({ constraint, ways }: UnbindPlan): Promise<void> {
    const { deps } = this;
    deps.recorder.done(
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
      `the API server still lets ${userOf(first.account)} use ${constraint} in namespace ${first.namespace}, and no binding explains it${because}`,
      { hint: "ask the cluster's administrator which authorizer allows it, then run again" },
    );
  }

  async #rollBack({ message, hint = "" }: StillAllowedError): Promise<Report> {
    const { recorder } = this.deps;
    try {
      await this.#session.undoAll();
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return recorder.report({
        code: exitCodes.rollbackIncomplete,
        reason: `${message}; putting back what was removed failed: ${error.message}`,
        next: "run the printed commands that put the objects back",
      });
    }
    return recorder.report({
      code: exitCodes.rolledBack,
      reason: `${message}; what was removed was put back`,
      next: hint,
    });
  }

  #done(plan: UnbindPlan, reason?: string): Report {
    const { dryRun } = this.options;
    const deletes = dryRun === "none" && plan.afterProof.length > 0;
    const { constraint, accounts, users, exists } = plan;
    const exit = exitOf(plan, { deletes, written: this.#session.written > 0 });
    const left = exists ? "present" : "absent";
    const details: UnbindDetails = {
      ...{ constraint, accounts: accounts.map(userOf), usedBy: users },
      is: deletes ? "deleted" : left,
    };
    const { recorder } = this.deps;
    return { ...recorder.report({ ...exit, ...(reason !== undefined && { reason }) }), details };
  }
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
function exitOf(
  { constraint, ways, users, accounts, blocked, exists }: UnbindPlan,
  { deletes, written }: { readonly deletes: boolean; readonly written: boolean },
): ExitReport {
  const held = new Set(ways.map(({ account }) => userOf(account)));
  const free = accounts.map(userOf).filter((user) => !held.has(user));
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

/** A review's answer. */
interface AccountAccess extends AccountReview {
  readonly allowed: boolean;
  /** The authorizer's own words. */
  readonly reason: string;
}

const limitMs = 10_000;
const pauseMs = 200;

/** Asks once for each place. */
async function reviewAll(
  deps: UnbindDeps,
  constraint: string,
  places: readonly AccountReview[],
): Promise<readonly AccountAccess[]> {
  return await Promise.all(places.map((place) => review(deps, constraint, place)));
}

/** Asks until nobody may use the constraint but by a known way, or the limit is reached. */
async function settleReviews(
  deps: UnbindDeps,
  { constraint, ways }: { readonly constraint: string; readonly ways: readonly SccWay[] },
  places: readonly AccountReview[],
): Promise<readonly AccountAccess[]> {
  const until = deps.clock.now() + limitMs;
  return await waitFor<readonly AccountAccess[]>(deps, {
    look: async () => {
      const answers = await reviewAll(deps, constraint, places);
      // every API server learns of a change by its own watch
      return unexplained(answers, ways).length === 0 || deps.clock.now() >= until
        ? { is: "done", value: answers }
        : { is: "moving", on: "the API server to learn of the change" };
    },
    everyMs: pauseMs,
  });
}

/** The answers that allow what no known way explains; the constraint's groups are seen by no review. */
function unexplained(
  answers: readonly AccountAccess[],
  ways: readonly SccWay[],
): readonly AccountAccess[] {
  return answers.filter(({ allowed, account, namespace }) => {
    const explained = ways.some(
      ({ account: holder, object, role }) =>
        role !== undefined &&
        userOf(holder) === userOf(account) &&
        [undefined, namespace].includes(object.metadata.namespace),
    );
    return allowed && !explained;
  });
}

/** Records the answers as steps of a phase. */
function recordReviews(
  { recorder }: UnbindDeps,
  asked: { readonly phase: "before" | "after"; readonly constraint: string },
  answers: readonly AccountAccess[],
): void {
  for (const answer of answers) {
    const object = userOf(answer.account);
    const why = sentence(answer, asked.constraint);
    recorder.done({ id: `scc.review-${asked.phase}`, action: "probe", object, why }, "done");
  }
}

function sentence({ namespace, allowed, reason }: AccountAccess, constraint: string): string {
  const may = allowed ? "may" : "may not";
  const because = allowed && reason !== "" ? ` (${reason})` : "";
  return `in namespace ${namespace} it ${may} use ${constraint} by RBAC${because}`;
}

async function review(
  { reviews, signal }: UnbindDeps,
  constraint: string,
  { account, namespace }: AccountReview,
): Promise<AccountAccess> {
  const { group, plural: resource } = constraintResource;
  const question = {
    user: userOf(account),
    groups: groupsOf(account),
    access: { group, resource, name: constraint, verb: "use", namespace },
  };
  return { account, namespace, ...(await reviews.ask(question, { fresh: true, signal })) };
}
