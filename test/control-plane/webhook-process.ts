import { accessSync, constants, readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { type ControlPlane, distDir } from "./control-plane";
import { type Daemon, logTail } from "./site";
import { admissionService } from "./operator";
import { GivenUp, until } from "./until";

export interface WebhookOptions {
  readonly controlPlane: ControlPlane;
  /** The operator's namespace, where the Service `admission` is. */
  readonly namespace: string;
  /** A folder with `cert` and `privateKey` (tls-folder.ts writes one). */
  readonly tlsDir: string;
  /** Where the cluster resources come from: the API server, or a file. */
  readonly clusters?: "api" | { readonly file: string };
  /** For `api`; the admin's by default. */
  readonly kubeconfig?: string;
  /** Laid over the environment given here. */
  readonly env?: Readonly<Record<string, string>>;
  /** The address to listen at, when it is not the Service's own. */
  readonly address?: { readonly host: string; readonly port: number };
  readonly executable?: string;
}

export interface Webhook {
  readonly host: string;
  readonly port: number;
  readonly daemon: Daemon;
  readonly logFile: string;
  /** Lets it drain; kills it when that takes longer than the patience. */
  stop(options?: { readonly patienceMs?: number }): Promise<void>;
}

export const webhookExecutable = join(distDir, "engine-webhook");

let started = 0;

/** Starts the built webhook where the API server looks for the Service, and waits until it serves. */
export async function startWebhook(options: WebhookOptions): Promise<Webhook> {
  const { controlPlane, namespace, executable = webhookExecutable } = options;
  requireExecutable(executable);
  const { host, port } = options.address ?? {
    host: await clusterIpOf(controlPlane, namespace),
    port: 443,
  };
  started += 1;
  const daemon = controlPlane.site.start({
    name: `engine-webhook-${String(started)}`,
    file: executable,
    args: [],
    env: { ...environment(options, host, port), ...options.env },
  });
  try {
    await until(`the webhook at ${host}:${String(port)}`, async () => {
      assertListening(daemon, host, port);
      const plain = Number(options.env?.["ENGINE_WEBHOOK_METRICS_PORT"] ?? 0);
      if (plain > 0) return (await isReadyAt(host, plain)) || undefined;
      return (await readinessOf({ host, port })).status === 200 || undefined;
    });
  } catch (cause) {
    await daemon.stop();
    const because = cause instanceof Error ? cause.message : String(cause);
    // A process that ended has said why already; of one that is only not ready, the log may tell.
    const tail = cause instanceof GivenUp ? "" : `\n${logTail(daemon.logFile)}`;
    throw new Error(`${because} (log: ${daemon.logFile})${tail}`, { cause });
  }
  return {
    host,
    port,
    daemon,
    logFile: daemon.logFile,
    stop: ({ patienceMs = 20_000 } = {}) => daemon.stop({ patienceMs }),
  };
}

/** Names the build as the fix, before anything slow is started. */
export function requireExecutable(file: string): void {
  try {
    accessSync(file, constants.X_OK);
  } catch (cause) {
    throw new Error(`${file} is missing or not executable: run "npm run build" first`, { cause });
  }
}

function environment(
  { controlPlane, namespace, tlsDir, clusters = "api", kubeconfig }: WebhookOptions,
  host: string,
  port: number,
): NodeJS.ProcessEnv {
  return {
    ENGINE_WEBHOOK_HOST: host,
    ENGINE_WEBHOOK_PORT: String(port),
    ENGINE_WEBHOOK_TLS_DIR: tlsDir,
    ENGINE_WEBHOOK_METRICS_PORT: "0",
    // In a cluster the drain covers the delay with which endpoints are withdrawn; there is none here.
    ENGINE_WEBHOOK_DRAIN: "200ms",
    ENGINE_NAMESPACE: namespace,
    ...(clusters === "api"
      ? { ENGINE_WEBHOOK_CLUSTERS: "api", KUBECONFIG: kubeconfig ?? controlPlane.kubeconfig }
      : { ENGINE_WEBHOOK_CLUSTERS: `file:${clusters.file}` }),
  };
}

async function clusterIpOf({ api }: ControlPlane, namespace: string): Promise<string> {
  const service = await api.read(admissionService(namespace));
  const { clusterIP } = (service?.["spec"] ?? {}) as { readonly clusterIP?: string };
  if (clusterIP === undefined) {
    throw new Error(`the namespace ${namespace} has no Service admission with an address`);
  }
  return clusterIP;
}

function assertListening(daemon: Daemon, host: string, port: number): void {
  if (daemon.ended() !== undefined && readFileSync(daemon.logFile, "utf8").includes("EACCES")) {
    throw new GivenUp(
      `the webhook may not bind ${host}:${String(port)}: run as root, or allow low ports with ` +
        `"sysctl net.ipv4.ip_unprivileged_port_start=${String(port)}"`,
    );
  }
  daemon.assertRunning();
}

/** What `/readyz` says, as far as tests read it. */
export interface Readiness {
  readonly ready: boolean;
  readonly certificate: {
    readonly sha256?: string;
    readonly matchesFolder: boolean;
    readonly problem?: string;
  };
}

/** Asks the plain port, for which callers need no certificate. */
async function isReadyAt(host: string, port: number): Promise<boolean> {
  return (await fetch(`http://${host}:${String(port)}/readyz`)).status === 200;
}

/** Like a kubelet's probe, this one does not verify the certificate: tests serve wrong ones. */
function readinessOf({
  host,
  port,
}: Pick<Webhook, "host" | "port">): Promise<{ readonly status: number; readonly body: Readiness }> {
  return new Promise((resolve, reject) => {
    const options = { host, port, path: "/readyz", rejectUnauthorized: false, agent: false };
    const call = request({ ...options, timeout: 20_000 }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => {
        try {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Readiness });
        } catch {
          reject(new Error(`no JSON at ${options.path}`));
        }
      });
      response.on("error", reject);
    });
    call.on("timeout", () => call.destroy(new Error("no answer within 20 s")));
    call.on("error", reject);
    call.end();
  });
}
