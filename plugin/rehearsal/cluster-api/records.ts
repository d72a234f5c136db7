/** What is sent about databases, modules, actions, nodes and the license, field by field: the schema beside the value (S35–S47, S92; domain facts 9). */
import type { Names } from "../../domain/names";
import type { Json } from "../../domain/values";
import type { ApiProfile } from "./profiles";
import {
  type RestAction,
  type Bdb,
  type ClusterStore,
  engineOf,
  type License,
  mastersOf,
  newestOf,
  type StoredModule,
} from "./state";

/** One field of an answer: its name, its schema, and its value; one without a value is left out. */
export type RecordField<T> = readonly [
  name: string,
  schema: Json,
  value: (of: T) => unknown,
  presence?: "optional",
];

/** How things are called, and what of them is told. */
export interface Telling {
  readonly names: Names;
  readonly profile: ApiProfile;
}

/** A record of what these fields tell. */
export function recordOf<T>(fields: readonly RecordField<T>[], of: T): Json {
  const told = fields.map(([name, , value]) => [name, value(of)] as const);
  return Object.fromEntries(told.filter(([, value]) => value !== undefined));
}

/** The schema of such a record. */
export function schemaOf<T>(fields: readonly RecordField<T>[]): Json {
  const needed = fields.filter(([, , , presence]) => presence !== "optional");
  return closed(
    Object.fromEntries(fields.map(([name, schema]) => [name, schema])),
    needed.map(([name]) => name),
  );
}

/** An object of these properties and no others. */
export function closed(properties: Json, required = Object.keys(properties)): Json {
  return { type: "object", properties, required, additionalProperties: false };
}

/** Types of values. */
export const text: Json = { type: "string" };
export const flag: Json = { type: "boolean" };
export const texts: Json = { type: "array", items: text };
const whole: Json = { type: "integer" };
const moment: Json = { type: "string", format: "date-time" };
const arrayOf = (items: Json): Json => ({ type: "array", items });
const states = (...all: readonly string[]): Json => ({ enum: all });

/** A database. */
export function databaseFields({ names }: Telling): readonly RecordField<Bdb>[] {
  const { bdbFields: fields, restModuleFields: module, engineDbType } = names;
  const used = closed({ [module.name]: text, [module.version]: text, [module.args]: text });
  return [
    [fields.uid, whole, ({ uid }) => uid],
    [fields.name, text, ({ name }) => name],
    [fields.type, { const: engineDbType }, ({ type = engineDbType }) => type],
    [fields.status, text, ({ status }) => status],
    [fields.version, text, ({ version }) => version],
    [fields.engineVersion, text, engineOf],
    [fields.replication, flag, ({ replication }) => replication],
    [fields.dataPersistence, text, ({ persistence }) => persistence],
    [fields.shardsCount, whole, mastersOf],
    [fields.memorySize, whole, ({ memorySize }) => memorySize],
    [fields.crdt, flag, ({ crdtGuid }) => crdtGuid !== undefined],
    [fields.crdtGuid, text, ({ crdtGuid }) => crdtGuid, "optional"],
    [fields.crdtProtocol, whole, ({ crdtProtocol }) => crdtProtocol, "optional"],
    [
      fields.moduleList,
      arrayOf(used),
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
    [fields.uid, text, ({ uid }) => uid],
    [fields.name, text, ({ name }) => name],
    [fields.displayName, text, ({ displayName }) => displayName],
    [fields.version, text, ({ version }) => version],
    [fields.minEngineVersion, text, (one) => one.minEngineVersion, "optional"],
    [fields.compatibleEngineVersion, text, (one) => one.compatibleEngineVersion, "optional"],
    [fields.isBundled, flag, ({ isBundled }) => isBundled],
    [fields.capabilities, texts, ({ capabilities }) => capabilities, "optional"],
    [
      fields.platforms,
      { type: "object", additionalProperties: { type: "object" } },
      ({ platforms = [profile.platform] }) =>
        tellsPlatforms ? Object.fromEntries(platforms.map((one) => [one, {}])) : undefined,
      ...(tellsPlatforms ? ([] as const) : (["optional"] as const)),
    ],
  ];
}

const objectOf = ({ bdb }: RestAction) => (bdb === undefined ? undefined : `bdb:${bdb}`);
const secondsOf = ({ createdAt }: RestAction) => Math.floor(createdAt / 1000);

/** An action, in the older form. */
export function actionFields({ names, profile }: Telling): readonly RecordField<RestAction>[] {
  const { actionFields: fields } = names;
  return [
    [fields.uid, text, ({ uid }) => uid],
    [fields.name, text, ({ name }) => name],
    [fields.objectName, text, objectOf, "optional"],
    [fields.status, states("pending", "active", "completed", "failed"), ({ status }) => status],
    [
      fields.progress,
      { type: profile.progressAs },
      ({ progress }) => (profile.progressAs === "string" ? progress.toFixed(1) : progress),
    ],
    [fields.creationTime, whole, secondsOf],
    [fields.error, text, ({ error }) => error, "optional"],
    [
      fields.pendingOps,
      { type: "object" },
      ({ status }) => (status === "pending" ? {} : undefined),
      "optional",
    ],
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
    [fields.objectName, text, objectOf, "optional"],
    [fields.error, text, ({ error }) => error, "optional"],
  ];
  return [
    [fields.uid, text, ({ uid }) => uid],
    [fields.name, text, ({ name }) => name],
    [fields.status, states(...Object.values(newerStates)), ({ status }) => newerStates[status]],
    [fields.progress, { type: "number" }, ({ progress }) => progress],
    [fields.creationTime, whole, secondsOf],
    [fields.additionalInfo, schemaOf(info), (action) => recordOf(info, action)],
  ];
}

/** A node: its number, and the store that is the same for all. */
export function nodeFields({
  names,
}: Telling): readonly RecordField<{ readonly uid: number; readonly store: ClusterStore }>[] {
  const { clusterFields: fields, engineDbType } = names;
  const supported = closed({ [fields.supportedType]: text, [fields.supportedVersion]: text });
  return [
    [fields.nodeUid, whole, ({ uid }) => uid],
    [fields.softwareVersion, text, ({ store }) => store.softwareVersion],
    [
      fields.supportedVersions,
      arrayOf(supported),
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
    [fields.text, text, ({ license }) => license.text],
    [fields.expired, flag, ({ license, now }) => license.expiresAt <= now],
    [fields.activationDate, moment, ({ license }) => iso(license.activatedAt)],
    [fields.expirationDate, moment, ({ license }) => iso(license.expiresAt)],
    [fields.shardsLimit, whole, ({ license }) => license.shardsLimit],
  ];
}

/** The cluster's settings. */
export function clusterFields({ names }: Telling): readonly RecordField<ClusterStore>[] {
  const { clusterFields: fields } = names;
  return [
    [fields.name, text, ({ name }) => name],
    [fields.allowModulesUpload, flag, ({ uploadsAllowed }) => uploadsAllowed],
  ];
}

/** What is done to databases where nobody says otherwise. */
export function policyFields({ names }: Telling): readonly RecordField<ClusterStore>[] {
  const { clusterFields: fields } = names;
  return [
    [fields.upgradePolicy, text, ({ upgradePolicy }) => upgradePolicy, "optional"],
    [fields.defaultVersion, text, ({ versions }) => newestOf(versions) ?? ""],
  ];
}
