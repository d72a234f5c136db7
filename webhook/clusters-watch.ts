/** Reads a watch: lines of JSON, as events. */
import { projectCluster } from "../plugin/domain/clusters";
import { type Names, termOf } from "../plugin/domain/names";
import type { ClusterFacts } from "../plugin/domain/rules/types";
import { at, own, text } from "../plugin/domain/values";

/** A change of an EC; a bookmark moves the position alone. */
export interface WatchEvent {
  readonly is: "set" | "delete" | "bookmark";
  readonly resourceVersion: string;
  readonly cluster: ClusterFacts | undefined;
}

/** The position is too old (410): an ordinary reason to list again. */
export class WatchExpired extends Error {}

const meanings: Readonly<Record<string, WatchEvent["is"]>> = {
  ADDED: "set",
  MODIFIED: "set",
  DELETED: "delete",
  BOOKMARK: "bookmark",
};

/** The events of a watch, until its end; throws on anything that is none. */
export async function* watchEvents(
  lines: AsyncIterable<string>,
  names: Names,
): AsyncGenerator<WatchEvent> {
  for await (const line of lines) yield parseEvent(line, names);
}

function parseEvent(line: string, names: Names): WatchEvent {
  const event: unknown = JSON.parse(line);
  const object = own(event, "object");
  const type = text(own(event, "type")) ?? "";
  if (type === "ERROR") throw errorOf(object);
  const is = Object.hasOwn(meanings, type) ? meanings[type] : undefined;
  const resourceVersion = text(at(object, ["metadata", "resourceVersion"]));
  const cluster = is === "bookmark" ? undefined : projectCluster(object, names);
  if (is === undefined || resourceVersion === undefined) throw new Error("no event in the watch");
  if (is !== "bookmark" && cluster === undefined)
    throw new Error(`no ${termOf(names.ec)} in the watch`);
  return { is, resourceVersion, cluster };
}

function errorOf(status: unknown): Error {
  const message = text(own(status, "message")) ?? "no message";
  return own(status, "code") === 410
    ? new WatchExpired(message)
    : new Error(`the watch failed: ${message}`);
}
