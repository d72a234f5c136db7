/**
 * The cluster's REST service as the operator at play meets it: with it, databases are raised there and
 * their EDBs say what came of it; without it, the play raises them by itself.
 */
import type { EngineVersion } from "../../domain/versions";
import type { KubeObject } from "../../run/ports";

/** A field of a status, and what it has to be. */
export type FieldValue = readonly [path: readonly string[], value: unknown];

/** An EC with its databases, as they are stored. */
export interface StoredCluster {
  readonly ec: KubeObject;
  readonly edbs: readonly KubeObject[];
  /** The release that runs, where one does. */
  readonly running: string | undefined;
}

/** A module that is installed and did not come with the cluster. */
export interface OwnModule {
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
}

/** A database, as its EDB has to tell it. */
export interface ServedDatabase {
  /** In full, "7.4.0". */
  readonly version: string;
  /** An action is at work on it. */
  readonly isBusy: boolean;
  readonly status: readonly FieldValue[];
}

/** What the operator asks of the service. */
export interface RestService {
  /** Name of its EC; absent: the only one. */
  readonly ec?: string;
  /** Takes on new databases and the cluster's versions, lets go of what was deleted, and works on. */
  follow(stored: StoredCluster): void;
  /** The database behind an EDB; undefined where there is none. */
  find(edb: KubeObject): ServedDatabase | undefined;
  /** Why a version cannot be had; undefined where it can. */
  refusal(edb: KubeObject, version: EngineVersion): string | undefined;
  /** Begins the upgrade. */
  raise(edb: KubeObject, version: EngineVersion): void;
  /** Numbers that databases have. */
  readonly uids: readonly number[];
  readonly modules: readonly OwnModule[];
  /** The license is good at this time. */
  readonly isLicensed: boolean;
  /** When its work goes on; undefined where it has none. */
  readonly dueAt: number | undefined;
}
