/** The screen of `upgrade`: its plan with every write, a run by its parts. */
import { renderAge } from "../../domain/base/duration";
import { boundList } from "../../domain/base/values";
import type { PartReport, Report, StepReport } from "../../kernel/report";
import { escape, palette, renderTable } from "../../output/escape";
import { paintResult, renderPlanPart } from "../../output/steps";
import { renderText, type TextStyle } from "../../output/text";
import { renderSteps } from "./describe-plan";
import { leftToNextRun } from "./ends";
import type { PlannedPart, UpgradePlan } from "./plan-document";

/** What the document says of a plan; its writes are the steps. */
export interface UpgradeDetails {
  readonly plan: Omit<UpgradePlan, "steps" | "findings"> & { readonly steps: number };
}

/** What it says of a run, beside the details of its last part. */
export interface UpgradeRunDetails {
  readonly parts: readonly PartReport[];
}

/** A plan that is not carried out is shown with every write, a run by its parts; more with -v. */
export function upgradeText(report: Report, style: TextStyle): string {
  const { steps = [], details, ...rest } = report;
  const { plan, parts } = (details ?? {}) as Partial<UpgradeDetails & UpgradeRunDetails>;
  if (parts !== undefined) return partsText(parts, { ...rest, steps }, style);
  if (plan === undefined) return renderText(report, style);
  const lines = planLines(plan.parts, steps, style);
  return `${lines.join("\n")}\n\n${renderText(rest, style)}`;
}

/** One line for each part, and why those were left that were; the reasons of all of them with -v. */
function partsText(parts: readonly PartReport[], report: Report, style: TextStyle): string {
  const { exit } = report;
  const isFull = style.verbosity > 0;
  const rows = parts.map(({ title, result, ms, why }) => [
    ...[escape(title), result, renderAge(ms)],
    ...(isFull ? [escape(why)] : []),
  ]);
  const head = ["PART", "RESULT", "TIME", ...(isFull ? ["WHY"] : [])];
  const table = renderTable(head, rows, {
    paint: (cell, column) => (column === 1 ? paintResult(cell, style.palette) : cell),
  });
  const left = parts.filter(({ result }) => ["skipped", "planned"].includes(result));
  const whys = isFull ? [] : left.map(({ title, why }) => escape(`${title}: ${why}`));
  const reason = partsEnd(parts, exit);
  const rest = renderText({ ...report, exit: { ...exit, reason } }, style);
  const above = [...table, ...(whys.length === 0 ? [] : ["", ...whys])].join("\n");
  return `${above}\n\n${rest}`;
}

/** What was not done well, else what was left to the next run, else what is now true. */
function partsEnd(parts: readonly PartReport[], exit: Report["exit"]): string {
  const failed = ["failed", "planned"]
    .flatMap((result) => parts.filter((part) => part.result === result))
    .at(0);
  if (failed !== undefined) return `${failed.title}: ${failed.why}`;
  const left = exit.leftOut === undefined ? "" : `; left out: ${boundList(exit.leftOut, 10)}`;
  const changed = parts.filter(({ result }) => result === "changed");
  if (changed.length === 0) return `everything is up to date, nothing was written${left}`;
  const ends = changed.filter(({ part }) => told.has(part)).map(({ why }) => why);
  return `${ends.length === 0 ? "every part is done or was skipped" : ends.join("; ")}${left}`;
}

/** Parts whose ends are what an upgrade is for. */
const told: ReadonlySet<PartReport["part"]> = new Set([
  "operator",
  "webhook",
  "cluster",
  "databases",
]);

/** The plan before the question whether to carry it out. */
export function renderPlan(plan: UpgradePlan, verbosity: number): readonly string[] {
  return planLines(plan.parts, renderSteps(plan.steps), { palette: palette(false), verbosity });
}

function planLines(
  parts: readonly PlannedPart[],
  steps: readonly StepReport[],
  style: TextStyle,
): readonly string[] {
  const isFull = style.verbosity > 0;
  return parts.flatMap((part, index) => {
    const from = isFull ? `${part.id}, ${part.source}` : part.id;
    const heading = `${index + 1}. ${part.title} (${from})`;
    const own = steps.filter((step) => step.id === part.id);
    return partLines(part, heading, { own, style });
  });
}

function partLines(
  { skipped, unplanned, later, waitsFor, pauses, questions = [] }: PlannedPart,
  heading: string,
  { own, style }: { readonly own: readonly StepReport[]; readonly style: TextStyle },
): readonly string[] {
  const title = style.palette.strong(heading);
  if (skipped !== undefined) return [`${title}: skipped, ${escape(skipped)}`];
  if (unplanned !== undefined) return [`${title}: could not be planned: ${escape(unplanned)}`];
  if (later === true) return [`${title}: ${leftToNextRun}`];
  const asked = style.verbosity > 0 ? questions : []; // the question of the plan asks for all
  const said = [
    ...(waitsFor === undefined ? [] : [`  waits for ${escape(waitsFor)}`]),
    ...asked.map((question) => `  asks: ${escape(question)}`),
    ...pauseLines(pauses),
  ];
  if (own.length > 0) return [...renderPlanPart(heading, own, style), ...said];
  const isIdle = waitsFor === undefined && pauses === undefined;
  return [`${title}${isIdle ? ": unchanged" : ""}`, ...said];
}

function pauseLines(pauses: PlannedPart["pauses"]): readonly string[] {
  if (pauses === undefined) return [];
  return [
    `  stops here: ${escape(pauses.because)}`,
    `  type: ${escape(pauses.type)}; then run the same upgrade again`,
  ];
}
