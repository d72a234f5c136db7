/** Where the record of a run is kept. */
import type { KubeObject } from "../domain/kube/objects";
import type { Json } from "../domain/base/values";

/** The lines and objects that one run leaves behind; created on disk before the first write. */
export interface RunRecord {
  readonly id: string;
  /** Says what is about to be written; safe on disk when it resolves. */
  intent(line: Json): Promise<void>;
  /** Says what was observed after it. */
  outcome(line: Json): Promise<void>;
  /**
   * Keeps the object so that `kubectl apply -f` or `create -f` can put it back, and gives the
   * file. Of a Secret no data is kept: its file cannot restore it. `part` is a folder of its own for
   * a part of the run, so that a command for the whole folder reaches no other part's files.
   */
  save(object: KubeObject, part?: string): Promise<string>;
}

/** Where the records of runs are kept. */
export interface Home {
  readonly path: string;
  /** One line that says why nothing can be written here, undefined when it can; writes nothing. */
  writable(): Promise<string | undefined>;
  /** Begins the record of a run; UsageError when this place is not writable. */
  begin(runId: string): Promise<RunRecord>;
}
