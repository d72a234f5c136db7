/** Which cluster, as whom, in which namespace: flags over kubeconfig over the pod's own account. */
import { join, resolve } from "node:path";
import { UsageError } from "../../domain/base/errors";
import type { ClusterEntry, ContextEntry, Kubeconfig, UserEntry } from "./kubeconfig";
import { existsSync } from "node:fs";
import { isIPv6 } from "node:net";
import { asString } from "../../domain/base/values";
import { readText } from "../files";
import type { OnSlow } from "../http/slow";
import type { Clock } from "../../ports/kubernetes";

/** Everything that is known about the place before the first request. */
export interface ServerTarget {
  readonly base: URL;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  /** How messages call the user. */
  readonly userName: string;
  /** Of the kubeconfig; absent where none was chosen. */
  readonly contextName: string | undefined;
  /** How messages call the cluster's place in the configuration. */
  readonly clusterName: string;
  readonly namespace: string;
}

/** What a pod knows about its own cluster. */
interface PodAccount {
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  readonly namespace: string | undefined;
}

/** How messages call a login that is none. */
export const noUser = "no user";

interface Choice {
  readonly contextName: string | undefined;
  readonly context: ContextEntry;
  readonly cluster: ClusterEntry;
  readonly clusterName: string;
  readonly user: UserEntry;
  readonly userName: string;
}

/** Decides for one target; throws one UsageError with everything that is wrong. */
export function chooseTarget(
  kubeconfig: Kubeconfig,
  flags: ConnectionFlags,
  pod: PodAccount | undefined,
): ServerTarget {
  const choice = choose(kubeconfig, flags);
  const inPod = choice.cluster.server === undefined && flags.server === undefined;
  const from = inPod && pod !== undefined ? { ...choice, ...pod, ...podNames } : choice;
  const cluster = withClusterFlags(from.cluster, flags);
  const user = withUserFlags(from.user, flags);
  if (cluster.server === undefined) throw nowhere(kubeconfig, flags);
  const base = parseBase(cluster.server, cluster, user);
  const address = `the server address of ${from.clusterName} is not an http or https URL`;
  const problems = contradictions(cluster, user);
  if (base === undefined) throw new UsageError([address, ...problems]);
  if (problems.length > 0) throw new UsageError(problems);
  return {
    base,
    cluster,
    user,
    userName: givesCredentials(flags) ? "the command line" : from.userName,
    clusterName: flags.server === undefined ? from.clusterName : "--server",
    contextName: inPod ? undefined : from.contextName,
    namespace: chooseNamespace(flags, choice.context, pod),
  };
}

function chooseNamespace(flags: ConnectionFlags, context: ContextEntry, pod?: PodAccount): string {
  return flags.namespace ?? context.namespace ?? pod?.namespace ?? "default";
}

function givesCredentials({ token, clientCertificate }: ConnectionFlags): boolean {
  return token !== undefined || clientCertificate !== undefined;
}

const podNames = { userName: "the pod's service account", clusterName: "the pod's own cluster" };

function choose(kubeconfig: Kubeconfig, flags: ConnectionFlags): Choice {
  const problems: string[] = [];
  const contextName = flags.context ?? kubeconfig.currentContext;
  const context = entry(kubeconfig.contexts, contextName, { kind: "context", problems }) ?? {};
  const { cluster = context.cluster, user = context.user } = flags;
  const choice = {
    contextName,
    context,
    cluster: entry(kubeconfig.clusters, cluster, { kind: "cluster", problems }) ?? {},
    clusterName: cluster === undefined ? "--server" : `cluster "${cluster}"`,
    user: entry(kubeconfig.users, user, { kind: "user", problems }) ?? {},
    userName: user === undefined ? noUser : `user "${user}"`,
  };
  if (problems.length > 0) {
    throw new UsageError(problems, { hint: "kubectl config get-contexts lists what there is" });
  }
  return choice;
}

function entry<T>(
  entries: ReadonlyMap<string, T>,
  name: string | undefined,
  { kind, problems }: { readonly kind: string; readonly problems: string[] },
): T | undefined {
  if (name === undefined || entries.has(name)) return entries.get(name ?? "");
  problems.push(
    `there is no ${kind} "${name}" in the kubeconfig: it names ${listChoices(entries)}`,
  );
  return undefined;
}

function listChoices(entries: ReadonlyMap<string, unknown>): string {
  const names = [...entries.keys()];
  if (names.length === 0) return "none";
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  return `${names.slice(0, 10).join(", ")}${more}`;
}

/** No server at all: kubectl would try localhost:8080, which helps nobody. */
function nowhere(kubeconfig: Kubeconfig, flags: ConnectionFlags): UsageError {
  const files = kubeconfig.files.length === 0 ? "no file" : kubeconfig.files.join(", ");
  if (kubeconfig.clusters.size === 0 && kubeconfig.contexts.size === 0) {
    return new UsageError(`no configuration for a cluster was found (looked for ${files})`, {
      hint: "set KUBECONFIG, or give --kubeconfig or --server",
    });
  }
  const unchosen = (flags.context ?? kubeconfig.currentContext) === undefined;
  const problem = unchosen ? "no context is chosen" : "the context leads to no server address";
  return new UsageError(`${problem} in the kubeconfig ${files}`, {
    hint: unchosen
      ? `choose one with --context (${listChoices(kubeconfig.contexts)})`
      : "correct the kubeconfig, or give --server",
  });
}

