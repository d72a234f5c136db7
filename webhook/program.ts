/** The webhook as a whole: puts the parts together, starts and stops them. */
import { readdirSync } from "node:fs";
import type { IncomingMessage, Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { UsageError } from "../plugin/domain/errors";
import type { Names } from "../plugin/domain/names";
import { Absences } from "./absences";
import { admissionListener } from "./admission";
import { createApp } from "./app";
import { BigBodies, BodyBudget } from "./big-bodies";
import { Callers } from "./callers";
import { ServedCertificate } from "./certificate";
import { ClientCa, readClientCa } from "./client-ca";
import type { ClusterService } from "./clusters";
import { connect } from "./clusters-connection";
import { openClusters } from "./clusters-source";
import type { Check, Config } from "./config";
import { explainCall } from "./explain-call";
import { crashTeller } from "./crash";
import { Health } from "./health";
import { InFlight } from "./in-flight";
import { createLog, errorText, type Log } from "./log";
import { CertificateKeeper, type KeeperParts } from "./own-cert-keeper";
import { serverNameOf } from "./own-cert-facts";
import { ownNamespace } from "./own-namespace";
import { Metrics } from "./metrics";
import { createPlainServer, createWebhookServer, drain, listen, servePair } from "./server";

/** The longest that a registration lets a call take. */
const patienceMs = 30_000;
const readyPollMs = 100;
/** Large bodies in memory at once: with their parsing this stays far below what a small pod has. */
const bigBytes = 16 * 2 ** 20;

/** A webhook that listens. */
export interface Running {
  readonly port: number;
  readonly metricsPort: number | undefined;
  /** Leaves as admission facts 11 says; a second call changes nothing. */
  stop(): Promise<void>;
}

/** What the settings name has to be there at start; it is opened here only to see whether it can be. */
export function startChecks(env: NodeJS.ProcessEnv): readonly Check[] {
  const serving: readonly Check[] = [
    {
      name: "ENGINE_WEBHOOK_TLS_DIR",
      problem: ({ tlsDir }) => problemOf(() => readdirSync(tlsDir)),
    },
    {
      name: "ENGINE_WEBHOOK_CLIENT_CA",
      problem: ({ clientCa }) =>
        clientCa === undefined ? undefined : problemOf(() => readClientCa(clientCa)),
    },
    {
      name: "ENGINE_WEBHOOK_CLUSTERS",
      needs: ["ENGINE_NAMES"],
      problem: ({ clusters, rules: { names } }) =>
        problemOf(() => openClusters(clusters, { names, log: createLog("silent") }, env)),
    },
  ];
  const renewing: Check = {
    name: "ENGINE_WEBHOOK_OWN_CERT",
    problem: ({ ownCert }) => (ownCert ? problemOf(() => connect(env)) : undefined),
  };
  return [...serving.map(whenServing), renewing];
}

/** What only reviews need is not asked of a process that answers none. */
function whenServing({ problem, ...check }: Check): Check {
  return {
    ...check,
    problem: (config) => (config.role === "renew" ? undefined : problem(config)),
  };
}

function problemOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error instanceof UsageError ? error.message : errorText(error);
  }
}

/** What the process is to its parts. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** Opens the thread that parses large reviews; without it they are parsed on the one there is. */
  readonly openParser?: (names: Names) => Worker;
}

