/**
 * The whole upgrade (S9-S34): every part is planned first, then the plan is shown and confirmed, then
 * the parts are done in order. The cluster is the only memory, so running it again resumes.
 */
import { requireMatched, type Skip } from "../../domain/checks/selection";
import { EngineError, exitCodes, UsageError } from "../../domain/errors";
import { distinct, type Finding } from "../../domain/findings";
import { planFindings } from "../../domain/upgrade/codes";
import {
  staleReasons,
  type Unplanned,
  unplanned,
  type UpgradePlan,
} from "../../domain/upgrade/plan";
import { countedOn, joinedReport, stepsOf } from "../joined-report";
import type { Event, Report, Result } from "../report";
import type { ReadyPart } from "./part";
import { obstacles, type PartPlan, plannedSteps, planPart, planParts } from "./planning";

/** The world around a procedure. */
export interface ProcedureDeps {
  readonly event: (event: Event) => void;
  readonly signal: AbortSignal;
  /** Asks once before the first write; throws UsageError where nobody can be asked. */
  readonly ask: (question: string) => Promise<boolean>;
  /** Shows the plan before the question. */
  readonly show: (plan: UpgradePlan) => void;
  /** The plan as a document, of what the parts have planned. */
  readonly planOf: (plans: readonly PartPlan[]) => UpgradePlan;
  /** Keeps a plan for later. */
  readonly keep?: (plan: UpgradePlan) => Promise<string>;
}

/** How it is run. */
export interface ProcedureOptions {
  readonly dryRun: "none" | "client" | "server";
  /** A plan from a file: it is carried out only if it still holds. */
  readonly saved?: UpgradePlan;
  /** Findings that are accepted; each has to be one of the checks' or of a part's. */
  readonly skip: readonly Skip[];
  /** What the report has in any case: kind, run, target, findings of the checks. */
  readonly base: Omit<Report, "exit" | "steps">;
}

/** Plans, confirms and does the parts; every expected end comes back as a report. */
export async function runProcedure(
  parts: readonly ReadyPart[],
  deps: ProcedureDeps,
  options: ProcedureOptions,
): Promise<Report> {
  return await new Procedure(parts, deps, options).run();
}

class Procedure {
  constructor(
    private readonly parts: readonly ReadyPart[],
    private readonly deps: ProcedureDeps,
    private readonly options: ProcedureOptions,
  ) {}

  async run(): Promise<Report> {
    const { dryRun, saved } = this.options;
    // only the API server itself knows every conflict: what will be written is tried by dry run
    const plans = await planParts(this.parts, dryRun === "client" ? "client" : "server");
    const plan = this.deps.planOf(plans);
    const stopped = obstacles(plans);
    // a part that ended otherwise has not said all that a --skip may be for
    if (stopped === undefined || stopped.code === exitCodes.blocked) this.#requireMatched(plans);
    if (stopped !== undefined) return { ...this.#planned(plan, plans), exit: stopped };
    const stale = saved === undefined ? [] : staleReasons(saved, plan);
    if (stale.length > 0) return this.#stale(stale);
    if (this.deps.keep !== undefined) return await this.#kept(plan, plans);
    if (dryRun !== "none") return this.#planned(plan, plans);
    if (plan.steps.length > 0) await this.#confirm(plan);
    return await this.#work(plans);
  }

  #requireMatched(plans: readonly PartPlan[]): void {
    const { base, skip } = this.options;
    const reports = plans.flatMap(({ report }) => report ?? []);
    requireMatched(
      skip,
      [base, ...reports].flatMap(({ findings = [] }) => findings),
    );
  }

