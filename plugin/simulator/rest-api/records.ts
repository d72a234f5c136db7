/** What is sent about databases, modules, actions, nodes and the license, field by field (S35–S47, S92; domain facts 9). */
import type { Names } from "../../domain/names/names";
import type { Json } from "../../domain/base/values";
import type { ApiProfile } from "./profiles";
import {
  type RestAction,
  type Bdb,
  type ClusterStore,
  readEngine,
  type License,
  countMasters,
  findNewest,
  type StoredModule,
} from "./state";

/** One field of an answer: its name and its value; one without a value is left out. */
type RecordField<T> = readonly [name: string, value: (of: T) => unknown];

/** How things are called, and what of them is told. */
export interface Telling {
  readonly names: Names;
  readonly profile: ApiProfile;
}

/** A record of what these fields tell. */
export function renderRecord<T>(fields: readonly RecordField<T>[], of: T): Json {
  const told = fields.map(([name, value]) => [name, value(of)] as const);
  return Object.fromEntries(told.filter(([, value]) => value !== undefined));
}

/** A database. */
export function databaseFields({ names }: Telling): readonly RecordField<Bdb>[] {
  const { bdbFields: fields, restModuleFields: module, engineDbType } = names;
  return [
    [fields.uid, ({ uid }) => uid],
    [fields.name, ({ name }) => name],
    [fields.type, ({ type = engineDbType }) => type],
    [fields.status, ({ status }) => status],
    [fields.version, ({ version }) => version],
    [fields.engineVersion, readEngine],
    [fields.replication, ({ replication }) => replication],
    [fields.dataPersistence, ({ persistence }) => persistence],
    [fields.shardsCount, countMasters],
    [fields.memorySize, ({ memorySize }) => memorySize],
    [fields.crdt, ({ crdtGuid }) => crdtGuid !== undefined],
    [fields.crdtGuid, ({ crdtGuid }) => crdtGuid],
    [fields.crdtProtocol, ({ crdtProtocol }) => crdtProtocol],
    [
      fields.moduleList,
      ({ modules }) =>
        modules.map(({ name, version, args }) => ({
          [module.name]: name,
          [module.version]: version,
          [module.args]: args.map(String).join(" "),
        })),
    ],
  ];
}

/** An installed module. */
export function moduleFields({ names, profile }: Telling): readonly RecordField<StoredModule>[] {
  const { restModuleFields: fields } = names;
  const { tellsPlatforms } = profile;
  return [
    [fields.uid, ({ uid }) => uid],
    [fields.name, ({ name }) => name],
    [fields.displayName, ({ displayName }) => displayName],
    [fields.version, ({ version }) => version],
    [fields.minEngineVersion, (one) => one.minEngineVersion],
    [fields.compatibleEngineVersion, (one) => one.compatibleEngineVersion],
    [fields.isBundled, ({ isBundled }) => isBundled],
    [fields.capabilities, ({ capabilities }) => capabilities],
    [
      fields.platforms,
      ({ platforms = [profile.platform] }) =>
        tellsPlatforms ? Object.fromEntries(platforms.map((one) => [one, {}])) : undefined,
    ],
  ];
}

const nameObject = ({ bdb }: RestAction) => (bdb === undefined ? undefined : `bdb:${bdb}`);
const toSeconds = ({ createdAt }: RestAction) => Math.floor(createdAt / 1000);

/** An action, in the older form. */
export function actionFields({ names, profile }: Telling): readonly RecordField<RestAction>[] {
  const { actionFields: fields } = names;
  return [
    [fields.uid, ({ uid }) => uid],
    [fields.name, ({ name }) => name],
    [fields.objectName, nameObject],
    [fields.status, ({ status }) => status],
    [
      fields.progress,
      ({ progress }) => (profile.progressAs === "string" ? progress.toFixed(1) : progress),
    ],
    [fields.creationTime, toSeconds],
    [fields.error, ({ error }) => error],
    [fields.pendingOps, ({ status }) => (status === "pending" ? {} : undefined)],
  ];
}

const newerStates = {
  pending: "queued",
  active: "running",
  completed: "completed",
  failed: "failed",
} as const;

/** An action, in the newer form. */
export function newerActionFields({ names }: Telling): readonly RecordField<RestAction>[] {
  const { actionFields: fields } = names;
  const info: readonly RecordField<RestAction>[] = [
    [fields.objectName, nameObject],
    [fields.error, ({ error }) => error],
  ];
  return [
    [fields.uid, ({ uid }) => uid],
    [fields.name, ({ name }) => name],
    [fields.status, ({ status }) => newerStates[status]],
    [fields.progress, ({ progress }) => progress],
    [fields.creationTime, toSeconds],
    [fields.additionalInfo, (action) => renderRecord(info, action)],
  ];
}

/** A node: its number, and the store that is the same for all. */
export function nodeFields({
  names,
}: Telling): readonly RecordField<{ readonly uid: number; readonly store: ClusterStore }>[] {
  const { clusterFields: fields, engineDbType } = names;
  return [
    [fields.nodeUid, ({ uid }) => uid],
    [fields.softwareVersion, ({ store }) => store.softwareVersion],
    [
      fields.supportedVersions,
      ({ store }) =>
        store.versions.map((version) => ({
          [fields.supportedType]: engineDbType,
          [fields.supportedVersion]: version,
        })),
    ],
  ];
}

/** The license at a moment. */
export function licenseFields({
  names,
}: Telling): readonly RecordField<{ readonly license: License; readonly now: number }>[] {
  const { licenseFields: fields } = names;
  const iso = (ms: number) => new Date(ms).toISOString();
  return [
    [fields.text, ({ license }) => license.text],
    [fields.expired, ({ license, now }) => license.expiresAt <= now],
    [fields.activationDate, ({ license }) => iso(license.activatedAt)],
    [fields.expirationDate, ({ license }) => iso(license.expiresAt)],
    [fields.shardsLimit, ({ license }) => license.shardsLimit],
  ];
}

/** What is done to databases where nobody says otherwise. */
export function policyFields({ names }: Telling): readonly RecordField<ClusterStore>[] {
  const { clusterFields: fields } = names;
  return [
    [fields.upgradePolicy, ({ upgradePolicy }) => upgradePolicy],
    [fields.defaultVersion, ({ versions }) => findNewest(versions) ?? ""],
  ];
}
