/** `npm run sandbox`: a cluster to try the plugin on, up until Ctrl-C. */
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { logToStderr } from "./binaries";
import { type ControlPlane, distDir, startControlPlane } from "./control-plane";
import { startControllers } from "./controllers";
import { startPlay } from "./played-operator";
import { type Scene, seedScene } from "./scene";
import { serveScene } from "./suite";
import { putOldConfiguration, untilCalled } from "./swap-states";
import { requireExecutable, webhookExecutable } from "./webhook-process";
import { oldEntryName } from "./webhook-configurations";

async function main(): Promise<void> {
  requireExecutable(webhookExecutable);
  requireExecutable(join(distDir, "kubectl-engine"));
  // Until the scene is set, a signal simply ends this process, and its guardian all that it started.
  const controlPlane = await startControlPlane();
  const { scene, endPlay } = await setScene(controlPlane).catch(async (cause: unknown) => {
    await controlPlane.stop({ keepLogs: true });
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the scene was not set (logs: ${controlPlane.logsDir}): ${because}`, { cause });
  });
  const asked = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      asked.abort();
    });
  }
  process.stdout.write(instructions(controlPlane, scene));
  // The servers hold no handle of this process open: the loop keeps it alive and watches them.
  let broken: string | undefined;
  while (!asked.signal.aborted && broken === undefined) {
    await pause(100);
    broken = controlPlane.site.ended();
  }
  logToStderr("taking the sandbox down");
  await endPlay();
  await controlPlane.stop({ keepLogs: broken !== undefined });
  if (broken !== undefined) throw new Error(`${broken} (logs: ${controlPlane.logsDir})`);
}

/**
 * A cluster on which the swap is still to be made: the operator's objects, two databases, a webhook
 * that runs, and the old configuration in force.
 */
async function setScene(
  controlPlane: ControlPlane,
): Promise<{ readonly scene: Scene; readonly endPlay: () => Promise<void> }> {
  logToStderr(`control plane ready at ${controlPlane.url} (logs: ${controlPlane.logsDir})`);
  const scene = await seedScene(controlPlane.api);
  const endPlay = await startPlaying(controlPlane, scene);
  const { host, port } = await serveScene(controlPlane, scene);
  await putOldConfiguration(controlPlane.api, scene);
  await untilCalled(controlPlane.api, scene, { entry: oldEntryName });
  logToStderr(`webhook serving at ${host}:${String(port)}, edb-admission in force`);
  return { scene, endPlay };
}

/**
 * Kubernetes' own controllers, nodes at play, and what the operator does. Without them, which Go builds, the
 * sandbox still serves its API: nothing rolls there.
 */
async function startPlaying(
  controlPlane: ControlPlane,
  { namespace }: Scene,
): Promise<() => Promise<void>> {
  try {
    await startControllers(controlPlane);
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause);
    logToStderr(`nothing rolls in this sandbox, since it has no controllers: ${because}`);
    return () => Promise.resolve();
  }
  const cluster = await connect({ kubeconfig: controlPlane.kubeconfig, namespace }, {});
  const end = startPlay({ cluster, namespace, plays: "operator", times: {} });
  logToStderr(
    "controllers, scheduler and nodes at play are running, and the operator acts on EC and databases",
  );
  return async () => {
    await end();
    cluster.close();
  };
}

function instructions(controlPlane: ControlPlane, scene: Scene): string {
  const [database] = scene.databases;
  const patch = (engineVersion: string): readonly string[] => [
    ...["kubectl", "patch", "edb", database?.name ?? "", "--type=merge"],
    ...["-p", JSON.stringify({ spec: { engineVersion } })],
  ];
  const commands: readonly (readonly string[])[] = [
    ["kubectl", "get", "ec,edb,pods"],
    ["kubectl", "get", "validatingwebhookconfigurations"],
    ["kubectl", "engine", "upgrade-webhook", "--dry-run=server"],
    ["kubectl", "engine", "upgrade-webhook", "--yes"],
    patch("9.9"),
    patch("8.0"),
  ];
  const kubeconfig = controlPlane.kubeconfigFor("admin", scene.namespace);
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

/** Quotes words so that a POSIX shell reads exactly them, and leaves harmless ones bare. */
function shellWords(words: readonly string[]): string {
  return words
    .map((word) =>
      /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`,
    )
    .join(" ");
}

main().catch((error: unknown) => {
  logToStderr(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
