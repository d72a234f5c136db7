/** The ClusterApi port over HTTPS (S75-S96; domain facts 9). */
import { type ApiAction, parseAction, parseActions } from "../../domain/rest-api/actions";
import {
  type ApiDatabase,
  type ApiLicense,
  type ApiNode,
  type InstalledModule,
  type InstalledUpload,
  parseDatabase,
  parseDatabases,
  parseLicense,
  parseNodes,
} from "../../domain/rest-api/records";
import { parseModules, upgradeMeanings } from "../../domain/rest-api/modules";
import { ClusterApiError } from "../../domain/rest-api/errors";
import type { Names } from "../../domain/names/names";
import { asArray, isObject, type Json } from "../../domain/base/values";
import type { ClusterApi } from "../../ports/rest-api";
import { type ApiCall, ApiClient, type ApiConnection, jsonBody } from "./client";
import { type UploadFile, uploadModule } from "./upload";
import { UnavailableError } from "../../domain/base/errors";

/** One cluster's REST API. */
export class HttpClusterApi implements ClusterApi {
  readonly address: string;
  private readonly client: ApiClient;
  private readonly names: Names;

  constructor(private readonly connection: ApiConnection) {
    this.client = new ApiClient(connection);
    this.names = connection.names;
    this.address = connection.route.address;
  }

  databases(signal: AbortSignal): Promise<readonly ApiDatabase[]> {
    const call = this.get(this.names.restPaths.bdbs, "list the databases", signal);
    return this.requireAnswer(call, parseDatabases);
  }

  database(uid: number, signal: AbortSignal): Promise<ApiDatabase | undefined> {
    const path = fillPath(this.names.restPaths.bdb, uid);
    return this.optional(this.get(path, `read database ${uid}`, signal), parseDatabase);
  }

  upgrade(uid: number, body: Json, signal: AbortSignal): Promise<ApiDatabase> {
    return sendUpgrade(
      { api: this, client: this.client, names: this.names },
      { uid, body, signal },
    );
  }

  modules(signal: AbortSignal): Promise<readonly InstalledModule[]> {
    const call = this.get(this.names.restPaths.modules, "list the modules", signal);
    return this.requireAnswer(call, parseModules);
  }

  installModule(
    file: UploadFile,
    options: Parameters<ClusterApi["installModule"]>[1],
  ): Promise<InstalledUpload> {
    const { client, names } = this;
    const nodes = async (): Promise<number | undefined> =>
      (await this.nodes(options.signal).catch(() => undefined))?.length;
    return uploadModule({ client, names, nodes, route: this.connection.route }, file, options);
  }

  async action(uid: string, signal: AbortSignal): Promise<ApiAction | undefined> {
    const { action, newerAction } = this.names.restPaths;
    const subject = `read action ${uid}`;
    return (
      (await this.optional(this.get(fillPath(action, uid), subject, signal), parseAction)) ??
      (await this.optional(this.get(fillPath(newerAction, uid), subject, signal), parseAction))
    );
  }

  async listActions(uid: number, signal: AbortSignal): Promise<readonly ApiAction[] | undefined> {
    const { bdbActions, actions } = this.names.restPaths;
    const subject = `list the actions of database ${uid}`;
    const own = await this.optional(
      this.get(fillPath(bdbActions, uid), subject, signal),
      parseActions,
    );
    if (own !== undefined) return own.map((each) => ({ ...each, database: each.database ?? uid }));
    const all = await this.optional(this.get(actions, subject, signal), parseActions);
    return all?.filter(({ database }) => database === uid);
  }

  license(signal: AbortSignal): Promise<ApiLicense | undefined> {
    const call = this.get(this.names.restPaths.license, "read the license", signal);
    return this.optional(call, parseLicense);
  }

  nodes(signal: AbortSignal): Promise<readonly ApiNode[] | undefined> {
    const call = this.get(this.names.restPaths.nodes, "list the nodes", signal);
    return this.optional(call, parseNodes);
  }

  policy(signal: AbortSignal): Promise<Json | undefined> {
    const call = this.get(this.names.restPaths.policy, "read the cluster's policy", signal);
    return this.optional(call, (value) => (isObject(value) ? value : undefined));
  }

