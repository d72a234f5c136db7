/** What the cluster's REST API tells, typed; what it does not send is undefined (domain facts 9). */
import type { Json } from "../values";

/** A module that a database uses (S39). */
export interface UsedModule {
  /** module_name, never the display name. */
  readonly name: string;
  readonly version: string | undefined;
}

/** A database as the REST API has it (S35-S40); what it does not send is undefined. */
export interface ApiDatabase {
  readonly uid: number;
  readonly name: string | undefined;
  readonly status: string | undefined;
  /** Full version, "7.4.2". */
  readonly version: string | undefined;
  readonly engineVersion: string | undefined;
  readonly replication: boolean | undefined;
  readonly dataPersistence: string | undefined;
  readonly modules: readonly UsedModule[];
  readonly crdt: boolean | undefined;
  readonly crdtGuid: string | undefined;
  readonly shards: number | undefined;
  /** Of the call that answered, where it started an action (S8, S92). */
  readonly actionUid: string | undefined;
  /** All that was sent, for people; holds no credentials. */
  readonly sent: Json;
}

/** An installed module (S45-S47). */
export interface InstalledModule {
  readonly uid: string | undefined;
  readonly name: string;
  readonly displayName: string | undefined;
  readonly version: string | undefined;
  /** Names of platforms; undefined where the server does not say. */
  readonly platforms: readonly string[] | undefined;
  readonly minEngineVersion: string | undefined;
  readonly compatibleEngineVersion: string | undefined;
  readonly bundled: boolean | undefined;
}

/** An action under way or ended: completed is good, failed is not, all else goes on. */
export interface ApiAction {
  readonly uid: string;
  readonly name: string | undefined;
  /** As sent. */
  readonly status: string | undefined;
  readonly is: "running" | "completed" | "failed";
  /** Per cent, 0 to 100. */
  readonly progress: number | undefined;
  readonly error: string | undefined;
  /** The database that it works on, where the server says so. */
  readonly database: number | undefined;
}

/** A license (S114, S125). */
export interface ApiLicense {
  readonly expired: boolean | undefined;
  readonly expirationDate: string | undefined;
  readonly shardsLimit: number | undefined;
}

/** A node: the best proof that a version can be run. */
export interface ApiNode {
  readonly uid: number | undefined;
  readonly softwareVersion: string | undefined;
  readonly supportedVersions: readonly string[];
}

/** What came of an upload: the server may go on working after it has answered. */
export interface InstalledUpload {
  readonly actionUid: string | undefined;
  readonly module: InstalledModule | undefined;
  /** The path that took it: where the older one is gone, the newer ones are tried. */
  readonly through: string;
  /** Of the newer calls, which take the file once a node: how many of how many have it. */
  readonly nodes?: { readonly given: number; readonly of: number };
}
