/** The calls that are served, as one table: path, who may call, what is judged and done, and what it is called in the OpenAPI document. */
import type { IncomingMessage } from "node:http";
import type { Names } from "../../domain/names";
import { isObject, type Json, getOwn, asString } from "../../domain/values";
import type { Clock } from "../../run/ports";
import { judgeManifest, type Manifest, readArchive, readManifest, readUpload } from "./archive";
import type { Callers } from "./users";
import type { ApiProfile } from "./profiles";
import {
  actionFields,
  clusterFields,
  databaseFields,
  licenseFields,
  moduleFields,
  newerActionFields,
  nodeFields,
  policyFields,
  recordOf,
} from "./records";
import {
  type RestAction,
  ApiRefusal,
  type ApiUser,
  type Bdb,
  type ClusterStore,
  malformed,
  notFound,
  type StoredModule,
} from "./state";
import { deprecationsOf, planUpgrade, readUpgradeRequest } from "./upgrade";
import type { Works } from "./work";

/** What answers work with. */
export interface ApiContext {
  readonly store: ClusterStore;
  readonly works: Works;
  readonly clock: Clock;
  readonly names: Names;
  readonly profile: ApiProfile;
  readonly callers: Callers;
  /** Bytes of the largest file that may be uploaded. */
  readonly uploadLimit: number;
}

/** A call whose caller is known; `user` is undefined where none is asked for. */
export interface RestCall extends ApiContext {
  readonly params: Readonly<Record<string, string>>;
  readonly user: ApiUser | undefined;
  /** Undefined where there was none, or where the answer reads the request itself. */
  readonly body: unknown;
  readonly request: IncomingMessage;
  /** Sent with the answer. */
  readonly headers: Record<string, string | readonly string[]>;
}

/** One call that is served. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT";
  /** Of names.restPaths. */
  readonly path: keyof Names["restPaths"];
  /** Releases that have it; absent: all. */
  readonly on?: (profile: ApiProfile) => boolean;
  /** Nobody has to say who he is. */
  readonly open?: true;
  /** Name of the body's schema, or a form with a file, which the answer reads by itself. */
  readonly sends?: string;
  /** The body of the answer, 200; a refusal is thrown. */
  readonly answer: (call: RestCall) => unknown;
  readonly id: string;
  readonly says: string;
  readonly source: string;
  /** Name of the answer's schema. */
  readonly gives: string;
  readonly isList?: true;
  /** Type of the uid in the path. */
  readonly parameter?: "integer" | "string";
  /** Of the status 200. */
  readonly ok?: string;
  readonly refusals?: Readonly<Record<string, string>>;
}

const field = "known from practice";
const noDatabase = "the database does not exist (S110)";
const noUid = { 400: "the uid is no integer", 404: noDatabase };
const noAction = { 404: "unknown, or no longer kept" };
const badBody = { 400: "malformed or bad command (S109)", 413: "the body is too large" };
const badFile = {
  400: "no module, an invalid one, one that is there already, or one that does not fit",
  406: "its capabilities do not fit",
  413: "the file is too large",
};
const uploadsOff = { 403: "uploads of modules are switched off" };
const installModule: Omit<Endpoint, "answer"> = {
  ...{ method: "POST", path: "installModule", sends: "file", id: "installModule" },
  ...{ says: "Install a module", source: "S95", gives: "InstalledModule" },
  ok: "The installation is scheduled",
  refusals: { ...badFile, 405: "this release has no such call any more" },
};

