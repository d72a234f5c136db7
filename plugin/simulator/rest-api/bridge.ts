/**
 * Keeps the REST service and what is stored in Kubernetes in line, both ways: one database for each EDB,
 * by status.databaseUID. A wish of the spec becomes an upgrade here; what runs becomes its status.
 */
import type { Names } from "../../domain/names/names";
import type { KubeObject } from "../../domain/kube/objects";
import { getPath, asArray, getOwn, asString } from "../../domain/base/values";
import {
  type EngineVersion,
  formatEngineVersion,
  parseEngineVersion,
} from "../../domain/base/versions";
import { readBundledVersions } from "../operator/databases";
import type {
  FieldValue,
  OwnModule,
  RestService,
  ServedDatabase,
  StoredCluster,
} from "../operator/snapshot";
import type { ApiProfile } from "./profiles";
import {
  ApiRefusal,
  type Bdb,
  makeBdb,
  listBundledModules,
  nameBundledVersion,
  type ClusterStore,
  readEngine,
  type BdbUpgrade,
} from "./state";
import { planUpgrade, readUpgradeRequest } from "./upgrade";
import type { Works } from "./work";

/** What the bridge stands between. */
interface BridgeParts {
  readonly store: ClusterStore;
  readonly works: Works;
  readonly names: Names;
  readonly profile: ApiProfile;
  /** Name of the EC; absent: the only one. */
  readonly ec?: string;
}

/** The service as the operator at play asks it. */
export class EdbBridge implements RestService {
  /** Databases that were taken on: they go when their EDB goes. */
  readonly #taken = new Set<number>();
  #sawLicense = false;

  constructor(private readonly parts: BridgeParts) {}

  get ec(): string | undefined {
    return this.parts.ec;
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
    const bdb = this.#bdbOf(edb);
    if (bdb === undefined) return undefined;
    const isBusy = this.parts.store.busyWith(bdb.uid) !== undefined;
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
    return this.parts.store.bdbs.get(uidOfEdb(edb, this.parts.names) ?? -1);
  }

  #statusOf({ uid, status, version }: Bdb): readonly FieldValue[] {
    const { store, names } = this.parts;
    const { edbFields, fields } = names;
    const last = store.findLast(uid);
    return [
      [edbFields.status, status],
      [fields.statusVersion, version],
      ...(last === undefined ? [] : [[edbFields.lastActionUid, last.uid] as const]),
      ...(last === undefined ? [] : [[edbFields.lastActionStatus, last.status] as const]),
    ];
  }

  /**
   * The plan, or why there is none. Data that nothing keeps may go: whoever edits an EDB is not asked,
   * and a database without copies could never be upgraded.
   */
  #planned(edb: KubeObject, version: EngineVersion): BdbUpgrade | string | undefined {
    const { store, names, profile } = this.parts;
    const bdb = this.#bdbOf(edb);
    if (bdb === undefined || store.busyWith(bdb.uid) !== undefined) return undefined;
    if (!this.isLicensed) return "the license has expired";
    const words = names.upgradeRequest;
    const isAlone = getPath(edb, names.edbFields.upgradeModulesToLatest) === false;
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
    const versions = readBundledVersions(ec, names).map(formatEngineVersion);
    if (versions.length === 0 || versions.join() === store.versions.join()) return;
    store.versions = versions;
    for (const module of listBundledModules(names, store))
      if (!store.modules.has(module.uid)) store.modules.set(module.uid, module);
  }

  /** At the first look the EC's word counts, afterwards the service's. */
  #followLicense(ec: KubeObject): void {
    const told = asString(getPath(ec, this.parts.names.ecFields.licenseState));
    if (this.#sawLicense || told === undefined) return;
    this.#sawLicense = true;
    const { store, works } = this.parts;
    if (told.toLowerCase() !== "valid" && this.isLicensed)
      store.license = { ...store.license, expiresAt: works.now };
  }
}

/** The number of the database as a text of digits alone; REST has it as an integer (domain facts 7). */
function uidOfEdb(edb: KubeObject, { edbFields }: Names): number | undefined {
  const value = getPath(edb, edbFields.databaseUid);
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** The database that an EDB stands for, as far as it tells; undefined where it has no number yet. */
export function bdbFromEdb(edb: KubeObject, names: Names): Bdb | undefined {
  const { edbFields, fields } = names;
  const word = (path: readonly string[]) => asString(getPath(edb, path));
  const uid = uidOfEdb(edb, names);
  const given = word(fields.statusVersion) ?? word(fields.engineVersion);
  if (uid === undefined || given === undefined) return undefined;
  const version = parseEngineVersion(given) === undefined ? given : `${given}.0`;
  const type = word(edbFields.type);
  const kept = word(edbFields.persistence) ?? "";
  return makeBdb({
    ...{ uid, version, name: edb.metadata.name ?? "" },
    ...(type !== undefined && { type }),
    status: settleState(word(edbFields.status)),
    replication: getPath(edb, edbFields.replication) === true,
    // the EDB's words for how often; REST has the kind alone (domain facts 7, 9)
    persistence: (["aof", "snapshot"] as const).find((one) => kept.startsWith(one)) ?? "disabled",
    modules: readModules(edb, names, version),
    ...readActiveActive(edb, names),
  });
}

/** Nothing is at work on a database that was just taken on. */
function settleState(told = "active"): string {
  return ["pending", "active-change-pending"].includes(told) ? "active" : told;
}

/** An instance of an active-active database: its guid is not told by the EDB. */
function readActiveActive(edb: KubeObject, names: Names): Pick<Bdb, "crdtGuid" | "crdtProtocol"> {
  const owner = getPath(edb, names.edbFields.activeActive);
  if (owner === undefined || owner === false) return {};
  return { crdtGuid: edb.metadata.uid ?? "active-active", crdtProtocol: 1 };
}

/** A bundled module goes with the engine, whatever number the list has (S62–S64). */
function readModules(edb: KubeObject, names: Names, version: string): Bdb["modules"] {
  const { fields, entryFields, bundledModules } = names;
  const entries = fields.moduleLists.flatMap((field) => asArray(getOwn(edb["spec"], field)));
  const running = nameBundledVersion(readEngine({ version }));
  return entries.flatMap((entry) => {
    const name = asString(getOwn(entry, entryFields.moduleName));
    if (name === undefined) return [];
    const listed = asString(getOwn(entry, entryFields.moduleVersion));
    return [
      { name, version: bundledModules.includes(name) ? running : (listed ?? running), args: [] },
    ];
  });
}
