/** The webhook as a whole: puts the parts together, starts and stops them. */
import { readdirSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Server as HttpsServer } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../plugin/domain/base/errors";
import { Absences } from "./clusters/find";
import { createApp } from "./app";
import { ClientCa, closeOthers, logRefusals, readClientCa } from "./certificate/client-ca";
import { ServedCertificate } from "./certificate/served";
import { type ClusterService, connect, type SourceContext } from "./clusters/clusters";
import type { Check, ClusterSource, Config } from "./config";
import { BodyBudget, InFlight } from "./review/room";
import { Health } from "./health";
import { createLog, errorText, type Log } from "./log";
import { CertificateKeeper, type KeeperParts } from "./own-certificate/keeper";
import { nameServer } from "./own-certificate/step";
import { Metrics } from "./metrics";
import {
  Connections,
  createPlainServer,
  createWebhookServer,
  drain,
  listen,
  servePair,
} from "./server";
import { ApiClusters } from "./clusters/api";
import { FileClusters } from "./clusters/file";

/** The longest that a registration lets a call take. */
const patienceMs = 30_000;
const readyPollMs = 100;
/** Large bodies in memory at once: with their parsing this stays far below what a small pod has. */
const bigBytes = 16 * 2 ** 20;

export interface Running {
  readonly port: number;
  readonly metricsPort: number | undefined;
  /** Leaves as admission facts 11 says; a second call changes nothing. */
  stop(): Promise<void>;
}

/** What the settings name has to be there at start; it is opened here only to see whether it can be. */
export function startChecks(env: NodeJS.ProcessEnv): readonly Check[] {
  const serving: readonly (Pick<Check, "name" | "needs"> & {
    open: (config: Config) => unknown;
  })[] = [
    { name: "ENGINE_WEBHOOK_TLS_DIR", open: ({ tlsDir }) => readdirSync(tlsDir) },
    {
      name: "ENGINE_WEBHOOK_CLIENT_CA",
      open: ({ clientCa }) => clientCa !== undefined && readClientCa(clientCa),
    },
    {
      name: "ENGINE_WEBHOOK_CLUSTERS",
      needs: ["ENGINE_NAMES"],
      open: ({ clusters, rules: { names } }) =>
        openClusters(clusters, { names, log: createLog("silent") }, env),
    },
  ];
  return [
    // what only reviews need is not asked of a process that answers none
    ...serving.map(({ open, ...check }) => ({
      ...check,
      problem: (config: Config) =>
        config.role === "renew" ? undefined : catchProblem(() => open(config)),
    })),
    {
      name: "ENGINE_WEBHOOK_OWN_CERT",
      problem: ({ ownCert }) => (ownCert ? catchProblem(() => connect(env)) : undefined),
    },
  ];
}

function catchProblem(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error instanceof UsageError ? error.message : errorText(error);
  }
}

export interface Environment {
  readonly env: NodeJS.ProcessEnv;
}

/** Starts everything; throws a UsageError for settings that cannot work, or why it cannot listen. */
export async function startWebhook(
  config: Config,
  log: Log,
  { env }: Environment,
): Promise<Running> {
  const { names } = config.rules;
  if (config.unknown.length > 0) log.warn({ names: config.unknown }, "unknown settings");
  const metrics = new Metrics();
  const onUnknownPolicy = () => {
    metrics.unknownPolicy();
  };
  const clusters = openClusters(config.clusters, { names, log, onUnknownPolicy }, env);
  const health = new Health({
    certificate: () => certificate.isLoaded(),
    clusters: () => clusters.hasSynced(),
    certificateState: () => certificate.state(),
  });
  const inFlight = new InFlight(config.maxInFlight);
  const judging = {
    ...config,
    options: config.rules,
    clusters,
    budget: new BodyBudget(bigBytes),
    inFlight,
    absences: new Absences(),
    liveReads: new InFlight(Math.ceil(config.maxInFlight / 4)),
  };
  const app = createApp({ ...judging, path: names.webhook.path, health, metrics, log });
  const connections = new Connections();
  const requireClientCert = config.clientCa !== undefined;
  const server = createWebhookServer(app, { requireClientCert, connections });
  const self = { names, namespace: ownNamespace(config.operatorNamespace) };
  const certificate: ServedCertificate = new ServedCertificate({
    folder: config.tlsDir,
    names: names.webhook,
    serverName: nameServer(self),
    trusted: () => keeper?.trusted(),
    log,
    serve: (pair) => {
      servePair(server, pair, clientCa?.pem);
    },
    onLook: (outcome) => {
      metrics.reload(outcome);
    },
  });
  const clientCa = followClientCa(config, { server, connections, certificate, metrics, log });
  const keeper = createKeeper(config, { self, certificate, log }, env);
  metrics.observe({
    inFlight: () => inFlight.size,
    cacheSynced: () => clusters.hasSynced(),
    cacheAgeMs: () => clusters.ageMs(),
    cacheObjects: () => clusters.count(),
    cacheRelists: () => clusters.relists(),
    notAfter: () => certificate.state().notAfter,
    clientCaNotAfter: () => clientCa?.notAfter(),
  });
  const beside = config.metricsPort > 0 && createPlainServer(app);
  // Before it listens, so that no first handshake fails for want of a pair.
  await certificate.refresh();
  const port = await listen(server, config);
  const metricsPort = beside ? await listenBeside(beside, config, server) : undefined;
  const services = [certificate, clientCa, keeper, clusters];
  for (const service of services) service?.start();
  const announced = announce(health, log, { port, metricsPort });
  const leave = async () => {
    const waited = { health, inFlight, patienceMs, wait: () => sleep(config.drainMs) };
    log.info({ drainMs: config.drainMs }, "draining");
    await drain(server, waited);
    clearInterval(announced);
    for (const service of services) service?.stop();
    if (beside) beside.close().closeAllConnections();
    log.info({}, "stopped");
  };
  let leaving: Promise<void> | undefined;
  return { port, metricsPort, stop: () => (leaving ??= leave()) };
}

