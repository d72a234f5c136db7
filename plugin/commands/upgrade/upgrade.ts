/**
 * The whole upgrade (S9-S34): every part is planned first, then the plan is shown and confirmed, then
 * the parts are done in order. The cluster is the only memory, so running it again resumes.
 */
import { requireMatched } from "../../domain/checks/selection";
import type { Skip } from "../../domain/base/skip";
import { renderAge } from "../../domain/base/duration";
import { EngineError, type ExitCode, exitCodes, UsageError } from "../../domain/base/errors";
import { distinct, type Finding } from "../../domain/base/findings";
import { planFindings, type Result } from "../../domain/kube/planned-write";
import {
  type PlannedPart,
  type PlannedStep,
  staleReasons,
  type Unplanned,
  unplanned,
  type UpgradePlan,
} from "./saved-plan";
import { followedBy, type Projection, unchanged } from "../../kernel/projected";
import type { Recorder } from "../../kernel/recorder";
import { endOf, goesOn, inTurn, leftOutIn } from "./in-turn";
import type { Clock } from "../../ports/kubernetes";
import type { Report, StepReport, PartReport } from "../../kernel/report";
import type { Part } from "./procedure";

/** The world around a procedure. */
interface ProcedureDeps {
  /** Has the findings of the checks; every part continues with it. */
  readonly recorder: Recorder;
  /** For a part that is planned: a plan is told as a whole, not as it is made. */
  readonly unheard: () => Recorder;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, "now">;
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
    const tried = dryRun === "client" ? "client" : "server";
    const plans = await planParts(this.parts, tried, this.deps.unheard);
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
    requireMatched(
      this.options.skip,
      findingsOf([this.deps.recorder.success(""), ...reportsOf(plans)]),
    );
  }

  /** The report of a plan that is not carried out. */
  #planned(plan: UpgradePlan, plans: readonly PartPlan[]): Report {
    const count = plan.steps.length;
    const report = this.deps.recorder.success(
      count === 0
        ? "dry run: everything is up to date, nothing would be written"
        : `dry run: ${count} ${count === 1 ? "write" : "writes"} planned, nothing was changed`,
    );
    const reports = reportsOf(plans);
    const exit = reports.reduce((end, one) => endOf(one.exit, end), report.exit);
    return {
      ...report,
      exit: leftOutIn(exit),
      steps: plannedSteps(plan.steps),
      findings: distinct(findingsOf([report, ...reports])),
      ...permissionsOf(reports),
      details: { plan: { ...plan, steps: plan.steps.length } },
    };
  }

  async #kept(plan: UpgradePlan, plans: readonly PartPlan[]): Promise<Report> {
    const next = await this.deps.keep?.(plan);
    const report = this.#planned(plan, plans);
    const exit = { code: exitCodes.ok, reason: "the plan is saved, nothing was written" };
    return { ...report, exit: { ...exit, ...(next !== undefined && { next }) } };
  }

  #stale(reasons: readonly string[]): Report {
    const { recorder } = this.deps;
    recorder.findings(reasons.map((cause): Finding => ({ ...planFindings.stale, cause })));
    return recorder.report({
      code: exitCodes.conflict,
      reason: `the saved plan no longer holds: ${reasons.join("; ")}; nothing was written`,
      next: "look at what has changed, then create a new plan with --plan-out",
    });
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
    const { recorder, clock } = this.deps;
    const parts: PartReport[] = [];
    const start = clock.now();
    const followers = plans.map((plan, index) => ({
      title: plan.ready.part.title,
      run: async () => {
        const { id, title, source } = plan.ready.part;
        const part = `part ${index + 1} of ${plans.length}`;
        const spent = renderAge(clock.now() - start);
        recorder.tell({ type: "note", part, text: `${title} (${source}), after ${spent}` });
        const [from, before] = [clock.now(), recorder.success("").steps?.length ?? 0];
        const report = await this.#part(plan).catch((error: unknown) => this.#endedBy(error));
        const { reason } = report.exit;
        const why = reason.replace(/^skipped, /, "");
        const own = recorder.success("").steps?.slice(before) ?? [];
        const result = goesOn(report.exit) ? resultOf(plan, own) : "failed";
        parts.push({ part: id, title, result, ...recorder.stretch(from, clock.now()), why });
        return report;
      },
    }));
    const report = await inTurn(recorder.success(""), followers, recorder);
    const rest = plans.slice(parts.length).map(({ ready: { part } }): PartReport => {
      const why = "not begun, since the part before it did not end well";
      return { part: part.id, title: part.title, result: "planned", ms: 0, why };
    });
    const details = { ...Object(report.details), parts: [...parts, ...rest] } as object;
    return { ...report, findings: distinct(findingsOf([report])), details };
  }

  async #part({ ready, steps }: PartPlan): Promise<Report> {
    const { recorder, signal, unheard } = this.deps;
    const { part, skip, verify } = ready;
    const stage = { dryRun: "none", ahead: false, after: unchanged, recorder } as const;
    if (skip !== undefined) {
      recorder.note(`${part.title}: skipped, ${skip}`);
      const reason = `skipped, ${skip}`;
      const found = await verify?.(stage);
      if (found === undefined) return recorder.success(reason);
      return { ...found, exit: { ...found.exit, reason: `${reason}; ${found.exit.reason}` } };
    }
    signal.throwIfAborted();
    const found = await planPart(ready, { ...stage, dryRun: "server", recorder: unheard() });
    const more = unplanned(steps, found.steps);
    if (more.length > 0) return this.#exceeded(more);
    return (await ready.run(stage)).report;
  }

  /** An expected error ends the run where it is; what was done before stays in the report. */
  #endedBy(error: unknown): Report {
    if (!(error instanceof EngineError)) throw error;
    const { exitCode: code, message: reason, hint } = error;
    const next = hint ?? "run the same command again: it resumes";
    return this.deps.recorder.report({ code, reason, next });
  }

  /** Someone changed the cluster after the plan was shown: nothing beyond the plan is written. */
  #exceeded(more: readonly Unplanned[]): Report {
    const { recorder } = this.deps;
    recorder.findings(
      more.map(({ step: { object }, is }): Finding => ({
        ...planFindings.exceeded,
        object,
        cause: `someone changed it since the plan was shown: ${is} was not part of the plan`,
      })),
    );
    return recorder.report({
      code: exitCodes.conflict,
      reason: `changed since the plan was shown: ${more.map(({ step }) => step.object).join(", ")}`,
      next: "run the same command again: it shows a new plan",
    });
  }
}

