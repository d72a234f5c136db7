/**
 * Upgrades databases: judges all of them first, then one by one or many at once, each to its end
 * (S61-S67, S75-S92, S98). The cluster's state is the only memory.
 */
import type { DatabasePlan } from "../../domain/databases/plan";
import { EngineError, exitCodes, UsageError } from "../../domain/errors";
import { bounded } from "../../domain/status/verdict";
import { isNamed, readName } from "../../domain/names";
import { Fleet } from "../engine/fleet";
import { requireHome } from "../engine/confirm";
import { Session } from "../engine/session";
import { requirePermissions } from "../engine/permissions";
import { BlockedError } from "../engine/recorder";
import type { Report, Result } from "../report";
import { Apis, byApi, callOf, callStep, ecsOf, needsCall } from "./by-api";
import { byResource } from "./by-resource";
import { confirmLeaving, confirmLoss, confirmTaking, type Lossy } from "./confirm";
import type { UpgradeDatabaseDeps, UpgradeDatabaseOptions } from "./deps";
import { ProgressLine, waitBySeen, type WriteContext } from "./follow";
import { databasePatch, type DatabasePlans, gathered, isWritten, planDatabases } from "./plan";
import { DatabasePoller, readChosen, readPermissions, writePermissions } from "./read";
import { ofAll, RunSummary } from "./summary";

/** Upgrades; expected ends of every kind come back as a report. */
export async function upgradeDatabases(
  deps: UpgradeDatabaseDeps,
  options: UpgradeDatabaseOptions,
): Promise<Report> {
  const run = new UpgradeDatabases(deps, options);
  try {
    await run.run();
    return run.report();
  } catch (error) {
    return run.failure(error);
  } finally {
    run.close();
  }
}

class UpgradeDatabases {
  readonly #context: WriteContext;
  readonly #summary: RunSummary;
  readonly #apis: Apis;
  #fleet: Fleet<DatabasePlan> | undefined;

  constructor(
    private readonly deps: UpgradeDatabaseDeps,
    private readonly options: UpgradeDatabaseOptions,
  ) {
    const line = new ProgressLine(deps.clock, deps.recorder);
    // its operator writes databases as well
    const others = [deps.names.operator.deployment];
    const session = new Session(deps, { ...options, others });
    const poller = new DatabasePoller(deps, options);
    this.#context = { deps, options, line, poller, session };
    this.#summary = new RunSummary(options);
    this.#apis = new Apis(deps, options);
  }

  async run(): Promise<void> {
    const { deps, options } = this;
    await requirePermissions(deps, readPermissions(deps.names, options));
    const plans = await this.#fitPlans();
    this.#summary.begin(plans);
    this.#context.line.begin(plans.length);
    await this.#requireWrites(plans);
    if (options.via === "api") await this.#apis.meet(plans);
    const canary = this.#canaryOf(plans);
    if (options.dryRun !== "none") {
      for (const plan of plans) this.#summary.add(plan, await this.#tried(plan));
      return;
    }
    await this.#confirm(plans);
    const fleet = new Fleet({ ...options, canary, noun: "databases", signal: deps.signal });
    this.#fleet = fleet;
    await fleet.run(plans, (plan) => this.#one(fleet, plan));
  }

  report(): Report {
    return this.#detailed(this.deps.recorder.report(this.#summary.exit(this.#fleet?.stopped)));
  }

  failure(error: unknown): Report {
    return this.#detailed(this.deps.recorder.failure(error));
  }

  close(): void {
    this.#apis.close();
  }

  #detailed(report: Report): Report {
    const databases = this.#summary.databases();
    return databases.length === 0 ? report : { ...report, details: { databases } };
  }

