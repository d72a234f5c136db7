/**
 * Keeps the REST service and what is stored in Kubernetes in line, both ways: one database for each EDB,
 * by status.databaseUID. A wish of the spec becomes an upgrade here; what runs becomes its status.
 */
import type { Names } from "../../domain/names";
import type { KubeObject } from "../../domain/objects";
import { at, list, own, text } from "../../domain/values";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  leadingEngineVersion,
} from "../../domain/versions";
import type {
  FieldValue,
  OwnModule,
  RestService,
  ServedDatabase,
  StoredCluster,
} from "../operator/scene";
import { bdbFromEdb, uidOfEdb } from "./bdb-from-edb";
import type { Bdb, UpgradePlan } from "./model";
import type { ApiProfile } from "./profiles";
import { ApiRefusal } from "./refusal";
import { bundledModules } from "./seed";
import type { ClusterStore } from "./store";
import { readUpgradeRequest } from "./upgrade-request";
import { planUpgrade } from "./upgrade-judge";
import type { Works } from "./work";

/** What the bridge stands between. */
export interface BridgeParts {
  readonly store: ClusterStore;
  readonly works: Works;
  readonly names: Names;
  readonly profile: ApiProfile;
  /** Name of the EC; absent: the only one. */
  readonly ec?: string;
}

/** The service as the operator at play asks it. */
export class EdbBridge implements RestService {
  readonly ec?: string;
  /** Databases that were taken on: they go when their EDB goes. */
  readonly #taken = new Set<number>();
  #sawLicense = false;

  constructor(private readonly parts: BridgeParts) {
    if (parts.ec !== undefined) this.ec = parts.ec;
  }

  follow({ ec, edbs, running }: StoredCluster): void {
    const { store, works } = this.parts;
    works.advance();
    if (running !== undefined) store.softwareVersion = running;
    this.#followVersions(ec);
    this.#followLicense(ec);
    this.adopt(edbs);
    const there = new Set(edbs.map((edb) => uidOfEdb(edb, this.parts.names)));
    for (const uid of this.#taken) {
      if (there.has(uid)) continue;
      this.#taken.delete(uid);
      store.bdbs.delete(uid);
    }
  }

  /** A database for every EDB that has none; one that is there keeps what it runs. */
  adopt(edbs: readonly KubeObject[]): void {
    const { store, names } = this.parts;
    for (const edb of edbs) {
      const uid = uidOfEdb(edb, names);
      if (uid === undefined || this.#taken.has(uid)) continue;
      const bdb = store.bdbs.get(uid) ?? bdbFromEdb(edb, names);
      if (bdb === undefined) continue;
      this.#taken.add(uid);
      if (!store.bdbs.has(uid)) store.put(bdb);
    }
  }

  find(edb: KubeObject): ServedDatabase | undefined {
    const { store } = this.parts;
    const bdb = this.#bdbOf(edb);
    if (bdb === undefined) return undefined;
    const isBusy = store.busyWith(bdb.uid) !== undefined;
    return { version: bdb.version, isBusy, status: this.#statusOf(bdb) };
  }

  refusal(edb: KubeObject, version: EngineVersion): string | undefined {
    const planned = this.#planned(edb, version);
    return typeof planned === "string" ? planned : undefined;
  }

  raise(edb: KubeObject, version: EngineVersion): void {
    const planned = this.#planned(edb, version);
    if (typeof planned === "object") this.parts.works.upgrade(planned);
  }

  get uids(): readonly number[] {
    return [...this.parts.store.bdbs.keys()];
  }

  get modules(): readonly OwnModule[] {
    return [...this.parts.store.modules.values()].filter(({ isBundled }) => !isBundled);
  }

  get isLicensed(): boolean {
    const { store, works } = this.parts;
    return store.license.expiresAt > works.now;
  }

  get dueAt(): number | undefined {
    return this.parts.works.dueAt;
  }

  #bdbOf(edb: KubeObject): Bdb | undefined {
    const uid = uidOfEdb(edb, this.parts.names);
    return uid === undefined ? undefined : this.parts.store.bdbs.get(uid);
  }

  #statusOf(bdb: Bdb): readonly FieldValue[] {
    const { store, names } = this.parts;
    const { edbFields, fields } = names;
    const last = store.lastOf(bdb.uid);
    const ofLast: readonly FieldValue[] =
      last === undefined
        ? []
        : [
            [edbFields.lastActionUid, last.uid],
            [edbFields.lastActionStatus, last.status],
          ];
    return [[edbFields.status, bdb.status], [fields.statusVersion, bdb.version], ...ofLast];
  }

  /**
   * The plan, or why there is none. Data that nothing keeps may go: whoever edits an EDB is not asked,
   * and a database without copies could never be upgraded.
   */
  #planned(edb: KubeObject, version: EngineVersion): UpgradePlan | string | undefined {
    const { store, names, profile } = this.parts;
    const bdb = this.#bdbOf(edb);
    if (bdb === undefined || store.busyWith(bdb.uid) !== undefined) return undefined;
    if (!this.isLicensed) return "the license has expired";
    const words = names.upgradeRequest;
    const isAlone = at(edb, names.edbFields.upgradeModulesToLatest) === false;
    const body = {
      [words.engineVersion]: formatEngineVersion(version),
      [words.mayDiscardData]: true,
      ...(isAlone && { [words.latestWithModules]: false }),
    };
    try {
      const request = readUpgradeRequest(body, names, profile);
      return planUpgrade({ store, names, bdb, request });
    } catch (error) {
      if (error instanceof ApiRefusal) return error.message;
      throw error;
    }
  }

  /** What the EC says that it bundles is what the nodes can run, with its modules. */
  #followVersions(ec: KubeObject): void {
    const { store, names } = this.parts;
    const { bundledType, bundledVersion } = names.entryFields;
    const versions = list(at(ec, names.fields.bundledDatabaseVersions))
      .filter((entry) => own(entry, bundledType) === names.engineDbType)
      .flatMap((entry) => leadingEngineVersion(own(entry, bundledVersion)) ?? [])
      .toSorted(compareEngineVersions)
      .map(formatEngineVersion);
    if (versions.length === 0 || versions.join() === store.versions.join()) return;
    store.versions = versions;
    for (const module of bundledModules(names, store))
      if (!store.modules.has(module.uid)) store.modules.set(module.uid, module);
  }

  /** At the first look the EC's word counts, afterwards the service's. */
  #followLicense(ec: KubeObject): void {
    const told = text(at(ec, this.parts.names.ecFields.licenseState));
    if (this.#sawLicense || told === undefined) return;
    this.#sawLicense = true;
    const { store, works } = this.parts;
    if (told.toLowerCase() !== "valid" && this.isLicensed)
      store.license = { ...store.license, expiresAt: works.now };
  }
}
