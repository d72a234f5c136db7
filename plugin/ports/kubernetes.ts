/**
 * What the run needs of the outside world, as interfaces: the real cluster, a cluster in memory
 * and the fakes of the tests all stand behind them.
 */
import type { Duplex } from "node:stream";
import type { KubeObject, Ref, Resource, ServedResource } from "../domain/kube/objects";

export type { KubeObject, ManagedFields, ObjectMeta, Ref, Resource } from "../domain/kube/objects";

/** Options of every write. */
export interface WriteOptions {
  readonly dryRun?: boolean;
  /** A connection of its own instead of a kept one: probes reach every replica that way. */
  readonly fresh?: boolean;
  readonly signal?: AbortSignal;
  /** Warning headers of the answer are handed over here. */
  readonly onWarning?: (text: string) => void;
}

export interface ApplyOptions extends WriteOptions {
  readonly force?: boolean;
  readonly fieldManager: string;
}

/** A write under a field manager of one's own. */
export interface ManagedWrite extends WriteOptions {
  readonly fieldManager?: string;
}

/** A patch; `subresource` names the part that a controller writes, where the kind has it. */
export interface PatchOptions extends ManagedWrite {
  readonly type: PatchType;
  readonly subresource?: "status";
}

/** Deleting happens only when the object is still the one that was read. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Stop after so many objects; absent: all pages. */
  readonly limit?: number;
  /** As few answers as their sizes allow: one request for some thousands of objects. */
  readonly whole?: boolean;
  /** Managers without their fields, which are most of a small object; their names stay. */
  readonly lean?: boolean;
  readonly signal?: AbortSignal;
}

/** What is watched; `signal` ends it. */
export interface WatchOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Changes after this version; absent: first every object that exists, as ADDED. */
  readonly resourceVersion?: string;
  readonly signal: AbortSignal;
}

/** One change; a bookmark says how far the watch has come. */
export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string };

/** Which part of a container's log. */
export interface LogOptions {
  readonly container: string;
  readonly tailLines: number;
  readonly signal?: AbortSignal;
}

export type PatchType = "merge" | "json" | "strategic";