/** Every call of any release. */
export const endpoints: readonly Endpoint[] = [
  {
    ...{ method: "GET", path: "bdbs", id: "listDatabases", says: "All databases", source: "S94" },
    ...{ gives: "Database", isList: true },
    answer: (call) =>
      [...call.store.bdbs.values()]
        .toSorted((one, other) => one.uid - other.uid)
        .map((bdb) => recordOf(databaseFields(call), bdb)),
  },
  {
    ...{ method: "GET", path: "bdb", id: "getDatabase", says: "One database", source: field },
    ...{ gives: "Database", parameter: "integer", refusals: noUid },
    answer: (call) => recordOf(databaseFields(call), bdbOf(call)),
  },
  {
    ...{ method: "POST", path: "upgrade", id: "upgradeDatabase", says: "Upgrade a database" },
    source: "S75–S92; the permission of S104 is needed",
    ...{ sends: "UpgradeRequest", gives: "UpgradedDatabase", parameter: "integer" },
    ok: "The upgrade was initiated (S108)",
    refusals: {
      ...badBody,
      403: "the permission is missing, or the license has expired",
      404: noDatabase,
      406: "the capabilities of the new module version do not comply with the database's configuration (S111)",
      409: "another action is running on the database",
    },
    answer: upgrade,
  },
  {
    ...{ method: "GET", path: "modules", id: "listModules", says: "Installed modules" },
    ...{ source: "S93", gives: "Module", isList: true },
    answer: (call) =>
      [...call.store.modules.values()].map((module) => recordOf(moduleFields(call), module)),
  },
  // the older way: the archive in one call; it is installed when its action has ended
  { ...installModule, on: ({ install }) => install === "served", answer: install },
  {
    ...installModule,
    on: ({ install }) => install === 405,
    answer: ({ request }) => {
      request.resume();
      throw new ApiRefusal(405, "method_not_allowed", "modules are not installed by this call");
    },
  },
  // the newer way, in two calls, in either order
  {
    ...{ method: "POST", path: "userModules", id: "defineModule", says: "Define a module" },
    ...{ source: field, sends: "Manifest", gives: "Module" },
    refusals: { ...badFile, ...uploadsOff },
    on: ({ userModules }) => userModules,
    answer: (call) => {
      judgeUploads(call);
      return half("definition", readManifest(call.body, call.names), call);
    },
  },
  {
    ...{ method: "POST", path: "moduleArtifacts", id: "uploadModule", source: field },
    ...{ says: "Upload a module's file", sends: "file", gives: "Module" },
    refusals: { ...badFile, ...uploadsOff },
    on: ({ userModules }) => userModules,
    answer: async (call) => {
      const bytes = await readUpload(call.request, call.names, call.uploadLimit);
      judgeUploads(call);
      return half("artifact", readArchive(bytes, call.names), call);
    },
  },
  {
    ...{ method: "GET", path: "actions", id: "listActions", says: "All actions", source: field },
    gives: "Actions",
    on: ({ actions }) => actions,
    answer: (call) => ({
      [call.names.actionFields.actions]: actionsOf(call, ({ bdb }) => bdb === undefined),
      [call.names.actionFields.stateMachines]: actionsOf(call, ({ bdb }) => bdb !== undefined),
    }),
  },
  {
    ...{ method: "GET", path: "action", id: "getAction", says: "One action", source: "S8, S92" },
    ...{ gives: "Action", parameter: "string", refusals: noAction },
    on: ({ actions }) => actions,
    answer: (call) => recordOf(actionFields(call), actionOf(call)),
  },
  {
    ...{ method: "GET", path: "bdbActions", id: "listActionsOfDatabase", source: field },
    ...{ says: "Actions of a database", gives: "Action", isList: true, parameter: "integer" },
    refusals: noUid,
    on: ({ bdbActions }) => bdbActions,
    answer: (call) => {
      const { uid } = bdbOf(call);
      return actionsOf(call, ({ bdb }) => bdb === uid);
    },
  },
  {
    ...{ method: "GET", path: "newerAction", id: "getNewerAction", source: field },
    ...{ says: "One action, the newer form", gives: "NewerAction", parameter: "string" },
    refusals: noAction,
    on: ({ newerActions }) => newerActions,
    answer: (call) => recordOf(newerActionFields(call), actionOf(call)),
  },
  {
    ...{ method: "GET", path: "license", id: "getLicense", says: "The license", source: field },
    gives: "License",
    on: ({ license }) => license,
    answer: licenseOf,
  },
  {
    ...{ method: "PUT", path: "license", id: "putLicense", says: "Another license" },
    ...{ source: field, sends: "LicenseRequest", gives: "License", refusals: badBody },
    on: ({ license }) => license,
    answer: renewLicense,
  },
  {
    ...{ method: "GET", path: "cluster", id: "getCluster", says: "Settings", source: field },
    gives: "Cluster",
    on: ({ cluster }) => cluster,
    answer: (call) => recordOf(clusterFields(call), call.store),
  },
  {
    ...{ method: "PUT", path: "cluster", id: "putCluster", says: "Change settings" },
    ...{ source: field, sends: "ClusterRequest", gives: "Cluster", refusals: badBody },
    on: ({ cluster }) => cluster,
    answer: changeSettings,
  },
  {
    ...{ method: "GET", path: "policy", id: "getPolicy", says: "Policy", source: field },
    gives: "Policy",
    on: ({ policy }) => policy,
    answer: (call) => recordOf(policyFields(call), call.store),
  },
  {
    ...{ method: "GET", path: "nodes", id: "listNodes", says: "Nodes", source: field },
    ...{ gives: "Node", isList: true },
    on: ({ nodes }) => nodes,
    answer: (call) =>
      Array.from({ length: call.store.nodes }, (_, index) =>
        recordOf(nodeFields(call), { uid: index + 1, store: call.store }),
      ),
  },
  {
    ...{ method: "POST", path: "authorize", id: "authorize", says: "Get a token", source: field },
    ...{ sends: "TokenRequest", gives: "Token", open: true, refusals: badBody },
    on: ({ tokens }) => tokens,
    answer: authorize,
  },
];

