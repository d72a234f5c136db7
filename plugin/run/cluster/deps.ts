/** What an upgrade of an EC is given: ports, options, and the words of the person who runs it. */
import type { Names } from "../../domain/names";
import type { Clock, Cluster } from "../ports";
import type { Journal } from "../record";
import type { Recorder } from "../recorder";

/** The flags of the command, judged. */
export interface UpgradeClusterOptions {
  /** The operator's and the EC's. */
  readonly namespace: string;
  readonly name: string;
  /** The tag to write; with `auto` the one that is expected. */
  readonly target?: string;
  readonly auto: boolean;
  readonly imagePullPolicy?: string;
  readonly imageRepository?: string;
  /** Planned before the operator is upgraded: this release of it counts as the one that runs. */
  readonly assumeOperator?: string;
  readonly takeFields: readonly string[];
  /** No progress for so long, and a cause in the data: stalled. */
  readonly stallAfterMs: number;
  /** Longest time for a whole wait; absent: as long as something moves. */
  readonly limitMs?: number;
  /** Wait for what is not ready before the write, instead of stopping. */
  readonly wait: boolean;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
}

/** The world around a run. */
export interface UpgradeClusterDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly names: Names;
  readonly recorder: Recorder;
  readonly journal: Journal;
  /** Asks once before fields are taken; throws UsageError where nobody can be asked. */
  readonly ask: (question: string) => Promise<boolean>;
  /** Renders a list of objects as YAML, for Roles to ask for. */
  readonly yaml: (objects: readonly unknown[]) => string;
  /** A command line for a person: quoted, with the flags that were given. */
  readonly command: (words: readonly string[]) => string;
}
