/** The records of rehearsed runs: kept in memory, so that nothing of the real home is touched. */
import type { KubeObject } from "../domain/objects";
import type { Home, RunRecord } from "../run/engine/journal";

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
