/** The port to the ECs that the rules judge by: the one place to ask, wherever they come from. */
import type { Names } from "../plugin/domain/names";
import type { ClusterFacts } from "../plugin/domain/rules/types";
import type { Log } from "./log";

/** Where an EC is. */
export type ClusterKey = Pick<ClusterFacts, "namespace" | "name">;

/** What is known of the ECs, and how to ask for the truth. */
export interface Clusters {
  /** False until the first complete list; nothing is judged by the ECs before that. */
  synced(): boolean;
  /** All ECs as last heard of: an allow may rest on them, a denial may not (C14). */
  all(): readonly ClusterFacts[];
  /** Milliseconds since the source was last heard of; undefined before that. */
  ageMs(): number | undefined;
  /** The EC as it is now, undefined when there is none. Throws ClustersUnreadable. */
  live(key: ClusterKey, signal: AbortSignal): Promise<ClusterFacts | undefined>;
  /** The ECs of a namespace as they are now. Throws ClustersUnreadable. */
  liveIn(namespace: string, signal: AbortSignal): Promise<readonly ClusterFacts[]>;
}

/** A source of ECs that runs until it is stopped. */
export interface ClusterService extends Clusters {
  start(): void;
  stop(): void;
  /** How often everything was read again after the first time. */
  relists(): number;
}

/** What every source needs. */
export interface SourceContext {
  readonly names: Names;
  readonly log: Log;
}

/** The ECs cannot be read now: the webhook cannot judge, and says so (C13, C17). */
export class ClustersUnreadable extends Error {}
