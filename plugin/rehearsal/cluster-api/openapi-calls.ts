/** Every call in words, for the OpenAPI document. */

/** One call. */
export interface CallDoc {
  readonly id: string;
  readonly says: string;
  readonly source: string;
  /** Name of the answer's schema. */
  readonly answer: string;
  readonly isList?: true;
  /** Name of the body's schema, or a form with a file. */
  readonly sends?: string;
  /** Type of the uid in the path. */
  readonly parameter?: "integer" | "string";
  readonly open?: true;
  /** Of the status 200. */
  readonly ok?: string;
  readonly refusals?: Readonly<Record<string, string>>;
}

const field = "known from practice";
const noDatabase = "the database does not exist (S110)";
const malformed = "malformed or bad command (S109)";
const noUid = { 400: "the uid is no integer", 404: noDatabase };
const badBody = { 400: malformed, 413: "the body is too large" };
const badFile = {
  400: "no module, an invalid one, one that is there already, or one that does not fit",
  406: "its capabilities do not fit",
  413: "the file is too large",
};
const uploadsOff = { 403: "uploads of modules are switched off" };

/** By method and by the key of the path. */
export const callDocs: Readonly<Record<string, CallDoc>> = {
  "GET bdbs": {
    id: "listDatabases",
    says: "All databases",
    source: "S94",
    answer: "Database",
    isList: true,
  },
  "GET bdb": {
    id: "getDatabase",
    says: "One database",
    source: field,
    answer: "Database",
    parameter: "integer",
    refusals: noUid,
  },
  "POST upgrade": {
    id: "upgradeDatabase",
    says: "Upgrade a database",
    source: "S75–S92; the permission of S104 is needed",
    sends: "UpgradeRequest",
    answer: "UpgradedDatabase",
    parameter: "integer",
    ok: "The upgrade was initiated (S108)",
    refusals: {
      ...badBody,
      403: "the permission is missing, or the license has expired",
      404: noDatabase,
      406: "the capabilities of the new module version do not comply with the database's configuration (S111)",
      409: "another action is at work on the database",
    },
  },
  "GET modules": {
    id: "listModules",
    says: "Installed modules",
    source: "S93",
    answer: "Module",
    isList: true,
  },
  "POST installModule": {
    id: "installModule",
    says: "Install a module",
    source: "S95",
    sends: "file",
    answer: "InstalledModule",
    ok: "The installation is scheduled",
    refusals: { ...badFile, 405: "this release has no such call any more" },
  },
  "POST userModules": {
    id: "defineModule",
    says: "Define a module",
    source: field,
    sends: "Manifest",
    answer: "Module",
    refusals: { ...badFile, ...uploadsOff },
  },
  "POST moduleArtifacts": {
    id: "uploadModule",
    says: "Upload a module's file",
    source: field,
    sends: "file",
    answer: "Module",
    refusals: { ...badFile, ...uploadsOff },
  },
  "GET actions": { id: "listActions", says: "All actions", source: field, answer: "Actions" },
  "GET action": {
    id: "getAction",
    says: "One action",
    source: "S8, S92",
    answer: "Action",
    parameter: "string",
    refusals: { 404: "unknown, or no longer kept" },
  },
  "GET bdbActions": {
    id: "listActionsOfDatabase",
    says: "Actions of a database",
    source: field,
    answer: "Action",
    isList: true,
    parameter: "integer",
    refusals: noUid,
  },
  "GET newerAction": {
    id: "getNewerAction",
    says: "One action, the newer form",
    source: field,
    answer: "NewerAction",
    parameter: "string",
    refusals: { 404: "unknown, or no longer kept" },
  },
  "GET license": { id: "getLicense", says: "The license", source: field, answer: "License" },
  "PUT license": {
    id: "putLicense",
    says: "Another license",
    source: field,
    sends: "LicenseRequest",
    answer: "License",
    refusals: badBody,
  },
  "GET cluster": { id: "getCluster", says: "Settings", source: field, answer: "Cluster" },
  "PUT cluster": {
    id: "putCluster",
    says: "Change settings",
    source: field,
    sends: "ClusterRequest",
    answer: "Cluster",
    refusals: badBody,
  },
  "GET policy": { id: "getPolicy", says: "Policy", source: field, answer: "Policy" },
  "GET nodes": { id: "listNodes", says: "Nodes", source: field, answer: "Node", isList: true },
  "POST authorize": {
    id: "authorize",
    says: "Get a token",
    source: field,
    sends: "TokenRequest",
    answer: "Token",
    open: true,
    refusals: badBody,
  },
};
