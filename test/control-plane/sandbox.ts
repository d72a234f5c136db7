/** `npm run sandbox`: a cluster to try the plugin on, up until Ctrl-C. */
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { logToStderr } from "./binaries";
import { type ControlPlane, distDir, startControlPlane } from "./control-plane";
import { type ExampleScene, openExample } from "./example-scene";
import { requireExecutable, webhookExecutable } from "./webhook-process";

async function main(): Promise<void> {
  requireExecutable(webhookExecutable);
  requireExecutable(join(distDir, "kubectl-engine"));
  // Until the scene is set, a signal simply ends this process, and its guardian all that it started.
  const controlPlane = await startControlPlane();
  logToStderr(`control plane ready at ${controlPlane.url} (logs: ${controlPlane.logsDir})`);
  const scene = await openExample(controlPlane).catch(async (cause: unknown) => {
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
  await scene.end();
  await controlPlane.stop({ keepLogs: broken !== undefined });
  if (broken !== undefined) throw new Error(`${broken} (logs: ${controlPlane.logsDir})`);
}

function instructions(controlPlane: ControlPlane, { namespace }: ExampleScene): string {
  const patch = (engineVersion: string): readonly string[] => [
    ...["kubectl", "patch", "edb", "config", "--type=merge"],
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
  const kubeconfig = controlPlane.kubeconfigFor("admin", namespace);
  const paths = [controlPlane.binaries.dir, distDir].join(delimiter);
  return [
    `The sandbox is up: namespace ${namespace}, old webhook configuration in force.`,
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
