/** Time in a rehearsal: a wait costs nothing, and requests that have to come in order come one at a time. */
import type { KubeObject } from "../domain/kube/objects";
import type { Home, RunRecord } from "../ports/home";

/** Does one thing after the other, in the order in which they were asked for. */
type Turn = <T>(act: () => Promise<T>) => Promise<T>;

/** A queue of its own: a rehearsal that is repeated takes the same course, request by request. */
export function inTurn(): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act);
    last = mine.catch(() => undefined); // a failure is its sender's alone
    return mine;
  };
}

/** Stands behind the port Home; `saved` is what a real run would have kept a copy of. */
export class MemoryHome implements Home {
  readonly path = "(the record of a rehearsal is kept nowhere)";
  readonly saved: KubeObject[] = [];

  writable(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  begin(runId: string): Promise<RunRecord> {
    const done = (): Promise<void> => Promise.resolve();
    return Promise.resolve({
      id: runId,
      intent: done,
      outcome: done,
      save: (object) => {
        this.saved.push(object);
        return Promise.resolve(`${object.metadata.name ?? ""}.json`);
      },
    });
  }
}
