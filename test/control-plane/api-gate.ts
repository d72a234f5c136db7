/** Stands between the webhook and the API server, and lets a test disturb what passes. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { ControlPlane } from "./control-plane";
import { freePorts } from "./ports";

export interface ApiGate {
  /** Like the admin's, but through the gate. */
  readonly kubeconfig: string;
  /** Nothing passes any more on the connections that there are, and nobody learns of it; new ones are free. */
  hold(): void;
  /** What was held goes on, from where it was. */
  release(): void;
  /** Resets the connections that there are; new ones too from now on, until opened. */
  shut(): void;
  /** As `shut`, but new connections are taken and then nothing is heard on them. */
  mute(): void;
  open(): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export async function startApiGate(controlPlane: ControlPlane): Promise<ApiGate> {
  const { hostname, port: serverPort } = new URL(controlPlane.url);
  const pairs = new Set<Pair>();
  const muted = new Set<Socket>();
  let state: "open" | "shut" | "mute" = "open";

  const gate = createServer((client) => {
    client.on("error", () => undefined);
    if (state === "shut") {
      client.resetAndDestroy();
      return;
    }
    if (state === "mute") {
      muted.add(client.pause());
      return;
    }
    const pair = { client, server: connect({ host: hostname, port: Number(serverPort) }) };
    pairs.add(pair);
    pass(pair);
    for (const [from, to] of directionsOf(pair)) {
      from.on("error", () => to.destroy());
      from.on("close", () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
  });
  const [port = 0] = await freePorts(1);
  gate.listen(port, "127.0.0.1");
  await once(gate, "listening");

  const reset = (): void => {
    for (const { client } of pairs) client.resetAndDestroy();
  };
  return {
    kubeconfig: kubeconfigThrough(controlPlane, port),
    hold: () => {
      for (const pair of pairs) {
        for (const [from, to] of directionsOf(pair)) from.unpipe(to).pause();
      }
    },
    release: () => {
      for (const pair of pairs) pass(pair);
    },
    shut: () => {
      state = "shut";
      reset();
    },
    mute: () => {
      state = "mute";
      reset();
    },
    open: () => {
      state = "open";
      for (const client of muted) client.resetAndDestroy();
      muted.clear();
    },
    close: async () => {
      state = "shut";
      reset();
      for (const client of muted) client.resetAndDestroy();
      gate.close();
      await once(gate, "close");
    },
  };
}

function directionsOf({ client, server }: Pair): readonly (readonly [Socket, Socket])[] {
  return [
    [client, server],
    [server, client],
  ];
}

function pass(pair: Pair): void {
  for (const [from, to] of directionsOf(pair)) from.pipe(to);
}

function kubeconfigThrough(controlPlane: ControlPlane, port: number): string {
  const text = readFileSync(controlPlane.kubeconfig, "utf8");
  const file = join(controlPlane.site.dataDir, `gate-${String(port)}.kubeconfig`);
  const through = text.replaceAll(controlPlane.url, `https://127.0.0.1:${String(port)}`);
  writeFileSync(file, through, { mode: 0o600 });
  return file;
}
