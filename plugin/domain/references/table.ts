/** Every field of the product's kinds that names another object (diagnosis, rule 2). */
import { pathInKind } from "../names/database-paths";
import { asString, getOwn, getPath, oncePer } from "../base/values";
import type { FactKey } from "../facts/facts";
import { type KubeObject, readName } from "../kube/objects";
import { type Names, type ProductKind, renderTerm } from "../names/names";

/** What names others: a product's kind, or the Deployment of the operator. */
export type Namer = ProductKind | "operator";

/** Secrets that a check of its own judges, by what they are for. */
export type SecretUse = "credentials" | "license" | "module" | "pull" | "remote";

/** In a path: every item of a list. */
export const each = "[]";

/** One field that names an object. */
export interface ReferenceRow {
  readonly by: Namer;
  /** `[]` is an item of a list. */
  readonly path: readonly string[];
  /** The kind of what it names. */
  readonly kind: string;
  /** Where that is looked for; absent: it is not, and `why` says the reason. */
  readonly list?: FactKey;
  readonly why?: string;
  /** What a Secret is for that a check of its own judges. */
  readonly use?: SecretUse;
  /** The code of the check that judges it. */
  readonly told?: string;
  /** Items that are needed. */
  readonly items: readonly string[];
  /** What it is for, for people. */
  readonly says: string;
  /** An error is what keeps pods from being created, or the operator from acting on the object. */
  readonly severity: "error" | "warning";
  /** What follows where it does not exist, if that is not what the severity says. */
  readonly without?: string;
  /** The name where the field is absent; absent: then nothing is named. */
  readonly usual?: (object: KubeObject) => string;
  /** False for an entry of the list whose name is that of something else. */
  readonly counts?: (entry: unknown) => boolean;
}

/** Items by what reads them: storages and LDAP servers name them, and no brand of the operator does. */
const itemsOf = {
  s3: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
  blob: ["AccountName", "AccountKey"],
  cloud: ["CLIENT_ID", "CLIENT_EMAIL", "PRIVATE_KEY", "PRIVATE_KEY_ID"],
  swift: ["User", "Key"],
  sftp: ["Key"],
  source: ["uri"],
  ldap: ["dn", "password"],
};

/** The type of a replication's source whose name is that of a Secret. */
const secretSource = "SECRET";

type Rest = Partial<Omit<ReferenceRow, "by" | "path">> & Pick<ReferenceRow, "says">;

/** A Secret that the operator cannot do without; those that a check of its own judges are in a list of their own. */
const secretIn =
  (by: Namer) =>
  (path: readonly string[], rest: Rest): ReferenceRow => ({
    ...{ by, path, kind: "Secret", items: [], severity: "error" },
    list: rest.told === undefined ? "referredSecrets" : "namedSecrets",
    ...rest,
  });

/** All of them; the rows of a kind stand in the order of its spec. */
export const listRows = oncePer((names: Names): readonly ReferenceRow[] => [
  ...clusterRows(names),
  ...clusterCertificates(names),
  ...databaseRows("edb", names),
  ...databaseRows("eaadb", names),
  ...sharedRows(names),
  ...remoteRows(names),
  ...operatorRows,
]);

