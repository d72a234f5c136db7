/** An https server on loopback that releases are downloaded from; keeps what it was asked. */
import type { RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { aPair, type PemPair } from "../tls";

/** A request as it arrived. */
export interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
}

/** The server; `ca` has to be trusted by who asks it. */
export interface ReleaseServer {
  readonly url: string;
  readonly port: number;
  readonly ca: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** Starts on a free port; answers as the listener says. */
export async function startReleaseServer(
  listener: RequestListener,
  pair: PemPair = aPair(),
): Promise<ReleaseServer> {
  const asked: Asked[] = [];
  const server = createServer({ cert: pair.certPem, key: pair.keyPem }, (request, response) => {
    asked.push({ path: request.url ?? "", authorization: request.headers.authorization });
    listener(request, response);
  });
  const port = await listening(server);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)));
  });
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    ca: pair.certPem,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}
