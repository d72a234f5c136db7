/** How parts end: each, all as one, and a plan that cannot be carried out or stops at a pause. */
import { exitCodes } from "../../domain/base/errors";
import { boundList } from "../../domain/base/values";
import type { ExitReport } from "../../kernel/report";
import type { UpgradePlan } from "./plan-document";
import type { PartPlan } from "./plan-parts";

/** True where the parts that follow may begin: at most something was left out by itself. */
export function isGood({ code, leftOut }: ExitReport): boolean {
  return code === exitCodes.ok || leftOut !== undefined;
}

/** The end of two: reasons of both, what either left out, and all else as the later one has it. */
export function joinEnds<E extends ExitReport>(first: E, next: E): E {
  const reason = [first.reason, next.reason].filter((each) => each !== "").join("; ");
  const details = detailsIn(next) ?? detailsIn(first);
  const both = { ...next, reason, ...(details !== undefined && { details }) };
  if (first.leftOut === undefined || !isGood(next)) return both;
  const leftOut = [...new Set([...first.leftOut, ...(next.leftOut ?? [])])];
  return { ...first, ...both, code: exitCodes.partial, leftOut };
}

function detailsIn({ details }: ExitReport & { readonly details?: unknown }): unknown {
  return details;
}

/** The end with the title of its part. */
export function nameEnd<E extends ExitReport>(title: string, end: E): E {
  return { ...end, reason: `${title}: ${end.reason}` };
}

/** The end with what was left out in its words. */
export function withLeftOut<E extends ExitReport>(exit: E): E {
  if (exit.leftOut === undefined) return exit;
  return { ...exit, reason: `${exit.reason}; left out: ${boundList(exit.leftOut, 10)}` };
}

/** Exit 3 promises that nothing was written: what blocks after a write is a failure midway. */
export function failMidway<E extends ExitReport>(end: E): E {
  return end.code === exitCodes.blocked ? { ...end, code: exitCodes.failed } : end;
}

/** The end of a part whose Parts follow one another. */
export function joinPartEnds({ asides }: PartPlan): ExitReport | undefined {
  const [first, ...others] = asides.map(({ exit }) => exit);
  return first && others.reduce(joinEnds, first);
}

/** How a plan ends that cannot be carried out: the first part's code, every part's reason; undefined where it can. */
export function makeStoppedEnd(plans: readonly PartPlan[]): ExitReport | undefined {
  const stopped = plans.flatMap((plan) => {
    const end = joinPartEnds(plan);
    return end === undefined || isGood(end) ? [] : [{ ...end, title: plan.wanted.part.title }];
  });
  const [first] = stopped;
  if (first === undefined) return undefined;
  const nexts = new Set(stopped.flatMap(({ next }) => next ?? []));
  return {
    code: first.code,
    reason: `nothing was written: ${stopped.map(({ title, reason }) => `${title}: ${reason}`).join("; ")}`,
    ...(nexts.size > 0 && { next: [...nexts].join("; ") }),
  };
}

/** Said of what comes after a pause. */
export const leftToNextRun = "left to the next run of the same upgrade";

/** How a run ends that stops at a pause of its plan; undefined where there is none. A saved plan ends there. */
export function makePausedEnd(
  plans: readonly PartPlan[],
  saved?: UpgradePlan,
): ExitReport | undefined {
  const left = plans.filter(({ pause, later }) => pause !== undefined || later === true);
  const [{ pause } = {}] = left;
  if (pause === undefined) return undefined;
  const then =
    saved === undefined
      ? "run the same upgrade again: it continues from there"
      : "create a new plan with --plan-out: this one ends here";
  return {
    code: exitCodes.partial,
    reason: `stops here, as planned: ${pause.because}`,
    next: `${pause.type}; then ${then}`,
    leftOut: left.map(({ wanted }) => wanted.part.title),
  };
}