function clusterRows(names: Names): readonly ReferenceRow[] {
  const { ecFields, entryFields, fields, secretItems } = names;
  const { username, password, license } = secretItems;
  const secret = secretIn("ec");
  const term = renderTerm(names.ec);
  return [
    secret(ecFields.credentialSecretName, {
      ...{ use: "credentials", told: "REST-CREDENTIALS", items: [username, password] },
      says: "the credentials of the REST API",
      usual: readName,
    }),
    secret(ecFields.licenseSecretName, {
      ...{ use: "license", told: "LICENSE-SECRET", items: [license] },
      says: `the license of the ${term}`,
    }),
    ...entryFields.userModuleTransports.map((transport) =>
      secret(
        [
          ...[...fields.userDefinedModules, each, entryFields.userModuleSource],
          ...[transport, entryFields.userModuleCredentials],
        ],
        {
          ...{ use: "module", told: "MODULE-CREDENTIALS", items: [username, password] },
          says: "the credentials of a module's download",
        },
      ),
    ),
    secret([...ecFields.pullSecrets, each, entryFields.pullSecretName], {
      ...{ use: "pull", told: "CLUSTER-PULL-SECRET" },
      says: "the credentials of the image registry",
    }),
    {
      ...{ by: "ec", path: ecFields.serviceAccountName, kind: "ServiceAccount" },
      ...{ list: "serviceAccounts", items: [], severity: "error", says: "its pods" },
    },
    {
      ...{ by: "ec", path: ecFields.storageClassName, kind: "StorageClass", items: [] },
      ...{ severity: "warning", says: "its volumes" },
      why: "the volumes that exist keep theirs, and POD-VOLUME tells of one that is not made",
    },
    {
      ...{ by: "ec", path: ecFields.priorityClassName, kind: "PriorityClass", items: [] },
      ...{ severity: "error", says: "its pods" },
      why: "POD-NOT-CREATED tells it: it takes a permission in the whole cluster to look for it",
    },
  ];
}

function clusterCertificates({ ecFields }: Names): readonly ReferenceRow[] {
  const secret = secretIn("ec");
  return [
    secret(ecFields.apiCertificate, { says: "the certificate of the REST API" }),
    secret(ecFields.managerCertificate, { says: "the certificate of the cluster manager" }),
    secret(ecFields.metricsCertificate, { says: "the certificate of the metrics exporter" }),
    secret(ecFields.proxyCertificate, { says: "the certificate of the proxy" }),
    secret(ecFields.syncerCertificate, { says: "the certificate of the syncer" }),
    secret(ecFields.controlCertificate, {
      says: "the certificate between nodes, of what controls them",
    }),
    secret(ecFields.dataCertificate, { says: "the certificate between nodes, of their data" }),
    secret(ecFields.ldapCertificate, { says: "the certificate that the LDAP server is shown" }),
    secret(ecFields.ldapCredentials, {
      items: itemsOf.ldap,
      says: "the credentials for the LDAP server",
    }),
    secret(ecFields.ldapAuthority, { says: "the CA of the LDAP server" }),
  ];
}

/** An active-active database has them below its global configurations. */
function databaseRows(by: "edb" | "eaadb", names: Names): readonly ReferenceRow[] {
  const { edbFields, secretItems: items } = names;
  const secret = secretIn(by);
  const at = (path: readonly string[]): readonly string[] => pathInKind(by, path, names);
  // of an active-active database the operator creates none
  const created =
    by === "edb"
      ? ({ severity: "warning", without: "the operator creates it, with a new password" } as const)
      : {};
  return [
    secret(at(edbFields.databaseSecretName), {
      ...{ items: [items.password], says: "the password of the database" },
      ...created,
    }),
    secret([...at(edbFields.clientCertificates), each], { says: "the certificate of a client" }),
    ...replicaRows(by, at(edbFields.replicaSources), names),
    ...backupRows(by, at(edbFields.backup), names),
  ];
}

function backupRows(
  by: "edb" | "eaadb",
  backup: readonly string[],
  { entryFields: keys }: Names,
): readonly ReferenceRow[] {
  const secret = secretIn(by);
  const says = "the credentials of its backup";
  return [
    secret([...backup, keys.backupS3, keys.backupS3Secret], {
      says,
      items: itemsOf.s3,
    }),
    secret([...backup, keys.backupBlob, keys.backupBlobSecret], {
      says,
      items: itemsOf.blob,
    }),
    secret([...backup, keys.backupCloud, keys.backupCloudSecret], {
      says,
      items: itemsOf.cloud,
    }),
    secret([...backup, keys.backupSwift, keys.backupSwiftSecret], {
      says,
      items: itemsOf.swift,
    }),
    secret([...backup, keys.backupSftp, keys.backupSftpSecret], { says, items: itemsOf.sftp }),
  ];
}