function resultOf({ ready }: PartPlan, steps: readonly StepReport[]): Result {
  if (ready.skip !== undefined) return "skipped";
  const isCalm = steps.every(({ result }) => !["created", "changed", "deleted"].includes(result));
  return isCalm ? "unchanged" : "changed";
}

function reportsOf(plans: readonly PartPlan[]): readonly Report[] {
  return plans.flatMap(({ report }) => report ?? []);
}

/** Those of the namespaces too: in the document of a whole upgrade no part has a place of its own for them. */
function findingsOf(reports: readonly Report[]): readonly Finding[] {
  return reports.flatMap(({ findings = [], namespaces = [] }) => [
    ...findings,
    ...namespaces.flatMap((one) => one.findings ?? []),
  ]);
}

/** What is missing in all parts, as one. */
function permissionsOf(reports: readonly Report[]): Partial<Report> {
  const all = reports.flatMap(({ permissions }) => permissions ?? []);
  const last = all.at(-1);
  if (last === undefined) return {};
  const missing = [...new Set(all.flatMap((one) => one.missing))];
  // each holds what was known to be needed by then
  return { permissions: { ...last, missing } };
}

/** A part that was planned. */
export interface PartPlan {
  readonly ready: ReadyPart;
  /** What it will have brought about. */
  readonly after: Projection;
  readonly steps: readonly PlannedStep[];
  /** Absent for a part that is skipped, unless what it is left to could not be proven. */
  readonly report?: Report;
}

