/** What runs and parts work with: the cluster, the clock, the record; and whom they may ask. */
import type { Sourced } from "../domain/advisories/row";
import { CancelledError } from "../domain/base/errors";
import type { Finding } from "../domain/base/findings";
import type { Names } from "../domain/names/names";
import type { KubeClient, Clock } from "../ports/kubernetes";
import type { Journal } from "./journal";
import type { Recorder } from "./recorder";

/** What every such run is given. */
export interface RunPorts {
  readonly cluster: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly names: Names;
  /** What is known of releases; absent: what ships with the tool. */
  readonly advised?: readonly Sourced[] | undefined;
  readonly recorder: Recorder;
  readonly journal: Journal;
  /** Renders a list of objects as YAML, for Roles to ask for. */
  readonly yaml: (objects: readonly object[]) => string;
  /** A command line for a person: quoted, with the flags that were given. */
  readonly command: (words: readonly string[]) => string;
}

/** The same where a person may be asked. */
export interface AskingPorts extends RunPorts {
  /** Asks once before the first write; throws UsageError where nobody can be asked. */
  readonly ask: (question: string) => Promise<boolean>;
  readonly present?: Present | undefined;
}

/** Shows findings before the first write, above the questions; a question itself shows what was recorded. */
export type Present = (findings: readonly Finding[]) => Promise<void>;

/** What a part plans on: its cluster refuses writes. */
export interface World extends RunPorts {
  /** `none`: the plan is carried out at once, and is not tried before. */
  readonly dryRun: "none" | "client" | "server";
  /** What may pass by itself becomes `waitsFor`; otherwise it stops the part. */
  readonly waits: boolean;
  /** Tells each finding once, in the plan and in the act. */
  readonly tell: (findings: readonly Finding[]) => void;
}

/** What a part acts with. */
export interface ActingPorts extends RunPorts {
  readonly tell: (findings: readonly Finding[]) => void;
}

/** Asks once; a no ends the run before anything is written. */
export async function requireYes(
  { ask }: Pick<AskingPorts, "ask">,
  question: string,
): Promise<void> {
  if (!(await ask(question))) throw new CancelledError();
}