/** What the specification has is always there; the rest as the release has it. */
export function endpointsOf(profile: ApiProfile): readonly Endpoint[] {
  return endpoints.filter(({ on }) => on === undefined || on(profile));
}

/** In the order in which a request is judged: who, what it says, about what, and whether it can be. */
function upgrade(call: RestCall): Json {
  const { names, profile, store, works, user, clock, body } = call;
  const uid = uidOf(call);
  const needed = names.restPermission;
  if (user?.permissions.includes(needed) !== true)
    throw new ApiRefusal(403, "permission_denied", `the permission ${needed} is missing`);
  const request = readUpgradeRequest(body === undefined ? {} : body, names, profile);
  const bdb = bdbOf(call);
  // an expired license keeps databases as they are (domain facts 9)
  if (store.license.expiresAt <= clock.now())
    throw new ApiRefusal(403, "license_expired", "the license has expired");
  const busy = store.busyWith(uid);
  if (busy !== undefined)
    throw new ApiRefusal(409, "database_busy", `database ${uid} is busy with action ${busy.uid}`);
  const action = works.upgrade(planUpgrade({ store, names, bdb, request }));
  const warnings = profile.deprecates ? deprecationsOf(body, names) : [];
  if (warnings.length > 0)
    call.headers["warning"] = warnings.map((text) => `299 - ${JSON.stringify(text)}`);
  const started = recordOf(databaseFields(call), store.bdbs.get(uid) ?? bdb);
  return { ...started, [names.bdbFields.actionUid]: action.uid };
}

/** The uid of a path: an integer (S75); anything else is malformed (S109). */
function uidOf({ params }: RestCall): number {
  const given = params["uid"] ?? "";
  if (/^(0|[1-9]\d{0,14})$/.test(given)) return Number(given);
  throw malformed([`the uid ${JSON.stringify(given.slice(0, 80))} is no integer`]);
}

function bdbOf(call: RestCall): Bdb {
  const uid = uidOf(call);
  const bdb = call.store.bdbs.get(uid);
  if (bdb === undefined) throw notFound(`database ${uid}`);
  return bdb;
}

function actionOf({ params, store }: RestCall): RestAction {
  const uid = params["uid"] ?? "";
  const action = store.actions.get(uid);
  if (action === undefined) throw notFound(`action ${JSON.stringify(uid.slice(0, 80))}`);
  return action;
}

function actionsOf(call: RestCall, isMeant: (action: RestAction) => boolean): readonly Json[] {
  const all = [...call.store.actions.values()].filter(isMeant);
  return all.map((action) => recordOf(actionFields(call), action));
}