  /** Plans that nothing stands against; an EC that is not Running is waited for where that is said. */
  async #fitPlans(): Promise<readonly DatabasePlan[]> {
    const { deps, options } = this;
    const { poller } = this.#context;
    const chosen = await readChosen(deps, options);
    const waiting = { label: "the databases", first: await poller.now() };
    return await waitBySeen(this.#context, waiting, (seen) => {
      const all = planDatabases({ ...seen, chosen }, options);
      poller.participants = all.isActiveActive;
      this.#requireFit(all);
      const [busy] = all.busy;
      if (busy !== undefined) return { is: "moving", on: `${busy.object ?? ""}: ${busy.cause}` };
      deps.recorder.findings(all.warnings);
      return { is: "done", value: all.plans };
    });
  }

  /** Every problem of every database at once, before anything is written. */
  #requireFit({ plans, blocks, warnings }: DatabasePlans): void {
    const { session } = this.#context;
    const patches = plans.map((plan) => databasePatch(this.deps.names, plan));
    const conflicts = patches.flatMap((patch) => session.conflictsOf(patch).conflicts);
    if (blocks.length + conflicts.length === 0) return;
    const code = blocks.length > 0 ? exitCodes.blocked : exitCodes.conflict;
    throw new BlockedError(code, [...blocks, ...gathered(conflicts), ...warnings]);
  }

  async #requireWrites(plans: readonly DatabasePlan[]): Promise<void> {
    const { deps, options } = this;
    const ecs = options.via === "api" ? ecsOf(plans) : [];
    await requirePermissions(deps, [
      ...writePermissions(
        deps.names,
        plans.filter(isWritten).map(({ target }) => target),
      ),
      ...ecs.flatMap((ec) => deps.api.permissions(ec)),
    ]);
  }

  #canaryOf(plans: readonly DatabasePlan[]) {
    const { canary } = this.options;
    if (canary === undefined) return undefined;
    const typed = readName(canary, this.deps.names);
    const found = plans.find(({ target }) => isNamed(typed, target));
    if (found !== undefined) return { item: found, label: found.label };
    const all = bounded(plans.map(({ label }) => label));
    throw new UsageError(`--canary: ${canary} is not among the databases: ${all}`);
  }

  async #tried(plan: DatabasePlan): Promise<Result> {
    const { deps } = this;
    const { recorder } = deps;
    const { label: object, passedOver } = plan;
    if (passedOver) return "skipped";
    const called = this.#apis.of(plan);
    const calls = called !== undefined && needsCall(called, plan, this.#context);
    if (calls) recorder.done(callStep(plan, called.bdb, this.#context), "planned");
    const writes = isWritten(plan);
    if (writes) await this.#context.session.plan(databasePatch(deps.names, plan));
    if (writes || calls) return "planned";
    const info = { id: "database.patch", action: "patch", object } as const;
    recorder.done({ ...info, why: "the spec is as wanted already" }, "unchanged");
    return "unchanged";
  }

  async #confirm(plans: readonly DatabasePlan[]): Promise<void> {
    const { deps, options } = this;
    const lossy = plans.flatMap((plan): readonly Lossy[] => {
      const bdb = this.#apis.of(plan)?.bdb;
      return bdb === undefined || plan.passedOver ? [] : [{ plan, bdb }];
    });
    await confirmLoss(deps, options, lossy);
    await confirmTaking(this.#context, plans);
    await confirmLeaving(deps, plans);
    const { session } = this.#context;
    const edited = plans.filter(({ edits }) => edits.length > 0);
    session.confirm(edited.map((plan) => databasePatch(deps.names, plan)));
    // whether one is called is known when no other action works on it any more
    const called = plans.filter((plan) => this.#apis.of(plan) !== undefined);
    session.confirmCalls(called.map((plan) => ({ step: callOf(plan) })));
    const writes = edited.length > 0 || options.via === "api";
    deps.recorder.findings(await requireHome(deps, writes));
  }

  /** One database to its end; its failure is its own, and what concerns all of them is thrown. */
  async #one(fleet: Fleet<DatabasePlan>, plan: DatabasePlan): Promise<void> {
    const { deps } = this;
    let failed = false;
    try {
      this.#summary.add(plan, await this.#work(plan));
    } catch (error) {
      if (deps.signal.aborted || !(error instanceof EngineError)) throw error;
      failed = true;
      deps.recorder.findings(this.#summary.fail(plan, error));
      fleet.fail(plan);
      if (ofAll.includes(error.exitCode)) fleet.stop(error.message);
    } finally {
      this.#context.line.ended(plan.label, failed);
    }
  }

  async #work(plan: DatabasePlan): Promise<Result> {
    if (plan.passedOver) return "skipped";
    const called = this.#apis.of(plan);
    if (called !== undefined) return await byApi(this.#context, plan, called);
    return await byResource(this.#context, plan);
  }
}