  close(): void {
    this.client.close();
  }

  private get(path: string, subject: string, signal: AbortSignal): ApiCall {
    return { method: "GET", path, subject, signal };
  }

  /** A list; what of it cannot be read is left out, and told. */
  private async requireAnswer<T>(call: ApiCall, parse: Parse<readonly T[]>): Promise<readonly T[]> {
    const answer = await this.client.json(call);
    const read = this.requireUnderstood(call, parse(answer, this.names));
    const short = asArray(answer).length - read.length;
    if (short > 0) {
      const are =
        short === 1
          ? "1 record lacks its name or its uid and is"
          : `${short} records lack their name or their uid and are`;
      this.connection.warn?.(
        `of the answer of ${this.address} to the request to ${call.subject}, ${are} left out`,
      );
    }
    return read;
  }

  private async optional<T>(call: ApiCall, parse: Parse<T>): Promise<T | undefined> {
    const answer = await this.client.json(call, "absent");
    return answer && this.requireUnderstood(call, parse(answer.found, this.names));
  }

  private requireUnderstood<T>(call: ApiCall, parsed: T | undefined): T {
    if (parsed === undefined) throw this.client.nonsense(call);
    return parsed;
  }
}

type Parse<T> = (value: unknown, names: Names) => T | undefined;

/** A path with its one parameter filled in. */
function fillPath(path: string, parameter: string | number): string {
  return path.replace(/\{[a-z]+\}/, () => encodeURIComponent(parameter));
}

/** What the call needs of a connection. */
interface Upgrader {
  readonly api: Pick<ClusterApi, "listActions" | "database">;
  readonly client: ApiClient;
  readonly names: Names;
}

/** The call itself. */
interface UpgradeCall {
  readonly uid: number;
  readonly body: Json;
  readonly signal: AbortSignal;
}

/** The database as the call answered, or as the action that it started shows it. */
async function sendUpgrade(upgrader: Upgrader, wanted: UpgradeCall): Promise<ApiDatabase> {
  const { api, client, names } = upgrader;
  const { uid, body, signal } = wanted;
  const before = await api.listActions(uid, signal);
  const call: ApiCall = {
    method: "POST",
    path: names.restPaths.upgrade.replace("{uid}", String(uid)),
    body: jsonBody(body),
    subject: `upgrade database ${uid}`,
    meanings: upgradeMeanings,
    signal,
  };
  try {
    const database = parseDatabase(await client.json(call), names);
    if (database === undefined) throw client.nonsense(call);
    return database;
  } catch (error) {
    if (!leavesOpen(error)) throw error;
    // after an interrupt too
    const look = { ...wanted, signal: new AbortController().signal };
    const found = await lookFor(upgrader, look, before).catch(() => "unknown" as const);
    if (found === "unknown") throw error;
    if (found !== "absent") return found;
    throw error instanceof UnavailableError ? notBegun(error, call.subject) : error;
  }
}

/** A cut connection, a deadline or an error of the server itself: it may have begun. */
function leavesOpen(error: unknown): boolean {
  if (error instanceof UnavailableError) return true;
  return error instanceof ClusterApiError && error.status >= 500;
}

/** Both lists were read, and nothing has begun between them. */
function notBegun(cause: UnavailableError, subject: string): UnavailableError {
  const message = `the request to ${subject} did not take effect: it got no answer, and the list of actions read back has none of it`;
  return new UnavailableError(message, {
    cause,
    hint: "check the network, then run the same command again: it continues from what is there",
  });
}

/** The action that was not there before is the proof that the request was carried out. */
async function lookFor(
  { api }: Upgrader,
  { uid, signal }: UpgradeCall,
  before: readonly ApiAction[] | undefined,
): Promise<ApiDatabase | "absent" | "unknown"> {
  const actions = await api.listActions(uid, signal);
  const database = await api.database(uid, signal);
  if (actions === undefined || database === undefined) return "unknown";
  const known = new Set(before?.map((action) => action.uid));
  const started = actions.find((action) => !known.has(action.uid));
  if (started !== undefined) return { ...database, actionUid: started.uid };
  return before === undefined ? "unknown" : "absent";
}
