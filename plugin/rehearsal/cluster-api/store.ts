/** The state of a played cluster: one object, shared by the REST service and whoever plays along. */
import type { ApiProfile } from "./profiles";
import type { Action, ApiUser, Bdb, License, StoredModule } from "./model";

/** What a store begins with. */
export interface StoreStart {
  /** Domain name of the cluster. */
  readonly name: string;
  readonly profile: ApiProfile;
  readonly users: readonly ApiUser[];
  readonly license: License;
  readonly bdbs?: readonly Bdb[];
  readonly modules?: readonly StoredModule[];
  readonly nodes?: number;
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
  readonly actions = new Map<string, Action>();
  /** Databases whose shards will not come up, with what is said about it. */
  readonly failing = new Map<number, string>();
  readonly nodes: number;
  users: readonly ApiUser[];
  license: License;
  /** Engine versions that the nodes can run, oldest first. */
  versions: readonly string[];
  softwareVersion: string;
  platform: string;
  uploadsAllowed: boolean;
  upgradePolicy: string | undefined;
  readonly #lastActions = new Map<number, string>();
  readonly #listeners: ((bdb: Bdb) => void)[] = [];
  #lastNumber = 0;

  constructor({ name, profile, users, license, bdbs = [], modules = [], nodes = 3 }: StoreStart) {
    this.name = name;
    this.users = users;
    this.license = license;
    this.nodes = nodes;
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
  putAction(action: Action): void {
    this.actions.set(action.uid, action);
    if (action.bdb !== undefined) this.#lastActions.set(action.bdb, action.uid);
  }

  /** The last action on a database, as long as it is known. */
  lastOf(bdb: number): Action | undefined {
    return this.actions.get(this.#lastActions.get(bdb) ?? "");
  }

  /** The action that is at work on a database: no other one begins before it has ended. */
  busyWith(bdb: number): Action | undefined {
    const last = this.lastOf(bdb);
    return last?.work === undefined ? undefined : last;
  }

  /** Actions that have ended are no longer known: asked for, they are 404 (domain facts 9). */
  forgetEnded(): void {
    for (const { uid, work } of this.actions.values())
      if (work === undefined) this.actions.delete(uid);
  }
}
