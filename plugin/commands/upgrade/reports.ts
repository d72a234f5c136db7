/** The reports of an upgrade that writes nothing, in the order in which it may end so. */
import { exitCodes } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { omit } from "../../domain/base/values";
import { planFindings } from "../../domain/kube/planned-write";
import type { ExitReport, Report } from "../../kernel/report";
import type { AskingPorts, RunPorts } from "../../kernel/world";
import { collectFindings, renderSteps } from "./describe-plan";
import { joinEnds, joinPartEnds, makePausedEnd, nameEnd, withLeftOut } from "./ends";
import type { PlanBinding, UpgradePlan } from "./plan-document";
import type { PartPlan } from "./plan-parts";
import { findStaleByChecks } from "./staleness";

/** How it ends where the checks stop it before a part is planned: a saved plan that knew nothing of that is stale. */
export async function reportBlocked(
  ports: RunPorts,
  errors: readonly Finding[],
  { saved, binding }: { readonly saved: UpgradePlan | undefined; readonly binding: PlanBinding },
): Promise<Report> {
  const stale =
    saved === undefined ? [] : await findStaleByChecks(ports, errors, { saved, binding });
  return stale.length > 0
    ? reportStale(ports, stale)
    : ports.recorder.report(makeBlockedEnd(errors));
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
export function reportStale(
  { recorder }: Pick<AskingPorts, "recorder">,
  reasons: readonly string[],
): Report {
  recorder.addFindings(reasons.map((cause): Finding => ({ ...planFindings.stale, cause })));
  return recorder.report({
    code: exitCodes.conflict,
    reason: `the saved plan no longer holds: ${reasons.join("; ")}; nothing was written`,
    next: "look at what has changed, then create a new plan with --plan-out",
  });
}

/** A plan that is not carried out; `exit` absent: it was a dry run. */
interface Unwritten {
  readonly plans: readonly PartPlan[];
  readonly exit?: ExitReport;
}

/** The report of a plan that is not carried out. */
export function reportPlan(
  { recorder }: Pick<AskingPorts, "recorder">,
  plan: UpgradePlan,
  { plans, exit = endDryRun(plan, plans) }: Unwritten,
): Report {
  return {
    ...recorder.report(exit),
    steps: renderSteps(plan.steps),
    findings: collectFindings({ recorder }, plans),
    ...joinPermissions(plans),
    details: { plan: { ...omit(plan, "findings"), steps: plan.steps.length } },
  };
}

function endDryRun(
  { steps: { length: count } }: UpgradePlan,
  plans: readonly PartPlan[],
): ExitReport {
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
  return withLeftOut(paused === undefined ? all : joinEnds(all, nameEnd(title, paused)));
}

/** What is missing in all parts, as one. */
function joinPermissions(plans: readonly PartPlan[]): Pick<Report, "permissions"> {
  const all = plans.flatMap(({ asides }) =>
    asides.flatMap(({ told }) => told.recorder.kept.permissions ?? []),
  );
  const last = all.at(-1);
  if (last === undefined) return {};
  const missing = [...new Set(all.flatMap((one) => one.missing))];
  // each holds what was known to be needed by then
  return { permissions: { ...last, missing } };
}

/** The end of a plan that was shown, and that something stands against by the time of the answer. */
export function reportChanged(
  { recorder }: Pick<AskingPorts, "recorder">,
  found: readonly Finding[],
  changes: readonly string[],
): Report {
  recorder.addFindings(found);
  return recorder.report({
    code: exitCodes.conflict,
    reason: `changed since the plan was shown: ${changes.join("; ")}; nothing was written`,
    next: "look at what has changed, then run the same command again: it shows a new plan",
  });
}
