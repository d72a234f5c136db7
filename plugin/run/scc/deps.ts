/** What an unbinding is given: ports, options, and the words of the person who runs it. */
import type { Names } from "../../domain/names";
import type { Clock, Cluster } from "../ports";
import type { Journal } from "../record";
import type { Recorder } from "../recorder";

/** The flags of the command, judged. */
export interface UnbindOptions {
  readonly namespace: string;
  /** The constraint to unbind; absent: the current one, and the older one is looked for. */
  readonly scc?: string;
  /** The EC whose account is meant; absent: every EC of the namespace that no longer needs it. */
  readonly ec?: string;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
}

/** The world around an unbinding. */
export interface UnbindDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly names: Names;
  readonly recorder: Recorder;
  readonly journal: Journal;
  /** Asks once before the first write; throws UsageError where nobody can be asked. */
  readonly ask: (question: string) => Promise<boolean>;
  /** Renders a list of objects as YAML, for Roles to ask for. */
  readonly yaml: (objects: readonly unknown[]) => string;
  /** A command line for a person: quoted, with the flags that were given. */
  readonly command: (words: readonly string[]) => string;
  /** A command line of this program. */
  readonly engine: (words: readonly string[]) => string;
}

/** The constraint that is meant. */
export function constraintOf({ names }: UnbindDeps, { scc }: UnbindOptions): string {
  return scc ?? names.scc.current;
}
