/** Work on what was read: where somebody changed it meanwhile, it is read and planned again. */
import { ChangedError } from "./outcome";
import type { Recorder } from "./recorder";

const maxAttempts = 3;

/** What is done with a plan, and how another one is made. */
export interface Replanned<P, T> {
  readonly work: (plan: P) => Promise<T>;
  /** Throws where the new plan is not the same work (5, PLAN-CHANGED). */
  readonly again: (error: ChangedError, plan: P) => Promise<P>;
  /** How often it is tried; absent: three times. Some objects' status is written all the time. */
  readonly attempts?: number;
}

/** Works by the plan; after a change of what it was made from, by another one. */
export async function replanned<P, T>(
  { recorder }: { readonly recorder: Pick<Recorder, "note"> },
  first: P,
  { work, again, attempts = maxAttempts }: Replanned<P, T>,
): Promise<T> {
  let plan = first;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(plan);
    } catch (error) {
      if (!(error instanceof ChangedError) || attempt >= attempts) throw error;
      recorder.note(`${error.message}: reading and planning again`);
      plan = await again(error, plan);
    }
  }
}
