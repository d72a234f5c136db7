/** The ClusterApi port over HTTPS (S75-S96; domain facts 9). */
import { parseAction, parseActions } from "../../domain/api/actions";
import { parseLicense, parseNodes } from "../../domain/api/cluster";
import { parseDatabase, parseDatabases } from "../../domain/api/databases";
import { parseModules } from "../../domain/api/modules";
import type {
  ApiAction,
  ApiDatabase,
  ApiLicense,
  ApiNode,
  InstalledModule,
  InstalledUpload,
} from "../../domain/api/records";
import type { Names } from "../../domain/names";
import { isObject, type Json } from "../../domain/values";
import type { ClusterApi } from "../../run/cluster-api";
import { type ApiCall, ApiClient, type ApiConnection } from "./client";
import { sendUpgrade } from "./upgrade";
import { type UploadFile, uploadModule } from "./upload";

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
    return this.required(call, parseDatabases);
  }

  database(uid: number, signal: AbortSignal): Promise<ApiDatabase | undefined> {
    const path = filled(this.names.restPaths.bdb, uid);
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
    return this.required(call, parseModules);
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
      (await this.optional(this.get(filled(action, uid), subject, signal), parseAction)) ??
      (await this.optional(this.get(filled(newerAction, uid), subject, signal), parseAction))
    );
  }

  async actionsOf(uid: number, signal: AbortSignal): Promise<readonly ApiAction[] | undefined> {
    const { bdbActions, actions } = this.names.restPaths;
    const subject = `list the actions of database ${uid}`;
    const own = await this.optional(
      this.get(filled(bdbActions, uid), subject, signal),
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

  private async required<T>(call: ApiCall, parse: Parse<T>): Promise<T> {
    return this.understood(call, parse(await this.client.json(call), this.names));
  }

  private async optional<T>(call: ApiCall, parse: Parse<T>): Promise<T | undefined> {
    const answer = await this.client.json(call, "absent");
    return answer && this.understood(call, parse(answer.found, this.names));
  }

  private understood<T>(call: ApiCall, parsed: T | undefined): T {
    if (parsed === undefined) throw this.client.nonsense(call);
    return parsed;
  }
}

type Parse<T> = (value: unknown, names: Names) => T | undefined;

/** A path with its one parameter filled in. */
export function filled(path: string, parameter: string | number): string {
  return path.replace(/\{[a-z]+\}/, () => encodeURIComponent(parameter));
}
