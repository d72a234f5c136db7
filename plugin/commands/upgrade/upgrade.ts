/**
 * A whole upgrade (S9-S34): plans every part over the cluster as the earlier ones will leave it, also after one
 * that cannot be done, so that all obstacles are told at once (`plan-parts.ts`); shows the plan, asks, and does
 * it (`carry-out.ts`). The cluster is the only memory, so running it again resumes.
 */
import { requireMatched } from "../../domain/checks/selection";
import { CancelledError, exitCodes } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { requireHome } from "../../kernel/journal";
import type { Report } from "../../kernel/report";
import { PlanRunner } from "./carry-out";
import { listNewFindings } from "./compare-plans";
import { collectFindings, describePlan } from "./describe-plan";
import { makeStoppedEnd } from "./ends";
import type { UpgradePlan } from "./plan-document";
import { type PartPlan, planParts, type WantedPart } from "./plan-parts";
import { reportPlan, reportChanged, reportStale } from "./reports";
import { findStale } from "./staleness";
import type { UpgradeDeps, UpgradeOptions } from "./deps";

/** Plans, confirms and does the parts; every expected end comes back as a report. */
export async function upgradeParts(
  parts: readonly WantedPart[],
  deps: UpgradeDeps,
  options: UpgradeOptions,
): Promise<Report> {
  const plans = await planParts(parts, deps.ports, options);
  const findings = collectFindings(deps.ports, plans);
  const plan = describePlan(plans, findings, deps.planInputs);
  const stopped = makeStoppedEnd(plans);
  // a part that ended otherwise has not said all that a --skip may be for
  if (stopped === undefined || stopped.code === exitCodes.blocked) {
    requireMatched(options.skip, findings);
  }
  const { dryRun } = options;
  const stale = await findStale(deps.ports, { plan, findings }, { ...options, stopped });
  if (stale.length > 0) {
    deps.ports.recorder.addFindings(findings.filter(isError));
    return reportStale(deps.ports, stale);
  }
  if (stopped !== undefined) return reportPlan(deps.ports, plan, { plans, exit: stopped });
  if (deps.save !== undefined) {
    const next = await deps.save(plan);
    const exit = { code: exitCodes.ok, reason: "the plan is saved, nothing was written", next };
    return reportPlan(deps.ports, plan, { plans, exit });
  }
  if (dryRun !== "none") return reportPlan(deps.ports, plan, { plans });
  deps.ports.recorder.addFindings(await requireHome(deps.ports, plan.steps.length > 0));
  const changed = plan.steps.length > 0 ? await confirm(deps, plan, plans) : undefined;
  return changed ?? (await new PlanRunner(deps, options).run(plans));
}

/** Asks; the report of what stands against the plan by the time of the answer. */
async function confirm(
  { ports, show, judgeAgain }: UpgradeDeps,
  plan: UpgradePlan,
  plans: readonly PartPlan[],
): Promise<Report | undefined> {
  show(plan);
  await ports.present?.(collectFindings(ports, plans));
  const { length } = plan.steps;
  const question = `Carry out this plan (${length} ${length === 1 ? "write" : "writes"})?`;
  if (!(await ports.ask(question))) {
    throw new CancelledError("run it again and answer y, or save the plan with --plan-out");
  }
  const found = ((await judgeAgain?.()) ?? []).filter(isError);
  const changes = listNewFindings(plan, found);
  return changes.length === 0 ? undefined : reportChanged(ports, found, changes);
}

function isError({ severity }: Finding): boolean {
  return severity === "error";
}
