/**
 * Upgrades databases: judges all of them first, then one by one or many at once, each to its end
 * (S61-S67, S75-S92, S98). The cluster's state is the only memory.
 */
import { eachAtMost } from "../../domain/at-most";
import { accept, requireMatched } from "../../domain/checks/selection";
import { withOperator } from "../../domain/cluster/ahead";
import { participantFindings } from "../../domain/databases/participants";
import { type DatabasePlan, planDatabase } from "../../domain/databases/plan";
import { selectDatabases } from "../../domain/databases/target";
import { isNamed, readName } from "../../domain/typed-name";
import { EngineError, exitCodes, UsageError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { bounded } from "../../domain/status/verdict";
import { requireHome, Session } from "../engine/session";
import { requirePermissions } from "../ledger";
import { BlockedError } from "../recorder";
import type { Report, Result } from "../report";
import { Apis, ecsOf } from "./apis";
import { Board } from "./board";
import { byApi, callOf, callStep, needsCall } from "./by-api";
import { byResource, type Hands } from "./by-resource";
import { confirmLeaving, confirmLoss, confirmTaking, type Lossy } from "./confirm";
import type { UpgradeDatabaseDeps, UpgradeDatabaseOptions } from "./deps";
import { Ending } from "./ending";
import { gathered } from "./gathered";
import { Lookout } from "./lookout";
import { Patience } from "./patience";
import { readChosen, readPermissions, type Seen, writePermissions } from "./read";
import { databasePatch } from "./writes";

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
  readonly #hands: Hands;
  readonly #ending: Ending;
  readonly #apis: Apis;

  constructor(
    private readonly deps: UpgradeDatabaseDeps,
    private readonly options: UpgradeDatabaseOptions,
  ) {
    const board = new Board(deps.clock, deps.recorder);
    // its operator writes databases as well
    const others = [deps.names.operator.deployment];
    const session = new Session(deps, { ...options, others });
    this.#hands = { deps, options, board, lookout: new Lookout(deps, options), session };
    this.#ending = new Ending(options);
    this.#apis = new Apis(deps, options);
  }

  async run(): Promise<void> {
    const { deps, options } = this;
    await requirePermissions(deps, readPermissions(deps.names, options));
    const plans = await this.#fitPlans();
    this.#ending.begin(plans);
    this.#hands.board.begin(plans.length);
    await this.#requireWrites(plans);
    if (options.via === "api") await this.#apis.meet(plans);
    const canary = this.#canaryOf(plans);
    if (options.dryRun !== "none") {
      await this.#dryRun(plans);
      return;
    }
    await this.#confirm(plans);
    if (canary !== undefined) await this.#one(canary);
    if (canary !== undefined && this.#ending.hasFailed(canary)) {
      this.#ending.stop(`the canary ${canary.label} failed`);
    }
    const others = plans.filter((plan) => plan !== canary);
    await eachAtMost(options.concurrency, others, (plan) => this.#one(plan));
  }

  report(): Report {
    return this.#detailed(this.deps.recorder.report(this.#ending.exit()));
  }

  failure(error: unknown): Report {
    return this.#detailed(this.deps.recorder.failure(error));
  }

  close(): void {
    this.#apis.close();
  }

  #detailed(report: Report): Report {
    const databases = this.#ending.databases();
    return databases.length === 0 ? report : { ...report, details: { databases } };
  }

  /** Plans that nothing stands against; an EC that is not Running is waited for where that is said. */
  async #fitPlans(): Promise<readonly DatabasePlan[]> {
    const { deps, options } = this;
    const { lookout, board } = this.#hands;
    const chosen = await readChosen(deps, options);
    lookout.participants = true;
    let seen = await lookout.now();
    const patience = new Patience(this.#hands, "the databases");
    for (;;) {
      const plans = this.#plansOf(seen, chosen);
      const busy = plans.flatMap((plan) => plan.busy)[0];
      if (busy === undefined) return plans;
      board.waits(busy.object ?? "", busy.cause);
      patience.requireTime(busy.cause);
      seen = await lookout.next();
    }
  }

  #plansOf(
    { facts, participants }: Seen,
    chosen: ReadonlySet<string> | undefined,
  ): readonly DatabasePlan[] {
    const { options } = this;
    const { databases: names, everywhere, via } = options;
    const selection = { names, everywhere, via, ...(chosen !== undefined && { chosen }) };
    const { targets, findings } = selectDatabases(facts, selection);
    const plans = targets.map((target) => planDatabase(facts, target, options));
    const eaadbs = plans
      .filter(({ target }) => target.kind === "eaadb" && via === "resource")
      .map(({ target: { object }, edits }) => ({ object, changes: edits.length > 0 }));
    const { assumeOperator } = options;
    const ahead = assumeOperator === undefined ? facts : withOperator(facts, assumeOperator);
    const others = [...findings, ...participantFindings(ahead, eaadbs, participants)];
    this.#hands.lookout.participants = eaadbs.length > 0;
    this.#judge(plans, others);
    return plans;
  }

  /** Every problem of every database at once, before anything is written. */
  #judge(plans: readonly DatabasePlan[], others: readonly Finding[]): void {
    const { deps, options } = this;
    const waits = options.wait && options.dryRun === "none";
    const busy = plans.flatMap((plan) => plan.busy);
    const all = [...others, ...plans.flatMap(({ blocks, warnings }) => [...blocks, ...warnings])];
    if (options.skipMayMiss !== true) requireMatched(options.skip, all);
    const found = accept(all, options.skip);
    const errors = found.filter(isError);
    const blocks = gathered([...errors, ...(waits ? [] : busy)]);
    const warnings = gathered(found.filter((finding) => !isError(finding)));
    const { session } = this.#hands;
    const conflicts = plans.flatMap(
      (plan) => session.conflictsOf(databasePatch(deps, plan)).conflicts,
    );
    if (blocks.length + conflicts.length > 0) {
      const code = blocks.length > 0 ? exitCodes.blocked : exitCodes.conflict;
      throw new BlockedError(code, [...blocks, ...gathered(conflicts), ...warnings]);
    }
    if (busy.length === 0) deps.recorder.findings(warnings);
  }

  async #requireWrites(plans: readonly DatabasePlan[]): Promise<void> {
    const { deps, options } = this;
    const writing = plans.filter(({ edits, target }) => edits.length > 0 && !target.instanceOf);
    const ecs = options.via === "api" ? ecsOf(plans) : [];
    await requirePermissions(deps, [
      ...writePermissions(
        deps.names,
        writing.map(({ target }) => target),
      ),
      ...ecs.flatMap((ec) => deps.api.permissions(ec)),
    ]);
  }

  #canaryOf(plans: readonly DatabasePlan[]): DatabasePlan | undefined {
    const { canary } = this.options;
    if (canary === undefined) return undefined;
    const typed = readName(canary, this.deps.names);
    const found = plans.find(({ target }) => isNamed(typed, target));
    if (found !== undefined) return found;
    const all = bounded(plans.map(({ label }) => label));
    throw new UsageError(`--canary: ${canary} is not among the databases: ${all}`);
  }

  async #dryRun(plans: readonly DatabasePlan[]): Promise<void> {
    for (const plan of plans) {
      const result = await this.#tried(plan);
      this.#ending.add(plan, result);
    }
  }

  async #tried(plan: DatabasePlan): Promise<Result> {
    const { deps } = this;
    const { recorder } = deps;
    const { label: object, edits, target, passedOver } = plan;
    if (passedOver) return "skipped";
    const called = this.#apis.of(plan);
    const calls = called !== undefined && needsCall(called, plan, this.#hands);
    if (calls) recorder.done(callStep(plan, called.bdb, this.#hands), "planned");
    const writes = edits.length > 0 && target.instanceOf === undefined;
    if (writes) await this.#hands.session.plan(databasePatch(deps, plan));
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
    await confirmTaking(this.#hands, plans);
    await confirmLeaving(deps, plans);
    // whether one is called is known when no other action works on it any more
    const called = plans.filter((plan) => !plan.passedOver && this.#apis.of(plan) !== undefined);
    this.#hands.session.confirmCalls(called.map((plan) => ({ step: callOf(plan) })));
    const writes = plans.some(({ edits }) => edits.length > 0) || options.via === "api";
    deps.recorder.findings(await requireHome(deps, writes));
  }

  /** One database to its end; its failure is its own, and what concerns all of them is thrown. */
  async #one(plan: DatabasePlan): Promise<void> {
    const { deps } = this;
    const { board } = this.#hands;
    if (this.#ending.stopped) return;
    deps.signal.throwIfAborted();
    try {
      this.#ending.add(plan, await this.#work(plan));
    } catch (error) {
      if (deps.signal.aborted || !(error instanceof EngineError)) throw error;
      deps.recorder.findings(this.#ending.fail(plan, error));
    } finally {
      board.ended(plan.label, this.#ending.hasFailed(plan));
    }
  }

  async #work(plan: DatabasePlan): Promise<Result> {
    if (plan.passedOver) return "skipped";
    const called = this.#apis.of(plan);
    if (called !== undefined) return await byApi(this.#hands, plan, called);
    return await byResource(this.#hands, plan);
  }
}

function isError({ severity }: Finding): boolean {
  return severity === "error";
}
