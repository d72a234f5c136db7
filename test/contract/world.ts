import type { KubeClient, KubeObject } from "../../plugin/ports/kubernetes";
import type { WebhookOptions } from "./webhook";

/** A cluster with a namespace of its own for one case: the real one or the one in memory. */
export interface World {
  /** Fresh for each case; the name of everything cluster-scoped that a case makes begins with it. */
  readonly namespace: string;
  /** As an administrator, in system:masters. */
  readonly cluster: KubeClient;
  /** By impersonation; groups besides system:authenticated. */
  readonly as: (user: string, groups?: readonly string[]) => Promise<KubeClient>;
  /** Stores objects, their status included, under the manager `seed`. */
  readonly seed: (...objects: readonly KubeObject[]) => Promise<void>;
  /** Writes the status subresource as a controller does. */
  readonly setStatus: (object: KubeObject, status: object) => Promise<void>;
  /** Starts a webhook behind the Service `admission` of the namespace; it ends with the case. */
  readonly serve: (options: WebhookOptions) => Promise<void>;
  /** Waits until the server acts upon what was written; one in memory does so at once. */
  readonly settle: (ready: () => Promise<boolean>) => Promise<void>;
}

/** A world that is given up after its case, with all that was made for it. */
export interface ShortWorld extends World {
  readonly close: () => Promise<void>;
}

/** One behavior that a command relies on. */
export interface ContractCase {
  /** The behavior as a sentence. */
  readonly says: string;
  /** Does something to the cluster and tells what was seen, as plain data. */
  readonly act: (world: World) => Promise<unknown>;
  /** What the real API server shows, volatile parts as `plain` writes them. */
  readonly sees: unknown;
  /** The entry of the rehearsal's limits that says why memory does not copy this. */
  readonly limit?: string;
}

/** Cases about one thing. */
export interface ContractGroup {
  readonly about: string;
  readonly cases: readonly ContractCase[];
}
