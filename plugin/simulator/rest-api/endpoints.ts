/** The calls that are served, as one table: path, who may call, what is judged and done. */
import type { IncomingMessage } from "node:http";
import type { Names } from "../../domain/names/names";
import { isObject, type Json, getOwn, asString } from "../../domain/base/values";
import type { Clock } from "../../ports/kubernetes";
import { judgeManifest, type Manifest, readArchive, readManifest, readUpload } from "./archive";
import type { Callers } from "./users";
import type { ApiProfile } from "./profiles";
import {
  actionFields,
  databaseFields,
  licenseFields,
  moduleFields,
  newerActionFields,
  nodeFields,
  policyFields,
  renderRecord,
} from "./records";
import {
  type RestAction,
  ApiRefusal,
  type ApiUser,
  type Bdb,
  type ClusterStore,
  refuseMalformed,
  notFound,
  type StoredModule,
} from "./state";
import { listDeprecations, planUpgrade, readUpgradeRequest } from "./upgrade";
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
  readonly method: "GET" | "POST";
  /** Of names.restPaths. */
  readonly path: keyof Names["restPaths"];
  /** Releases that have it; absent: all. */
  readonly on?: (profile: ApiProfile) => boolean;
  /** Nobody has to say who he is. */
  readonly open?: true;
  /** The body is a form with a file, which the answer reads by itself. */
  readonly uploads?: true;
  /** The body of the answer, 200; a refusal is thrown. */
  readonly answer: (call: RestCall) => unknown;
}

/** Every call of any release that a command makes. */
const endpoints: readonly Endpoint[] = [
  {
    ...{ method: "GET", path: "bdbs" }, // S94
    answer: (call) =>
      [...call.store.bdbs.values()]
        .toSorted((one, other) => one.uid - other.uid)
        .map((bdb) => renderRecord(databaseFields(call), bdb)),
  },
  {
    ...{ method: "GET", path: "bdb" },
    answer: (call) => renderRecord(databaseFields(call), findBdb(call)),
  },
  { method: "POST", path: "upgrade", answer: upgrade }, // S75–S92, S104
  {
    ...{ method: "GET", path: "modules" }, // S93
    answer: (call) =>
      [...call.store.modules.values()].map((module) => renderRecord(moduleFields(call), module)),
  },
  // the older way (S95): the archive in one call; it is installed when its action has ended
  {
    ...{ method: "POST", path: "installModule", uploads: true },
    on: ({ install }) => install === "served",
    answer: install,
  },
  {
    ...{ method: "POST", path: "installModule", uploads: true },
    on: ({ install }) => install === 405,
    answer: ({ request }) => {
      request.resume();
      throw new ApiRefusal(405, "method_not_allowed", "modules are not installed by this call");
    },
  },
  // the newer way, in two calls, in either order
  {
    ...{ method: "POST", path: "userModules" },
    on: ({ userModules }) => userModules,
    answer: (call) => {
      judgeUploads(call);
      return half("definition", readManifest(call.body, call.names), call);
    },
  },
  {
    ...{ method: "POST", path: "moduleArtifacts", uploads: true },
    on: ({ userModules }) => userModules,
    answer: async (call) => {
      const bytes = await readUpload(call.request, call.names, call.uploadLimit);
      judgeUploads(call);
      return half("artifact", readArchive(bytes, call.names), call);
    },
  },
  {
    ...{ method: "GET", path: "actions" },
    on: ({ actions }) => actions,
    answer: (call) => ({
      [call.names.actionFields.actions]: listActions(call, ({ bdb }) => bdb === undefined),
      [call.names.actionFields.stateMachines]: listActions(call, ({ bdb }) => bdb !== undefined),
    }),
  },
  {
    ...{ method: "GET", path: "action" }, // S8, S92
    on: ({ actions }) => actions,
    answer: (call) => renderRecord(actionFields(call), findAction(call)),
  },
  {
    ...{ method: "GET", path: "bdbActions" },
    on: ({ bdbActions }) => bdbActions,
    answer: (call) => {
      const { uid } = findBdb(call);
      return listActions(call, ({ bdb }) => bdb === uid);
    },
  },
  {
    ...{ method: "GET", path: "newerAction" },
    on: ({ newerActions }) => newerActions,
    answer: (call) => renderRecord(newerActionFields(call), findAction(call)),
  },
  {
    ...{ method: "GET", path: "license" },
    on: ({ license }) => license,
    answer: (call) =>
      renderRecord(licenseFields(call), { license: call.store.license, now: call.clock.now() }),
  },
  {
    ...{ method: "GET", path: "policy" },
    on: ({ policy }) => policy,
    answer: (call) => renderRecord(policyFields(call), call.store),
  },
  {
    ...{ method: "GET", path: "nodes" },
    on: ({ nodes }) => nodes,
    answer: (call) =>
      Array.from({ length: call.store.nodes }, (_, index) =>
        renderRecord(nodeFields(call), { uid: index + 1, store: call.store }),
      ),
  },
  { method: "POST", path: "authorize", open: true, on: ({ tokens }) => tokens, answer: authorize },
];

