/** What a kubeconfig holds, as far as it is used here. */
import type { Json } from "../../domain/values";

/** A cluster of a kubeconfig; files are absolute paths. */
export interface ClusterEntry {
  readonly server?: string;
  readonly caFile?: string;
  readonly caData?: string;
  readonly insecure?: boolean;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  /** Configuration for exec plugins. */
  readonly execConfig?: unknown;
}

/** Whom to act as. */
export interface Impersonation {
  readonly as?: string | undefined;
  readonly asUid?: string | undefined;
  readonly asGroups?: readonly string[] | undefined;
  readonly asExtra?: Json | undefined;
}

/** A user of a kubeconfig; files are absolute paths. */
export interface UserEntry extends Impersonation {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly certFile?: string;
  readonly certData?: string;
  readonly keyFile?: string;
  readonly keyData?: string;
  readonly exec?: Json;
  readonly authProvider?: Json;
}

/** A context of a kubeconfig. */
export interface ContextEntry {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** One kubeconfig, or several merged. */
export interface Kubeconfig {
  /** The files that were looked for. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}
