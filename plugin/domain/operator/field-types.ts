/** The types of the fields that are read, and where a cluster's own definition has others. */
import { asArray, asString, type FieldPath, getOwn, getPath } from "../base/values";
import type { KubeObject } from "../kube/objects";
import type { Names, ProductKind } from "../names/names";

/** A type as a schema names it. */
type FieldType = "array" | "boolean" | "integer" | "object" | "string";

/** A field with the type that is read there. */
export interface TypedField {
  readonly path: FieldPath;
  readonly reads: FieldType;
}

const allOf =
  (reads: FieldType) =>
  (...paths: readonly FieldPath[]): readonly TypedField[] =>
    paths.map((path) => ({ path, reads }));
const texts = allOf("string");
const integers = allOf("integer");
const booleans = allOf("boolean");
const lists = allOf("array");

/** The fields of a kind by which something is judged. */
export function listTyped(kind: ProductKind, names: Names): readonly TypedField[] {
  const { fields, ecFields: ec, edbFields: edb, eaadbFields: eaadb, ercFields: erc } = names;
  const byKind: Readonly<Record<ProductKind, readonly TypedField[]>> = {
    ec: [
      ...texts(fields.engineUpgradePolicy, ec.versionTag, ec.repository, ec.imagePullPolicy),
      ...texts(ec.licenseSecretName, ec.credentialSecretName, ec.credentialSecretType),
      ...texts(ec.serviceAccountName, ec.state, ec.specStatus),
      ...texts(ec.licenseState, ec.licenseExpiration),
      ...integers(ec.nodes, ec.shardsLimit, ec.shardsUsage),
      ...booleans(ec.autoUpgrade, ec.clusterRecovery, ec.volumeResize),
      ...lists(ec.pullSecrets, fields.userDefinedModules),
      ...lists(fields.bundledDatabaseVersions, fields.statusModules),
    ],
    edb: [
      ...texts(fields.engineVersion, fields.clusterReference, fields.statusVersion),
      ...texts(edb.type, edb.persistence, edb.databaseSecretName, edb.databaseUid),
      ...texts(edb.status, edb.specStatus, edb.lastActionUid, edb.lastActionStatus),
      ...integers(edb.port, edb.observedGeneration),
      ...booleans(edb.replication),
      ...lists(edb.replicaSources, edb.clientCertificates, edb.endpoints),
    ],
    eaadb: [
      ...texts(fields.engineVersion, fields.clusterReference),
      ...texts(eaadb.status, eaadb.specStatus, eaadb.guid, eaadb.lastTaskUid),
      ...texts(eaadb.replicationStatus),
      ...lists(eaadb.participatingClusters, eaadb.linkedEdbs),
    ],
    erc: [
      ...texts(erc.ecName, erc.ecNamespace, erc.secretName, erc.apiFqdnUrl, erc.dbFqdnSuffix),
      ...texts(erc.status, erc.specStatus),
      ...booleans(erc.local),
    ],
  };
  return byKind[kind];
}

/** A field that a definition has in another type than it is read in. */
export interface OtherType extends TypedField {
  readonly has: string;
}

/** Those of every version that is served, each field once; what a definition does not describe, it takes as it is. */
export function findOtherTypes(
  definition: KubeObject,
  fields: readonly TypedField[],
): readonly OtherType[] {
  const schemas = asArray(getPath(definition, ["spec", "versions"]))
    .filter((version) => getOwn(version, "served") !== false)
    .map((version) => getPath(version, ["schema", "openAPIV3Schema"]));
  return fields.flatMap((field) => {
    const has = schemas.flatMap((schema) => readType(schema, field.path) ?? []);
    const other = has.find((type) => !fits(type, field.reads));
    return other === undefined ? [] : [{ ...field, has: other }];
  });
}

/** The type in a schema; undefined for what may be a number or a text. */
function readType(schema: unknown, path: FieldPath): string | undefined {
  const at = getPath(
    schema,
    path.flatMap((step) => ["properties", step]),
  );
  if (getOwn(at, "x-kubernetes-int-or-string") === true) return undefined;
  return asString(getOwn(at, "type"));
}

function fits(type: string, reads: FieldType): boolean {
  return type === reads || (type === "number" && reads === "integer");
}
