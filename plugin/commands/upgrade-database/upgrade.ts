/**
 * Upgrades databases: judges all of them first, then one by one or many at once, each to its end
 * (S61-S67, S75-S92, S98). The cluster's state is the only memory.
 */
import type { DatabasePlan } from "../../domain/database/plan";
import {
  EngineError,
  type ExitCode,
  exitCodes,
  TimeoutError,
  UsageError,
  BlockedError,
} from "../../domain/base/errors";
import { bounded } from "../../domain/base/values";
import { isNamed, readName } from "../../domain/names/names";
import { nothing } from "../../domain/base/concurrency";
import { Fleet } from "../../kernel/canary";
import { requireGround } from "../../readers/ground";
import { requireHome, requireNeeds, requirePermissions } from "../../kernel/permissions";
import { Session } from "../../kernel/session";
import type { ExitReport, Report } from "../../kernel/report";
import type { Result } from "../../domain/kube/planned-write";
import { Apis, ecsOf } from "./apis";
import { byApi, callOf, callStep, needsCall } from "./by-rest-api";
import { byResource, ProgressLine, waitBySeen, type DatabaseContext } from "./by-resource";
import {
  confirmLeaving,
  confirmLoss,
  confirmTaking,
  databasePatch,
  type DatabasePlans,
  gathered,
  isWritten,
  type DataLossRisk,
  planDatabases,
} from "./plans";
import {
  DatabasePoller,
  needsOf,
  readChosen,
  type UpgradeDatabaseDeps,
  type UpgradeDatabaseOptions,
  writePermissions,
} from "./read";
import { databaseFinding } from "../../domain/database/findings";
import type { Finding } from "../../domain/base/findings";
import { renderVersion } from "../../domain/database/rollout";
import { ChangedError } from "../../kernel/send";

/** Upgrades; expected ends of every kind come back as a report. */
export async function upgradeDatabases(
  deps: UpgradeDatabaseDeps,
  options: UpgradeDatabaseOptions,
): Promise<Report> {
  const run = new UpgradeDatabases(deps, resolved(deps, options));
  try {
    await run.run();
    return run.report();
  } catch (error) {
    return run.failure(error);
  } finally {
    run.close();
  }
}

/** The older field asks for the latest version too, and is resolved and judged like it (S89). */
function resolved(
  { names }: UpgradeDatabaseDeps,
  options: UpgradeDatabaseOptions,
): UpgradeDatabaseOptions {
  const { request, version, via } = options;
  const isLatest = via === "api" && version === undefined && request.latestWithModules === true;
  return isLatest ? { ...options, version: names.latestChannel } : options;
}

const command = "upgrade-database";

class UpgradeDatabases {
  readonly #context: DatabaseContext;
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
    await requireNeeds(deps, command, needsOf(deps, options));
    await requireGround(deps, { namespace: options.namespace, clusters: [] });
    const fit = await this.#fitPlans();
    this.#summary.begin(fit);
    await this.#requireWrites(fit);
    const plans = options.via === "api" ? await this.#metPlans(fit) : fit;
    this.#context.line.begin(plans.length);
    const canary = this.#canaryOf(plans);
    if (options.dryRun !== "none") {
      for (const plan of plans) this.#summary.add(plan, await this.#tried(plan));
      return;
    }
    await this.#confirm(plans);
    const fleet = new Fleet({ ...options, canary, noun: "databases", signal: deps.signal });
    this.#fleet = fleet;
    await fleet.run(plans, async (plan) => {
      await this.#one(fleet, plan);
      return nothing;
    });
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

