/** Work that may run side by side, but not all at once. */
import { UnknownOutcomeError } from "./errors";

/** Runs a piece of work as soon as fewer than `limit` others are running, in the order asked. */
export function atMost(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    // who ends hands the place over, so that nobody overtakes
    if (running === limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** Does something for each item, at most so many at once; a throw lets those under way end first. */
export async function eachAtMost<T>(
  limit: number,
  items: readonly T[],
  act: (item: T) => Promise<void>,
): Promise<void> {
  const bounded = atMost(limit);
  const failures: unknown[] = [];
  const one = async (item: T): Promise<void> => {
    if (failures.length > 0) return;
    try {
      await act(item);
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(items.map((item) => bounded(() => one(item))));
  // an open outcome is told before what has failed for the same reason
  const open = failures.find((error) => error instanceof UnknownOutcomeError);
  if (failures.length > 0) throw open ?? failures[0];
}
