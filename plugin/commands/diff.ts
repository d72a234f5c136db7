/** `diff COMMAND`: the command as a dry run, and an end that tells whether there is a difference. */
import { exitCodes } from "../domain/errors";
import { quoteCommand } from "../output/escape";
import type { Report } from "../run/report";
import type { CommandContext } from "./context";

/** Plans the command; exit 1 when it would write something, 0 when all is up to date. */
export async function runDiff(
  context: CommandContext,
  plan: (context: CommandContext) => Promise<Report>,
  words: readonly string[],
): Promise<Report> {
  const { options, run } = context;
  const dryRun = options.dryRun === "none" ? "client" : options.dryRun;
  // its own properties stay as lazy as they are
  const planning = Object.create(context, {
    options: { value: { ...options, dryRun } },
    run: { value: { ...run, dryRun } },
  }) as CommandContext;
  const report = { ...(await plan(planning)), kind: "Diff" };
  const planned = (report.steps ?? []).filter(({ result }) => result === "planned").length;
  if (report.exit.code !== exitCodes.ok || planned === 0) return report;
  const again = quoteCommand([...options.prefix.split(" "), ...words]);
  const reason = `differences exist: ${planned} ${planned === 1 ? "write" : "writes"} would be made`;
  return { ...report, exit: { code: exitCodes.failed, reason, next: `make them with ${again}` } };
}