async function install(call: RestCall): Promise<Json> {
  const { names, store, works, request } = call;
  const manifest = readArchive(await readUpload(request, names, call.uploadLimit), names);
  judgeManifest(manifest, store, names);
  const module = stored(manifest, call);
  const { uid } = works.install(module);
  return { ...recordOf(moduleFields(call), module), [names.bdbFields.actionUid]: uid };
}

/** The oldest release that it runs on was judged, and is not told any more. */
function stored(manifest: Manifest, { store }: RestCall): StoredModule {
  const module = { ...manifest, uid: store.nextUid("module"), isBundled: false };
  delete module.minPackVersion;
  return module;
}

/** Off until the cluster's setting allows it. */
function judgeUploads({ store, names }: RestCall): void {
  if (store.uploadsAllowed) return;
  const message = `modules may not be uploaded: ${names.clusterFields.allowModulesUpload} is false`;
  throw new ApiRefusal(403, names.restErrors.uploadDisabled, message);
}

/** A module is there when it is defined and its file is on the nodes: this one stands for all. */
function half(is: "definition" | "artifact", manifest: Manifest, call: RestCall): Json {
  const { store } = call;
  const { name, version, compatibleEngineVersion = "" } = manifest;
  const key = JSON.stringify([name, version, compatibleEngineVersion]);
  const before = store.halves.get(key);
  // a file goes to every node: what the second upload brings is there already
  if (before?.is !== is || is === "definition") judgeManifest(manifest, store, call.names);
  const module = before?.module ?? stored(manifest, call);
  if (before === undefined || before.is === is) store.halves.set(key, { is, module });
  else {
    store.halves.delete(key);
    store.modules.set(module.uid, module);
  }
  return recordOf(moduleFields(call), module);
}

const year = 365 * 24 * 3_600_000;

function licenseOf(call: RestCall): Json {
  return recordOf(licenseFields(call), { license: call.store.license, now: call.clock.now() });
}

/** Any text is a license that is good for a year: what a real one holds is not shown. */
function renewLicense(call: RestCall): Json {
  const { body, store, clock, names } = call;
  const field = names.licenseFields.text;
  judgeFields(body, [field]);
  const given = asString(getOwn(body, field));
  if (given === undefined) throw malformed([`${field} has to be a text`]);
  const now = clock.now();
  store.license = { ...store.license, text: given, activatedAt: now, expiresAt: now + year };
  return licenseOf(call);
}

function changeSettings(call: RestCall): Json {
  const field = call.names.clusterFields.allowModulesUpload;
  judgeFields(call.body, [field]);
  const allowed = getOwn(call.body, field);
  if (typeof allowed !== "boolean") throw malformed([`${field} has to be true or false`]);
  call.store.uploadsAllowed = allowed;
  return recordOf(clusterFields(call), call.store);
}

/** Seconds that a token may be good for, and is when nothing is said. */
export const tokenSeconds = { least: 1, most: 86_400, usual: 300 } as const;

function authorize({ body, callers, names }: RestCall): Json {
  const { username, password, ttl, accessToken } = names.authorizeFields;
  judgeFields(body, [username, password, ttl]);
  const { least, most, usual } = tokenSeconds;
  const seconds = Number.isInteger(getOwn(body, ttl) ?? usual)
    ? Number(getOwn(body, ttl) ?? usual)
    : 0;
  if (seconds < least || seconds > most)
    throw malformed([`${ttl} has to be a whole number of ${least} to ${most}`]);
  const proof = { password: asString(getOwn(body, password)) ?? "", seconds };
  return { [accessToken]: callers.tokenFor(asString(getOwn(body, username)) ?? "", proof) };
}

function judgeFields(body: unknown, known: readonly string[]): void {
  if (!isObject(body)) throw malformed(["the body is not a JSON object"]);
  const strange = Object.keys(body).filter((field) => !known.includes(field));
  if (strange.length > 0)
    throw malformed(strange.map((one) => `${one} is not a field of this call`));
}
