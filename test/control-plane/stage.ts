import { join } from "node:path";
import type { Log } from "./binaries";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { distDir } from "./kubectl";
import { type Scene, seedScene } from "./scene";
import { putOldConfiguration, untilCalled } from "./swap-states";
import { writeTlsFolder } from "./tls-folder";
import {
  requireExecutable,
  startWebhook,
  type Webhook,
  webhookExecutable,
} from "./webhook-process";
import { oldEntryName } from "./webhook-configurations";

/** All that the sandbox and the demonstration play on. */
export interface Stage {
  readonly controlPlane: ControlPlane;
  readonly scene: Scene;
  readonly webhook: Webhook;
  /** The admin's, with the operator's namespace as the default one. */
  readonly kubeconfig: string;
  close(options?: { readonly keepLogs?: boolean }): Promise<void>;
}

/**
 * A cluster on which the swap is still to be made: the operator's objects, two databases, a webhook
 * that runs, and the old configuration in force.
 */
export async function openStage(log: Log): Promise<Stage> {
  requireExecutable(webhookExecutable);
  requireExecutable(join(distDir, "kubectl-engine"));
  const controlPlane = await startControlPlane({ log });
  try {
    log(`control plane ready at ${controlPlane.url} (logs: ${controlPlane.logsDir})`);
    const scene = await seedScene(controlPlane.api);
    const tlsDir = join(controlPlane.site.dataDir, "webhook-tls");
    writeTlsFolder(tlsDir, scene.pair);
    const { namespace } = scene;
    const webhook = await startWebhook({ controlPlane, namespace, tlsDir });
    await putOldConfiguration(controlPlane.api, scene);
    await untilCalled(controlPlane.api, scene, { entry: oldEntryName });
    log(`webhook serving at ${webhook.host}:${String(webhook.port)}, edb-admission in force`);
    return {
      controlPlane,
      scene,
      webhook,
      kubeconfig: controlPlane.kubeconfigFor("admin", namespace),
      close: (options) => controlPlane.stop(options),
    };
  } catch (cause) {
    await controlPlane.stop({ keepLogs: true });
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the scene was not set (logs: ${controlPlane.logsDir}): ${because}`, { cause });
  }
}
