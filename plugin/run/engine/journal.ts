/**
 * The record of a run, as a port (cli contract, Runs): what is about to be written, what was
 * observed afterwards, and every replaced or deleted object as it was. A run never reads it back.
 */
import type { KubeObject } from "../../domain/objects";
import type { Json } from "../../domain/values";

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

/** The record of one run as its steps see it: it begins with the first line or object. */
export interface Journal extends Omit<RunRecord, "id"> {
  /** Why nothing could be kept, undefined when it could; writes nothing. */
  problem(): Promise<string | undefined>;
}

/** A home whose records tell `open` what is about to be written, and take it back when its outcome is seen. */
export function watchedHome(home: Home, open: Set<string>): Home {
  const nameOf = ({ action, object }: Json): string => `${String(action)} ${String(object)}`;
  return {
    path: home.path,
    writable: () => home.writable(),
    begin: async (runId) => {
      const record = await home.begin(runId);
      return {
        id: record.id,
        intent: async (line) => {
          await record.intent(line);
          open.add(nameOf(line));
        },
        outcome: async (line) => {
          open.delete(nameOf(line));
          await record.outcome(line);
        },
        save: (object, part) => record.save(object, part),
      };
    },
  };
}

/** A journal that makes its folder only when something is to be written; `part` names that of a part. */
export function journalOf(home: Home, runId: string, part?: string): Journal {
  let begun: Promise<RunRecord> | undefined;
  const record = (): Promise<RunRecord> => (begun ??= home.begin(runId));
  return {
    problem: () => home.writable(),
    intent: async (line) => (await record()).intent(line),
    outcome: async (line) => (await record()).outcome(line),
    save: async (object) => (await record()).save(object, part),
  };
}
