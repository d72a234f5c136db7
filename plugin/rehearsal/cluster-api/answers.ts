/** What is sent about databases, modules, actions, nodes and the license (S35–S47, S92; domain facts 9). */
import type { Names } from "../../domain/names";
import type { Json } from "../../domain/values";
import type { Action, Bdb, License, StoredModule } from "./model";
import type { ApiProfile } from "./profiles";
import type { ClusterStore } from "./store";
import { engineOf } from "./upgrade-judge";

/** How things are called, and what of them is told. */
export interface Telling {
  readonly names: Names;
  readonly profile: ApiProfile;
}

/** A database. */
export function bdbAnswer(bdb: Bdb, { names }: Telling): Json {
  const { bdbFields: fields, restModuleFields: module } = names;
  return {
    [fields.uid]: bdb.uid,
    [fields.name]: bdb.name,
    [fields.type]: bdb.type ?? names.engineDbType,
    [fields.status]: bdb.status,
    [fields.version]: bdb.version,
    [fields.engineVersion]: engineOf(bdb),
    [fields.replication]: bdb.replication,
    [fields.dataPersistence]: bdb.persistence,
    [fields.shardsCount]: bdb.shards.filter(({ role }) => role === "master").length,
    [fields.memorySize]: bdb.memorySize,
    [fields.crdt]: bdb.crdtGuid !== undefined,
    ...(bdb.crdtGuid !== undefined && { [fields.crdtGuid]: bdb.crdtGuid }),
    ...(bdb.crdtProtocol !== undefined && { [fields.crdtProtocol]: bdb.crdtProtocol }),
    [fields.moduleList]: bdb.modules.map(({ name, version, args }) => ({
      [module.name]: name,
      [module.version]: version,
      [module.args]: args.map(String).join(" "),
    })),
  };
}

/** The record of an installed module. */
export function moduleAnswer(one: StoredModule, { names, profile }: Telling): Json {
  const { restModuleFields: fields } = names;
  const { minEngineVersion, compatibleEngineVersion, platforms } = one;
  return {
    [fields.uid]: one.uid,
    [fields.name]: one.name,
    [fields.displayName]: one.displayName,
    [fields.version]: one.version,
    ...(minEngineVersion !== undefined && { [fields.minEngineVersion]: minEngineVersion }),
    ...(compatibleEngineVersion !== undefined && {
      [fields.compatibleEngineVersion]: compatibleEngineVersion,
    }),
    [fields.isBundled]: one.isBundled,
    ...(one.capabilities !== undefined && { [fields.capabilities]: one.capabilities }),
    ...(profile.tellsPlatforms && {
      [fields.platforms]: Object.fromEntries(
        (platforms ?? [profile.platform]).map((platform) => [platform, {}]),
      ),
    }),
  };
}

/** An action, in the older form. */
export function actionAnswer(action: Action, { names, profile }: Telling): Json {
  const { actionFields: fields } = names;
  return {
    [fields.uid]: action.uid,
    [fields.name]: action.name,
    ...(action.bdb !== undefined && { [fields.objectName]: `bdb:${action.bdb}` }),
    [fields.status]: action.status,
    [fields.progress]:
      profile.progressAs === "string" ? action.progress.toFixed(1) : action.progress,
    [fields.creationTime]: Math.floor(action.createdAt / 1000),
    ...(action.error !== undefined && { [fields.error]: action.error }),
    ...(action.status === "pending" && { [fields.pendingOps]: {} }),
  };
}

const newerStates = {
  pending: "queued",
  active: "running",
  completed: "completed",
  failed: "failed",
} as const;

/** An action, in the newer form. */
export function newerActionAnswer(action: Action, { names }: Telling): Json {
  const { actionFields: fields } = names;
  return {
    [fields.uid]: action.uid,
    [fields.name]: action.name,
    [fields.status]: newerStates[action.status],
    [fields.progress]: action.progress,
    [fields.creationTime]: Math.floor(action.createdAt / 1000),
    [fields.additionalInfo]: {
      ...(action.bdb !== undefined && { [fields.objectName]: `bdb:${action.bdb}` }),
      ...(action.error !== undefined && { [fields.error]: action.error }),
    },
  };
}

/** The nodes, all alike. */
export function nodeAnswers(
  { nodes, softwareVersion, versions }: ClusterStore,
  { clusterFields: fields, engineDbType }: Names,
): readonly Json[] {
  return Array.from({ length: nodes }, (_, index) => ({
    [fields.nodeUid]: index + 1,
    [fields.softwareVersion]: softwareVersion,
    [fields.supportedVersions]: versions.map((version) => ({
      [fields.supportedType]: engineDbType,
      [fields.supportedVersion]: version,
    })),
  }));
}

/** The license at a moment. */
export function licenseAnswer(license: License, now: number, names: Names): Json {
  const { licenseFields: fields } = names;
  return {
    [fields.text]: license.text,
    [fields.expired]: license.expiresAt <= now,
    [fields.activationDate]: new Date(license.activatedAt).toISOString(),
    [fields.expirationDate]: new Date(license.expiresAt).toISOString(),
    [fields.shardsLimit]: license.shardsLimit,
  };
}
