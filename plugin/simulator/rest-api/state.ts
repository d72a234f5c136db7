/** The state of a played cluster, shared by the REST service and whoever plays along: databases, modules, actions, users. */
import { randomBytes } from "node:crypto";
import type { Names } from "../../domain/names/names";
import {
  compareEngineVersions,
  formatEngineVersion,
  parseLeadingEngineVersion,
} from "../../domain/base/versions";
import type { ApiProfile } from "./profiles";

/** One process of a database. */
interface Shard {
  readonly uid: number;
  readonly role: "master" | "replica";
  /** What it was started with: version and modules, as `runsWith` writes them. */
  readonly runs: string;
  readonly restarts: number;
}

/** A module as a database uses it (S39). */
export interface RunningModule {
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
  readonly modules: readonly RunningModule[];
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
export interface BdbUpgrade {
  readonly bdb: number;
  /** In full. */
  readonly version: string;
  readonly modules: readonly RunningModule[];
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

/** Where an upgrade is. */
export type Phase =
  | "queued"
  | "replicas"
  | "failover"
  | "masters"
  | "in-place"
  | "roles-back"
  | "finishing"
  | "completed"
  | "failed";

/** Work behind an action: the next thing of it happens at `due`. */
export type Work =
  | {
      readonly does: "upgrade";
      readonly due: number;
      readonly phase: Phase;
      readonly plan: BdbUpgrade;
    }
  | { readonly does: "install"; readonly due: number; readonly module: StoredModule };

/** An action, as it is followed by its uid (S8, S92). */
export interface RestAction {
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

/** Someone who may call; `permissions` as S104 names them. */
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

/** What a store begins with. */
interface StoreStart {
  /** Domain name of the cluster. */
  readonly name: string;
  readonly profile: ApiProfile;
  readonly users: readonly ApiUser[];
  readonly license: License;
  readonly bdbs: readonly Bdb[];
  readonly modules: readonly StoredModule[];
}

/** Holds immutable records; whoever changes one puts another in its place. */
export class ClusterStore {
  readonly name: string;
  readonly bdbs = new Map<number, Bdb>();
  readonly modules = new Map<string, StoredModule>();
  /** Modules that were defined or uploaded, where the other half is not there yet. */
  readonly halves = new Map<
    string,
    { readonly is: "definition" | "artifact"; readonly module: StoredModule }
  >();
  readonly actions = new Map<string, RestAction>();
  /** Databases whose shards will not come up, with what is said about it. */
  readonly failing = new Map<number, string>();
  readonly nodes = 3;
  users: readonly ApiUser[];
  license: License;
  /** Engine versions that the nodes can run, oldest first. */
  versions: readonly string[];
  softwareVersion: string;
  readonly platform: string;
  uploadsAllowed: boolean;
  upgradePolicy: string | undefined;
  readonly #lastActions = new Map<number, string>();
  readonly #listeners: ((bdb: Bdb) => void)[] = [];
  #lastNumber = 0;

  constructor({ name, profile, users, license, bdbs, modules }: StoreStart) {
    this.name = name;
    this.users = users;
    this.license = license;
    this.versions = profile.versions;
    this.softwareVersion = profile.softwareVersion;
    this.platform = profile.platform;
    this.uploadsAllowed = !profile.uploadsOff;
    for (const bdb of bdbs) this.bdbs.set(bdb.uid, bdb);
    for (const module of modules) this.modules.set(module.uid, module);
  }

