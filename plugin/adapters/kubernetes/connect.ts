/** Connecting to a Kubernetes API server: flags and environment into the Cluster port. */
import { setTimeout as later } from "node:timers/promises";
import { type Clock, type Cluster, requestDeadlineMs } from "../../run/ports";
import { Agents } from "./agents";
import { Client } from "./client";
import { HttpCluster } from "./cluster";
import { credentialSource } from "./credentials";
import type { ConnectionFlags, ConnectOptions } from "./flags";
import { impersonationHeaders } from "./impersonation";
import { loadKubeconfig } from "./kubeconfig";
import { podAccount, serviceAccountDir } from "./pod";
import { proxyFor } from "./proxy";
import { refuseWrites } from "./read-only";
import { chooseTarget } from "./target";
import { trustOf } from "./trust";

const dialTimeoutMs = 30_000;

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
  const { base, cluster, user, userName, clusterName, namespace } = target;
  const clock = options.clock ?? systemClock;
  const { requestTimeoutMs: timeoutMs = requestDeadlineMs } = flags;
  const server = base.href.replace(/\/$/, "");
  const client = new Client({
    base,
    place: { server, clusterName, userName },
    agents: new Agents({ base, trust: trustOf(target, env), proxy: proxyFor(target, env) }),
    credentials: credentialSource({ target, env, clock, timeoutMs }),
    impersonation: impersonationHeaders(user),
    compress: cluster.disableCompression !== true,
    clock,
    timeoutMs,
    dialTimeoutMs: options.dialTimeoutMs ?? dialTimeoutMs,
    signal: options.signal,
    onRequest: options.onRequest,
    guard: options.readOnly === true ? refuseWrites(options.onRefused) : undefined,
  });
  return new HttpCluster(client, { server, namespace });
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
