/** How all waits for databases go. */
import type { DatabaseContext } from "./context";
import type { Awaited } from "../../domain/base/awaited";
import type { DatabaseSnapshot } from "./read";
import { TimeoutError } from "../../domain/base/errors";
import { type Waiting, waitFor, type Limit, type Look } from "../../kernel/wait";
import type { DatabasePatience } from "../../domain/database/progress";

/** Waits for one database until the time of the whole run is over. */
export async function waitForDatabase<T>(
  { deps, options, line }: DatabaseContext,
  label: string,
  waiting: Pick<Waiting<T>, "look" | "pause" | "server">,
): Promise<T> {
  const { clock, signal } = deps;
  const { limitMs } = options;
  const recorder = {
    noteWaiting: (on: Awaited) => {
      line.waits(label, on);
    },
  };
  return await waitFor<T>(
    { clock, signal, recorder },
    { ...waiting, total: limitMs === undefined ? undefined : limit(limitMs) },
  );

  function limit(ofRun: number): Limit {
    const spentMs = (): number => clock.now() - line.from;
    const end: Limit["end"] = (on) => {
      const after = `after ${Math.round(spentMs() / 1000)} s`;
      return new TimeoutError(`stopped waiting for ${on}, ${after}`, {
        hint: "run the same command again: it continues from the state found",
      });
    };
    return { ms: ofRun - spentMs(), end };
  }
}

/** The same by looks at the cluster that all who wait share. */
export async function waitBySeen<T>(
  context: DatabaseContext,
  { label, first }: { readonly label: string; readonly first: DatabaseSnapshot },
  look: (seen: DatabaseSnapshot, patience: DatabasePatience) => Look<T>,
): Promise<T> {
  const { poller, options } = context;
  let seen = first;
  return await waitForDatabase(context, label, {
    look: ({ idleMs }) =>
      Promise.resolve(look(seen, { idleMs, stallAfterMs: options.stallAfterMs })),
    pause: async () => {
      seen = await poller.next();
    },
  });
}
