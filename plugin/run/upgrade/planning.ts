/** Plans every part by a dry run of it, before anything is written. */
import type { ExitCode } from "../../domain/errors";
import { exitCodes } from "../../domain/errors";
import type { PlannedPart, PlannedStep } from "../../domain/upgrade/plan";
import type { Recorder } from "../engine/recorder";
import type { Report, StepReport } from "../report";
import type { ReadyPart, Stage } from "./part";

/** A part that was planned. */
export interface PartPlan {
  readonly ready: ReadyPart;
  readonly steps: readonly PlannedStep[];
  /** Absent for a part that is skipped. */
  readonly report?: Report;
}

/** Plans all parts: one that cannot be done does not hide what stands against the others. */
export async function planParts(
  parts: readonly ReadyPart[],
  dryRun: "client" | "server",
  unheard: () => Recorder,
): Promise<readonly PartPlan[]> {
  const plans: PartPlan[] = [];
  for (const ready of parts) {
    const plan = await planPart(ready, { dryRun, ahead: true, recorder: unheard() });
    plans.push(plan);
    // a server that does not answer one part answers none: each of them would wait for its deadline
    if (plan.report?.exit.code === exitCodes.unavailable) break;
  }
  return plans;
}

/** One part by a dry run. */
export async function planPart(ready: ReadyPart, stage: Stage): Promise<PartPlan> {
  if (ready.skip !== undefined) return { ready, steps: [] };
  const report = await ready.run(stage);
  return { ready, report, steps: writesOf(ready, report) };
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
    const stopped = report !== undefined && report.exit.code !== exitCodes.ok;
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
export function obstacles(
  plans: readonly PartPlan[],
): { readonly code: ExitCode; readonly reason: string; readonly next?: string } | undefined {
  const stopped = plans.flatMap(({ ready, report }) =>
    report === undefined || report.exit.code === exitCodes.ok
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
