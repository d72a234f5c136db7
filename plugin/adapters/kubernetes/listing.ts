/** Lists, in pages unless they are asked for whole, and watches. */
import { ApiError, UnavailableError } from "../../domain/errors";
import type { KubeObject, Resource } from "../../domain/objects";
import {
  getPath,
  isObject,
  type Json,
  asArray,
  getOwn,
  parseJson,
  asString,
} from "../../domain/values";
import type { ListOptions, WatchEvent, WatchOptions } from "../../run/ports";
import type { KubeCall, Client } from "./client";
import { collectionPath, isKubeObject } from "./kinds";
import { NoAnswer } from "../http/answer";

const pageSize = 500;
/** Half a million objects; a list that continues beyond them has no end. */
const mostPages = 1_000;

/** What one pass over the pages is made with. */
interface Pass {
  readonly client: Client;
  readonly resource: Resource;
  readonly options: ListOptions;
  /** False asks for everything in one answer. */
  readonly paged: boolean;
}

/**
 * All objects, at most `limit`; undefined when the kind is not served. When the server forgets the
 * list between two pages (410), all of it is asked for once more, in one answer.
 */
export async function listAll(
  client: Client,
  resource: Resource,
  options: ListOptions,
): Promise<readonly KubeObject[] | undefined> {
  try {
    return await pages({ client, resource, options, paged: options.whole !== true });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 410) throw error;
    return pages({ client, resource, options, paged: false });
  }
}

async function pages(pass: Pass): Promise<readonly KubeObject[] | undefined> {
  const limit = pass.options.limit ?? Infinity;
  const found: KubeObject[] = [];
  let next: string | undefined;
  let count = 0;
  do {
    if (count++ === mostPages) throw endless(pass);
    const page = await pageAfter(next, pass, limit - found.length);
    if (page === undefined) return undefined;
    found.push(...objectsOf(page, pass.resource));
    next = asString(getPath(page, ["metadata", "continue"]));
  } while (next !== undefined && found.length < limit);
  return found.slice(0, limit);
}

function endless({ resource }: Pass): UnavailableError {
  return new UnavailableError(
    `the list of ${resource.plural} does not end: ${mostPages} pages came, and there is always a next one`,
    { hint: "see whether a proxy answers in the place of the API server, then run again" },
  );
}

function pageAfter(
  token: string | undefined,
  { client, resource, options, paged }: Pass,
  wanted: number,
): Promise<Json | undefined> {
  const { namespace, labelSelector, fieldSelector, signal } = options;
  const size = paged ? Math.min(pageSize, wanted) : wanted;
  const call = {
    method: "GET",
    path: collectionPath(resource, namespace),
    query: {
      labelSelector,
      fieldSelector,
      limit: Number.isFinite(size) ? String(size) : undefined,
      continue: token,
    },
    subject: `list ${resource.plural}${namespace === undefined ? "" : ` in namespace ${namespace}`}`,
    writes: false,
    signal,
  } as const;
  return client.object(call, "absent");
}

/** Items of built-in kinds carry neither apiVersion nor kind. */
function objectsOf(page: Json, { group, version, kind }: Resource): readonly KubeObject[] {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return asArray(getOwn(page, "items"))
    .filter(isObject)
    .map((item) => ({
      ...item,
      apiVersion: asString(getOwn(item, "apiVersion")) ?? apiVersion,
      kind: asString(getOwn(item, "kind")) ?? kind,
      metadata: { ...(getOwn(item, "metadata") as object) },
    }));
}

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

function callOf(resource: Resource, options: WatchOptions): KubeCall {
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
function eventOf(line: string, client: Client, call: KubeCall): WatchEvent {
  const event = parseJson(line);
  const type = getOwn(event, "type");
  const object = getOwn(event, "object");
  if (type === "ERROR") {
    const status = Number(getOwn(object, "code") ?? 500);
    throw client.failure({ status, headers: {}, body: JSON.stringify(object) }, call);
  }
  const resourceVersion = asString(getPath(object, ["metadata", "resourceVersion"]));
  if (type === "BOOKMARK" && resourceVersion !== undefined) return { type, resourceVersion };
  if (isChange(type) && isKubeObject(object)) return { type, object };
  throw client.failure(new NoAnswer("BODY_UNREADABLE", { sent: true }), call);
}

function isChange(type: unknown): type is "ADDED" | "MODIFIED" | "DELETED" {
  return type === "ADDED" || type === "MODIFIED" || type === "DELETED";
}
