/** Connecting to a Kubernetes API server: flags and environment into the Cluster port. */
import { setTimeout as later } from "node:timers/promises";
import { type Clock, type Cluster, requestDeadlineMs } from "../../run/ports";
import { Agents } from "../http/agents";
import type { Limits } from "../http/exchange";
import { proxyFor } from "../http/proxy";
import { tunnelTo } from "../http/tunnel";
import { Client } from "./client";
import { HttpCluster } from "./cluster";
import { credentialSource } from "./credentials";
import type { ConnectionFlags, ConnectOptions } from "./flags";
import { impersonationHeaders } from "./impersonation";
import { loadKubeconfig } from "./kubeconfig";
import { podAccount, serviceAccountDir } from "./pod";
import { refuseWrites } from "./read-only";
import { chooseTarget, type Target } from "./target";
import { trustOf } from "./trust";

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
export function openClient(target: Target, env: NodeJS.ProcessEnv, options: ClientOptions): Client {
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

function serverOf({ base }: Target): string {
  return base.href.replace(/\/$/, "");
}

const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await later(ms, undefined, { signal });
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
};
