/** What a run over many namespaces is given: ports, options, and the words of the person. */
import type { Mode } from "../../domain/rbac/plan";
import type { Names } from "../../domain/names";
import type { Clock, Cluster } from "../ports";
import type { Journal } from "../record";
import type { Recorder } from "../recorder";

/** The flags of the command, judged. */
export interface RbacOptions {
  /** The operator's. */
  readonly namespace: string;
  readonly mode: Mode;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
  readonly concurrency: number;
  readonly timeoutMs: number;
  /** The exact set, by name; else by label; else what the operator is told. */
  readonly given: readonly string[] | undefined;
  readonly selector: string | undefined;
  /** The cluster's service account, where no cluster resource names it yet. */
  readonly account: string | undefined;
  readonly prune: boolean;
  readonly canary: string | undefined;
  /** Stop when so many namespaces have failed; undefined: never. */
  readonly maxFailures: number | undefined;
  readonly takeFields: readonly string[];
  readonly takeOver: boolean;
  readonly prove: boolean;
  /** The roles and bindings to apply, and where they are from. */
  readonly documents: readonly unknown[];
  readonly source: string;
}

/** The world around a run. */
export interface RbacDeps {
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
  /** Tells this run's temporary things from those of others. */
  readonly runId: string;
}
