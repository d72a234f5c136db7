/** What became of each database, and the end that they have together. */
import type { DatabasePlan } from "../../domain/database/plan";
import {
  type EngineError,
  type ExitCode,
  exitCodes,
  TimeoutError,
  BlockedError,
} from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { boundList, countNoun } from "../../domain/base/values";
import { databaseFinding } from "../../domain/database/findings";
import { renderVersion } from "../../domain/database/rollout";
import type { Result } from "../../domain/kube/planned-write";
import { ClusterApiError } from "../../domain/rest-api/errors";
import type { World } from "../../kernel/world";
import type { ExitReport } from "../../kernel/report";
import { ChangedError } from "../../kernel/send";

/** What became of one database. */
export interface DatabaseReport {
  readonly object: string;
  readonly result: Result;
  readonly from?: string;
  readonly to?: string;
  readonly findings?: readonly Finding[];
}

/** Ends of one database that would be those of all the others too. */
export const ofAll: readonly ExitCode[] = [exitCodes.unavailable, exitCodes.permission];

/** Ends that a run has as a whole when every failure is one of them. */
const whole: readonly ExitCode[] = [...ofAll, exitCodes.timeout];

/** Ends that a run has as a whole when no database came to anything else. */
const before: readonly ExitCode[] = [exitCodes.blocked, exitCodes.conflict];

/** The results so far. */
export class RunSummary {
  #plans: readonly DatabasePlan[] = [];
  #leftOut: readonly DatabasePlan[] = [];
  readonly #results = new Map<string, DatabaseReport>();
  readonly #failures = new Map<string, EngineError>();
  #written = 0;

  constructor(private readonly dryRun: World["dryRun"]) {}

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

  /** `details` of the document, once the databases are known. */
  details(): { readonly details?: { readonly databases: readonly DatabaseReport[] } } {
    const databases = this.databases();
    return databases.length === 0 ? {} : { details: { databases } };
  }

  /** How the run ends; `because` says why not every database was begun. */
  exit(because: string | undefined): ExitReport {
    const failures = [...this.#failures.values()];
    const [first] = failures;
    const reason = this.#reason(because);
    if (first === undefined) return this.#done(reason);
    const names = boundList([...this.#failures.keys()].sort(), 10);
    const next = "fix what is named, then run the same command again: it continues with only those";
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
    const says = `${reason}; left out: ${boundList(leftOut, 10)}`;
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
    const all = countNoun(count, "database");
    const stopped = because === undefined ? "" : `; stopped: ${because}`;
    const dry = this.dryRun === "none" ? "" : "dry run, nothing was changed: ";
    if (parts.length === 0) return `${dry}there is no database to upgrade`;
    return `${dry}${all}: ${parts.join(", ")}${stopped}`;
  }
}

function explained(object: string, error: EngineError): readonly Finding[] {
  const { message: cause, hint } = error;
  if (error instanceof BlockedError) return error.findings;
  if (error instanceof ChangedError) return [databaseFinding("changed", { object, cause })];
  if (error instanceof TimeoutError) return [databaseFinding("timedOut", { object, cause })];
  if (error instanceof ClusterApiError && error.finding !== undefined) {
    return [{ ...error.finding, object }];
  }
  const fix = hint === undefined ? {} : { fix: hint };
  return [databaseFinding("writeFailed", { object, cause, ...fix })];
}
