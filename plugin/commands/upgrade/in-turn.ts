/** Runs one after the other, and the one end that they have together. */
import { exitCodes } from "../../domain/base/errors";
import { bounded } from "../../domain/base/values";
import type { Recorder } from "../../kernel/recorder";
import type { Report } from "../../kernel/report";

/** What follows; it keeps the record of what came first. */
export interface Follower {
  readonly title: string;
  readonly run: () => Promise<Report>;
}

/** Goes on from an end, each run only after the one before it went well; the document says all ends. */
export async function inTurn(
  first: Report,
  followers: readonly Follower[],
  /** Of all of them; absent: who runs these in turn looks at it. */
  recorder?: Pick<Recorder, "hasWritten">,
): Promise<Report> {
  let report = first;
  for (const { title, run } of followers) {
    if (!goesOn(report.exit)) break;
    const ended = await run();
    const next = recorder?.hasWritten === true ? midway(ended) : ended;
    const said = `${title}: ${next.exit.reason}`;
    const before = report.exit.reason;
    const reason = before === "" ? said : `${before}; ${said}`;
    // what only the earlier one has comes after the rest, so that every document has one order
    report = { ...next, ...report, ...next, exit: { ...endOf(report.exit, next.exit), reason } };
  }
  return report;
}

/** True where the parts that follow may begin: at most something was left out by itself. */
export function goesOn({ code, leftOut }: Report["exit"]): boolean {
  return code === exitCodes.ok || leftOut !== undefined;
}

/** The end of two: what the first left out is left out by both. */
export function endOf(first: Report["exit"], next: Report["exit"]): Report["exit"] {
  if (first.leftOut === undefined || !goesOn(next)) return next;
  const leftOut = [...new Set([...first.leftOut, ...(next.leftOut ?? [])])];
  return { ...first, ...next, code: exitCodes.partial, leftOut };
}

/** The end with what was left out in its words. */
export function leftOutIn(exit: Report["exit"]): Report["exit"] {
  if (exit.leftOut === undefined) return exit;
  return { ...exit, reason: `${exit.reason}; left out: ${bounded(exit.leftOut, 10)}` };
}

/** Exit 3 promises that nothing was written: what blocks after a write is a failure midway. */
function midway(report: Report): Report {
  const { exit } = report;
  return exit.code === exitCodes.blocked
    ? { ...report, exit: { ...exit, code: exitCodes.failed } }
    : report;
}
