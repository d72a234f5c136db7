/** `npm run sandbox`: a cluster to try the plugin on, up until Ctrl-C. */
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Log, logToStderr } from "./binaries";
import { type ControlPlane, distDir, startControlPlane } from "./control-plane";
import { type Scene, seedScene } from "./scene";
import { putOldConfiguration, untilCalled } from "./swap-states";
import { writeTlsFolder } from "./certificate";
import {
  requireExecutable,
  startWebhook,
  type Webhook,
  webhookExecutable,
} from "./webhook-process";
import { oldEntryName } from "./webhook-configurations";

async function main(): Promise<void> {
  // Until the stage is up, a signal simply ends this process, and its guardian all that it started.
  const stage = await openStage(logToStderr);
  let asked = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => (asked = true));
  }
  process.stdout.write(instructions(stage));
  const failure = await untilAskedOrBroken(stage, () => asked);
  logToStderr("taking the sandbox down");
  await stage.close({ keepLogs: failure !== undefined });
  if (failure !== undefined) {
    throw new Error(`${failure} (logs: ${stage.controlPlane.logsDir})`);
  }
}

/** The servers hold no handle of this process open: the loop keeps it alive and watches them. */
async function untilAskedOrBroken(stage: Stage, asked: () => boolean): Promise<string | undefined> {
  while (!asked()) {
    const broken = stage.controlPlane.site.ended();
    if (broken !== undefined) {
      return broken;
    }
    await pause(100);
  }
  return undefined;
}

function instructions({ controlPlane, scene, kubeconfig }: Stage): string {
  const [database] = scene.databases;
  const patch = (engineVersion: string): readonly string[] => [
    ...["kubectl", "patch", "edb", database?.name ?? "", "--type=merge"],
    ...["-p", JSON.stringify({ spec: { engineVersion } })],
  ];
  const commands: readonly (readonly string[])[] = [
    ["kubectl", "get", "ec,edb"],
    ["kubectl", "get", "validatingwebhookconfigurations"],
    ["kubectl", "engine", "upgrade-webhook", "--dry-run=server"],
    ["kubectl", "engine", "upgrade-webhook", "--yes"],
    patch("9.9"),
    patch("8.0"),
  ];
  const paths = [controlPlane.binaries.dir, distDir].join(delimiter);
  return [
    `The sandbox is up: namespace ${scene.namespace}, old webhook configuration in force.`,
    "In another terminal:",
    "",
    `  export KUBECONFIG=${shellWords([kubeconfig])}`,
    `  export PATH=${shellWords([paths])}${delimiter}"$PATH"`,
    ...commands.map((words) => `  ${shellWords(words)}`),
    "",
    "Ctrl-C takes all of it down.",
    "",
  ].join("\n");
}

main().catch((error: unknown) => {
  logToStderr(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

/** Quotes words so that a POSIX shell reads exactly them, and leaves harmless ones bare. */
export function shellWords(words: readonly string[]): string {
  return words
    .map((word) =>
      /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`,
    )
    .join(" ");
}

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
