/** Judges an upgrade of one database, and plans it (S80–S89, S104–S112, C22). */
import type { Names } from "../../domain/names";
import {
  compareEngineVersions,
  formatEngineVersion,
  leadingEngineVersion,
} from "../../domain/versions";
import { type Bdb, runsWith, type UpgradePlan } from "./model";
import { chooseModules, newestOf } from "./module-choice";
import { malformed } from "./refusal";
import type { ClusterStore } from "./store";
import type { UpgradeRequest } from "./upgrade-fields";
import { contradiction } from "./upgrade-request";

/** What a request is judged with. */
export interface Judging {
  readonly store: ClusterStore;
  readonly names: Names;
  readonly bdb: Bdb;
  readonly request: UpgradeRequest;
}

/** The newest protocol that active-active databases can speak; S82 keeps the present one. */
export const newestProtocol = 2;

/** What has to be done; 400 or 406 where it cannot be. */
export function planUpgrade(judging: Judging): UpgradePlan {
  const { bdb, request } = judging;
  const present = engineOf(bdb);
  const engine = targetOf(judging, present);
  const engineChanges = engine !== present;
  const version = engineChanges ? `${engine}.0` : bdb.version;
  const modules = chooseModules({ ...judging, engine, engineChanges });
  const runs = runsWith(version, modules);
  const affected = bdb.shards.filter((shard) => request.forceRestart || shard.runs !== runs);
  const uidsOf = (role: "master" | "replica") =>
    affected.filter((shard) => shard.role === role).map(({ uid }) => uid);
  const discards = affected.length > 0 && losesData(judging);
  return {
    bdb: bdb.uid,
    version,
    modules,
    ...protocolOf(judging),
    replicas: uidsOf("replica"),
    masters: uidsOf("master"),
    restarts: affected.length,
    atOnce: request.parallelShardsUpgrade ?? bdb.shards.length,
    preserveRoles: request.preserveRoles,
    guarded: bdb.replication && !discards,
    discards,
  };
}

/** The engine version that a database runs, two numbers. */
export function engineOf({ version }: Pick<Bdb, "version">): string {
  const parsed = leadingEngineVersion(version);
  return parsed === undefined ? version : formatEngineVersion(parsed);
}

/** The version that is asked for, the present one where it is kept, else the latest (S81, S88, S89). */
function targetOf({ store, names, request }: Judging, present: string): string {
  const words = names.upgradeRequest;
  const { engineVersion, keepEngineVersion, asksForLatest } = request;
  const newest = newestOf(store.versions) ?? present;
  const target = keepEngineVersion ? present : (engineVersion ?? newest);
  const other = engineVersion ?? target;
  if (keepEngineVersion && other !== present) {
    throw malformed([contradiction(words.keepEngineVersion, words.engineVersion)]);
  }
  if (asksForLatest && other !== newest) {
    throw malformed([contradiction(words.latestWithModules, words.engineVersion)]);
  }
  if (target !== present) judgePresence(target, store, names);
  return higher(target, { present, wasAsked: engineVersion !== undefined, names });
}

function judgePresence(target: string, { versions }: ClusterStore, { restErrors }: Names): void {
  if (versions.includes(target)) return;
  const has = versions.join(", ");
  throw malformed(
    [`${target} is no version of this cluster, which has ${has}`],
    restErrors.incompatibleEngine,
  );
}

interface Raise {
  readonly present: string;
  /** The version was named: the latest one may be older than what already runs. */
  readonly wasAsked: boolean;
  readonly names: Names;
}

/** What a lower version does is not known (domain facts 14): here it is refused. */
function higher(target: string, { present, wasAsked, names }: Raise): string {
  const [to, from] = [leadingEngineVersion(target), leadingEngineVersion(present)];
  if (to === undefined || from === undefined || compareEngineVersions(to, from) >= 0) return target;
  if (!wasAsked) return present;
  throw malformed(
    [`the database runs ${present}, ${target} is lower`],
    names.restErrors.incompatibleEngine,
  );
}

/** Data goes only where a field says that it may (S83, S84, C22). */
function losesData({ bdb, request, names }: Judging): boolean {
  if (request.forceDiscard) return true;
  const isKept = bdb.replication || bdb.persistence !== "disabled";
  if (isKept) return false;
  if (request.mayDiscardData) return true;
  const { mayDiscardData } = names.upgradeRequest;
  throw malformed([
    `shards have to restart, and the database is neither replicated nor persistent: its data would be lost, ${mayDiscardData} allows that`,
  ]);
}

function protocolOf({ bdb, request }: Judging): { readonly crdtProtocol?: number } {
  if (bdb.crdtGuid === undefined || request.keepCrdtProtocolVersion) return {};
  return { crdtProtocol: newestProtocol };
}
