/** The world around a run that writes, whatever it is about. */
import type { Names } from "../domain/names";
import type { Clock, Cluster } from "./ports";
import type { Journal } from "./engine/journal";
import type { Recorder } from "./engine/recorder";

/** What every such run is given. */
export interface RunPorts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly names: Names;
  readonly recorder: Recorder;
  readonly journal: Journal;
  /** Renders a list of objects as YAML, for Roles to ask for. */
  readonly yaml: (objects: readonly unknown[]) => string;
  /** A command line for a person: quoted, with the flags that were given. */
  readonly command: (words: readonly string[]) => string;
}

/** The same where a person may be asked. */
export interface AskingPorts extends RunPorts {
  /** Asks once before the first write; throws UsageError where nobody can be asked. */
  readonly ask: (question: string) => Promise<boolean>;
}
