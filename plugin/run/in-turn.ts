/** Runs that follow one another on one record: each goes on counting where the one before it ended. */
import { exitCodes } from "../domain/errors";
import type { Recorder } from "./engine/recorder";
import type { Report } from "./report";

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
    if (report.exit.code !== exitCodes.ok) break;
    const ended = await run();
    const next = recorder?.hasWritten === true ? midway(ended) : ended;
    const said = `${title}: ${next.exit.reason}`;
    const before = report.exit.reason;
    const reason = before === "" ? said : `${before}; ${said}`;
    // what only the earlier one has comes after the rest, so that every document has one order
    report = { ...next, ...report, ...next, exit: { ...next.exit, reason } };
  }
  return report;
}

/** Exit 3 promises that nothing was written: what blocks after a write is a failure midway. */
function midway(report: Report): Report {
  const { exit } = report;
  return exit.code === exitCodes.blocked
    ? { ...report, exit: { ...exit, code: exitCodes.failed } }
    : report;
}
