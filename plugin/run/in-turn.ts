/** Runs that follow one another on one record: each goes on counting where the one before it ended. */
import { exitCodes } from "../domain/errors";
import type { Report } from "./report";

/** What follows; it keeps the record of what came first. */
export interface Follower {
  readonly title: string;
  readonly run: () => Promise<Report>;
}

/** Goes on from an end, each run only after the one before it went well; the document says all ends. */
export async function inTurn(first: Report, followers: readonly Follower[]): Promise<Report> {
  let report = first;
  for (const { title, run } of followers) {
    if (report.exit.code !== exitCodes.ok) break;
    const next = await run();
    const said = `${title}: ${next.exit.reason}`;
    const before = report.exit.reason;
    const reason = before === "" ? said : `${before}; ${said}`;
    // what only the earlier one has comes after the rest, so that every document has one order
    report = { ...next, ...report, ...next, exit: { ...next.exit, reason } };
  }
  return report;
}
