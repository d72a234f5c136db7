/**
 * Takes a constraint from the ECs' service accounts and from nobody else: unbind, prove, and only
 * then delete what nobody uses (S33). The cluster's state is the only memory.
 */
import type { Act } from "../../domain/confirmed";
import { objectLabel } from "../../domain/objects";
import { EngineError, exitCodes, UnknownOutcomeError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { userOf } from "../../domain/scc/account";
import { constraintResource } from "../../domain/scc/constraint";
import type { Change } from "../../domain/scc/plan";
import { requireHome, requireYes } from "../engine/session";
import { requirePermissions } from "../ledger";
import { BlockedError } from "../recorder";
import type { Report } from "../report";
import { Reviews } from "../reviews";
import { ChangedError, requireConfirmed } from "../outcome";
import { Backups } from "./backups";
import { decide, type Decided } from "./decide";
import { constraintOf, type UnbindDeps, type UnbindOptions, type UnbindPorts } from "./deps";
import { outcomeOf } from "./outcome";
import { readPermissions, usualPermissions } from "./permissions";
import { servesConstraints } from "./read";
import {
  type Place,
  placesOf,
  recordReviews,
  reviewAll,
  settleReviews,
  unexplained,
} from "./reviews";
import { plannedChange, plannedRemoval } from "./planned";
import { rollBack } from "./rollback";
import { actsOf, changeInfo, deleteInfo, questionOf } from "./steps";
import { deleteAsRead, tryChange, tryDelete, writeChange, type Written } from "./writes";

const attempts = 3;

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

/** The API server goes on allowing what no binding explains. */
class StillAllowedError extends EngineError {
  readonly code = "SCC-STILL-ALLOWED";
  readonly exitCode = exitCodes.rolledBack;
}

class Unbind {
  readonly #constraint: string;
  readonly #backups: Backups;
  readonly #written: Written[] = [];
  readonly #told = new Set<string>();
  #confirmed: readonly Act[] = [];
  /** Everywhere that has to be asked about, by its words. */
  readonly #places = new Map<string, Place>();

  constructor(
    private readonly deps: UnbindDeps,
    private readonly options: UnbindOptions,
  ) {
    this.#constraint = constraintOf(deps, options);
    this.#backups = new Backups(deps);
  }

  async run(): Promise<Report> {
    const { deps, options } = this;
    if (!(await servesConstraints(deps))) {
      return deps.recorder.success(
        "this is no OpenShift, there are no security context constraints: nothing to do",
      );
    }
    const usual = usualPermissions(deps, options);
    await requirePermissions(deps, await readPermissions(deps, options), usual);
    const decided = await this.#decide();
    const places = [...this.#places.values()];
    const answers = await reviewAll(deps, this.#constraint, places);
    recordReviews(deps, { phase: "before", constraint: this.#constraint }, answers);
    if (options.dryRun !== "none") return await this.#dryRun(decided);
    const { changes, remove } = decided.plan;
    if (changes.length === 0 && remove === undefined) return await this.#standing(decided);
    await this.#confirm(decided);
    return this.#done(await this.#work(decided));
  }

  /** The report for an end by an error; after a write, the state is described or undone. */
  async end(error: unknown): Promise<Report> {
    const { deps, options } = this;
    const written = this.#written;
    if (!(error instanceof EngineError)) throw error;
    this.#backups.report();
    if (error instanceof StillAllowedError && written.length > 0) {
      return await rollBack(deps, options, { written, because: error });
    }
    if (written.length === 0 && !(error instanceof UnknownOutcomeError)) {
      return deps.recorder.failure(error);
    }
    if (error instanceof BlockedError) this.#tell(error.findings);
    const objects = written.map(({ before }) => objectLabel(before)).join(", ");
    const state = objects === "" ? "" : `; the account is out of ${objects} already`;
    return deps.recorder.report({
      code: error.exitCode,
      reason: `${error.message}${state}`,
      next: error.hint ?? "run the same command again: it resumes from the state of the cluster",
    });
  }

  async #decide(): Promise<Decided> {
    const decided = await decide(this.deps, this.options);
    this.#tell(decided.findings);
    for (const place of placesOf(decided.accounts, decided.plan)) {
      this.#places.set(`${place.namespace} ${userOf(place.account)}`, place);
    }
    return decided;
  }

  #tell(findings: readonly Finding[]): void {
    for (const finding of findings) {
      const key = JSON.stringify(finding);
      if (!this.#told.has(key)) this.deps.recorder.findings([finding]);
      this.#told.add(key);
    }
  }

  async #dryRun(decided: Decided): Promise<Report> {
    const { deps, options } = this;
    const { changes, remove } = decided.plan;
    for (const change of changes) {
      if (options.dryRun === "server") await tryChange(deps, options, change);
      deps.recorder.done({ ...changeInfo(change), write: plannedChange(deps, change) }, "planned");
    }
    if (remove !== undefined) {
      if (options.dryRun === "server") await tryDelete(deps, remove);
      deps.recorder.done({ ...deleteInfo(remove), write: plannedRemoval(deps, remove) }, "planned");
    }
    const writes = changes.length + Number(remove !== undefined);
    const planned = `${writes} ${writes === 1 ? "write" : "writes"} planned, nothing was changed`;
    return this.#done({ ...decided, deleted: false }, `dry run: ${planned}`);
  }

  /** Nothing to write: the state found is proven as it stands. */
  async #standing(decided: Decided): Promise<Report> {
    this.#tell(await requireHome(this.deps, false));
    await this.#verify(decided);
    return this.#done({ ...decided, deleted: false });
  }

  async #confirm({ plan }: Decided): Promise<void> {
    const { deps } = this;
    await requireHome(deps, true);
    await requireYes(deps, questionOf(deps, plan));
  }

  /** Writes, proves, deletes; what somebody changed meanwhile is read and planned again. */
  async #work(first: Decided): Promise<Decided & { readonly deleted: boolean }> {
    this.#confirmed = actsOf(first.plan);
    let decided = first;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(decided);
      } catch (error) {
        if (!(error instanceof ChangedError) || attempt >= attempts) throw error;
        this.deps.recorder.note(`${error.message}: reading and planning again`);
        decided = await this.#decide();
      }
    }
  }

  async #attempt(decided: Decided): Promise<Decided & { readonly deleted: boolean }> {
    requireConfirmed(this.#confirmed, actsOf(decided.plan));
    for (const change of decided.plan.changes) await this.#write(change);
    const after = decided.plan.changes.length === 0 ? decided : await this.#decide();
    if (after.plan.changes.length > 0) {
      throw new ChangedError("somebody binds the account again", {
        hint: "find who does, then run again",
      });
    }
    await this.#verify(after);
    requireConfirmed(this.#confirmed, actsOf(after.plan));
    const { remove } = after.plan;
    if (remove === undefined) return { ...after, deleted: false };
    await this.#backups.save(remove, "create");
    this.deps.signal.throwIfAborted();
    const info = deleteInfo(remove);
    await this.deps.recorder.step(info, async () => {
      await deleteAsRead(this.deps, remove, info.why);
      return { result: "deleted", value: undefined };
    });
    return { ...after, deleted: true };
  }

  async #write(change: Change): Promise<void> {
    const { deps, options } = this;
    await this.#backups.save(change.object, change.deletes ? "create" : "replace");
    deps.signal.throwIfAborted();
    await deps.recorder.step(changeInfo(change), async () => {
      this.#written.push(await writeChange(deps, options, change));
      return { result: change.deletes ? "deleted" : "changed", value: undefined };
    });
  }

  /** No review sees the constraint's own users and groups: that they are clean was just read. */
  async #verify({ plan }: Decided): Promise<void> {
    const { deps } = this;
    const constraint = this.#constraint;
    const ways = plan.ways;
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
      { hint: "ask who runs the cluster's authorizers what allows it, then run again" },
    );
  }

  #done(decided: Decided & { readonly deleted: boolean }, reason?: string): Report {
    this.#backups.report();
    const written = this.#written.length > 0 || decided.deleted;
    const outcome = outcomeOf(decided, { constraint: this.#constraint, written });
    const { code, next, details } = outcome;
    const report = this.deps.recorder.report({
      code,
      reason: reason ?? outcome.reason,
      ...(next !== undefined && { next }),
    });
    return { ...report, details };
  }
}
