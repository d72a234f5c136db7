import type { Clock } from "../../run/ports";

/** kubectl's connection flags as they were given; an absent property: not given. */
export interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly server?: string;
  readonly token?: string;
  readonly certificateAuthority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly as?: string;
  readonly asUid?: string;
  readonly asGroup?: readonly string[];
  /** Milliseconds for one request, more than 0. */
  readonly requestTimeoutMs?: number;
  readonly namespace?: string;
}

/** One request as an observer sees it: never headers, bodies or queries. */
export interface RequestSeen {
  readonly method: string;
  readonly path: string;
  readonly dryRun: boolean;
}

/** What connect may be given besides flags and environment. */
export interface ConnectOptions {
  /** Ends reads and dry runs that give no signal of their own. */
  readonly signal?: AbortSignal;
  /** Told of each request before it is sent, repeated ones included. */
  readonly onRequest?: (request: RequestSeen) => void;
  /** Nothing but reads and questions about oneself is sent; a write throws ReadOnlyError. */
  readonly readOnly?: boolean;
  /** Told of each write that `readOnly` kept from being sent. */
  readonly onRefused?: (request: RequestSeen) => void;
  /** Pauses between repeated reads, and the expiry of exec credentials. */
  readonly clock?: Clock;
  /** How long a connection may take to stand; kubectl's 30 seconds by default. */
  readonly dialTimeoutMs?: number;
  /** Where a pod finds its service account. */
  readonly serviceAccountDir?: string;
}