/** Plans all parts: one that cannot be done does not hide what stands against the others. */
async function planParts(
  parts: readonly ReadyPart[],
  dryRun: "client" | "server",
  unheard: () => Recorder,
): Promise<readonly PartPlan[]> {
  const plans: PartPlan[] = [];
  let after = unchanged;
  for (const ready of parts) {
    const plan = await planPart(ready, { dryRun, ahead: true, after, recorder: unheard() });
    plans.push(plan);
    after = followedBy(after, plan.after);
    // a server that does not answer one part answers none: each of them would wait for its deadline
    if (plan.report?.exit.code === exitCodes.unavailable) break;
  }
  return plans;
}

/** One part by a dry run. */
async function planPart(ready: ReadyPart, stage: Stage): Promise<PartPlan> {
  if (ready.skip !== undefined) {
    // who refuses good edits now would refuse the proof too, once the operator is written
    const report = await ready.verify?.(stage);
    const isRefused = report?.exit.code === exitCodes.blocked;
    return { ready, after: unchanged, steps: [], ...(isRefused && { report }) };
  }
  const { report, after = unchanged } = await ready.run(stage);
  return { ready, after, report, steps: writesOf(ready, report) };
}

/** The writes that a dry run of a part has planned. */
function writesOf({ part }: ReadyPart, { steps = [] }: Report): readonly PlannedStep[] {
  return steps.flatMap(({ action, object, why, write }) =>
    write === undefined || !writes(action) ? [] : [{ part: part.id, action, object, why, write }],
  );
}

function writes(action: StepReport["action"]): action is PlannedStep["action"] {
  return action !== "read" && action !== "wait" && action !== "probe" && action !== "ask";
}

/** The writes of a plan as steps of a report. */
export function plannedSteps(steps: readonly PlannedStep[]): readonly StepReport[] {
  return steps.map(({ part, action, object, why, write }, index) => ({
    n: index + 1,
    id: part,
    action,
    object,
    result: "planned",
    why,
    ms: 0,
    write,
  }));
}

/** The parts as a plan names them. */
export function partsOf(plans: readonly PartPlan[]): readonly PlannedPart[] {
  return plans.map(({ ready: { part, skip }, report }) => {
    const { id, title, source } = part;
    const stopped = report !== undefined && !goesOn(report.exit);
    return {
      id,
      title,
      source,
      ...(skip !== undefined && { skipped: skip }),
      ...(stopped && { unplanned: report.exit.reason }),
    };
  });
}

/** Why the plan cannot be carried out: the first part's code, and every part's reason. */
function obstacles(
  plans: readonly PartPlan[],
): { readonly code: ExitCode; readonly reason: string; readonly next?: string } | undefined {
  const stopped = plans.flatMap(({ ready, report }) =>
    report === undefined || goesOn(report.exit)
      ? []
      : [{ ...report.exit, title: ready.part.title }],
  );
  const [first] = stopped;
  if (first === undefined) return undefined;
  const nexts = new Set(stopped.flatMap(({ next }) => next ?? []));
  return {
    code: first.code,
    reason: `nothing was written: ${stopped.map(({ title, reason }) => `${title}: ${reason}`).join("; ")}`,
    ...(nexts.size > 0 && { next: [...nexts].join("; ") }),
  };
}

/** How a part is run. */
export interface Stage {
  readonly dryRun: "none" | "client" | "server";
  /** It is planned before the parts ahead of it are done: what those bring about counts as there. */
  readonly ahead: boolean;
  /** What the parts ahead of it will have brought about. */
  readonly after: Projection;
  /** What the part continues with; of one that is only planned nothing is told. */
  readonly recorder: Recorder;
}

/** How a part ended, and where it was planned ahead, what it will have brought about. */
export interface PartRun {
  readonly report: Report;
  readonly after?: Projection;
}

/** A part that is ready to be planned and run. */
export interface ReadyPart {
  readonly part: Part;
  /** Why it has nothing to do here; absent: it is run. */
  readonly skip?: string;
  readonly run: (stage: Stage) => Promise<PartRun>;
  /** Of a part that is skipped since someone else does it: whether that has come about. */
  readonly verify?: (stage: Stage) => Promise<Report>;
}
