/** `diff`: what a command would change. */
import { escape, quoteCommand } from "../../output/escape";
import { differencesExist, isDiff, renderText, type TextStyle } from "../../output/text";
import { tellBriefly } from "../../cmdutil/brief";
import type { CommandContext } from "../../cmdutil/context";
import type { Report, StepReport } from "../../kernel/report";
import { exitCodes } from "../../domain/base/errors";
import { publicText } from "../../domain/base/redact";
import { omit, sameJson } from "../../domain/base/values";

/**
 * Plans the command against the API server's dry run; exit 1 when it would change something, 0 when all
 * is up to date. In text, the program of KUBECTL_EXTERNAL_DIFF shows the differences where one is named.
 */
export async function runDiff(
  context: CommandContext,
  plan: (context: CommandContext) => Promise<Report>,
  words: readonly string[],
): Promise<Report> {
  const { options, run } = context;
  const dryRun = options.dryRun === "none" ? "server" : options.dryRun;
  const verbosity = Math.max(1, options.verbosity);
  const planning: CommandContext = {
    ...context,
    event: tellBriefly(context, context.event),
    options: { ...options, dryRun, verbosity },
    run: { ...run, dryRun },
  };
  const report = { ...(await plan(planning)), kind: "Diff" };
  tellWarnings(context, report);
  const planned = (report.steps ?? []).filter(({ result }) => result === "planned");
  if (report.exit.code !== exitCodes.ok || !planned.some(changesSomething)) return report;
  const count = planned.length;
  const again = quoteCommand([...options.prefix.split(" "), ...words]);
  const reason = `${differencesExist}: ${count} ${count === 1 ? "write" : "writes"} would be made`;
  const exit = { code: exitCodes.failed, reason, next: `make them with ${again}` };
  const steps = options.output === "text" ? await showOutside(context, report.steps) : report.steps;
  return { ...report, steps, exit };
}

/**
 * Of a diff the text is its hunks alone, as of kubectl diff: what was found beside them goes to stderr. What another
 * program or server does has not all of its objects in hunks: a line names it.
 */
export function diffText(text: Render = renderText): Render {
  return (report, style) => {
    if (!isDiff(report) || style.verbosity > 0) return text(report, style);
    const byOthers = (report.steps ?? []).filter(
      (step) => step.result === "planned" && isByOther(step),
    );
    return byOthers.map((step) => `# ${describeWhole(step)}\n`).join("");
  };
}

/** A step that another program or server carries out. */
function isByOther({ action }: StepReport): boolean {
  return action === "chart" || action === "call";
}

function describeWhole({ object, why }: StepReport): string {
  return escape(`${object}: ${why}`);
}

type Render = (report: Report, style: TextStyle) => string;

function tellWarnings({ options, event }: CommandContext, report: Report): void {
  if (options.output !== "text" || options.verbosity > 0 || !isDiff(report)) return;
  for (const { code, object, cause } of report.findings ?? []) {
    const what = object === undefined ? code : `${code} ${object}`;
    event({ type: "warning", text: `${what}: ${cause}` });
  }
}

/** What is not told in full counts as a difference. */
function changesSomething(step: StepReport): boolean {
  const states = step.write?.states;
  return isByOther(step) || states === undefined || !sameJson(states.live, states.merged);
}

/** The steps, without the differences that a program of the person's own has shown. */
async function showOutside(
  context: CommandContext,
  steps: readonly StepReport[] = [],
): Promise<readonly StepReport[]> {
  const line = (context.env["KUBECTL_EXTERNAL_DIFF"] ?? "").trim();
  if (line === "") return steps;
  const { externalDiff } = await import("../../adapters/external-diff.ts");
  const { renderStates } = await import("../../output/hunks.ts");
  context.event({ type: "note", text: `the differences are shown by ${publicText(line)}` });
  await externalDiff(line, renderStates(steps), context);
  return steps.map(({ write, ...step }) =>
    write === undefined ? step : { ...step, write: omit(write, "states") },
  );
}
