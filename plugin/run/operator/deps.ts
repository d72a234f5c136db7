/** What an operator's upgrade is given: ports, options, and the words of the person. */
import type { Names } from "../../domain/names";
import type { RegistryWish } from "../../domain/operator/clusters";
import type { ReleaseContents } from "../../domain/release/release";
import type { Clock, Cluster } from "../ports";
import type { Journal } from "../record";
import type { Recorder } from "../recorder";

/** What both ways of upgrading are told. */
export interface OperatorOptions {
  /** The operator's. */
  readonly namespace: string;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
  readonly timeoutMs: number;
  /** Wait on while a cause stands in the way, instead of ending with it. */
  readonly wait: boolean;
}

/** The bundle's flags, judged. */
export interface BundleOptions extends OperatorOptions, RegistryWish {
  readonly contents: ReleaseContents;
  readonly takeFields: readonly string[];
}

/** The world around a run. */
export interface OperatorDeps {
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