/** A permission to ask for: SelfSubjectAccessReview's resource attributes. */
export interface Access {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Whether a copy of a cluster holds no object of a kind, in a namespace where one is given. */
export type Lacks = (
  kind: Pick<Resource, "group" | "kind">,
  namespace: string | undefined,
) => boolean;

/** Why the objects of a kind, in a namespace where one is given, are not as an API server stores them. */
export type Misfits = (
  kind: Pick<Resource, "group" | "kind">,
  namespace: string | undefined,
) => string | undefined;

/**
 * The Kubernetes API as the plugin uses it. Every method throws ApiError (an answer that is no
 * success; 409 for conflicts, 404 on patch and delete of an absent object), PermissionError
 * (401, exec credentials) or UnavailableError (no connection, wrong CA, no answer in time; the
 * outcome of a write is then open).
 */
export interface KubeClient {
  /** Address of the API server, as shown in reports. */
  readonly server: string;
  /** Namespace of the kubeconfig context or flag. */
  readonly namespace: string;
  /** How the place and the user were chosen; absent of a cluster that nobody logs in to. */
  readonly login?: Login;
  /** Only of a copy of a cluster: where it holds nothing of a kind, an absence proves nothing. */
  readonly lacks?: Lacks;
  /** Only of a copy of a cluster: a list with such an object counts as unread. */
  readonly misfits?: Misfits;
  /** Undefined for 404. */
  get(ref: Ref, options?: { readonly signal?: AbortSignal }): Promise<KubeObject | undefined>;
  /** All pages; undefined when the kind itself is not served. */
  list(resource: Resource, options?: ListOptions): Promise<readonly KubeObject[] | undefined>;
  /**
   * Changes as they happen. Ends without an error when the signal is aborted or the server closes
   * the stream; ApiError 410 when the version is too old, 404 when the kind is not served.
   */
  watch(resource: Resource, options: WatchOptions): AsyncIterable<WatchEvent>;
  /** The end of a container's log, undefined where it may not or cannot be read; absent where there are none. */
  logs?(pod: Ref, options: LogOptions): Promise<string | undefined>;
  /** A connection to a port of a pod; what breaks later is an error of the stream. A cluster in memory has none. */
  forward?(to: PodPort, signal?: AbortSignal): Promise<Duplex>;
  create(object: KubeObject, options?: ManagedWrite): Promise<KubeObject>;
  update(object: KubeObject, options?: ManagedWrite): Promise<KubeObject>;
  /** Server-side apply of the complete object; metadata.uid and resourceVersion count as preconditions. */
  apply(object: KubeObject, options: ApplyOptions): Promise<KubeObject>;
  patch(ref: Ref, body: unknown, options: PatchOptions): Promise<KubeObject>;
  delete(ref: Ref, preconditions: Preconditions, options?: WriteOptions): Promise<void>;
  /** Asks with a SelfSubjectAccessReview. */
  can(access: Access): Promise<boolean>;
  /** The user's name as the API server knows it, undefined when it does not report. */
  whoAmI(): Promise<string | undefined>;
  /** The API server's release as it gives it, "v1.34.1"; undefined when it does not report. */
  version(): Promise<string | undefined>;
  /** The kinds that a group/version serves, undefined when it serves none. */
  serves(group: string, version: string): Promise<readonly ServedResource[] | undefined>;
  /** Closes kept connections. */
  close(): void;
}

/** A port of a pod. */
export interface PodPort {
  readonly pod: Ref;
  readonly port: number;
}

/** What a connection was chosen by: words of a configuration, never a credential. */
export interface Login {
  /** Context of the kubeconfig. */
  readonly context?: string;
  /** Whose credentials are used, as messages call it. */
  readonly user: string;
  /** User and groups that the API server is asked to act as. */
  readonly as?: string;
  readonly asGroups?: readonly string[];
}

/** Time as a port: tests drive it by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Rings once after `ms`, unless what it gives is called first; absent: by the machine's own time. */
  alarm?(ms: number, ring: () => void): () => void;
  /** Time that passes when someone waits lets others work meanwhile; absent: it passes by itself. */
  repeat?(act: RepeatedAct): Repeated;
}

/** Gives the milliseconds until it is due again. */
export type RepeatedAct = () => Promise<number>;

/** Work that comes again and again beside the run. */
export interface Repeated {
  /** It is due now, whatever it said. */
  soon(): void;
  /** Ends it once what is under way is done; throws what it threw. */
  stop(): Promise<void>;
}

/** Begins such work, which is due at once. */
export function repeat(clock: Clock, act: RepeatedAct): Repeated {
  if (clock.repeat !== undefined) return clock.repeat(act);
  const over = new AbortController();
  let pause = new AbortController();
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) {
      pause = new AbortController();
      const ms = await act();
      const woken = AbortSignal.any([pause.signal, over.signal]);
      await clock.sleep(ms, woken).catch(() => undefined);
    }
  };
  const work = run();
  work.catch(() => undefined); // thrown by stop
  return {
    soon: () => {
      pause.abort();
    },
    stop: async () => {
      over.abort();
      await work;
    },
  };
}

/** Longest time for one request where --request-timeout gives none (cli contract, Output). */
export const requestDeadlineMs = 90_000;

const longestTimer = 2 ** 31 - 1;

/** Calls `late` when the time is over; what it gives calls that off. */
export function deadline(clock: Pick<Clock, "alarm">, ms: number, late: () => void): () => void {
  if (clock.alarm !== undefined) return clock.alarm(ms, late);
  const timer = setTimeout(late, Math.min(ms, longestTimer));
  return () => {
    clearTimeout(timer);
  };
}