/** Flags of the cluster, with kubectl's rules for what they clear. */
function withClusterFlags(cluster: ClusterEntry, flags: ConnectionFlags): ClusterEntry {
  const { server, tlsServerName } = flags;
  const { tlsServerName: expected, ...rest } = withTrustFlags(cluster, flags);
  const name = tlsServerName ?? (server === undefined ? expected : undefined);
  return {
    ...rest,
    ...(server !== undefined && { server }),
    ...(name !== undefined && { tlsServerName: name }),
  };
}

function withTrustFlags(cluster: ClusterEntry, flags: ConnectionFlags): ClusterEntry {
  const { certificateAuthority, insecureSkipTlsVerify } = flags;
  if (certificateAuthority === undefined && insecureSkipTlsVerify !== true) return cluster;
  const rest = Object.entries(cluster).filter(([key]) => !/^(caFile|caData|insecure)$/.test(key));
  return {
    ...Object.fromEntries(rest),
    ...(certificateAuthority !== undefined && { caFile: resolve(certificateAuthority) }),
    ...(insecureSkipTlsVerify === true && { insecure: true }),
  };
}

/** A credential given by flag replaces all of the user's own: the server would prefer those. */
function withUserFlags(user: UserEntry, flags: ConnectionFlags): UserEntry {
  const { token, clientCertificate, clientKey, as, asUid, asGroup } = flags;
  const { as: ownAs, asUid: ownUid, asGroups, asExtra, ...credentials } = user;
  const impersonates = as !== undefined || asUid !== undefined || asGroup !== undefined;
  return {
    ...(!givesCredentials(flags) && credentials),
    ...(token !== undefined && { token }),
    ...(clientCertificate !== undefined && { certFile: resolve(clientCertificate) }),
    ...(clientKey !== undefined && { keyFile: resolve(clientKey) }),
    ...(impersonates
      ? { as, asUid, asGroups: asGroup }
      : { as: ownAs, asUid: ownUid, asGroups, asExtra }),
  };
}

/** An address without a scheme is https as soon as anything speaks of TLS, as in kubectl. */
function parseBase(server: string, cluster: ClusterEntry, user: UserEntry): URL | undefined {
  const secure =
    cluster.caFile ?? cluster.caData ?? cluster.insecure ?? user.certFile ?? user.certData;
  const scheme = secure === undefined ? "http" : "https";
  const url = server.includes("://") ? server : `${scheme}://${server}`;
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) return undefined;
  const base = new URL(url);
  base.username = base.password = base.search = base.hash = "";
  return base;
}

function contradictions(cluster: ClusterEntry, user: UserEntry): readonly string[] {
  const ca = cluster.caFile ?? cluster.caData;
  const cert = user.certFile ?? user.certData;
  const key = user.keyFile ?? user.keyData;
  const without = user.as === undefined && [user.asUid, user.asGroups].some((part) => part);
  return [
    ...(cluster.insecure === true && ca !== undefined
      ? ["a certificate authority and insecure-skip-tls-verify contradict each other"]
      : []),
    ...((cert === undefined) === (key === undefined)
      ? []
      : ["a client certificate and its key are needed together"]),
    ...(without ? ["--as-uid and --as-group need --as"] : []),
  ];
}

/** Where the service account is mounted in every pod. */
export const serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The pod's own account, undefined outside a pod. */
export function podAccount(env: NodeJS.ProcessEnv, dir: string): PodAccount | undefined {
  const host = asString(env["KUBERNETES_SERVICE_HOST"]);
  const port = asString(env["KUBERNETES_SERVICE_PORT"]);
  const tokenFile = join(dir, "token");
  if (host === undefined || port === undefined || !existsSync(tokenFile)) return undefined;
  const caFile = join(dir, "ca.crt");
  const namespace = readText(join(dir, "namespace"));
  return {
    cluster: {
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      ...(existsSync(caFile) && { caFile }),
    },
    user: { tokenFile },
    namespace: "text" in namespace ? asString(namespace.text.trim()) : undefined,
  };
}

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
  /** Told of a server that does not answer, and without seconds that it does again. */
  readonly onSlow?: OnSlow | undefined;
  /** Nothing but reads and questions about oneself is sent; a write throws ReadOnlyError. */
  readonly readOnly?: boolean;
  /** A credential plugin gets no terminal to ask on. */
  readonly silent?: boolean;
  /** Output is one document: what a plugin says of its failure belongs into it. */
  readonly isDocument?: boolean;
  /** Told of what a person should know although the run goes on. */
  readonly warn?: (text: string) => void;
  /** Told of each write that `readOnly` kept from being sent. */
  readonly onRefused?: (request: RequestSeen) => void;
  /** Pauses between repeated reads, and the expiry of exec credentials. */
  readonly clock?: Clock;
  /** How long a connection may take to stand; kubectl's 30 seconds by default. */
  readonly dialTimeoutMs?: number;
  /** How long a login plugin may take, with the person whom it may ask; absent: 5 minutes. */
  readonly loginTimeoutMs?: number;
  /** Where a pod finds its service account. */
  readonly serviceAccountDir?: string;
}
