/** The servers that are measured side by side, each a process of its own. */
import { join } from "node:path";
import { buildRival } from "./go-rival";
import { Load, type Target } from "./load";
import { freePort, script, type ServerProcess } from "./process";
import { reviewsOf } from "./reviews";
import type { Scene } from "./scene";

export type ContestantName = "webhook" | "bare" | "express" | "go";

export const titles: Readonly<Record<ContestantName, string>> = {
  webhook: "engine-webhook",
  bare: "bare `node:https`, parses and allows",
  express: "Express with `express.json`, parses and allows",
  go: "Go, controller-runtime with the same rules",
};

const firstBytes = 4_096;

export interface Contestant {
  readonly name: ContestantName;
  readonly server: ServerProcess;
  readonly load: Load;
}

/** Starts all; the Go rival is left out, and `left out` told why, where it cannot be had. */
export async function startContestants(
  scene: Scene,
  leftOut: (why: string) => void,
): Promise<readonly Contestant[]> {
  const rival = buildRival();
  if (rival.is === "missing") leftOut(`${titles.go}: left out, ${rival.because}`);
  const webhook = await scene.startWebhook({
    ENGINE_WEBHOOK_CLUSTERS: `file:${scene.clustersFile}`,
  });
  const { ca } = scene;
  const ours: Contestant = {
    name: "webhook",
    server: webhook.server,
    load: await reach(webhook.server, { port: webhook.port, ca, judges: true }),
  };
  const others = [
    await startScript(scene, "bare", "bare.ts"),
    await startScript(scene, "express", "framework.ts"),
    ...(rival.is === "built" ? [await startRival(scene, rival.binary)] : []),
  ];
  return [ours, ...others];
}

async function startScript(scene: Scene, name: ContestantName, file: string): Promise<Contestant> {
  const port = await freePort();
  const { command, args } = script(join(__dirname, file));
  const server = scene.start({ command, args: [...args, String(port), scene.tlsDir], env: {} });
  return { name, server, load: await reach(server, { port, ca: scene.ca, judges: false }) };
}

async function startRival(scene: Scene, command: string): Promise<Contestant> {
  const port = await freePort();
  const env = {
    RIVAL_PORT: String(port),
    RIVAL_TLS_DIR: scene.tlsDir,
    RIVAL_CLUSTERS: scene.clustersFile,
  };
  const server = scene.start({ command, args: [], env });
  return { name: "go", server, load: await reach(server, { port, ca: scene.ca, judges: true }) };
}

/** Connections to a server, as soon as it takes them. */
async function reach(server: ServerProcess, target: Target): Promise<Load> {
  const loads: Load[] = [];
  await server.until(async () => {
    try {
      loads.push(await Load.open(target));
      return true;
    } catch {
      return false;
    }
  });
  const [load] = loads;
  if (load === undefined) throw new Error("no connection");
  // A connection without a first request is closed soon; one that had it is kept.
  await load.flood(reviewsOf(firstBytes), 100);
  return load;
}
