/**
 * Does the parts of a confirmed plan. Before each is done it is planned again on the real cluster, and what exceeds
 * the confirmed plan ends the run.
 */
import { listSteps, type PartPlan, type WantedPart } from "./plan-parts";
import { renderAge } from "../../domain/base/duration";
import { exitCodes } from "../../domain/base/errors";
import { distinct, type Finding } from "../../domain/base/findings";
import { planFindings, type Result } from "../../domain/kube/planned-write";
import { type Outcome, type Part, planAgain } from "../../kernel/part";
import { overlayWorld, unchanged } from "../../kernel/projection";
import type { ExitReport, PartReport, Report, StepReport } from "../../kernel/report";
import { failMidway, isGood, joinEnds, leftToNextRun, makePausedEnd, nameEnd } from "./ends";
import { findUnplannedWrites, type ExceedingWrite } from "./compare-plans";
import type { UpgradeDeps, UpgradeOptions } from "./deps";

/** Does the parts of a confirmed plan, one after the other, until one does not end well. */
export class PlanRunner {
  readonly #tell: (findings: readonly Finding[]) => void;
  readonly #parts: PartReport[] = [];
  #paused: ExitReport | undefined;

  constructor(
    private readonly deps: UpgradeDeps,
    private readonly options: UpgradeOptions,
  ) {
    this.#tell = deps.ports.recorder.once();
  }

  async run(plans: readonly PartPlan[]): Promise<Report> {
    const { recorder } = this.deps.ports;
    const { observer } = this.deps;
    this.#paused = makePausedEnd(plans, this.options.saved);
    await observer?.begin();
    const end = await this.#runParts(plans).finally(() => observer?.end());
    const { details, ...exit } = end;
    const report = recorder.report(exit);
    return {
      ...report,
      findings: distinct(report.findings ?? []),
      details: {
        ...Object(details),
        parts: [...this.#parts, ...listNotBegun(plans, this.#parts)],
      } as object,
    };
  }

  /** One after the other, until one does not end well. */
  async #runParts(plans: readonly PartPlan[]): Promise<Outcome> {
    const { recorder, clock } = this.deps.ports;
    const { observer } = this.deps;
    const start = clock.now();
    let end: Outcome = { code: exitCodes.ok, reason: "" };
    for (const [index, plan] of plans.entries()) {
      const { id, title, source } = plan.wanted.part;
      const part = `part ${index + 1} of ${plans.length}`;
      const spent = renderAge(clock.now() - start);
      recorder.tell({ type: "note", part, text: `${title}, after ${spent}`, source });
      observer?.enter(id);
      end = joinEnds(end, nameEnd(title, await this.#recordPart(plan)));
      if (!isGood(end) || plan.pause !== undefined) break;
    }
    return end;
  }

  /** Keeps how long a part took, and whether it wrote. */
  async #recordPart(plan: PartPlan): Promise<Outcome> {
    const { recorder, clock } = this.deps.ports;
    const { id, title } = plan.wanted.part;
    const [from, before] = [clock.now(), recorder.steps.length];
    const end = await this.#tryPart(plan);
    this.#tell((recorder.kept.namespaces ?? []).flatMap(({ findings = [] }) => findings));
    const own = recorder.steps.slice(before);
    const result = isGood(end) ? chooseResult(plan, own) : "failed";
    const why = end.reason.replace(/^skipped, /, "");
    this.#parts.push({ part: id, title, result, ...recorder.stretch(from, clock.now()), why });
    // exit 3 promises that nothing was written: what blocks after a write is a failure midway
    return recorder.hasWritten ? failMidway(end) : end;
  }

  /** An expected error ends the run where it is; what was done before stays in the report. */
  async #tryPart(plan: PartPlan): Promise<Outcome> {
    const { recorder } = this.deps.ports;
    try {
      return await (plan.wanted.skipReason === undefined
        ? this.#actOnAll(plan)
        : this.#proveSkipped(plan.wanted));
    } catch (error) {
      const next = "run the same command again: it resumes";
      return recorder.endByError(error, { next, tell: this.#tell });
    }
  }

  async #proveSkipped({ part, skipReason = "", prove }: WantedPart): Promise<Outcome> {
    const { ports } = this.deps;
    ports.recorder.note(`${part.title}: skipped, ${skipReason}`);
    const how = { tell: this.#tell, dryRun: "server", waits: true } as const;
    const found = await prove?.(overlayWorld({ ...ports, ...how }, unchanged));
    const reason = `skipped, ${skipReason}`;
    if (found === undefined) return { code: exitCodes.ok, reason };
    return { ...found, reason: `${reason}; ${found.reason}` };
  }

  async #actOnAll(plan: PartPlan): Promise<Outcome> {
    const { signal } = this.deps.ports;
    signal.throwIfAborted();
    let end: Outcome | undefined;
    const { pause } = plan;
    const parts = await plan.wanted.makeParts("again", []);
    for (const part of parts.slice(0, pause?.before)) {
      const next = await this.#actOnPart(plan, part).finally(() => part.close?.());
      end = end === undefined ? next : joinEnds(end, next);
      if (!isGood(end)) break;
    }
    const done = end ?? { code: exitCodes.ok, reason: "there is nothing to do" };
    if (this.#paused === undefined || pause === undefined || !isGood(done)) return done;
    return joinEnds({ ...done, reason: pause.before === 0 ? "" : done.reason }, this.#paused);
  }

  /** Plans it again on the real cluster, and does what the confirmed plan has. */
  async #actOnPart({ wanted, steps }: PartPlan, part: Part): Promise<Outcome> {
    const { ports, nextJournal, observer } = this.deps;
    const { plan, exit, told } = await planAgain(ports, part, this.options.limitMs);
    const more = findUnplannedWrites(steps, listSteps(wanted, plan));
    if (more.length > 0) return this.#endExceeded(more);
    ports.recorder.retell(told, this.#tell);
    if (plan.stops !== undefined) return exit;
    const journal = nextJournal();
    // the observer hears of each write by its line in the record, and then probes often
    const noted = observer?.watchJournal(journal) ?? journal;
    return await plan.act({ ...ports, journal: noted, tell: this.#tell });
  }

  /** Someone changed the cluster after the plan was shown: nothing beyond the plan is written. */
  #endExceeded(more: readonly ExceedingWrite[]): Outcome {
    this.#tell(
      more.map(({ step: { object }, is }): Finding => ({
        ...planFindings.exceeded,
        object,
        cause: `someone changed it since the plan was shown: ${is} was not part of the plan`,
      })),
    );
    return {
      code: exitCodes.conflict,
      reason: `changed since the plan was shown: ${more.map(({ step }) => step.object).join(", ")}`,
      next: "run the same command again: it shows a new plan",
    };
  }
}

function listNotBegun(
  plans: readonly PartPlan[],
  done: readonly PartReport[],
): readonly PartReport[] {
  return plans.slice(done.length).map(({ wanted: { part }, later }): PartReport => {
    const why =
      later === true ? leftToNextRun : "not begun, since the part before it did not end well";
    return { part: part.id, title: part.title, result: "planned", ms: 0, why };
  });
}

function chooseResult({ wanted, pause }: PartPlan, steps: readonly StepReport[]): Result {
  if (wanted.skipReason !== undefined) return "skipped";
  if (pause !== undefined) return "planned";
  const isCalm = steps.every(({ result }) => !["created", "changed", "deleted"].includes(result));
  return isCalm ? "unchanged" : "changed";
}