  /** Puts a database in the place of the one with its uid, and tells whoever listens. */
  put(bdb: Bdb): void {
    this.bdbs.set(bdb.uid, bdb);
    for (const listener of this.#listeners) listener(bdb);
  }

  /** Hears of every change of a database. */
  onChange(listener: (bdb: Bdb) => void): void {
    this.#listeners.push(listener);
  }

  /** Numbers for uids: the same run gives the same ones. */
  nextUid(kind: string): string {
    this.#lastNumber += 1;
    return `${kind}-${String(this.#lastNumber).padStart(8, "0")}`;
  }

  /** Puts an action in the place of the one with its uid. */
  putAction(action: RestAction): void {
    this.actions.set(action.uid, action);
    if (action.bdb !== undefined) this.#lastActions.set(action.bdb, action.uid);
  }

  /** The last action on a database, as long as it is known. */
  findLast(bdb: number): RestAction | undefined {
    return this.actions.get(this.#lastActions.get(bdb) ?? "");
  }

  /** The action that is running on a database: no other one begins before it has ended. */
  busyWith(bdb: number): RestAction | undefined {
    const last = this.findLast(bdb);
    return last?.work === undefined ? undefined : last;
  }

  /** Actions that have ended are no longer known: asked for, they are 404 (domain facts 9). */
  forgetEnded(): void {
    for (const { uid, work } of this.actions.values())
      if (work === undefined) this.actions.delete(uid);
  }
}

/** Thrown wherever a call cannot continue; the one place that answers turns it into a response. */
export class ApiRefusal extends Error {
  /** Sent with it. */
  headers: Readonly<Record<string, string>> = {};

  constructor(
    readonly status: number,
    /** Of the product's modules, or one of our own: the specification shows none (S115). */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  /** The same, with headers. */
  with(headers: Readonly<Record<string, string>>): this {
    this.headers = headers;
    return this;
  }
}

/** 400 (S109): malformed, all problems at once. */
export function refuseMalformed(problems: readonly string[], code = "bad_request"): ApiRefusal {
  return new ApiRefusal(400, code, problems.join("; "));
}

/** 404 (S110). */
export function notFound(what: string): ApiRefusal {
  return new ApiRefusal(404, "not_found", `${what} does not exist`);
}

/** What a shard of this version with these modules is started with. */
export function runsWith(version: string, modules: readonly RunningModule[]): string {
  return JSON.stringify([
    version,
    ...modules.map(({ name, version, args }) => [name, version, args]),
  ]);
}

/** The engine version that a database runs, two numbers. */
export function readEngine({ version }: Pick<Bdb, "version">): string {
  const parsed = parseLeadingEngineVersion(version);
  return parsed === undefined ? version : formatEngineVersion(parsed);
}

/** How many masters a database has. */
export function countMasters({ shards }: Bdb): number {
  return shards.filter(({ role }) => role === "master").length;
}

/** The newest engine version of a list. */
export function findNewest(versions: readonly string[]): string | undefined {
  return versions
    .flatMap((version) => {
      const parsed = parseLeadingEngineVersion(version);
      return parsed === undefined ? [] : [{ version, parsed }];
    })
    .toSorted((one, other) => compareEngineVersions(one.parsed, other.parsed))
    .at(-1)?.version;
}

/** A database in few words; what is left out is usual, `shards` is the number of masters. */
export type BdbWish = Pick<Bdb, "uid" | "name" | "version"> &
  Partial<Omit<Bdb, "shards">> & { readonly shards?: number };

/** A whole database; each master has its replica where it is replicated. */
export function makeBdb({ shards = 2, ...wish }: BdbWish): Bdb {
  const bdb = {
    status: "active",
    replication: true,
    persistence: "aof" as const,
    modules: [],
    memorySize: 1024 ** 3,
    failovers: 0,
    discarded: false,
    ...wish,
  };
  const runs = runsWith(bdb.version, bdb.modules);
  const roles = bdb.replication ? (["master", "replica"] as const) : (["master"] as const);
  const all = Array.from({ length: shards }).flatMap(() => roles);
  return {
    ...bdb,
    shards: all.map((role, index) => ({ uid: index + 1, role, runs, restarts: 0 })),
  };
}

/** What a module may say that it can do. */
export const knownCapabilities: readonly string[] = [
  ...["types", "crdb", "clustering", "failover_migrate", "persistence_aof", "persistence_rdb"],
  ...["backup_restore", "reshard_rebalance", "eviction_expiry", "ipv6", "hash_policy", "flash"],
];

/** The version that a bundled module has for an engine version: they go by the same numbers. */
export function nameBundledVersion(engine: string): string {
  return `${engine}.0`;
}

/** A build of every bundled module for every engine version that the release can run. */
export function listBundledModules(
  names: Names,
  { versions, platform }: Pick<ApiProfile, "versions" | "platform">,
): readonly StoredModule[] {
  return versions.flatMap((engine) =>
    names.bundledModules.map((name) => ({
      uid: `${name}-${engine}`,
      name,
      displayName: name,
      version: nameBundledVersion(engine),
      minEngineVersion: engine,
      compatibleEngineVersion: engine,
      platforms: [platform],
      isBundled: true,
      capabilities: knownCapabilities,
    })),
  );
}

const day = 24 * 3_600_000;

/** What a store is made of. */
interface SeedWish {
  readonly names: Names;
  readonly profile: ApiProfile;
  readonly now: number;
  /** Domain name of the cluster. */
  readonly cluster: string;
  readonly bdbs?: readonly Bdb[];
}

/** A store with what a cluster has of its own: bundled modules, a license, and two users, of whom one may upgrade. */
export function seedStore({ names, profile, now, cluster, bdbs = [] }: SeedWish): ClusterStore {
  const user = (name: string, ...permissions: string[]): ApiUser => ({
    ...{ name, permissions },
    password: randomBytes(18).toString("base64url"),
  });
  const valid = { activatedAt: now - 90 * day, expiresAt: now + 90 * day };
  return new ClusterStore({
    name: cluster,
    profile,
    users: [user("admin@example.com", names.restPermission), user("viewer@example.com")],
    license: { text: "a license of the rehearsal", ...valid, shardsLimit: 100 },
    modules: listBundledModules(names, profile),
    bdbs,
  });
}
