/** Several webhook processes behind one Service: a forwarder at its address chooses among them. */
import { type Forwarder, startForwarder } from "../support/forwarder";
import type { ControlPlane } from "./control-plane";
import { freePorts } from "../support/free-ports";
import type { Scene } from "./scene";
import { until } from "./until";
import { type Readiness, startWebhook, type Webhook } from "./webhook-process";

/** Long enough for the calls of connections that were given before the replica's endpoint was withdrawn. */
export const drain = "2500ms";

export interface ReplicasOptions {
  readonly controlPlane: ControlPlane;
  readonly scene: Scene;
  readonly tlsDir: string;
  readonly count?: number;
  /** Laid over the environment given here. */
  readonly env?: Readonly<Record<string, string>>;
  /** The admin's by default. */
  readonly kubeconfig?: string;
}

interface Replica {
  readonly webhook: Webhook;
  readonly metricsPort: number;
}

/** The replicas of a Deployment, without the Deployment. */
export class Replicas {
  private running: readonly Replica[] = [];

  private constructor(
    private options: ReplicasOptions,
    private readonly forwarder: Forwarder,
  ) {}

  static async start(options: ReplicasOptions): Promise<Replicas> {
    const forwarder = await startForwarder({ host: options.scene.clusterIP, port: 443 });
    const replicas = new Replicas(options, forwarder);
    replicas.running = await Promise.all(
      Array.from({ length: options.count ?? 2 }, () => replicas.open()),
    );
    return replicas;
  }

  get webhooks(): readonly Webhook[] {
    return this.running.map(({ webhook }) => webhook);
  }

  /** How many connections each replica that ever ran was given. */
  given(): readonly number[] {
    return this.forwarder.given();
  }

  /** Replaces each in turn, as a rollout with maxUnavailable 0: one more serves, then one leaves. */
  async roll(changes: Pick<ReplicasOptions, "env"> = {}): Promise<void> {
    this.options = { ...this.options, ...changes };
    let left: Promise<void> = Promise.resolve();
    for (const old of this.running) {
      const [next] = await Promise.all([this.open(), left]);
      this.running = this.running.map((replica) => (replica === old ? next : replica));
      left = this.leave(old.webhook);
    }
    await left;
  }

  /** Waits until every replica says so of itself. */
  async allSay(what: string, fits: (readiness: Readiness) => boolean): Promise<void> {
    const says = async ({ webhook, metricsPort }: Replica): Promise<boolean> => {
      webhook.daemon.assertRunning();
      // Without TLS: so many handshakes would take the time that the edits need.
      return fits((await (await get(metricsPort, "/readyz")).json()) as Readiness);
    };
    await until(
      `every replica to say ${what}`,
      async () => (await Promise.all(this.running.map(says))).every(Boolean) || undefined,
      { everyMs: 10 },
    );
  }

  /** The metrics of all replicas, one after the other. */
  async metrics(): Promise<string> {
    const texts = this.running.map(async ({ metricsPort }) =>
      (await get(metricsPort, "/metrics")).text(),
    );
    return (await Promise.all(texts)).join("\n");
  }

  async stop(options?: { readonly patienceMs?: number }): Promise<void> {
    await Promise.all(this.webhooks.map((webhook) => webhook.stop(options)));
  }

  async close(): Promise<void> {
    await this.stop({ patienceMs: 0 });
    await this.forwarder.close();
  }

  private async leave(webhook: Webhook): Promise<void> {
    const stopped = webhook.stop();
    // The endpoint of a pod that is being deleted is withdrawn, whatever its probe last said.
    this.forwarder.remove(webhook);
    await stopped;
    const end = webhook.daemon.ended() ?? "has not ended";
    if (end !== "exited with code 0") throw new Error(`a replica ${end}`);
  }

  private async open(): Promise<Replica> {
    const { controlPlane, scene, tlsDir, env, kubeconfig } = this.options;
    const [port = 0, metricsPort = 0] = await freePorts(2);
    const webhook = await startWebhook({
      controlPlane,
      namespace: scene.namespace,
      tlsDir,
      address: { host: "127.0.0.1", port },
      ...(kubeconfig !== undefined && { kubeconfig }),
      env: {
        ENGINE_WEBHOOK_METRICS_PORT: String(metricsPort),
        ENGINE_WEBHOOK_DRAIN: drain,
        ...env,
      },
    });
    this.forwarder.add(webhook);
    await until(
      "the replica to get connections",
      () => this.forwarder.isReady(webhook) || undefined,
    );
    return { webhook, metricsPort };
  }
}

function get(port: number, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${String(port)}${path}`);
}

/** The sum over all samples of a name whose labels contain the given ones. */
export function sumOf(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
