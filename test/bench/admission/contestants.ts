/** The servers that are measured side by side, each a process of its own. */
import { buildSync } from "esbuild";
import { join } from "node:path";
import { freePorts } from "../../support/free-ports";
import { buildRival } from "./go-rival";
import { type Exchange, Load, type Target } from "./load";
import type { ServerProcess } from "./process";
import { operatorNamespace } from "./reviews";
import type { Scene } from "./scene";

export type ContestantName = "webhook" | "beside" | "express" | "bare" | "go";

export const titles: Readonly<Record<ContestantName, string>> = {
  webhook: "engine-webhook",
  beside: "engine-webhook, the other build",
  express: "plain Express with the same rules",
  bare: "bare `node:https` with the same rules",
  go: "Go, controller-runtime with the same rules",
};

export interface Contestant {
  readonly name: ContestantName;
  readonly server: ServerProcess;
  readonly load: Load;
  /** Milliseconds from its start until it took connections. */
  readonly readyMs: number;
}

/** What is started; `first` is sent once on each connection. */
export interface Field {
  readonly scene: Scene;
  readonly first: readonly Exchange[];
  /** Another build of the webhook, to be measured too. */
  readonly beside?: string | undefined;
  /** The Go rival; undefined where it cannot be had. */
  readonly rival?: string | undefined;
}

/** A way to start each, so that a start can be measured several times. */
export function startersOf(field: Field): ReadonlyMap<ContestantName, () => Promise<Contestant>> {
  const { scene, beside, rival } = field;
  const others = (port: number) => [String(port), scene.tlsDir, scene.clustersFile];
  const startNode = (name: "bare" | "express", file: string) => {
    const outfile = join(scene.dir, `${name}.js`);
    const entryPoints = [join(__dirname, file)];
    buildSync({ entryPoints, outfile, bundle: true, platform: "node", target: "node20" });
    const command = process.execPath;
    const argsOn = (port: number) => [outfile, ...others(port), operatorNamespace];
    return () => start(field, name, (port) => ({ command, args: argsOn(port), env: {} }));
  };
  return new Map<ContestantName, () => Promise<Contestant>>([
    ["webhook", () => startWebhook(field, "webhook")],
    ...(beside === undefined ? [] : [["beside", () => startWebhook(field, "beside")] as const]),
    ["express", startNode("express", "plain-express.ts")],
    ["bare", startNode("bare", "bare.ts")],
    ...(rival === undefined
      ? []
      : [["go", () => start(field, "go", (port) => goProgram(scene, rival, port))] as const]),
  ]);
}

/** The path of the Go rival; why there is none goes to `leftOut`. */
export function rivalOr(leftOut: (why: string) => void): string | undefined {
  const rival = buildRival();
  if (rival.is === "built") return rival.binary;
  leftOut(`${titles.go}: left out, ${rival.because}`);
  return undefined;
}

function goProgram(scene: Scene, command: string, port: number) {
  const env = {
    RIVAL_PORT: String(port),
    RIVAL_TLS_DIR: scene.tlsDir,
    RIVAL_CLUSTERS: scene.clustersFile,
  };
  return { command, args: [], env };
}

async function startWebhook(field: Field, name: "webhook" | "beside"): Promise<Contestant> {
  const { scene, beside } = field;
  const env = { ENGINE_WEBHOOK_CLUSTERS: `file:${scene.clustersFile}` };
  const executable = name === "beside" ? beside : undefined;
  const { server, port, readyMs } = await scene.startWebhook(env, { executable });
  return { name, server, readyMs, load: await reach(field, port) };
}

async function start(
  field: Field,
  name: ContestantName,
  programOf: (port: number) => Parameters<Scene["start"]>[0],
): Promise<Contestant> {
  const [port = 0] = await freePorts(1);
  const server = field.scene.start(programOf(port));
  const readyMs = await server.until(() => connects({ port, ca: field.scene.ca }));
  return { name, server, readyMs, load: await reach(field, port) };
}

async function connects(target: Target): Promise<boolean> {
  try {
    (await Load.open(target, 1)).close();
    return true;
  } catch {
    return false;
  }
}

/** Connections to a server. One without a first request is closed soon; one that had it is kept. */
async function reach({ scene, first }: Field, port: number): Promise<Load> {
  const load = await Load.open({ port, ca: scene.ca });
  await load.flood(first, first.length);
  return load;
}
