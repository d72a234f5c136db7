/** `npm run sandbox`: a cluster to try the plugin on, up until Ctrl-C. */
import { delimiter } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { logToStderr } from "./binaries";
import { distDir } from "./kubectl";
import { shellWords } from "./shell-words";
import { openStage, type Stage } from "./stage";

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