  /** The report of a plan that is not carried out. */
  #planned(plan: UpgradePlan, plans: readonly PartPlan[]): Report {
    const reports = plans.flatMap(({ report }) => report ?? []);
    const count = plan.steps.length;
    return {
      ...this.options.base,
      steps: plannedSteps(plan.steps),
      findings: distinct([
        ...(this.options.base.findings ?? []),
        ...reports.flatMap(({ findings = [] }) => findings),
      ]),
      ...permissionsOf(reports),
      details: { plan: { ...plan, steps: plan.steps.length } },
      exit: {
        code: exitCodes.ok,
        reason:
          count === 0
            ? "dry run: everything is as wanted, nothing would be written"
            : `dry run: ${count} ${count === 1 ? "write" : "writes"} planned, nothing was changed`,
      },
    };
  }

  async #kept(plan: UpgradePlan, plans: readonly PartPlan[]): Promise<Report> {
    const next = await this.deps.keep?.(plan);
    const report = this.#planned(plan, plans);
    const exit = { code: exitCodes.ok, reason: "the plan is saved, nothing was written" };
    return { ...report, exit: { ...exit, ...(next !== undefined && { next }) } };
  }

  #stale(reasons: readonly string[]): Report {
    const findings = reasons.map((cause): Finding => ({ ...planFindings.stale, cause }));
    for (const finding of findings) this.deps.event({ type: "finding", finding });
    return {
      ...this.options.base,
      findings: [...(this.options.base.findings ?? []), ...findings],
      exit: {
        code: exitCodes.conflict,
        reason: `the saved plan no longer holds: ${reasons.join("; ")}; nothing was written`,
        next: "look at what has changed, then make a new plan with --plan-out",
      },
    };
  }

  async #confirm(plan: UpgradePlan): Promise<void> {
    this.deps.show(plan);
    const { length } = plan.steps;
    const question = `Carry out this plan (${length} ${length === 1 ? "write" : "writes"}, in namespace ${plan.namespace})?`;
    if (await this.deps.ask(question)) return;
    throw new UsageError("not confirmed, nothing was written", {
      hint: "run again and answer yes, or save the plan with --plan-out",
    });
  }

  async #work(plans: readonly PartPlan[]): Promise<Report> {
    let report: Report = { ...this.options.base, exit: { code: exitCodes.ok, reason: "" } };
    for (const plan of plans) {
      const { title } = plan.ready.part;
      const next = await this.#part(plan, stepsOf(report).length).catch(endedBy);
      report = withTitle(report, midway(report, next), title);
      if (report.exit.code !== exitCodes.ok) break;
    }
    return report;
  }

  async #part({ ready, steps }: PartPlan, before: number): Promise<Report> {
    const { part, skip, verify } = ready;
    const event = (one: Event): void => {
      this.deps.event(countedOn(one, before));
    };
    if (skip !== undefined) {
      event({ type: "note", text: `${part.title}: skipped, ${skip}` });
      const found = await verify?.({ dryRun: "none", ahead: false, event });
      return joinedSkip(found, `skipped, ${skip}`);
    }
    this.deps.signal.throwIfAborted();
    event({ type: "note", text: `${part.title} (${part.source})` });
    const found = await planPart(ready, { dryRun: "server", ahead: false, event: () => undefined });
    const more = unplanned(steps, found.steps);
    if (more.length > 0) return unplannedEnd(more, event);
    return await ready.run({ dryRun: "none", ahead: false, event });
  }
}

/** Exit 3 promises that nothing was written: what blocks after a write is a failure midway. */
function midway(before: Report, next: Report): Report {
  const wrote = stepsOf(before).some(({ result }) => written.has(result));
  if (!wrote || next.exit.code !== exitCodes.blocked) return next;
  return { ...next, exit: { ...next.exit, code: exitCodes.failed } };
}

const written: ReadonlySet<Result> = new Set<Result>(["created", "changed", "deleted"]);

/** An expected error ends the run where it is; what was done before stays in the report. */
function endedBy(error: unknown): Report {
  if (!(error instanceof EngineError)) throw error;
  const { exitCode: code, message: reason, hint } = error;
  return {
    ...ended(reason),
    exit: { code, reason, next: hint ?? "run the same command again: it resumes" },
  };
}

/** Somebody changed the cluster after the plan was shown: nothing beyond the plan is written. */
function unplannedEnd(more: readonly Unplanned[], event: (event: Event) => void): Report {
  const findings = more.map(({ step: { object }, is }): Finding => ({
    ...planFindings.exceeded,
    object,
    cause: `somebody changed it since the plan was shown: ${is} was not part of the plan`,
  }));
  for (const finding of findings) event({ type: "finding", finding });
  const objects = more.map(({ step }) => step.object).join(", ");
  return {
    ...ended(`changed since the plan was shown: ${objects}`),
    findings,
    exit: {
      code: exitCodes.conflict,
      reason: `changed since the plan was shown: ${objects}`,
      next: "run the same command again: it shows a new plan",
    },
  };
}

/** A skipped part ends well unless what somebody else has done was seen not to work. */
function joinedSkip(found: Report | undefined, reason: string): Report {
  if (found === undefined) return ended(reason);
  const { exit } = found;
  return { ...found, exit: { ...exit, reason: `${reason}; ${exit.reason}` } };
}

function ended(reason: string): Report {
  return { apiVersion: "cli.engine.com/v1", kind: "Upgrade", exit: { code: exitCodes.ok, reason } };
}

/** The first part has nothing before it that could be named. */
function withTitle(report: Report, next: Report, title: string): Report {
  const joined = joinedReport(report, next, title);
  return report.exit.reason === ""
    ? { ...joined, exit: { ...joined.exit, reason: `${title}: ${next.exit.reason}` } }
    : joined;
}

/** What is missing in all parts, as one. */
function permissionsOf(reports: readonly Report[]): Partial<Report> {
  const all = reports.flatMap(({ permissions }) => permissions ?? []);
  if (all.length === 0) return {};
  return {
    permissions: {
      missing: [...new Set(all.flatMap(({ missing }) => missing))],
      manifest: all.map(({ manifest }) => manifest).join("---\n"),
    },
  };
}
