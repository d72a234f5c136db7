/** Time in a rehearsal: a wait costs nothing, and requests that have to come in order come one at a time. */
import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../ports/kubernetes";
import type { KubeObject } from "../domain/kube/objects";
import type { Home, RunRecord } from "../kernel/journal";

/** Time that passes when someone waits or a request is sent. */
export class VirtualClock implements Clock {
  constructor(private time: number) {}

  now(): number {
    return this.time;
  }

  advance(ms: number): void {
    this.time += ms;
  }

  /** Advances at once, but lets real answers come in first: whoever polls must not starve them. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.time += ms;
    await turn();
    signal?.throwIfAborted();
  }
}

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
