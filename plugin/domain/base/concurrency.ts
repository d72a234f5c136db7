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
  await eachThenRest({ limit, begun: limit }, items, async (item) => {
    await act(item);
    return nothing;
  });
}

/** What is left to do for an item that was begun. */
export type Rest = () => Promise<void>;

export const nothing: Rest = () => Promise.resolve();

/** The same, where what is left of an item is done beside the next ones; `begun` bounds those begun and not done. */
export async function eachThenRest<T>(
  { limit, begun }: { readonly limit: number; readonly begun: number },
  items: readonly T[],
  act: (item: T) => Promise<Rest>,
): Promise<void> {
  const [beginning, ending] = [atMost(limit), atMost(begun)];
  const failures: unknown[] = [];
  const noteFailure = (error: unknown): Rest => {
    failures.push(error);
    return nothing;
  };
  const begin = async (item: T): Promise<Rest> =>
    failures.length > 0 ? nothing : act(item).catch(noteFailure);
  const one = async (item: T): Promise<void> => {
    const rest = await beginning(() => begin(item));
    await rest().catch(noteFailure);
  };
  await Promise.all(items.map((item) => ending(() => one(item))));
  // an open outcome is told before what has failed for the same reason
  const open = failures.find((error) => error instanceof UnknownOutcomeError);
  if (failures.length > 0) throw open ?? failures[0];
}
