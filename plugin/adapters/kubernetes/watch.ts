/** Watches: a list of changes without an end, one JSON document a line. */
import type { Resource } from "../../domain/objects";
import { at, own, parseJson, text } from "../../domain/values";
import type { WatchEvent, WatchOptions } from "../../run/ports";
import type { Call, Client } from "./client";
import { NoAnswer } from "../http/answer";
import { isKubeObject } from "./kube-object";
import { collectionPath } from "./paths";

/** Changes of a kind's objects, as the port describes it. */
export async function* watchKind(
  client: Client,
  resource: Resource,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const { signal } = options;
  const call = callOf(resource, options);
  try {
    for await (const line of client.lines(call)) {
      const event = eventOf(line, client, call);
      if (signal.aborted) return;
      yield event;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function callOf(resource: Resource, options: WatchOptions): Call {
  const { namespace, labelSelector, fieldSelector, resourceVersion, signal } = options;
  const query = { watch: "true", allowWatchBookmarks: "true" };
  return {
    method: "GET",
    path: collectionPath(resource, namespace),
    query: { ...query, labelSelector, fieldSelector, resourceVersion },
    subject: `watch ${resource.plural}${namespace === undefined ? "" : ` in namespace ${namespace}`}`,
    writes: false,
    signal,
  };
}

/** Refusals that come after the stream has begun are events too: 410 for a version too old. */
function eventOf(line: string, client: Client, call: Call): WatchEvent {
  const event = parseJson(line);
  const type = own(event, "type");
  const object = own(event, "object");
  if (type === "ERROR") {
    const status = Number(own(object, "code") ?? 500);
    throw client.failure({ status, headers: {}, body: JSON.stringify(object) }, call);
  }
  const resourceVersion = text(at(object, ["metadata", "resourceVersion"]));
  if (type === "BOOKMARK" && resourceVersion !== undefined) return { type, resourceVersion };
  if (isChange(type) && isKubeObject(object)) return { type, object };
  throw client.failure(new NoAnswer("BODY_UNREADABLE", { sent: true }), call);
}

function isChange(type: unknown): type is "ADDED" | "MODIFIED" | "DELETED" {
  return type === "ADDED" || type === "MODIFIED" || type === "DELETED";
}
