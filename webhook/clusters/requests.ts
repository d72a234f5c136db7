/** The three requests about ECs: list, get, watch; errors of any kind become ClustersUnreadable. */
import type { IncomingMessage } from "node:http";
import { projectCluster } from "../../plugin/domain/rules/clusters";
import { isSubdomain } from "../../plugin/domain/kube/selectors";
import { type Names, renderTerm } from "../../plugin/domain/names/names";
import type { ClusterFacts } from "../../plugin/domain/rules/types";
import { getPath, asArray, getOwn, asString } from "../../plugin/domain/base/values";
import { type ApiConnection, type ClusterKey, ClustersUnreadable } from "./clusters";

/** A complete list and the point from which a watch continues. */
interface ClusterList {
  readonly clusters: readonly ClusterFacts[];
  readonly resourceVersion: string;
}

export class Refused extends ClustersUnreadable {
  constructor(
    readonly status: number,
    readonly path: string,
  ) {
    super(`the API server answered ${status} to GET ${path}`);
  }
}

/** An EC's status can be large: the first page is short, and the next ones aim at so much text. */
const firstPage = 2;
const pageBytes = 2 ** 20;
const largestPage = 500;

/** How many objects the next page may hold, by what the last one weighed. */
export function pageAfter(objects: number, bytes: number): number {
  const fits = Math.floor(pageBytes / Math.max(1, bytes / Math.max(1, objects)));
  return Math.min(largestPage, Math.max(1, fits));
}

export class ClusterRequests {
  /** EC is served as v1 by newer definitions and as v1alpha1 by older ones; found by the first list. */
  private version: string;

  constructor(
    private readonly connection: ApiConnection,
    private readonly names: Names,
  ) {
    this.version = names.ecVersion;
  }

  /** Every EC, page by page, in the newer version or else in the older one. */
  async listAll(signal: AbortSignal, pageMs: number): Promise<ClusterList> {
    const { ecVersion, version } = this.names;
    this.version = ecVersion;
    try {
      return await this.listAt("", signal, pageMs);
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 404 || version === ecVersion) throw error;
      this.version = version;
      return this.listAt("", signal, pageMs);
    }
  }

  async listIn(namespace: string, signal: AbortSignal): Promise<readonly ClusterFacts[]> {
    if (!isSubdomain(namespace)) return [];
    return (await this.listAt(`/namespaces/${namespace}`, signal)).clusters;
  }

  /** One EC; undefined only when the API server says that this very object does not exist. */
  async get({ namespace, name }: ClusterKey, signal: AbortSignal) {
    // What is not a name names nothing, and must not become a part of a path.
    if (!isSubdomain(namespace) || !isSubdomain(name)) return undefined;
    const path = `${this.path(`/namespaces/${namespace}`)}/${name}`;
    const { status, body } = await this.answer(path, signal);
    if (status === 404 && getPath(body, ["details", "name"]) === name) return undefined;
    if (status !== 200) throw new Refused(status, path);
    const cluster = projectCluster(body, this.names);
    if (cluster === undefined)
      throw new ClustersUnreadable(`no ${renderTerm(this.names.ec)} in the answer to GET ${path}`);
    return cluster;
  }

  /** The stream of changes after a point; its end is asked for after some minutes. */
  async watch(
    resourceVersion: string,
    seconds: number,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const query = new URLSearchParams({
      watch: "1",
      allowWatchBookmarks: "true",
      resourceVersion,
      timeoutSeconds: String(seconds),
    });
    const path = `${this.path("")}?${query.toString()}`;
    const { status, stream } = await this.answer(path, signal, true);
    if (stream === undefined) throw new Refused(status, path);
    return stream;
  }

  private async listAt(scope: string, signal: AbortSignal, pageMs?: number): Promise<ClusterList> {
    const clusters: ClusterFacts[] = [];
    let next: string | undefined = "";
    let resourceVersion = "";
    let limit = firstPage;
    do {
      const query: string = new URLSearchParams({
        limit: String(limit),
        ...(next === "" ? {} : { continue: next }),
      }).toString();
      const path = `${this.path(scope)}?${query}`;
      const { status, body, length } = await this.answer(path, within(signal, pageMs));
      if (status !== 200) throw new Refused(status, path);
      const items = getOwn(body, "items");
      resourceVersion = asString(getPath(body, ["metadata", "resourceVersion"])) ?? "";
      if (!Array.isArray(items) || resourceVersion === "") {
        throw new ClustersUnreadable(`no list in the answer to GET ${path}`);
      }
      for (const item of asArray(items)) {
        const cluster = projectCluster(item, this.names);
        if (cluster !== undefined) clusters.push(cluster);
      }
      limit = pageAfter(items.length, length);
      next = asString(getPath(body, ["metadata", "continue"]));
    } while (next !== undefined);
    return { clusters, resourceVersion };
  }

  private path(scope: string): string {
    return `/apis/${this.names.group}/${this.version}${scope}/${this.names.ec.plural}`;
  }

  private async answer(path: string, signal: AbortSignal, streams = false) {
    try {
      return await this.connection.send({ method: "GET", path, streams }, signal);
    } catch (cause) {
      throw new ClustersUnreadable(`no answer to GET ${path}`, { cause });
    }
  }
}

/** Large clusters have many pages: each has its own time. */
function within(signal: AbortSignal, ms: number | undefined): AbortSignal {
  return ms === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}

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
  const object = getOwn(event, "object");
  const type = asString(getOwn(event, "type")) ?? "";
  if (type === "ERROR") throw readError(object);
  const is = Object.hasOwn(meanings, type) ? meanings[type] : undefined;
  const resourceVersion = asString(getPath(object, ["metadata", "resourceVersion"]));
  const cluster = is === "bookmark" ? undefined : projectCluster(object, names);
  if (is === undefined || resourceVersion === undefined) throw new Error("no event in the watch");
  if (is !== "bookmark" && cluster === undefined)
    throw new Error(`no ${renderTerm(names.ec)} in the watch`);
  return { is, resourceVersion, cluster };
}

function readError(status: unknown): Error {
  const message = asString(getOwn(status, "message")) ?? "no message";
  return getOwn(status, "code") === 410
    ? new WatchExpired(message)
    : new Error(`the watch failed: ${message}`);
}
