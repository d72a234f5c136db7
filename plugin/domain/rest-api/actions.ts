/** Actions of a cluster's REST API: one table of their states, and what their shards wait for (S92; domain facts 9). */
import { asArray, asString, getOwn, isObject } from "../base/values";
import type { Names } from "../names/names";

/** An action under way or ended. */
export interface ApiAction {
  readonly uid: string;
  readonly name: string | undefined;
  /** As sent. */
  readonly status: string | undefined;
  /** A state that is in no list is unknown: what the action works on tells whether it has ended. */
  readonly is: "running" | "completed" | "failed" | "unknown";
  /** Per cent, 0 to 100. */
  readonly progress: number | undefined;
  readonly error: string | undefined;
  /** The server's own code of the failure, "insufficient_resources". */
  readonly errorCode: string | undefined;
  /** What each shard waits for, in the words of the server. */
  readonly pending: readonly string[];
  /** The database that it works on, where the server says so. */
  readonly database: number | undefined;
}

/** One action; undefined for what has no uid. */
export function parseAction(value: unknown, names: Names): ApiAction | undefined {
  const { actionFields: fields } = names;
  const uid = asString(getOwn(value, fields.uid));
  if (uid === undefined) return undefined;
  const status = asString(getOwn(value, fields.status));
  const more = getOwn(value, fields.additionalInfo);
  const told = (field: string): string | undefined =>
    asString(getOwn(value, field)) ?? asString(getOwn(more, field));
  return {
    uid,
    name: asString(getOwn(value, fields.name)),
    status,
    is: actionState(status, names),
    progress: percent(getOwn(value, fields.progress)),
    error: told(fields.error) ?? told(fields.errorMessage),
    errorCode: told(fields.errorCode),
    pending: [...pendingOf(value, names), ...pendingOf(more, names)],
    database: databaseOf(told(fields.objectName)),
  };
}

/** A bare list, or one with the state machines beside the actions; undefined for anything else. */
export function parseActions(value: unknown, names: Names): readonly ApiAction[] | undefined {
  const { actions, stateMachines } = names.actionFields;
  const lists = [value, getOwn(value, actions), getOwn(value, stateMachines)].filter(Array.isArray);
  if (lists.length === 0) return undefined;
  return lists
    .flatMap(asArray)
    .map((each) => parseAction(each, names))
    .filter((action) => action !== undefined);
}

/** What the word of a state means, in whatever capitals, with one l or two, and with whatever between its parts. */
export function actionState(
  status: string | undefined,
  { actionStates: { running, completed, failed } }: Names,
): ApiAction["is"] {
  const word = (status ?? "")
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_")
    .replace("cancell", "cancel");
  if (running.includes(word)) return "running";
  if (completed.includes(word)) return "completed";
  return failed.includes(word) ? "failed" : "unknown";
}

function percent(value: unknown): number | undefined {
  const number =
    typeof value === "string" && value !== "" ? Number(value.replace(/%$/, "")) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
  return Math.min(100, Math.max(0, number));
}

function databaseOf(object: string | undefined): number | undefined {
  const match = /^bdb:(\d{1,15})$/.exec(object ?? "");
  return match === null ? undefined : Number(match[1]);
}

/** A map by the shards' numbers, or a list; an operation is a text, or says its state, code or name. */
function pendingOf(value: unknown, { actionFields: fields }: Names): readonly string[] {
  const operations = getOwn(value, fields.pendingOps);
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(operations)
    ? operations.map((one: unknown) => ["", one] as const)
    : Object.entries(isObject(operations) ? operations : {});
  return entries.flatMap(([shard, one]) => {
    const words = [fields.pendingText, fields.pendingCode, fields.pendingName];
    const said = asString(one) ?? words.map((word) => asString(getOwn(one, word))).find(Boolean);
    if (said === undefined) return [];
    return [shard === "" ? said : `shard ${shard}: ${said}`];
  });
}

/** What it waits for, after a colon; empty where it says nothing. */
export function renderPending({ pending }: Pick<ApiAction, "pending">): string {
  if (pending.length === 0) return "";
  const more = pending.length > 2 ? `; and ${pending.length - 2} more` : "";
  return `: ${pending.slice(0, 2).join("; ")}${more}`;
}
