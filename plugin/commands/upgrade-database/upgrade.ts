/**
 * Carries a plan of databases out, one by one or many at once, each to its end (S61-S67, S75-S92, S98).
 */
import type { DatabaseContext } from "./context";
import type { DatabasePlan } from "../../domain/database/plan";
import { isReplica } from "../../domain/database/replication";
import { EngineError } from "../../domain/base/errors";
import { nothing } from "../../domain/base/concurrency";
import type { Result } from "../../domain/kube/planned-write";
import { Fleet } from "../../kernel/fleet";
import type { Outcome } from "../../kernel/part";
import type { World } from "../../kernel/world";
import type { Apis } from "./apis";
import { upgradeByApi, nameCall } from "./by-rest-api";
import { upgradeByResource } from "./by-resource";
import { confirmLoss, databasePatch, type DataLossRisk } from "./changes";
import { ofAll, RunSummary } from "./summary";

/** What is to be done, as it was planned. */
export interface DatabasesPlanned {
  readonly plans: readonly DatabasePlan[];
  readonly leftOut: readonly DatabasePlan[];
  readonly canary: { readonly item: DatabasePlan; readonly label: string } | undefined;
  /** What the REST API has of them. */
  readonly apis: Apis;
}

/** Writes and follows; every expected end is an outcome, with what became of each database. */
export class UpgradeDatabases {
  readonly #summary = new RunSummary("none");
  #fleet: Fleet<DatabasePlan> | undefined;

  constructor(
    private readonly context: DatabaseContext,
    private readonly plan: DatabasesPlanned,
    private readonly tell: World["tell"],
  ) {}

  async act(): Promise<Outcome> {
    const { plan, tell } = this;
    const { recorder } = this.context.deps;
    this.#summary.begin(plan.plans);
    this.#summary.leaveOut(plan.leftOut);
    try {
      await this.#run();
      return this.#addDetails(this.#summary.exit(this.#fleet?.stopped));
    } catch (error) {
      return this.#addDetails(recorder.endByError(error, { tell }));
    }
  }

  #addDetails(outcome: Outcome): Outcome {
    return { ...outcome, ...this.#summary.details() };
  }

  async #run(): Promise<void> {
    const { context, plan } = this;
    const { deps, options, line } = context;
    const { plans, canary } = plan;
    line.begin(plans.length);
    await this.#confirmAll();
    const early = plans.filter((one) => isReplica(one, deps.names));
    const fleet = new Fleet({ ...options, canary, early, noun: "databases", signal: deps.signal });
    this.#fleet = fleet;
    await fleet.run(plans, async (one) => {
      await this.#upgradeOne(fleet, one);
      return nothing;
    });
  }

  /** What may lose data is confirmed by name first; from here on nothing but these is sent. */
  async #confirmAll(): Promise<void> {
    const { deps, options, session } = this.context;
    const { plans, apis } = this.plan;
    const lossy = plans.flatMap((plan): readonly DataLossRisk[] => {
      const bdb = apis.of(plan)?.bdb;
      return bdb === undefined || plan.passedOver ? [] : [{ plan, bdb }];
    });
    await confirmLoss(deps, options, lossy);
    const edited = plans.filter(({ edits }) => edits.length > 0);
    session.noteConfirmed(edited.map((plan) => databasePatch(deps.names, plan)));
    // whether one is called is known when no other action works on it any more
    const called = plans.filter((plan) => apis.of(plan) !== undefined);
    session.noteConfirmedCalls(called.map((plan) => ({ step: nameCall(plan) })));
  }

  /** One database to its end; its failure is its own, and what concerns all of them is thrown. */
  async #upgradeOne(fleet: Fleet<DatabasePlan>, plan: DatabasePlan): Promise<void> {
    const { deps, line } = this.context;
    let failed = false;
    try {
      this.#summary.add(plan, await this.#work(plan));
    } catch (error) {
      if (deps.signal.aborted || !(error instanceof EngineError)) throw error;
      failed = true;
      deps.recorder.addFindings(this.#summary.fail(plan, error));
      fleet.fail(plan);
      if (ofAll.includes(error.exitCode)) fleet.stop(error.message);
    } finally {
      line.ended(plan.label, failed);
    }
  }

  async #work(plan: DatabasePlan): Promise<Result> {
    if (plan.passedOver) return "skipped";
    const called = this.plan.apis.of(plan);
    if (called !== undefined) return await upgradeByApi(this.context, plan, called);
    return await upgradeByResource(this.context, plan);
  }
}
