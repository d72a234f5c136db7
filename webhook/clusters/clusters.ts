/** The port to the ECs that the rules judge by: the one place to ask, wherever they come from. */
import type { Names } from "../../plugin/domain/names";
import type { ClusterFacts } from "../../plugin/domain/rules/types";
import type { Log } from "../log";

export type ClusterKey = Pick<ClusterFacts, "namespace" | "name">;

/** What is known of the ECs, and how to ask for the truth. */
export interface Clusters {
  /** False until the first complete list; nothing is judged by the ECs before that. */
  synced(): boolean;
  /** The ECs of a namespace as last heard of: an allow may rest on them, a denial may not (C14). */
  in(namespace: string): readonly ClusterFacts[];
  count(): number;
  /** Milliseconds since the source was last heard of; undefined before that. */
  ageMs(): number | undefined;
  /** The EC as it is now, undefined when there is none. Throws ClustersUnreadable. */
  live(key: ClusterKey, signal: AbortSignal): Promise<ClusterFacts | undefined>;
  /** The ECs of a namespace as they are now. Throws ClustersUnreadable. */
  liveIn(namespace: string, signal: AbortSignal): Promise<readonly ClusterFacts[]>;
}

/** ECs by their namespace: a review looks at two of them, whatever the number of the others. */
export type ByNamespace = ReadonlyMap<string, readonly ClusterFacts[]>;

/** The ECs in the order given, by namespace. */
export function byNamespace(clusters: readonly ClusterFacts[]): ByNamespace {
  const found = new Map<string, ClusterFacts[]>();
  for (const cluster of clusters) {
    const others = found.get(cluster.namespace);
    if (others === undefined) found.set(cluster.namespace, [cluster]);
    else others.push(cluster);
  }
  return found;
}

/** A source of ECs that runs until it is stopped. */
export interface ClusterService extends Clusters {
  start(): void;
  stop(): void;
  /** How often everything was read again after the first time. */
  relists(): number;
}

export interface SourceContext {
  readonly names: Names;
  readonly log: Log;
}

/** The ECs cannot be read now: the webhook cannot judge, and says so (C13, C17). */
export class ClustersUnreadable extends Error {}

/** Too many wait for the API server already: this one is not asked about at all. */
export class TooManyLiveReads extends ClustersUnreadable {}
