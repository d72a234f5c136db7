/** The webhook as a whole: puts the parts together, starts and stops them. */
import { readdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../plugin/domain/errors";
import { admissionListener } from "./admission";
import { createApp } from "./app";
import { ServedCertificate } from "./certificate";
import type { ClusterService } from "./clusters";
import { openClusters } from "./clusters-source";
import type { Check, Config } from "./config";
import { Health } from "./health";
import { InFlight } from "./in-flight";
import { createLog, errorText, type Log } from "./log";
import { ownNamespace } from "./own-namespace";
import { createWebhookServer, drain, listen, servePair } from "./server";

/** The longest that a registration lets a call take. */
const patienceMs = 30_000;
const readyPollMs = 100;

/** A webhook that listens. */
export interface Running {
  readonly port: number;
  readonly metricsPort: number | undefined;
  /** Leaves as admission facts 11 says; a second call changes nothing. */
  stop(): Promise<void>;
}

/** What the settings name has to be there at start; it is opened here only to see whether it can be. */
export function startChecks(env: NodeJS.ProcessEnv): readonly Check[] {
  return [
    {
      name: "ENGINE_WEBHOOK_TLS_DIR",
      problem: ({ tlsDir }) => problemOf(() => readdirSync(tlsDir)),
    },
    {
      name: "ENGINE_WEBHOOK_CLUSTERS",
      problem: ({ clusters, rules: { names } }) =>
        problemOf(() => openClusters(clusters, { names, log: createLog("silent") }, env)),
    },
  ];
}

function problemOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error instanceof UsageError ? error.message : errorText(error);
  }
}

/** Starts everything; throws a UsageError for settings that cannot work, or why it cannot listen. */
export async function startWebhook(
  config: Config,
  log: Log,
  env: NodeJS.ProcessEnv,
): Promise<Running> {
  const { names } = config.rules;
  if (config.unknown.length > 0) log.warn({ names: config.unknown }, "unknown settings");
  const clusters = openClusters(config.clusters, { names, log }, env);
  const health = new Health({
    certificate: () => certificate.loaded(),
    clusters: () => clusters.synced(),
    certificateState: () => certificate.state(),
  });
  const inFlight = new InFlight(config.maxInFlight);
  const app = createApp(health);
  const admission = admissionListener({
    ...config,
    options: config.rules,
    clusters,
    inFlight,
    health,
    log,
  });
  const server = createWebhookServer({ path: names.webhook.path, admission, app });
  const certificate = new ServedCertificate({
    folder: config.tlsDir,
    names: names.webhook,
    serverName: `${names.webhook.service}.${ownNamespace(config.operatorNamespace)}.svc`,
    log,
    serve: (pair) => {
      servePair(server, pair);
    },
  });
  const metrics = config.metricsPort === 0 ? undefined : createServer(app);
  // Before it listens, so that no first handshake fails for want of a pair.
  await certificate.refresh();
  const port = await listen(server, config);
  const metricsPort = metrics && (await listenBeside(metrics, config, server));
  certificate.start();
  clusters.start();
  const announced = announce(health, log, { port, metricsPort });
  const leave = async () => {
    const waited = { health, inFlight, patienceMs, wait: () => sleep(config.drainMs) };
    log.info({ drainMs: config.drainMs }, "draining");
    await drain(server, waited);
    clearInterval(announced);
    stopAll({ clusters, certificate, metrics });
    log.info({}, "stopped");
  };
  let leaving: Promise<void> | undefined;
  return { port, metricsPort, stop: () => (leaving ??= leave()) };
}

async function listenBeside(
  metrics: Server,
  { host, metricsPort }: Config,
  server: { close(): unknown },
): Promise<number> {
  try {
    return await listen(metrics, { host, port: metricsPort });
  } catch (error) {
    server.close();
    throw error;
  }
}

/** One line when it listens, one when it is ready for the first time. */
function announce(health: Health, log: Log, ports: object): NodeJS.Timeout {
  log.info(ports, "listening");
  const look = () => {
    if (!health.readiness().ready) return;
    clearInterval(timer);
    log.info(ports, "ready");
  };
  const timer = setInterval(look, readyPollMs);
  look();
  return timer;
}

interface Parts {
  readonly clusters: ClusterService;
  readonly certificate: ServedCertificate;
  readonly metrics: Server | undefined;
}

function stopAll({ clusters, certificate, metrics }: Parts): void {
  clusters.stop();
  certificate.stop();
  metrics?.close();
  metrics?.closeAllConnections();
}