  /** Plans whose records in the REST API let them be called; the others are left out. */
  async #metPlans(plans: readonly DatabasePlan[]): Promise<readonly DatabasePlan[]> {
    const { facts } = await this.#context.poller.now();
    const { plans: met, leftOut } = await this.#apis.meet(plans, facts);
    this.#summary.begin(met);
    this.deps.recorder.findings(this.#summary.leaveOut(leftOut));
    return met;
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
      deps.recorder.findings([...all.warnings, ...this.#summary.leaveOut(all.leftOut)]);
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
    const reaching = ecs.flatMap((ec) => deps.api.permissions(ec));
    const all = writePermissions(
      deps.names,
      plans.map(({ target }) => target),
    );
    deps.recorder.needs.declare(command, needsOf(deps, options, [...all, ...reaching]));
    await requirePermissions(deps, [
      ...writePermissions(
        deps.names,
        plans.filter(isWritten).map(({ target }) => target),
      ),
      ...reaching,
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
    recorder.done({ ...info, why: "the spec is up to date already" }, "unchanged");
    return "unchanged";
  }

  async #confirm(plans: readonly DatabasePlan[]): Promise<void> {
    const { deps, options } = this;
    const lossy = plans.flatMap((plan): readonly DataLossRisk[] => {
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

/** What became of one database. */
export interface DatabaseReport {
  readonly object: string;
  readonly result: Result;
  readonly from?: string;
  readonly to?: string;
  readonly findings?: readonly Finding[];
}

/** Ends of one database that would be those of all the others too. */
const ofAll: readonly ExitCode[] = [exitCodes.unavailable, exitCodes.permission];

/** Ends that a run has as a whole when every failure is one of them. */
const whole: readonly ExitCode[] = [...ofAll, exitCodes.timeout];

/** Ends that a run has as a whole when no database came to anything else. */
const before: readonly ExitCode[] = [exitCodes.blocked, exitCodes.conflict];

/** The results so far. */
class RunSummary {
  #plans: readonly DatabasePlan[] = [];
  #leftOut: readonly DatabasePlan[] = [];
  readonly #results = new Map<string, DatabaseReport>();
  readonly #failures = new Map<string, EngineError>();
  #written = 0;

  constructor(private readonly options: Pick<UpgradeDatabaseOptions, "dryRun">) {}

  /** From here on each of the databases is accounted for. */
  begin(plans: readonly DatabasePlan[]): void {
    this.#plans = plans;
  }

  add(plan: DatabasePlan, result: Result, findings: readonly Finding[] = []): void {
    const { label: object, runs, version } = plan;
    this.#results.set(object, {
      object,
      result,
      ...(runs !== undefined && { from: renderVersion(runs) }),
      ...(version !== undefined && { to: renderVersion(version) }),
      ...(findings.length > 0 && { findings }),
    });
    if (result === "changed") this.#written += 1;
  }

  /** Databases that the run leaves as they are, named with the reason; the findings say why. */
  leaveOut(plans: readonly DatabasePlan[]): readonly Finding[] {
    this.#leftOut = [...this.#leftOut, ...plans];
    for (const plan of plans) this.add(plan, "skipped", plan.blocks);
    return plans.flatMap(({ blocks }) => blocks);
  }

  /** A failure of one database; the findings say why. */
  fail(plan: DatabasePlan, error: EngineError): readonly Finding[] {
    const findings = explained(plan.label, error);
    this.add(plan, "failed", findings);
    this.#failures.set(plan.label, error);
    return findings;
  }

  /** Every database in the order of the plan; those not begun are skipped. */
  databases(): readonly DatabaseReport[] {
    return [...this.#plans, ...this.#leftOut].map(
      ({ label: object }): DatabaseReport =>
        this.#results.get(object) ?? { object, result: "skipped" },
    );
  }

  /** How the run ends; `because` says why not every database was begun. */
  exit(because: string | undefined): ExitReport {
    const failures = [...this.#failures.values()];
    const [first] = failures;
    const reason = this.#reason(because);
    if (first === undefined) return this.#done(reason);
    const names = bounded([...this.#failures.keys()].sort(), 10);
    const next =
      "fix what is named, then run the same command again: it continues with those alone";
    if (this.#plans.length === 1) {
      return { code: first.exitCode, reason: first.message, next: first.hint ?? next };
    }
    return { code: this.#code(failures, first), reason: `${reason}; failed: ${names}`, next };
  }

  /** Nothing failed; what was left out is named. */
  #done(reason: string): ExitReport {
    if (this.#leftOut.length === 0) return { code: exitCodes.ok, reason };
    const leftOut = this.#leftOut.map(({ label }) => label);
    const next =
      "see the findings; the databases that were left out can be upgraded when they allow it";
    const says = `${reason}; left out: ${bounded(leftOut, 10)}`;
    return { code: exitCodes.partial, reason: says, next, leftOut };
  }

  #code(failures: readonly EngineError[], first: EngineError): ExitCode {
    const same = failures.every(({ exitCode }) => exitCode === first.exitCode);
    const alone = this.#written === 0 && failures.length === this.#plans.length;
    const codes = alone ? [...whole, ...before] : whole;
    return same && codes.includes(first.exitCode) ? first.exitCode : exitCodes.partial;
  }

  #reason(because: string | undefined): string {
    const counts = new Map<Result, number>();
    for (const { result } of this.databases()) counts.set(result, (counts.get(result) ?? 0) + 1);
    const parts = [...counts].map(([result, count]) => `${count} ${result}`);
    const count = this.#plans.length + this.#leftOut.length;
    const all = count === 1 ? "1 database" : `${count} databases`;
    const stopped = because === undefined ? "" : `; stopped: ${because}`;
    const dry = this.options.dryRun === "none" ? "" : "dry run, nothing was changed: ";
    if (parts.length === 0) return `${dry}there is no database to upgrade`;
    return `${dry}${all}: ${parts.join(", ")}${stopped}`;
  }
}

function explained(object: string, error: EngineError): readonly Finding[] {
  const { message: cause, hint } = error;
  if (error instanceof BlockedError) return error.findings;
  if (error instanceof ChangedError) return [databaseFinding("changed", { object, cause })];
  if (error instanceof TimeoutError) return [databaseFinding("timedOut", { object, cause })];
  const fix = hint === undefined ? {} : { fix: hint };
  return [databaseFinding("writeFailed", { object, cause, ...fix })];
}