/** What the specification has is always there; the rest as the release has it. */
export function listEndpoints(profile: ApiProfile): readonly Endpoint[] {
  return endpoints.filter(({ on }) => on === undefined || on(profile));
}

/** In the order in which a request is judged: who, what it says, about what, and whether it can be. */
function upgrade(call: RestCall): Json {
  const { names, profile, store, works, user, clock, body } = call;
  const uid = readUid(call);
  const needed = names.restPermission;
  if (user?.permissions.includes(needed) !== true)
    throw new ApiRefusal(403, "permission_denied", `the permission ${needed} is missing`);
  const request = readUpgradeRequest(body === undefined ? {} : body, names, profile);
  const bdb = findBdb(call);
  // an expired license keeps databases as they are (domain facts 9)
  if (store.license.expiresAt <= clock.now())
    throw new ApiRefusal(403, names.restErrors.licenseExpired, "the license has expired");
  const busy = store.busyWith(uid);
  if (busy !== undefined)
    throw new ApiRefusal(409, "database_busy", `database ${uid} is busy with action ${busy.uid}`);
  const action = works.upgrade(planUpgrade({ store, names, bdb, request }));
  const warnings = profile.deprecates ? listDeprecations(body, names) : [];
  if (warnings.length > 0)
    call.headers["warning"] = warnings.map((text) => `299 - ${JSON.stringify(text)}`);
  const started = renderRecord(databaseFields(call), store.bdbs.get(uid) ?? bdb);
  return { ...started, [names.bdbFields.actionUid]: action.uid };
}

/** The uid of a path: an integer (S75); anything else is malformed (S109). */
function readUid({ params }: RestCall): number {
  const given = params["uid"] ?? "";
  if (/^(0|[1-9]\d{0,14})$/.test(given)) return Number(given);
  throw refuseMalformed([`the uid ${JSON.stringify(given.slice(0, 80))} is no integer`]);
}

function findBdb(call: RestCall): Bdb {
  const uid = readUid(call);
  const bdb = call.store.bdbs.get(uid);
  if (bdb === undefined) throw notFound(`database ${uid}`);
  return bdb;
}

function findAction({ params, store }: RestCall): RestAction {
  const uid = params["uid"] ?? "";
  const action = store.actions.get(uid);
  if (action === undefined) throw notFound(`action ${JSON.stringify(uid.slice(0, 80))}`);
  return action;
}

function listActions(call: RestCall, isMeant: (action: RestAction) => boolean): readonly Json[] {
  const all = [...call.store.actions.values()].filter(isMeant);
  return all.map((action) => renderRecord(actionFields(call), action));
}

async function install(call: RestCall): Promise<Json> {
  const { names, store, works, request } = call;
  const manifest = readArchive(await readUpload(request, names, call.uploadLimit), names);
  judgeManifest(manifest, store, names);
  const module = storeModule(manifest, call);
  const { uid } = works.install(module);
  return { ...renderRecord(moduleFields(call), module), [names.bdbFields.actionUid]: uid };
}

/** The oldest release that it runs on was judged, and is not told any more. */
function storeModule(manifest: Manifest, { store }: RestCall): StoredModule {
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
  const module = before?.module ?? storeModule(manifest, call);
  if (before === undefined || before.is === is) store.halves.set(key, { is, module });
  else {
    store.halves.delete(key);
    store.modules.set(module.uid, module);
  }
  return renderRecord(moduleFields(call), module);
}

/** Seconds that a token may be good for, and is when nothing is said. */
const tokenSeconds = { least: 1, most: 86_400, usual: 300 } as const;

function authorize({ body, callers, names }: RestCall): Json {
  const { username, password, ttl, accessToken } = names.authorizeFields;
  judgeFields(body, [username, password, ttl]);
  const { least, most, usual } = tokenSeconds;
  const seconds = Number.isInteger(getOwn(body, ttl) ?? usual)
    ? Number(getOwn(body, ttl) ?? usual)
    : 0;
  if (seconds < least || seconds > most)
    throw refuseMalformed([`${ttl} has to be a whole number of ${least} to ${most}`]);
  const proof = { password: asString(getOwn(body, password)) ?? "", seconds };
  return { [accessToken]: callers.tokenFor(asString(getOwn(body, username)) ?? "", proof) };
}

function judgeFields(body: unknown, known: readonly string[]): void {
  if (!isObject(body)) throw refuseMalformed(["the body is not a JSON object"]);
  const strange = Object.keys(body).filter((field) => !known.includes(field));
  if (strange.length > 0)
    throw refuseMalformed(strange.map((one) => `${one} is not a field of this call`));
}
