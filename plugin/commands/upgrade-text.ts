/** The whole upgrade as a person reads it: a plan part by part, a run as its steps. */
import type { PlannedPart, UpgradePlan } from "../domain/upgrade/plan";
import { escape } from "../output/escape";
import { renderPlanPart } from "../output/plan";
import { type Palette, palette } from "../output/style";
import { renderText, type TextStyle } from "../output/text";
import type { Report, StepReport } from "../run/report";
import { plannedSteps } from "../run/upgrade/planning";

/** What the document says of a plan; its writes are the steps. */
export interface UpgradeDetails {
  readonly plan: Omit<UpgradePlan, "steps"> & { readonly steps: number };
}

/** A plan that is not carried out is shown with every write; anything else as every report. */
export function upgradeText(report: Report, style: TextStyle): string {
  const { steps = [], details, ...rest } = report;
  const { plan } = (details ?? {}) as Partial<UpgradeDetails>;
  if (plan === undefined) return renderText(report, style);
  const lines = planLines(plan.parts, steps, style.palette);
  return `${lines.join("\n")}\n\n${renderText(rest, style)}`;
}

/** The plan before the question whether to carry it out. */
export function shownPlan(plan: UpgradePlan): readonly string[] {
  return planLines(plan.parts, plannedSteps(plan.steps), palette(false));
}

function planLines(
  parts: readonly PlannedPart[],
  steps: readonly StepReport[],
  paint: Palette,
): readonly string[] {
  return parts.flatMap(({ id, title, source, skipped, unplanned }, index) => {
    const heading = `${index + 1}. ${title} (${source})`;
    const own = steps.filter((step) => step.id === id);
    if (skipped !== undefined) return [`${paint.strong(heading)}: skipped, ${escape(skipped)}`];
    if (unplanned !== undefined) {
      return [`${paint.strong(heading)}: could not be planned: ${escape(unplanned)}`];
    }
    if (own.length === 0) return [`${paint.strong(heading)}: as wanted, nothing is written`];
    return renderPlanPart(heading, own, paint);
  });
}
