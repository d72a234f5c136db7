/** What an upgrade of databases is given: ports, options, and the words of the person who runs it. */
import type { Skip } from "../../domain/checks/selection";
import type { DatabaseWish } from "../../domain/databases/plan";
import type { RequestWish } from "../../domain/databases/bdb";
import type { KubeObject } from "../../domain/objects";
import type { Permission } from "../../domain/permissions";
import type { UpgradeClusterDeps } from "../cluster/deps";
import type { ClusterApi } from "../cluster-api";
import type { Cluster } from "../ports";

/** The flags of the command, judged. */
export interface UpgradeDatabaseOptions extends DatabaseWish {
  /** The operator's. */
  readonly namespace: string;
  /** NAME or NAMESPACE/NAME; none: all, or those of the selector. */
  readonly databases: readonly string[];
  readonly selector?: string;
  /** In every namespace, not in the operator's alone. */
  readonly everywhere: boolean;
  /** What else the REST API is told (S79-S89). */
  readonly request: RequestWish;
  /** Databases whose data may be lost, as their names were typed. */
  readonly confirmed: readonly string[];
  readonly takeFields: readonly string[];
  /** Findings of `acceptable` codes that a person vouches for. */
  readonly skip: readonly Skip[];
  /** They were given for a whole upgrade: some may concern another part, or be settled by now. */
  readonly skipMayMiss?: boolean;
  readonly canary?: string;
  readonly maxFailures?: number;
  readonly concurrency: number;
  /** No progress of a database for so long: it stands still. */
  readonly stallAfterMs: number;
  /** Longest time for the whole run; absent: as long as something moves. */
  readonly limitMs?: number;
  /** Wait for an EC that is not Running, instead of stopping (S98). */
  readonly wait: boolean;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
  /** Planned before the operator is at this release: it counts as there (S9). */
  readonly assumeOperator?: string;
}

/** A cluster elsewhere that takes part; it is only read. */
export interface ParticipantPort {
  /** As it was given: CONTEXT/NAMESPACE. */
  readonly name: string;
  readonly cluster: Cluster;
  readonly namespace: string;
}

/** The REST API of an EC. */
export interface ApiPort {
  /** What Kubernetes has to allow before it can be asked. */
  permissions(ec: KubeObject): readonly Permission[];
  connect(ec: KubeObject): Promise<ClusterApi>;
}

/** The world around a run. */
export interface UpgradeDatabaseDeps extends UpgradeClusterDeps {
  readonly participants: readonly ParticipantPort[];
  readonly api: ApiPort;
  /** A line that is typed on the terminal; undefined where nobody can be asked. */
  readonly typed: (question: string) => Promise<string | undefined>;
}
