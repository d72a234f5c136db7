/** Actions, in the older form and the newer (S92; domain facts 9, reading actions). */
import type { Names } from "../names";
import { list, own, text } from "../values";
import type { ApiAction } from "./records";

/** One action; undefined for what has no uid. */
export function parseAction(value: unknown, names: Names): ApiAction | undefined {
  const { actionFields: fields } = names;
  const uid = text(own(value, fields.uid));
  if (uid === undefined) return undefined;
  const status = text(own(value, fields.status));
  const more = own(value, fields.additionalInfo);
  return {
    uid,
    name: text(own(value, fields.name)),
    status,
    is: stateOf(status, names),
    progress: percent(own(value, fields.progress)),
    error: text(own(value, fields.error)) ?? text(own(more, fields.error)),
    database: databaseOf(text(own(value, fields.objectName)) ?? text(own(more, fields.objectName))),
  };
}

/** A bare list, or one with the state machines beside the actions; undefined for anything else. */
export function parseActions(value: unknown, names: Names): readonly ApiAction[] | undefined {
  const { actions, stateMachines } = names.actionFields;
  const lists = [value, own(value, actions), own(value, stateMachines)].filter(Array.isArray);
  if (lists.length === 0) return undefined;
  return lists
    .flatMap(list)
    .map((each) => parseAction(each, names))
    .filter((action) => action !== undefined);
}

function stateOf(status: string | undefined, { actionStates }: Names): ApiAction["is"] {
  const word = status?.toLowerCase() ?? "";
  if (actionStates.completed.includes(word)) return "completed";
  return actionStates.failed.includes(word) ? "failed" : "running";
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
