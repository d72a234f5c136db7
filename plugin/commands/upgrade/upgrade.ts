/**
 * A whole upgrade (S9-S34): plans every part over the cluster as the earlier ones will leave it, also after one
 * that cannot be done, so that all obstacles are told at once (`plan-parts.ts`); shows the plan, asks, and does
 * it (`carry-out.ts`). The cluster is the only memory, so running it again resumes.
 */
import { PlanRunner } from "./carry-out";
import type { UpgradeOptions, UpgradeDeps } from "./wiring";
import { collectFindings, joinPermissions, renderSteps } from "./describe-plan";
import { type PartPlan, planParts, type WantedPart } from "./plan-parts";
import { requireMatched } from "../../domain/checks/selection";
import { CancelledError, exitCodes } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { requireHome } from "../../kernel/permissions";
import type { AskingPorts, RunPorts } from "../../kernel/world";
import { omit } from "../../domain/base/values";
import { planFindings } from "../../domain/kube/planned-write";
import type { ExitReport, Report } from "../../kernel/report";
import { findObstacles, joinEnds, joinPartEnds, makePausedEnd, nameEnd, withLeftOut } from "./ends";
import type { PlanBinding, UpgradePlan } from "./plan-document";
import {
  blockedReasons,
  listSuspects,
  newFindings,
  staleReasons,
  type FoundNow,
} from "./compare-plans";
import { readProgress } from "./bound-objects";

/** Plans, confirms and does the parts; every expected end comes back as a report. */
export async function upgradeParts(
  parts: readonly WantedPart[],
  deps: UpgradeDeps,
  options: UpgradeOptions,
): Promise<Report> {
  const plans = await planParts(parts, deps.ports, options);
  const findings = collectFindings(deps.ports, plans);
  const plan = deps.describe(plans, findings);
  const stopped = findObstacles(plans);
  // a part that ended otherwise has not said all that a --skip may be for
  if (stopped === undefined || stopped.code === exitCodes.blocked) {
    requireMatched(options.skip, findings);
  }
  const { dryRun } = options;
  const stale = await findStale(deps.ports, { plan, findings }, { ...options, stopped });
  if (stale.length > 0) {
    deps.ports.recorder.findings(findings.filter(isError));
    return reportStale(deps.ports, stale);
  }
  if (stopped !== undefined) return { ...reportPlan(deps, plan, plans), exit: stopped };
  if (deps.keep !== undefined) {
    const next = await deps.keep(plan);
    const exit = { code: exitCodes.ok, reason: "the plan is saved, nothing was written", next };
    return { ...reportPlan(deps, plan, plans), exit };
  }
  if (dryRun !== "none") return reportPlan(deps, plan, plans);
  deps.ports.recorder.findings(await requireHome(deps.ports, plan.steps.length > 0));
  const since = plan.steps.length > 0 ? await confirm(deps, plan) : undefined;
  return since ?? (await new PlanRunner(deps, options).run(plans));
}

/** What a saved plan was made from and is not so any more; of a server that is away nothing is known. */
async function findStale(
  ports: AskingPorts,
  { plan, findings }: Pick<FoundNow, "plan" | "findings">,
  how: Pick<UpgradeOptions, "saved" | "dryRun"> & { readonly stopped: ExitReport | undefined },
): Promise<readonly string[]> {
  const { saved, dryRun, stopped } = how;
  if (saved === undefined || stopped?.code === exitCodes.unavailable) return [];
  const suspects = saved.cluster === plan.cluster ? listSuspects(saved.steps, plan.steps) : [];
  const progress = await readProgress(ports, saved, suspects);
  return staleReasons(saved, { plan, findings, progress, tried: dryRun !== "client" });
}

/** The report of a plan that is not carried out. */
function reportPlan({ ports }: UpgradeDeps, plan: UpgradePlan, plans: readonly PartPlan[]): Report {
  const count = plan.steps.length;
  const reason =
    count === 0
      ? "dry run: everything is up to date, nothing would be written"
      : `dry run: ${count} ${count === 1 ? "write" : "writes"} planned, nothing was changed`;
  const first: ExitReport = { code: exitCodes.ok, reason };
  const all = plans
    .flatMap((one) => joinPartEnds(one) ?? [])
    .reduce<ExitReport>((end, one) => ({ ...joinEnds(one, end), reason }), first);
  const paused = makePausedEnd(plans);
  const [title = ""] = paused?.leftOut ?? [];
  const exit = paused === undefined ? all : joinEnds(all, nameEnd(title, paused));
  return {
    ...ports.recorder.report(withLeftOut(exit)),
    steps: renderSteps(plan.steps),
    findings: collectFindings(ports, plans),
    ...joinPermissions(plans),
    details: { plan: { ...omit(plan, "findings"), steps: plan.steps.length } },
  };
}

/** How it ends where the checks stop it before a part is planned: a saved plan that knew nothing of that is stale. */
export async function reportBlocked(
  ports: RunPorts,
  errors: readonly Finding[],
  { saved, binding }: { readonly saved: UpgradePlan | undefined; readonly binding: PlanBinding },
): Promise<Report> {
  if (saved !== undefined) {
    const writes = saved.cluster === binding.cluster ? saved.steps : [];
    const progress = await readProgress(ports, saved, writes);
    const stale = blockedReasons(saved, binding, { errors, progress });
    if (stale.length > 0) return reportStale(ports, stale);
  }
  return ports.recorder.report(makeBlockedEnd(errors));
}

function makeBlockedEnd(errors: readonly Finding[]): ExitReport {
  const [first] = errors;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : "";
  return {
    code: exitCodes.blocked,
    reason: `${first?.object ?? "the cluster"}: ${first?.cause ?? ""}${more}; nothing was written`,
    next: first?.fix ?? "see the findings",
  };
}

/** The end of a saved plan that does not hold: nothing was written. */
function reportStale(
  { recorder }: Pick<AskingPorts, "recorder">,
  reasons: readonly string[],
): Report {
  recorder.findings(reasons.map((cause): Finding => ({ ...planFindings.stale, cause })));
  return recorder.report({
    code: exitCodes.conflict,
    reason: `the saved plan no longer holds: ${reasons.join("; ")}; nothing was written`,
    next: "look at what has changed, then create a new plan with --plan-out",
  });
}

const isError = ({ severity }: Finding): boolean => severity === "error";

/** The end of a plan that was shown, and that something stands against by the time of the answer. */
function reportSince(
  { recorder }: Pick<AskingPorts, "recorder">,
  found: readonly Finding[],
  since: readonly string[],
): Report {
  recorder.findings(found);
  return recorder.report({
    code: exitCodes.conflict,
    reason: `changed since the plan was shown: ${since.join("; ")}; nothing was written`,
    next: "look at what has changed, then run the same command again: it shows a new plan",
  });
}

/** Asks; the report of what stands against the plan by the time of the answer. */
async function confirm(
  { ports, show, judgeAgain }: UpgradeDeps,
  plan: UpgradePlan,
): Promise<Report | undefined> {
  show(plan);
  const { length } = plan.steps;
  const question = `Carry out this plan (${length} ${length === 1 ? "write" : "writes"})?`;
  if (!(await ports.ask(question))) {
    throw new CancelledError("run it again and answer y, or save the plan with --plan-out");
  }
  const found = ((await judgeAgain?.()) ?? []).filter(isError);
  const since = newFindings(plan, found);
  return since.length === 0 ? undefined : reportSince(ports, found, since);
}
