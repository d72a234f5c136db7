/** Every disturbance, put to the jobs that are chosen. */
import { sampled } from "../support/sampled";
import { Starts } from "../support/starts";
import { disturbances } from "./disturbances";
import type { Case, Undisturbed } from "./judge";
import { knownFor } from "./known";
import { type Job, jobs } from "./list";
import { Trial } from "./trial";

interface Choice {
  /** Each law is held in all of its cases, of which a run may try some; else in the first. */
  readonly isEvery: boolean;
}

/** Defines a test for each job and law. */
export function hold({ isEvery }: Choice): void {
  const starts = new Starts();
  const laws = disturbances.filter(({ isThorough }) => isEvery || isThorough !== true);
  describe.each(jobs.map((job) => [job.title, job] as const))("%s", (_, job) => {
    let seen: Promise<Undisturbed> | undefined;
    test.each(laws.map((one) => [one.law, one] as const))("%s", async (law, { cases }) => {
      const undisturbed = await (seen ??= undisturbedRun(job, starts));
      const wrong: string[] = [];
      const all = cases(undisturbed);
      const tried = isEvery
        ? sampled(
            all,
            laws.findIndex((one) => one.law === law),
          )
        : all.slice(0, 1);
      for (const one of tried) {
        wrong.push(...judged(await played(one, job, starts), { job, law, at: one.at }));
      }
      expect(wrong).toEqual([]);
    });
  });
}

interface Where {
  readonly job: Job;
  readonly law: string;
  readonly at: string;
}

function judged(found: readonly string[], { job, law, at }: Where): readonly string[] {
  const known = knownFor(job, law, at);
  if (known === undefined) return found.map((why) => `${at}: ${why}`);
  return found.length > 0 ? [] : [`${at}: is right by now, take it out of known.ts`];
}

async function undisturbedRun(job: Job, starts: Starts): Promise<Undisturbed> {
  const trial = await Trial.of(job, starts);
  try {
    const ran = await trial.run();
    const wanted = trial.state();
    return { job, ran, wanted, again: await trial.run() };
  } finally {
    await trial.close();
  }
}

async function played({ play }: Case, job: Job, starts: Starts): Promise<readonly string[]> {
  const trial = await Trial.of(job, starts);
  try {
    return await play(trial);
  } finally {
    await trial.close();
  }
}
