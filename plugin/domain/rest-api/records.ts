/** What the REST API of a cluster tells, read and typed; what it does not send is undefined (domain facts 9). */
import { isObject, type Json, asArray, getOwn, asString } from "../base/values";
import type { Names } from "../names/names";

/** A module that a database uses (S39). */
export interface UsedModule {
  /** module_name, never the display name. */
  readonly name: string;
  readonly version: string | undefined;
}

/** Where clients connect to a database. */
export interface DatabaseEndpoint {
  readonly host: string;
  readonly port: number;
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
  readonly port: number | undefined;
  readonly endpoints: readonly DatabaseEndpoint[];
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
  /** "active", or why it is not; undefined where the server does not say. */
  readonly status?: string | undefined;
  /** False in maintenance. */
  readonly acceptsServers?: boolean | undefined;
}

/** What came of an upload: the server may continue working after it has answered. */
export interface InstalledUpload {
  readonly actionUid: string | undefined;
  readonly module: InstalledModule | undefined;
  /** The path that took it: where the older one is gone, the newer ones are tried. */
  readonly through: string;
  /** Of the newer calls, which take the file once a node: how many of how many have it. */
  readonly nodes?: { readonly given: number; readonly of: number };
}

/** True or false, undefined for anything else. */
export function flag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** A whole number from zero on, undefined for anything else. */
function wholeNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

/** The uid of a database or a node: a number, or a text that is one. */
export function uidNumber(value: unknown): number | undefined {
  if (typeof value === "string" && /^\d{1,15}$/.test(value)) return Number(value);
  return wholeNumber(value);
}

/** The license; undefined for what is not an object. */
export function parseLicense(value: unknown, { licenseFields }: Names): ApiLicense | undefined {
  if (!isObject(value)) return undefined;
  return {
    expired: flag(getOwn(value, licenseFields.expired)),
    expirationDate: asString(getOwn(value, licenseFields.expirationDate)),
    shardsLimit: wholeNumber(getOwn(value, licenseFields.shardsLimit)),
  };
}

/** The nodes; undefined for what is not a list. */
export function parseNodes(value: unknown, names: Names): readonly ApiNode[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const { clusterFields } = names;
  return value.map((node: unknown) => ({
    uid: uidNumber(getOwn(node, clusterFields.nodeUid)),
    softwareVersion: asString(getOwn(node, clusterFields.softwareVersion)),
    supportedVersions: asArray(getOwn(node, clusterFields.supportedVersions)).flatMap(
      (entry) => readSupportedVersion(entry, names) ?? [],
    ),
    status: asString(getOwn(node, clusterFields.nodeStatus)),
    acceptsServers: flag(getOwn(node, clusterFields.acceptsServers)),
  }));
}

/** A version by itself, or beside the type of database that it is of: only the engine's count. */
function readSupportedVersion(entry: unknown, { clusterFields, engineDbType }: Names) {
  if (!isObject(entry)) return asString(entry);
  const type = getOwn(entry, clusterFields.supportedType) ?? engineDbType;
  return type === engineDbType
    ? asString(getOwn(entry, clusterFields.supportedVersion))
    : undefined;
}

/** The database of an answer; undefined for what is none: it has no uid. */
export function parseDatabase(value: unknown, names: Names): ApiDatabase | undefined {
  const { bdbFields: fields } = names;
  const uid = uidNumber(getOwn(value, fields.uid));
  if (!isObject(value) || uid === undefined) return undefined;
  return {
    uid,
    name: asString(getOwn(value, fields.name)),
    status: asString(getOwn(value, fields.status)),
    version: asString(getOwn(value, fields.version)),
    engineVersion: asString(getOwn(value, fields.engineVersion)),
    replication: flag(getOwn(value, fields.replication)),
    dataPersistence: asString(getOwn(value, fields.dataPersistence)),
    modules: asArray(getOwn(value, fields.moduleList)).flatMap((entry) =>
      readUsedModule(entry, names),
    ),
    crdt: flag(getOwn(value, fields.crdt)),
    crdtGuid: asString(getOwn(value, fields.crdtGuid)),
    port: wholeNumber(getOwn(value, fields.port)),
    endpoints: asArray(getOwn(value, fields.endpoints)).flatMap(
      (entry) => parseEndpoint(entry, { host: fields.endpointHost, port: fields.port }) ?? [],
    ),
    shards: wholeNumber(getOwn(value, fields.shardsCount)),
    actionUid: asString(getOwn(value, fields.actionUid)),
    sent: dropCredentials(value) as Json,
  };
}

/** An endpoint under the given names of its fields; undefined for what lacks one of them. */
export function parseEndpoint(
  entry: unknown,
  fields: { readonly host: string; readonly port: string },
): DatabaseEndpoint | undefined {
  const host = asString(getOwn(entry, fields.host));
  const port = wholeNumber(getOwn(entry, fields.port));
  return host === undefined || port === undefined ? undefined : { host, port };
}

/** Every database of a list; undefined where it is no list, or nothing in it is a database. */
export function parseDatabases(value: unknown, names: Names): readonly ApiDatabase[] | undefined {
  return readableOf(value, (each) => parseDatabase(each, names));
}

/** A record that is too short is left out: an answer is foreign where none of its records fits. */
export function readableOf<T>(
  value: unknown,
  parse: (each: unknown) => T | undefined,
): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const read = value.map(parse).filter((each) => each !== undefined);
  return read.length === 0 && value.length > 0 ? undefined : read;
}

function readUsedModule(
  entry: unknown,
  { restModuleFields: fields }: Names,
): readonly UsedModule[] {
  const name = asString(getOwn(entry, fields.name));
  return name === undefined ? [] : [{ name, version: asString(getOwn(entry, fields.version)) }];
}

/** A database is sent with its passwords and keys: fields of such names are not kept. */
const credential = /pass|secret|credential|token|private|(^|_)keys?(_|$)|authentication_/i;

function dropCredentials(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropCredentials);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !credential.test(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, dropCredentials(inner)]));
}
