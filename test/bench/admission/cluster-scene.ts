/** Starts the generated API server, and writes the kubeconfig that leads to it. */
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { ClusterServerOptions } from "./cluster-server";
import { freePort, script, type ServerProcess } from "./process";
import type { Scene } from "./scene";

export type ClusterLoad = Omit<ClusterServerOptions, "port" | "tlsDir">;

/** The path of the kubeconfig, and the server. */
export async function startClusterServer(
  scene: Scene,
  load: ClusterLoad,
): Promise<{ readonly kubeconfig: string; readonly server: ServerProcess }> {
  const port = await freePort();
  const options: ClusterServerOptions = { ...load, port, tlsDir: scene.tlsDir };
  const { command, args } = script(join(__dirname, "cluster-server.ts"));
  const server = scene.start({ command, args: [...args, JSON.stringify(options)], env: {} });
  await server.until(() => listens(port));
  const kubeconfig = join(scene.dir, `kubeconfig-${port}`);
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigFor(port, scene.ca)));
  return { kubeconfig, server };
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
