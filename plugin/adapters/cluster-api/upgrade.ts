/** POST /v1/bdbs/{uid}/upgrade, sent once; an open outcome is looked for, never repeated (S75-S92). */
import { parseDatabase } from "../../domain/api/databases";
import { ClusterApiError, upgradeMeanings } from "../../domain/api/failure";
import type { ApiAction, ApiDatabase } from "../../domain/api/records";
import { UnavailableError } from "../../domain/errors";
import type { Names } from "../../domain/names";
import type { Json } from "../../domain/values";
import type { ClusterApi } from "../../run/cluster-api";
import { type ApiCall, type ApiClient, jsonBody } from "./client";

/** What the call needs of a connection. */
export interface Upgrader {
  readonly api: Pick<ClusterApi, "actionsOf" | "database">;
  readonly client: ApiClient;
  readonly names: Names;
}

/** The call itself. */
export interface UpgradeCall {
  readonly uid: number;
  readonly body: Json;
  readonly signal: AbortSignal;
}

/** The database as the call answered, or as the action that it started shows it. */
export async function sendUpgrade(upgrader: Upgrader, wanted: UpgradeCall): Promise<ApiDatabase> {
  const { api, client, names } = upgrader;
  const { uid, body, signal } = wanted;
  const before = await api.actionsOf(uid, signal);
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
    hint: "check the network, then run the same command again: it goes on from what is there",
  });
}

/** The action that was not there before is the proof that the request was carried out. */
async function lookFor(
  { api }: Upgrader,
  { uid, signal }: UpgradeCall,
  before: readonly ApiAction[] | undefined,
): Promise<ApiDatabase | "absent" | "unknown"> {
  const actions = await api.actionsOf(uid, signal);
  const database = await api.database(uid, signal);
  if (actions === undefined || database === undefined) return "unknown";
  const known = new Set(before?.map((action) => action.uid));
  const started = actions.find((action) => !known.has(action.uid));
  if (started !== undefined) return { ...database, actionUid: started.uid };
  return before === undefined ? "unknown" : "absent";
}
