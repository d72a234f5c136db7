/** Gathers what became of each database, and what the run ends with (cli contract, exit codes). */
import { databaseFinding } from "../../domain/databases/codes";
import type { DatabasePlan } from "../../domain/databases/plan";
import { type EngineError, type ExitCode, exitCodes, TimeoutError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { bounded } from "../../domain/status/verdict";
import { shownVersion } from "../../domain/rollout/database";
import { ChangedError } from "../engine/outcome";
import { BlockedError } from "../engine/recorder";
import type { ExitReport, Result } from "../report";
import type { UpgradeDatabaseOptions } from "./deps";

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
      ...(runs !== undefined && { from: shownVersion(runs) }),
      ...(version !== undefined && { to: shownVersion(version) }),
      ...(findings.length > 0 && { findings }),
    });
    if (result === "changed") this.#written += 1;
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
    return this.#plans.map(
      ({ label: object }): DatabaseReport =>
        this.#results.get(object) ?? { object, result: "skipped" },
    );
  }

  /** How the run ends; `because` says why not every database was begun. */
  exit(because: string | undefined): ExitReport {
    const failures = [...this.#failures.values()];
    const [first] = failures;
    const reason = this.#reason(because);
    if (first === undefined) return { code: exitCodes.ok, reason };
    const names = bounded([...this.#failures.keys()].sort(), 10);
    const next = "mend what is named, then run the same command again: it goes on with those alone";
    if (this.#plans.length === 1) {
      return { code: first.exitCode, reason: first.message, next: first.hint ?? next };
    }
    return { code: this.#code(failures, first), reason: `${reason}; failed: ${names}`, next };
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
    const all = this.#plans.length === 1 ? "1 database" : `${this.#plans.length} databases`;
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
