/** The databases of an EC as they run: resources and the REST API side by side (S100, S102, S123). */
import {
  type ApiDatabase,
  type ApiLicense,
  type ApiNode,
  type InstalledModule,
  type UsedModule,
} from "../rest-api/records";
import { databaseFinding, databaseFindings } from "../database/findings";
import { selectDatabases, type DatabaseTarget } from "../database/target";
import { bdbVersion } from "../database/bdb";
import { askedKeeping, type DataKeeping, recordedKeeping } from "../database/keeping";
import { identifyAmong, type Identity, readRememberedUid } from "../database/identity";
import type { Finding } from "../base/findings";
import type { Facts } from "../facts/facts";
import { type KubeObject, objectLabel } from "../kube/objects";
import { getPath, asArray, getOwn, asString, type Json } from "../base/values";
import { databaseVersion } from "../engine-cluster/database-versions";
import { type EngineVersion, parseEngineVersion } from "../base/versions";

/** What the cluster's REST API told; undefined parts are not served. */
export interface ApiFacts {
  readonly databases: readonly ApiDatabase[];
  readonly modules: readonly InstalledModule[];
  readonly license?: ApiLicense;
  readonly nodes?: readonly ApiNode[];
  /** The policy of the cluster, as it was sent. */
  readonly policy?: Json;
}

/** A database of the EC: its resource, what runs behind it, or both. */
export interface RecoveryDatabase {
  /** As reports name it: the resource, or the number where there is none. */
  readonly label: string;
  /** The resource; undefined for a database that only the REST API knows. */
  readonly target: DatabaseTarget | undefined;
  /** The number that is proven; where the REST API was not asked, the one that the status remembers. */
  readonly uid: number | undefined;
  /** The name that the REST API's record of that number had; undefined where it was not asked. */
  readonly name: string | undefined;
  /** Its number and its name are of two records: nothing is called. */
  readonly mismatch?: Finding;
  readonly runs: EngineVersion | undefined;
  /** What the REST API says, else what the resource lists. */
  readonly modules: readonly UsedModule[];
  /** State in the REST API; undefined where it was not asked. */
  readonly status: string | undefined;
  /** What keeps its data: as the REST API says, else as the resource asks for it (S83). */
  readonly keeping: DataKeeping;
}

/** Every database of the EC; those that the REST API alone knows come last. */
export function databasesOfCluster(
  facts: Facts,
  ec: KubeObject,
  api?: ApiFacts,
): readonly RecoveryDatabase[] {
  const targets = selectOfCluster(facts, ec);
  const bdbs = api?.databases ?? [];
  const known = targets.map((target) => {
    const identity = api && identifyAmong(target, { others: targets, all: bdbs }, facts.names);
    return { target, identity, bdb: identity?.is === "proven" ? identity.bdb : undefined };
  });
  const taken = new Set(known.map(({ bdb }) => bdb?.uid));
  const open = known.filter(({ bdb }) => bdb === undefined).map(({ target }) => target);
  // which of these a resource means is not proven: none of them is called
  const isOpen = ({ uid, name }: ApiDatabase): boolean =>
    name === undefined ||
    open.some(
      (target) =>
        readRememberedUid(target, facts.names) === uid || target.object.metadata.name === name,
    );
  return [
    ...known.map((one) => mergeDatabase(facts, one)),
    ...bdbs
      .filter(({ uid }) => !taken.has(uid))
      .map((bdb) => ({
        ...describeLoneDatabase(bdb, facts),
        ...(isOpen(bdb) && { uid: undefined }),
      })),
  ];
}

function selectOfCluster(facts: Facts, ec: KubeObject): readonly DatabaseTarget[] {
  const found = selectDatabases(facts, { names: [], everywhere: true, via: "api" });
  return found.targets.filter((target) => isSame(target.ec, ec));
}

interface KnownDatabase {
  readonly target: DatabaseTarget;
  /** Undefined where the REST API was not asked. */
  readonly identity: Identity | undefined;
  readonly bdb: ApiDatabase | undefined;
}

function isSame(one: KubeObject | undefined, { metadata }: KubeObject): boolean {
  return one?.metadata.name === metadata.name && one?.metadata.namespace === metadata.namespace;
}

function mergeDatabase(facts: Facts, { target, identity, bdb }: KnownDatabase): RecoveryDatabase {
  const { object } = target;
  const mismatch = identity && findMismatch(identity);
  const about = { label: objectLabel(object), target, ...(mismatch !== undefined && { mismatch }) };
  const runs =
    databaseVersion(facts, object) ??
    parseEngineVersion(getPath(object, facts.names.fields.engineVersion));
  const asked = askedKeeping(target, facts.names);
  if (bdb !== undefined)
    return { ...about, ...asRecorded(bdb, asked, facts), runs: bdbVersion(bdb) ?? runs };
  return {
    ...about,
    uid: identity === undefined ? readRememberedUid(target, facts.names) : undefined,
    name: undefined,
    runs,
    modules: readListedModules(facts, object),
    status: undefined,
    keeping: asked,
  };
}

/** What the REST API's record says. */
function asRecorded(
  bdb: ApiDatabase,
  asked: DataKeeping | undefined,
  { names }: Facts,
): Omit<RecoveryDatabase, "label" | "target" | "mismatch"> {
  const { uid, name, modules, status } = bdb;
  const keeping = recordedKeeping(bdb, asked, names);
  return { uid, name, runs: bdbVersion(bdb), modules, status, keeping };
}

/** What stands against a call: the number may be another database's by now, or two resources' one. */
export function otherRecord(
  facts: Facts,
  { label: object, target, name }: RecoveryDatabase,
  now: ApiDatabase | undefined,
): Finding | undefined {
  if (target === undefined) {
    return now?.name === name ? undefined : databaseFinding("uidMismatch", { object });
  }
  const { ec } = target;
  const others = ec === undefined ? [] : selectOfCluster(facts, ec);
  const all = now === undefined ? [] : [now];
  const identity = identifyAmong(target, { others, all }, facts.names);
  return identity.is === "proven" ? undefined : identity.finding;
}

function findMismatch(identity: Identity): Finding | undefined {
  if (identity.is === "proven") return undefined;
  const { uidMismatch, uidShared } = databaseFindings;
  const codes: readonly string[] = [uidMismatch.code, uidShared.code];
  return [identity.finding].find(({ code }) => codes.includes(code));
}

function describeLoneDatabase(bdb: ApiDatabase, facts: Facts): RecoveryDatabase {
  const { uid, name } = bdb;
  const label = name === undefined ? `database ${uid}` : `database ${uid} (${name})`;
  return { label, target: undefined, ...asRecorded(bdb, undefined, facts) };
}

/** The modules that a resource lists, under either spelling of the field (C11). */
export function readListedModules(
  { names }: Pick<Facts, "names">,
  edb: KubeObject,
): readonly UsedModule[] {
  const { moduleName, moduleVersion } = names.entryFields;
  return names.fields.moduleLists
    .flatMap((field) => asArray(getOwn(edb["spec"], field)))
    .flatMap((entry) => {
      const name = asString(getOwn(entry, moduleName));
      return name === undefined ? [] : [{ name, version: asString(getOwn(entry, moduleVersion)) }];
    });
}