/** Starts everything; throws a UsageError for settings that cannot work, or why it cannot listen. */
export async function startWebhook(
  config: Config,
  log: Log,
  { env, openParser }: Surroundings,
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
  const metrics = new Metrics();
  const bigBodies = openParser && new BigBodies(() => openParser(names));
  const callers = callersOf(config);
  const judging = {
    ...config,
    options: config.rules,
    clusters,
    budget: new BodyBudget(bigBytes),
    bigBodies,
    inFlight,
    absences: new Absences(),
    liveReads: new InFlight(Math.ceil(config.maxInFlight / 4)),
  };
  const explain = callers && {
    callers,
    explain: (request: IncomingMessage) => explainCall(request, judging),
  };
  const tellCrash = crashTeller(log, metrics);
  const app = createApp(health, { explain, tellCrash });
  const admission = admissionListener({ ...judging, callers, health, metrics, log });
  const server = createWebhookServer({
    path: names.webhook.path,
    admission,
    app,
    tellCrash,
    clientCa: callers?.ca,
  });
  const self = { names, namespace: ownNamespace(config.operatorNamespace) };
  const certificate: ServedCertificate = new ServedCertificate({
    folder: config.tlsDir,
    names: names.webhook,
    serverName: serverNameOf(self),
    trusted: () => keeper?.trusted(),
    log,
    serve: (pair) => {
      servePair(server, pair, callers?.ca);
    },
    onLook: (outcome) => {
      metrics.reload(outcome);
    },
  });
  const clientCa = clientCaOf(config, { callers, certificate, metrics, log });
  const keeper = keeperOf(config, { self, certificate, log }, env);
  metrics.observe({
    inFlight: () => inFlight.size,
    cacheSynced: () => clusters.synced(),
    cacheAgeMs: () => clusters.ageMs(),
    cacheObjects: () => clusters.count(),
    cacheRelists: () => clusters.relists(),
    notAfter: () => certificate.state().notAfter,
    clientCaNotAfter: () => clientCa?.notAfter(),
  });
  const beside =
    config.metricsPort === 0
      ? undefined
      : createPlainServer(createApp(health, { metrics, tellCrash }));
  // Before it listens, so that no first handshake fails for want of a pair.
  await certificate.refresh();
  const port = await listen(server, config);
  const metricsPort = beside && (await listenBeside(beside, config, server));
  certificate.start();
  clientCa?.start();
  keeper?.start();
  clusters.start();
  const announced = announce(health, log, { port, metricsPort });
  const leave = async () => {
    const waited = { health, inFlight, patienceMs, wait: () => sleep(config.drainMs) };
    log.info({ drainMs: config.drainMs }, "draining");
    await drain(server, waited);
    clearInterval(announced);
    stopAll({ clusters, certificate, clientCa, keeper, beside });
    await bigBodies?.stop();
    log.info({}, "stopped");
  };
  let leaving: Promise<void> | undefined;
  return { port, metricsPort, stop: () => (leaving ??= leave()) };
}

function callersOf({ clientCa, clientSubjects: subjects }: Config): Callers | undefined {
  return clientCa === undefined ? undefined : new Callers({ ca: readClientCa(clientCa), subjects });
}

interface CaParts {
  readonly callers: Callers | undefined;
  readonly certificate: ServedCertificate;
  readonly metrics: Metrics;
  readonly log: Log;
}

function clientCaOf(
  { clientCa: file }: Config,
  { callers, certificate, metrics, log }: CaParts,
): ClientCa | undefined {
  if (file === undefined || callers === undefined) return undefined;
  return new ClientCa(callers.ca, {
    file,
    log,
    take: (pem) => {
      callers.trust(pem);
      certificate.serveAgain();
    },
    onLook: (outcome) => {
      metrics.clientCaReload(outcome);
    },
  });
}

/** Without an API server there is nothing to keep a certificate in, or to compare it with. */
function keeperOf(
  { ownCert: own, clusters }: Config,
  parts: Pick<KeeperParts, "self" | "certificate" | "log">,
  env: NodeJS.ProcessEnv,
): CertificateKeeper | undefined {
  const reachable = own || clusters.from === "api";
  return reachable ? new CertificateKeeper({ ...parts, own, sender: connect(env) }) : undefined;
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

interface Parts {
  readonly clusters: ClusterService;
  readonly certificate: ServedCertificate;
  readonly clientCa: ClientCa | undefined;
  readonly keeper: CertificateKeeper | undefined;
  readonly beside: Server | undefined;
}

function stopAll({ clusters, certificate, clientCa, keeper, beside }: Parts): void {
  clusters.stop();
  clientCa?.stop();
  keeper?.stop();
  certificate.stop();
  beside?.close();
  beside?.closeAllConnections();
}
