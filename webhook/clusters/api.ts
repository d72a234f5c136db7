/** ECs from the API server: one complete list, then its changes, for as long as the process lives. */
import { setTimeout as sleep } from "node:timers/promises";
import { readArriving, splitLines } from "../../plugin/adapters/http/answer";
import { clusterKey } from "../../plugin/domain/rules/clusters";
import type { ClusterFacts } from "../../plugin/domain/rules/types";
import {
  type ApiConnection,
  ByNamespace,
  type ClusterKey,
  type ClusterService,
  type SourceContext,
} from "./clusters";
import { ClusterRequests, Refused, watchEvents, WatchExpired } from "./requests";
import { LiveReads } from "./live-reads";
import { errorText } from "../log";
import { UnknownPolicies } from "./unknown-policies";

export interface WatchTimes {
  /** Waits before the next try; other than sleeping only in tests. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The API server ends a watch after so long. */
  readonly watchSeconds: () => number;
  /** A watch that says nothing for longer is taken as dead: a half-open connection looks like peace. */
  readonly silenceMs: number;
  /** No single page of a list may take longer. */
  readonly pageMs: number;
}

/** Bookmarks come about once a minute. */
const usualPace: WatchTimes = {
  wait: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
  watchSeconds: () => 300 + Math.floor(Math.random() * 300),
  silenceMs: 150_000,
  pageMs: 60_000,
};

const firstDelay = 200;
const longestDelay = 10_000;

/** Doubles with each failure and varies, so that replicas do not come back all at once. */
export function delayAfter(failures: number, random = Math.random()): number {
  const most = Math.min(longestDelay, firstDelay * 2 ** Math.min(failures - 1, 16));
  return most * (0.5 + random / 2);
}

export class ApiClusters implements ClusterService {
  private readonly requests: ClusterRequests;
  private readonly reads = new LiveReads();
  private readonly stopping = new AbortController();
  private readonly pace: WatchTimes;
  private readonly policies: UnknownPolicies;
  private store = new Map<string, ClusterFacts>();
  private known: ByNamespace | undefined;
  private complete = false;
  private failures = 0;
  private lists = 0;
  private heard: number | undefined;

  constructor(
    connection: ApiConnection,
    private readonly context: SourceContext,
    pace: Partial<WatchTimes> = {},
  ) {
    this.requests = new ClusterRequests(connection, context.names);
    this.policies = new UnknownPolicies(context);
    this.pace = { ...usualPace, ...pace };
  }

  start(): void {
    void this.run();
  }

  stop(): void {
    this.stopping.abort();
  }

  /** Once complete it stays so: a lost watch makes the data older, and denials are confirmed live. */
  hasSynced(): boolean {
    return this.complete;
  }

  in(namespace: string): ReadonlyMap<string, ClusterFacts> {
    this.known ??= new ByNamespace(this.store.values());
    return this.known.in(namespace);
  }

  count(): number {
    return this.store.size;
  }

  ageMs(): number | undefined {
    return this.heard === undefined ? undefined : performance.now() - this.heard;
  }

  relists(): number {
    return Math.max(0, this.lists - 1);
  }

  live(key: ClusterKey, signal: AbortSignal): Promise<ClusterFacts | undefined> {
    const read = (limit: AbortSignal) => this.requests.get(key, limit);
    return this.reads.read(`get ${clusterKey(key)}`, read, signal);
  }

  liveIn(namespace: string, signal: AbortSignal): Promise<readonly ClusterFacts[]> {
    const read = (limit: AbortSignal) => this.requests.listIn(namespace, limit);
    return this.reads.read(`list ${namespace}`, read, signal);
  }

  /** List and watch, again after anything unexpected, until stopped. */
  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.listAndWatch(signal);
      } catch (error) {
        if (isAborted(signal)) return;
        this.failures += 1;
        this.report(error);
      }
      await this.pace.wait(delayAfter(this.failures), signal).catch(() => undefined);
    }
  }

  /** Never returns: an expired or broken watch ends it with an error, and the next list repairs all. */
  private async listAndWatch(signal: AbortSignal): Promise<never> {
    const listed = await this.requests.listAll(signal, this.pace.pageMs);
    this.store = new Map(listed.clusters.map((cluster) => [clusterKey(cluster), cluster]));
    this.known = undefined;
    this.policies.lookAtAll(listed.clusters);
    const { resourceVersion } = listed;
    this.context.log.info({ count: this.store.size, resourceVersion }, "clusters listed");
    this.complete = true;
    this.lists += 1;
    this.heard = performance.now();
    for (let position = resourceVersion; ;) position = await this.watchFrom(position, signal);
  }

  /** Follows one watch to its end; the point from which the next one continues. */
  private async watchFrom(start: string, signal: AbortSignal): Promise<string> {
    const { names } = this.context;
    let position = start;
    const began = performance.now();
    const stream = await this.requests.watch(start, this.pace.watchSeconds(), signal);
    const chunks = readArriving({ stream }, { clock: {}, silentMs: this.pace.silenceMs, signal });
    for await (const event of watchEvents(splitLines(chunks), names)) {
      this.failures = 0;
      this.heard = performance.now();
      position = event.resourceVersion;
      if (event.cluster !== undefined) this.take(event.is, event.cluster);
    }
    if (position === start && performance.now() - began < shortest) {
      throw new Error("the watch ended at once");
    }
    return position;
  }

  private take(is: "set" | "delete" | "bookmark", cluster: ClusterFacts): void {
    const key = clusterKey(cluster);
    if (is === "delete") {
      this.store.delete(key);
      this.policies.forget(cluster);
    } else {
      this.store.set(key, cluster);
      this.policies.lookAt(cluster);
    }
    this.known = undefined;
    this.context.log.debug({ ec: key, is }, "cluster changed");
  }

  private report(error: unknown): void {
    const { log, names } = this.context;
    const fields = { because: errorText(error), synced: this.complete, failures: this.failures };
    if (error instanceof WatchExpired) log.info(fields, "clusters are listed again");
    else log.warn({ ...fields, ...hint(error, names) }, "cannot follow the clusters, trying again");
  }
}

/** A watch that ends sooner without a word is no peaceful end. */
const shortest = 1_000;

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function hint(error: unknown, { ec, group }: SourceContext["names"]): { readonly fix?: string } {
  const status = error instanceof Refused ? error.status : 0;
  const resource = `${ec.plural}.${group}`;
  if (status === 403) return { fix: `allow get, list and watch of ${resource} in all namespaces` };
  return status === 404 ? { fix: `install the definition of ${resource}` } : {};
}