/** Without an API server there is nothing to keep a certificate in, or to compare it with. */
function createKeeper(
  { ownCert: own, clusters }: Config,
  parts: Pick<KeeperParts, "self" | "certificate" | "log">,
  env: NodeJS.ProcessEnv,
): CertificateKeeper | undefined {
  const reachable = own || clusters.from === "api";
  return reachable ? new CertificateKeeper({ ...parts, own, sender: connect(env) }) : undefined;
}

interface CaParts {
  readonly server: HttpsServer;
  readonly connections: Connections;
  readonly certificate: ServedCertificate;
  readonly metrics: Metrics;
  readonly log: Log;
}

function followClientCa(
  { clientCa: file }: Config,
  { server, connections, certificate, metrics, log }: CaParts,
): ClientCa | undefined {
  if (file === undefined) return undefined;
  logRefusals(server, log);
  const clientCa = new ClientCa({
    file,
    log,
    onLook: (outcome) => {
      metrics.clientCaReload(outcome);
      if (outcome === "refused") return;
      certificate.serveAgain();
      closeOthers(connections, clientCa.roots);
    },
  });
  return clientCa;
}

async function listenBeside(
  beside: Server,
  { host, metricsPort }: Config,
  server: { close(): unknown },
): Promise<number> {
  try {
    return await listen(beside, { host, port: metricsPort });
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

/** The source; a UsageError when it cannot even be tried. */
export function openClusters(
  source: ClusterSource,
  context: SourceContext,
  env: NodeJS.ProcessEnv,
): ClusterService {
  return source.from === "file"
    ? new FileClusters(source.path, context)
    : new ApiClusters(connect(env), context);
}

const mounted = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/** The pod's own namespace; outside a pod the operator's, whose Service the webhook then stands behind. */
function ownNamespace(operatorNamespace: string, file = mounted): string {
  try {
    return readFileSync(file, "utf8").trim() || operatorNamespace;
  } catch {
    return operatorNamespace;
  }
}

/** Serves no pair, so that it waits for none and takes none over. */
const servesNone = { isLoaded: () => true, offer: () => Promise.resolve() };

/** Renews until it is stopped; throws why there is no way to the API server. */
export function startRenewal(
  { rules: { names }, operatorNamespace, unknown }: Config,
  log: Log,
  { env }: { readonly env: NodeJS.ProcessEnv },
): { stop(): Promise<void> } {
  if (unknown.length > 0) log.warn({ names: unknown }, "unknown settings");
  const namespace = ownNamespace(operatorNamespace);
  const keeper = new CertificateKeeper({
    self: { names, namespace },
    sender: connect(env),
    certificate: servesNone,
    log,
    own: true,
  });
  keeper.start();
  log.info({ namespace, secret: names.webhook.secret }, "renewing the certificate");
  return {
    stop: () => {
      keeper.stop();
      log.info({}, "stopped");
      return Promise.resolve();
    },
  };
}