function replicaRows(
  by: "edb" | "eaadb",
  list: readonly string[],
  { edb, entryFields }: Names,
): readonly ReferenceRow[] {
  const secret = secretIn(by);
  const entry = (key: string): readonly string[] => [...list, each, key];
  const isSecret = (source: unknown): boolean =>
    asString(getOwn(source, entryFields.replicaSourceType)) === secretSource;
  return [
    secret(entry(entryFields.replicaSourceName), {
      ...{ items: itemsOf.source, says: "the address of a database to replicate from" },
      counts: isSecret,
    }),
    {
      ...{ by, path: entry(entryFields.replicaSourceName), kind: edb.kind, items: [] },
      ...{ severity: "error", says: "a database to replicate from" },
      why: "the database may be in a namespace that is not read",
      counts: (source) => !isSecret(source),
    },
    secret(entry(entryFields.replicaClientSecret), {
      says: "the certificate that a source of its replication is shown",
    }),
    secret(entry(entryFields.replicaServerSecret), {
      says: "the certificate of a source of its replication",
    }),
  ];
}

/** What names no Kubernetes object of its own, or the EC: checks of their own judge it. */
function sharedRows(names: Names): readonly ReferenceRow[] {
  const { ec, erc, eaadbFields, entryFields, fields } = names;
  const { clusterReference, globalConfigurations, moduleLists } = fields;
  const root = clusterReference.slice(0, 1);
  const all = { items: [], severity: "error" } as const;
  const within = [...globalConfigurations, ...clusterReference.slice(1)];
  const cluster = { ...all, kind: ec.kind, told: "DATABASE-CLUSTER-UNKNOWN", says: "its cluster" };
  const module = { ...all, kind: "module", told: "CLUSTER-MODULE-UNDEFINED", says: "a module" };
  return [
    { ...cluster, by: "edb", path: clusterReference },
    { ...cluster, by: "eaadb", path: clusterReference },
    { ...cluster, by: "eaadb", path: within },
    ...moduleLists.flatMap((list): readonly ReferenceRow[] => [
      { ...module, by: "edb", path: [...root, list, each, entryFields.moduleName] },
      {
        ...{ ...module, by: "eaadb" },
        path: [...globalConfigurations, list, each, entryFields.moduleName],
      },
    ]),
    {
      ...{ ...all, by: "eaadb", kind: erc.kind, told: "ACTIVE-ACTIVE-NO-REMOTE" },
      path: [...eaadbFields.participatingClusters, each, entryFields.participatingName],
      says: "a cluster that takes part",
    },
  ];
}

function remoteRows({ ec, ercFields, pods, secretItems }: Names): readonly ReferenceRow[] {
  return [
    secretIn("erc")(ercFields.secretName, {
      ...{ use: "remote", told: "REMOTE-CLUSTER-SECRET" },
      items: [secretItems.username, secretItems.password],
      says: "the credentials of the remote cluster",
      usual: (remote) => `${pods.remoteSecretPrefix}-${readName(remote)}`,
    }),
    {
      ...{ by: "erc", path: ercFields.ecName, kind: ec.kind, items: [], severity: "warning" },
      ...{ says: "the cluster that it describes", why: "it is on another Kubernetes cluster" },
    },
  ];
}

/** The pods of the operator hold the webhook's server as well; its Service and Secret have checks of their own. */
const operatorRows: readonly ReferenceRow[] = [
  {
    by: "operator",
    path: ["spec", "template", "spec", "serviceAccountName"],
    kind: "ServiceAccount",
    told: "OPERATOR-ACCOUNT-ABSENT",
    items: [],
    says: "its pods",
    severity: "error",
  },
  {
    by: "operator",
    path: ["spec", "template", "spec", "imagePullSecrets", each, "name"],
    kind: "Secret",
    list: "referredSecrets",
    items: [],
    says: "the credentials of the image registry",
    severity: "warning",
    without: "its pods run until their image has to be pulled again",
  },
];

/** True where a cluster keeps its secrets in Kubernetes: the default, and one of the types. */
export function keepsSecretsHere(cluster: KubeObject, { ecFields }: Names): boolean {
  const type = asString(getPath(cluster, ecFields.credentialSecretType));
  return type === undefined || type.toLowerCase() === "kubernetes";
}
