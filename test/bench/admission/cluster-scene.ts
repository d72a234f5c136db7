/** Starts the generated API server, and writes the kubeconfig that leads to it. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { freePorts } from "../../support/free-ports";
import { type ClusterServerOptions, countPath } from "./cluster-options";
import { script, type ServerProcess } from "./process";
import type { Scene } from "./scene";

export type ClusterLoad = Omit<ClusterServerOptions, "port" | "tlsDir">;

/** An API server that runs. */
export interface ClusterServer {
  /** The path of the kubeconfig that leads to it. */
  readonly kubeconfig: string;
  readonly server: ServerProcess;
  /** The number of requests so far. */
  readonly requests: () => Promise<number>;
}

export async function startClusterServer(scene: Scene, load: ClusterLoad): Promise<ClusterServer> {
  const [port = 0] = await freePorts(1);
  const options: ClusterServerOptions = { ...load, port, tlsDir: scene.tlsDir };
  const { command, args } = script(join(__dirname, "cluster-server.ts"));
  const server = scene.start({ command, args: [...args, JSON.stringify(options)], env: {} });
  await server.until(() => listens(port));
  const kubeconfig = join(scene.dir, `kubeconfig-${port}`);
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigFor(port, scene.ca)));
  const requests = () => countAt(port, scene.ca);
  return { kubeconfig, server, requests };
}

async function countAt(port: number, ca: string): Promise<number> {
  const url = `https://localhost:${port}${countPath}`;
  const [response] = (await once(get(url, { ca, agent: false }), "response")) as [IncomingMessage];
  return Number(await text(response));
}

function kubeconfigFor(port: number, ca: string): object {
  const name = "bench";
  const cluster = {
    server: `https://localhost:${port}`,
    "certificate-authority-data": Buffer.from(ca).toString("base64"),
  };
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster }],
    users: [{ name, user: { token: "bench" } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => {
      resolve(false);
    });
  });
}
