/** The databases of an EC as they run: resources and the REST API side by side (S100, S102, S123). */
import {
  type ApiDatabase,
  type ApiLicense,
  type ApiNode,
  type InstalledModule,
  uidNumber,
  type UsedModule,
} from "../api/records";
import { selectDatabases, type DatabaseTarget } from "../databases/target";
import { bdbOf, bdbVersion, isVolatile, keepsNothing } from "../databases/bdb";
import type { Facts } from "../facts";
import { type KubeObject, objectLabel } from "../objects";
import { getPath, asArray, getOwn, asString } from "../values";
import { databaseVersion } from "../rollout/database";
import { type EngineVersion, parseEngineVersion } from "../versions";

/** What the cluster's REST API told; undefined parts are not served. */
export interface ApiFacts {
  readonly databases: readonly ApiDatabase[];
  readonly modules: readonly InstalledModule[];
  readonly license?: ApiLicense;
  readonly nodes?: readonly ApiNode[];
}

/** A database of the EC: its resource, what runs behind it, or both. */
export interface RecoveryDatabase {
  /** As reports name it: the resource, or the number where there is none. */
  readonly label: string;
  /** The resource; undefined for a database that only the REST API knows. */
  readonly target: DatabaseTarget | undefined;
  /** Undefined where neither resource nor REST API tells it. */
  readonly uid: number | undefined;
  readonly runs: EngineVersion | undefined;
  /** What the REST API says, else what the resource lists. */
  readonly modules: readonly UsedModule[];
  /** State in the REST API; undefined where it was not asked. */
  readonly status: string | undefined;
  /** Neither replicated nor persistent: an upgrade would lose its data (S83). */
  readonly volatile: boolean;
}

/** Every database of the EC; those that the REST API alone knows come last. */
export function databasesOfCluster(
  facts: Facts,
  ec: KubeObject,
  api?: ApiFacts,
): readonly RecoveryDatabase[] {
  const found = selectDatabases(facts, { names: [], everywhere: true, via: "api" });
  const targets = found.targets.filter((target) => isSame(target.ec, ec));
  const bdbs = api?.databases ?? [];
  const known = targets.map((target) => ({ target, bdb: bdbOf(target.object, bdbs, facts.names) }));
  const taken = new Set(known.map(({ bdb }) => bdb?.uid));
  return [
    ...known.map(({ target, bdb }) => merged(facts, target, bdb)),
    ...bdbs.filter(({ uid }) => !taken.has(uid)).map(withoutResource),
  ];
}

function isSame(one: KubeObject | undefined, { metadata }: KubeObject): boolean {
  return one?.metadata.name === metadata.name && one?.metadata.namespace === metadata.namespace;
}

function merged(
  facts: Facts,
  target: DatabaseTarget,
  bdb: ApiDatabase | undefined,
): RecoveryDatabase {
  const { object } = target;
  const { edbFields, fields } = facts.names;
  const asked = parseEngineVersion(getPath(object, fields.engineVersion));
  return {
    label: objectLabel(object),
    target,
    uid: bdb?.uid ?? uidNumber(getPath(object, edbFields.databaseUid)),
    runs: (bdb && bdbVersion(bdb)) ?? databaseVersion(facts, object) ?? asked,
    modules: bdb === undefined ? listedModules(facts, object) : bdb.modules,
    status: bdb?.status,
    volatile: bdb === undefined ? keepsNothing(object, facts.names) : isVolatile(bdb),
  };
}

function withoutResource(bdb: ApiDatabase): RecoveryDatabase {
  const { uid, name, modules, status } = bdb;
  return {
    label: name === undefined ? `database ${uid}` : `database ${uid} (${name})`,
    target: undefined,
    uid,
    runs: bdbVersion(bdb),
    modules,
    status,
    volatile: isVolatile(bdb),
  };
}

/** The modules that a resource lists, under either spelling of the field (C11). */
export function listedModules(
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
