/** What holds for a run whatever has met it, and for the one after it. */
import { exitCodes } from "../../plugin/domain/base/errors";
import { type Difference, disagreement } from "./fault-runs";
import type { Job } from "./list";
import type { Ran, Request, Trial } from "./trial";

/** The run that nothing meets, which all others are held against. */
export interface Undisturbed {
  readonly job: Job;
  readonly ran: Ran;
  readonly wanted: Difference;
  /** The same command once more. */
  readonly again: Ran;
}

/** Plays on a cluster of its own, and tells what was not as it has to be. */
export type Play = (trial: Trial) => Promise<readonly string[]>;

/** A play, and the moment that it is about. */
export interface Case {
  readonly at: string;
  readonly play: Play;
}

/** No failure of a request explains these: all that was printed is shown. */
const dishonest: readonly number[] = [exitCodes.failed, exitCodes.crashed];

export function ended(
  { code, report, out, err }: Ran,
  codes: readonly number[],
): readonly string[] {
  if (codes.includes(code)) return [];
  const why = dishonest.includes(code) ? `${out}${err}` : report.exit.reason;
  return [`exit ${String(code)}: ${why}`];
}

/** The names of what is asked where it is not so. */
export function unless(holds: boolean, why: string): readonly string[] {
  return holds ? [] : [why];
}

export function isDone({ wanted }: Undisturbed, trial: Trial): boolean {
  return disagreement(trial.state(), wanted).length === 0;
}

/**
 * A run that ended with 0 has done all; the next one does the rest; and all runs together have
 * written what one writes, nothing twice. `lost` are calls that came in and were not carried out.
 */
export async function thenAgain(
  known: Undisturbed,
  trial: Trial,
  lost: readonly string[] = [],
): Promise<readonly string[]> {
  const { job, ran, again } = known;
  const wasDone = isDone(known, trial);
  const wasOk = trial.ran[0]?.code === exitCodes.ok;
  const lie = unless(!wasOk || wasDone, `0, and not done: ${apart(known, trial)}`);
  // it does its work once more each time
  if (wasOk && !job.settles) return lie;
  await trial.opened.clock.sleep(30_000);
  const second = await trial.run();
  const codes = [exitCodes.ok, ...(wasDone ? [again.code] : [])];
  const all = trial.ran.flatMap(writesOf).sort().join(", ");
  const once = [...writesOf(ran), ...lost].sort().join(", ");
  return [
    ...lie,
    ...ended(second, codes).map((why) => `again, ${why}`),
    ...unless(isDone(known, trial), `in the end not done: ${apart(known, trial)}`),
    ...unless(!job.settles || all === once, `written in all: ${all}`),
  ];
}

function apart({ wanted }: Undisturbed, trial: Trial): string {
  return disagreement(trial.state(), wanted).join(", ");
}

/** All that a run has written, to either server. */
export function writesOf({ written, posts }: Ran): readonly string[] {
  return [...written.map(({ key }) => key), ...posts];
}

export function unwritten(ran: Ran): readonly string[] {
  return writesOf(ran).map((key) => `written: ${key}`);
}

/** Writes of one run are told apart by their keys: several are under way at once, in any order. */
export function isSame(one: Request, other: Request): boolean {
  return one.key === other.key && one.nth === other.nth;
}

export function casesAt<R extends Request>(
  requests: readonly R[],
  play: (request: R) => Play,
): readonly Case[] {
  return requests.map((write) => ({
    at: `${write.key}${write.nth === 0 ? "" : ` (${String(write.nth + 1)})`}`,
    play: play(write),
  }));
}
