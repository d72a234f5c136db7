/** Connecting to a Kubernetes API server: flags and environment into the Cluster port. */
import { type Cluster, requestDeadlineMs } from "../../run/ports";
import { systemClock } from "../clock";
import { Agents } from "../http/agents";
import type { Limits } from "../http/exchange";
import { proxyFor, tunnelTo } from "../http/tunnel";
import { Client } from "./client";
import { HttpCluster } from "./cluster";
import { credentialSource, trustOf } from "./credentials";
import {
  chooseTarget,
  type ConnectionFlags,
  type ConnectOptions,
  podAccount,
  type RequestSeen,
  serviceAccountDir,
  type ServerTarget,
} from "./target";
import { type Impersonation, loadKubeconfig } from "./kubeconfig";
import { type OutgoingHttpHeaders, validateHeaderValue } from "node:http";
import { EngineError, exitCodes, UsageError } from "../../domain/errors";
import { asArray, asString } from "../../domain/values";

const dialMs = 30_000;

/**
 * The cluster that flags, environment and kubeconfig name. Sends nothing yet: what cannot work
 * whatever the server says (no configuration, unknown names, unreadable files) is a UsageError.
 */
export function connect(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
  options: ConnectOptions = {},
): Promise<Cluster> {
  return Promise.resolve().then(() => clusterOf(flags, env, options));
}

function clusterOf(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
  options: ConnectOptions,
): Cluster {
  const kubeconfig = loadKubeconfig(flags.kubeconfig, env);
  const explicit = flags.kubeconfig !== undefined;
  const dir = options.serviceAccountDir ?? serviceAccountDir;
  const target = chooseTarget(kubeconfig, flags, explicit ? undefined : podAccount(env, dir));
  const { requestTimeoutMs: answerMs = requestDeadlineMs } = flags;
  const limits = { answerMs, dialMs: options.dialTimeoutMs ?? dialMs };
  return new HttpCluster(openClient(target, env, { ...options, limits }), {
    server: serverOf(target),
    namespace: target.namespace,
  });
}

/** How a client is opened, beside where to. */
export type ClientOptions = Omit<ConnectOptions, "dialTimeoutMs" | "serviceAccountDir"> & {
  readonly limits?: Partial<Limits>;
  readonly userAgent?: string;
};

/** A client of the API server that was chosen; sends nothing yet. */
export function openClient(
  target: ServerTarget,
  env: NodeJS.ProcessEnv,
  options: ClientOptions,
): Client {
  const { base, cluster, user, userName, clusterName } = target;
  const { clock = systemClock, signal, onRequest, readOnly, onRefused } = options;
  const limits = { dialMs, answerMs: requestDeadlineMs, ...options.limits };
  const trust = trustOf(target, env);
  return new Client({
    base,
    place: { server: serverOf(target), clusterName, userName },
    agents: new Agents({
      tls: base.protocol === "https:" ? trust : undefined,
      open: tunnelTo(base, proxyFor(base, env, cluster.proxyUrl)),
    }),
    credentials: credentialSource({ target, env, clock, timeoutMs: limits.answerMs }),
    impersonation: impersonationHeaders(user),
    userAgent: options.userAgent ?? "kubectl-engine",
    compress: cluster.disableCompression !== true,
    clock,
    limits,
    signal,
    onRequest,
    guard: readOnly === true ? refuseWrites(onRefused) : undefined,
  });
}

function serverOf({ base }: ServerTarget): string {
  return base.href.replace(/\/$/, "");
}

/** The headers that ask the server to act as someone else. */
export function impersonationHeaders(whom: Impersonation): OutgoingHttpHeaders {
  const { as, asUid, asGroups = [], asExtra = {} } = whom;
  const extra = Object.entries(asExtra).map(([key, values]): [string, string[]] => [
    `Impersonate-Extra-${encodeURIComponent(key.toLowerCase())}`,
    asArray(values).flatMap((value) => asString(value) ?? []),
  ]);
  const headers: [string, string[]][] = [
    ["Impersonate-User", as === undefined ? [] : [as]],
    ["Impersonate-Uid", asUid === undefined ? [] : [asUid]],
    ["Impersonate-Group", [...asGroups]],
    ...extra,
  ];
  const given = headers.filter(([, values]) => values.length > 0);
  return Object.fromEntries(given.map(([name, values]) => [name, values.map(carried)]));
}

/** Header bytes are UTF-8, as Go sends them; control characters no header can carry. */
function carried(value: string): string {
  const bytes = Buffer.from(value, "utf8").toString("latin1");
  try {
    validateHeaderValue("Impersonate", bytes);
  } catch {
    throw new UsageError("a user, uid or group to impersonate holds control characters");
  }
  return bytes;
}

/** These are asked with a POST and change nothing: what may I do, and who am I. */
const questions: readonly string[] = [
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  "/apis/authentication.k8s.io/v1/selfsubjectreviews",
];

/** A write was about to be sent over a connection that only reads: an error of the program. */
export class ReadOnlyError extends EngineError {
  readonly code = "READ_ONLY";
  readonly exitCode = exitCodes.failed;
}

/** Throws for every request that could change something, dry runs included; nothing is sent then. */
export function refuseWrites(
  refused: ((request: RequestSeen) => void) | undefined,
): (request: RequestSeen) => void {
  return (request) => {
    const { method, path, dryRun } = request;
    if (method === "GET") return;
    if (method === "POST" && !dryRun && questions.includes(path)) return;
    refused?.(request);
    throw new ReadOnlyError(
      `${method} ${path} was not sent: this connection only reads${dryRun ? ", and a dry run is a write" : ""}`,
      { hint: "report this as an error of kubectl-engine; the cluster was not touched" },
    );
  };
}
