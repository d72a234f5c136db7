/** What the played cluster holds: databases with their shards, modules, actions, users. */
import type { Phase } from "./upgrade-machine";

/** One process of a database. */
export interface Shard {
  readonly uid: number;
  readonly role: "master" | "replica";
  /** What it was started with: version and modules, as `runsWith` writes them. */
  readonly runs: string;
  readonly restarts: number;
}

/** A module as a database uses it (S39). */
export interface UsedModule {
  readonly name: string;
  readonly version: string;
  /** What it was started with; the format of an argument is not shown (S43). */
  readonly args: readonly unknown[];
}

/** A database (S35–S40; domain facts 9). */
export interface Bdb {
  readonly uid: number;
  readonly name: string;
  /** Absent: the engine's. */
  readonly type?: string;
  readonly status: string;
  /** In full, "7.4.0". */
  readonly version: string;
  readonly replication: boolean;
  readonly persistence: "disabled" | "snapshot" | "aof";
  readonly modules: readonly UsedModule[];
  /** Of an active-active database. */
  readonly crdtGuid?: string;
  readonly crdtProtocol?: number;
  readonly memorySize: number;
  readonly shards: readonly Shard[];
  /** How often the roles of its shards changed. */
  readonly failovers: number;
  /** An upgrade threw its data away. */
  readonly discarded: boolean;
}

/** An installed module (S45–S47). */
export interface StoredModule {
  readonly uid: string;
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
  readonly minEngineVersion?: string;
  /** The one engine version that this build fits; absent: any that is not too old. */
  readonly compatibleEngineVersion?: string;
  readonly platforms?: readonly string[];
  readonly isBundled: boolean;
  /** Absent: whatever a database asks for. */
  readonly capabilities?: readonly string[];
}

/** What a request for an upgrade came to. */
export interface UpgradePlan {
  readonly bdb: number;
  /** In full. */
  readonly version: string;
  readonly modules: readonly UsedModule[];
  readonly crdtProtocol?: number;
  /** Shards to restart: replicas, then masters. */
  readonly replicas: readonly number[];
  readonly masters: readonly number[];
  /** How many there were of both at the start. */
  readonly restarts: number;
  /** How many at a time (S86). */
  readonly atOnce: number;
  readonly preserveRoles: boolean;
  /** Replicas take over while masters restart; without, shards restart where they are. */
  readonly guarded: boolean;
  /** The data is gone afterwards. */
  readonly discards: boolean;
}

/** Work behind an action: the next thing of it happens at `due`. */
export type Work =
  | {
      readonly does: "upgrade";
      readonly due: number;
      readonly phase: Phase;
      readonly plan: UpgradePlan;
    }
  | { readonly does: "install"; readonly due: number; readonly module: StoredModule };

/** An action, as it is followed by its uid (S8, S92). */
export interface Action {
  readonly uid: string;
  readonly name: string;
  readonly bdb?: number;
  readonly status: "pending" | "active" | "completed" | "failed";
  /** Per cent. */
  readonly progress: number;
  readonly error?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Undefined when it has ended. */
  readonly work?: Work;
}

/** Somebody who may call; `permissions` as S104 names them. */
export interface ApiUser {
  readonly name: string;
  readonly password: string;
  readonly permissions: readonly string[];
}

/** The license (S114, S125); times in milliseconds since 1970. */
export interface License {
  readonly text: string;
  readonly activatedAt: number;
  readonly expiresAt: number;
  readonly shardsLimit: number;
}

/** How long each part of the work takes. */
export interface WorkTimes {
  readonly queuedMs: number;
  readonly batchMs: number;
  readonly failoverMs: number;
  readonly finishMs: number;
  readonly installMs: number;
}

/** What a shard of this version with these modules is started with. */
export function runsWith(version: string, modules: readonly UsedModule[]): string {
  return JSON.stringify([
    version,
    ...modules.map(({ name, version, args }) => [name, version, args]),
  ]);
}
