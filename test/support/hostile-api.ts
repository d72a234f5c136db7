/** An HTTPS server that answers as it is told: what stands where a REST API should. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { PemPair } from "./tls";

/** A request as it came. */
export interface HostileSeen {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly authorization: string;
  readonly body: string;
}

/** The server. */
export interface HostileApi {
  readonly url: string;
  readonly port: number;
  readonly seen: readonly HostileSeen[];
  close(): Promise<void>;
}

/** Listens on loopback; each request goes to `answer` when its body is there. */
export async function startHostileApi(
  { certPem: cert, keyPem: key }: PemPair,
  answer: (seen: HostileSeen, response: ServerResponse) => void,
): Promise<HostileApi> {
  const seen: HostileSeen[] = [];
  const server = createServer({ cert, key }, (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { host = "", authorization = "" } = request.headers;
      const { method = "", url = "" } = request;
      const body = Buffer.concat(chunks).toString("latin1");
      const one = { method, path: url, host, authorization, body };
      seen.push(one);
      answer(one, response);
    });
  });
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket.on("close", () => open.delete(socket)));
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        open.forEach((socket) => socket.destroy());
      }),
  };
}
