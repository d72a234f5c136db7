/** What the servers of one benchmark share: a folder with a pair, a file of ECs, and their logs. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../../support/free-ports";
import { defaultNames } from "../../../plugin/domain/names/names";
import { aPair } from "../../support/tls";
import { TlsFolder } from "../../webhook/tls-folder";
import { ServerProcess } from "./process";
import { operatorNamespace as namespace } from "./reviews";

const built = join(__dirname, "../../../dist/engine-webhook");

/** The name under which the API server calls: the webhook serves no pair without it. */
const serviceName = `${defaultNames.webhook.service}.${namespace}.svc`;

export class Scene {
  readonly dir = mkdtempSync(join(tmpdir(), "engine-bench-"));
  /** In a folder of its own, since a webhook looks at it again when anything changes there. */
  readonly clustersFile = join(mkdtempSync(join(this.dir, "clusters-")), "clusters.json");
  private readonly pair = aPair({ names: ["localhost", "127.0.0.1", serviceName] });
  private readonly tls = new TlsFolder(this.pair);
  private readonly running: ServerProcess[] = [];
  private started = 0;

  /** The cluster objects that every server knows. */
  constructor(items: readonly object[]) {
    writeFileSync(this.clustersFile, JSON.stringify({ kind: "List", apiVersion: "v1", items }));
  }

  get ca(): string {
    return this.pair.certPem;
  }

  get tlsDir(): string {
    return this.tls.dir;
  }

  /** Starts a program of this scene; it is stopped with it. */
  start(program: Omit<Parameters<typeof ServerProcess.start>[0], "log">): ServerProcess {
    const log = join(this.dir, `${String((this.started += 1))}.log`);
    const env = { NODE_ENV: "production", ...program.env };
    const server = ServerProcess.start({ ...program, env, log });
    this.running.push(server);
    return server;
  }

  /** The built webhook, ready to judge; its log goes to a file, at the usual level. */
  async startWebhook(
    env: Readonly<Record<string, string>>,
    { limitMs, executable = built }: { limitMs?: number; executable?: string } = {},
  ): Promise<Webhook> {
    if (!existsSync(executable)) throw new Error(`${executable} is missing: npm run build`);
    const [port = 0] = await freePorts(1);
    const server = this.start({
      command: process.execPath,
      args: [executable],
      env: {
        ENGINE_WEBHOOK_HOST: "127.0.0.1",
        ENGINE_WEBHOOK_PORT: String(port),
        ENGINE_WEBHOOK_METRICS_PORT: "0",
        ENGINE_WEBHOOK_TLS_DIR: this.tlsDir,
        ENGINE_WEBHOOK_DRAIN: "0",
        ENGINE_NAMESPACE: namespace,
        LOG_LEVEL: "info",
        ...env,
      },
    });
    const readyMs = await server.until(() => answers(port, this.ca), limitMs);
    return { server, port, readyMs };
  }

  async close(): Promise<void> {
    await Promise.all(this.running.splice(0).map((server) => server.stop()));
    this.tls.remove();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export interface Webhook {
  readonly server: ServerProcess;
  readonly port: number;
  /** Milliseconds from its start until it said that it is ready. */
  readonly readyMs: number;
}

/** Whether readiness is told with 200. */
function answers(port: number, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: "127.0.0.1", port, ca, path: "/readyz", agent: false };
    const call = request({ ...options, servername: "localhost" }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.on("error", () => {
      resolve(false);
    });
    call.end();
  });
}
