/** Schemas of the OpenAPI document, made of the names in use. */
import type { Names } from "../../domain/names";
import type { Json } from "../../domain/values";
import type { ApiProfile } from "./profiles";
import { entryFields, type FieldKind, type RequestField, requestFields } from "./upgrade-fields";
import { tokenSeconds } from "./users";

const text = { type: "string" };
const whole = { type: "integer" };
const flag = { type: "boolean" };
const texts = { type: "array", items: text };
const moment = { type: "string", format: "date-time" };

const closed = (properties: Json, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const listOf = (name: string) => ({
  type: "array",
  items: { $ref: `#/components/schemas/${name}` },
});

/** Every schema by its name. */
export function schemasOf(names: Names, profile: ApiProfile): Readonly<Record<string, Json>> {
  const database = databaseProperties(names);
  const module = moduleProperties(names);
  const moduleNeeds = moduleRequired(names, profile);
  const { bdbFields: bdb, restErrors: errors } = names;
  const optional = [bdb.crdtGuid, bdb.crdtProtocol];
  const needed = Object.keys(database).filter((field) => !optional.includes(field));
  const said = profile.errorBody === "description" ? errors.description : errors.message;
  return {
    Database: closed(database, needed),
    UpgradedDatabase: closed({ ...database, [bdb.actionUid]: text }, [...needed, bdb.actionUid]),
    UpgradeRequest: fieldsOf(requestFields, names),
    ModuleEntry: { ...fieldsOf(entryFields, names), minProperties: 1 },
    Module: closed(module, moduleNeeds),
    InstalledModule: closed({ ...module, [bdb.actionUid]: text }, [...moduleNeeds, bdb.actionUid]),
    Manifest: manifest(names),
    ...actionSchemas(names, profile),
    ...clusterSchemas(names),
    Refusal: closed({ [errors.code]: text, [said]: text }),
  };
}

function databaseProperties({
  bdbFields: fields,
  restModuleFields: module,
  engineDbType,
}: Names): Json {
  return {
    [fields.uid]: whole,
    [fields.name]: text,
    [fields.type]: { const: engineDbType },
    [fields.status]: text,
    [fields.version]: text,
    [fields.engineVersion]: text,
    [fields.replication]: flag,
    [fields.dataPersistence]: text,
    [fields.shardsCount]: whole,
    [fields.memorySize]: whole,
    [fields.crdt]: flag,
    [fields.crdtGuid]: text,
    [fields.crdtProtocol]: whole,
    [fields.moduleList]: {
      type: "array",
      items: closed({ [module.name]: text, [module.version]: text, [module.args]: text }),
    },
  };
}

const kinds: Readonly<Record<FieldKind, Json>> = {
  boolean: flag,
  count: { type: "integer", minimum: 1 },
  version: { type: "string", pattern: "^\\d+\\.\\d+$" },
  modules: listOf("ModuleEntry"),
  anything: {},
  text: { type: "string", minLength: 1 },
  list: { type: "array" },
};

function fieldsOf(fields: readonly RequestField[], { upgradeRequest: words }: Names): Json {
  const described = fields.map(({ key, kind, fallback, deprecated, source }) => [
    words[key],
    {
      ...kinds[kind],
      description: [
        source,
        ...(fallback === undefined ? [] : [`default: ${fallback}`]),
        ...(deprecated === undefined ? [] : [`as of ${deprecated.since}: ${deprecated.instead}`]),
      ].join("; "),
      ...(fallback === "false" && { default: false }),
      ...(deprecated !== undefined && { deprecated: true }),
    },
  ]);
  return closed(Object.fromEntries(described) as Json, []);
}

function moduleProperties({ restModuleFields: fields }: Names): Json {
  return {
    [fields.uid]: text,
    [fields.name]: text,
    [fields.displayName]: text,
    [fields.version]: text,
    [fields.minEngineVersion]: text,
    [fields.compatibleEngineVersion]: text,
    [fields.isBundled]: flag,
    [fields.capabilities]: texts,
    [fields.platforms]: { type: "object", additionalProperties: { type: "object" } },
  };
}

function moduleRequired({ restModuleFields: fields }: Names, profile: ApiProfile): string[] {
  const always = [fields.uid, fields.name, fields.displayName, fields.version, fields.isBundled];
  return profile.tellsPlatforms ? [...always, fields.platforms] : always;
}

/** Fields that are not known are left alone: nothing says what else a manifest may hold. */
function manifest({ restModuleFields: fields }: Names): Json {
  return {
    type: "object",
    properties: {
      [fields.name]: text,
      [fields.displayName]: text,
      [fields.version]: text,
      [fields.minEngineVersion]: text,
      [fields.compatibleEngineVersion]: text,
      [fields.minPackVersion]: text,
      [fields.platforms]: { type: ["object", "array"] },
      [fields.capabilities]: texts,
    },
    required: [fields.name, fields.version],
  };
}

function actionSchemas(
  { actionFields: fields }: Names,
  { progressAs }: ApiProfile,
): Readonly<Record<string, Json>> {
  const common = { [fields.uid]: text, [fields.name]: text, [fields.creationTime]: whole };
  const needed = [...Object.keys(common), fields.status, fields.progress];
  const states = (...all: readonly string[]) => ({ enum: all });
  const older = {
    ...common,
    [fields.objectName]: text,
    [fields.status]: states("pending", "active", "completed", "failed"),
    [fields.progress]: { type: progressAs },
    [fields.error]: text,
    [fields.pendingOps]: { type: "object" },
  };
  const info = closed({ [fields.objectName]: text, [fields.error]: text }, []);
  const newer = {
    ...common,
    [fields.status]: states("queued", "running", "completed", "failed"),
    [fields.progress]: { type: "number" },
    [fields.additionalInfo]: info,
  };
  return {
    Action: closed(older, needed),
    NewerAction: closed(newer, needed),
    Actions: closed({
      [fields.actions]: listOf("Action"),
      [fields.stateMachines]: listOf("Action"),
    }),
  };
}

function clusterSchemas({
  clusterFields: cluster,
  licenseFields: license,
  authorizeFields: token,
}: Names): Readonly<Record<string, Json>> {
  const { least, most } = tokenSeconds;
  return {
    License: closed({
      [license.text]: text,
      [license.expired]: flag,
      [license.activationDate]: moment,
      [license.expirationDate]: moment,
      [license.shardsLimit]: whole,
    }),
    LicenseRequest: closed({ [license.text]: { type: "string", minLength: 1 } }),
    Cluster: closed({ [cluster.name]: text, [cluster.allowModulesUpload]: flag }),
    ClusterRequest: closed({ [cluster.allowModulesUpload]: flag }),
    Policy: closed({ [cluster.upgradePolicy]: text, [cluster.defaultVersion]: text }, [
      cluster.defaultVersion,
    ]),
    Node: closed({
      [cluster.nodeUid]: whole,
      [cluster.softwareVersion]: text,
      [cluster.supportedVersions]: {
        type: "array",
        items: closed({ [cluster.supportedType]: text, [cluster.supportedVersion]: text }),
      },
    }),
    TokenRequest: closed(
      {
        [token.username]: text,
        [token.password]: text,
        [token.ttl]: { type: "integer", minimum: least, maximum: most },
      },
      [token.username, token.password],
    ),
    Token: closed({ [token.accessToken]: text }),
  };
}
