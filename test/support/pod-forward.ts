/** What API server and kubelet do for a port-forward over a WebSocket, on loopback. */
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createSecure } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import type { PemPair } from "./tls";

/** A request to forward. */
export interface ForwardAsked {
  readonly path: string;
  readonly ports: readonly string[];
  readonly protocol: string | undefined;
  readonly headers: IncomingMessage["headers"];
}

/** What becomes of it: a pod's port on this machine, a refusal, or words on the channel for errors. */
export type ForwardAnswer =
  | { readonly to: number }
  | { readonly status: number; readonly reason?: string; readonly message?: string }
  | { readonly error: string }
  | { readonly instead: "hang" | "cut" };

/** The stand-in. */
export interface PodForwardServer {
  readonly url: string;
  readonly port: number;
  readonly asked: readonly ForwardAsked[];
  /** Cuts every open connection. */
  cut(): void;
  close(): Promise<void>;
}

const protocol = "v4.channel.k8s.io";
const dataChannel = 0;
const errorChannel = 1;

/** Starts it, with a pair over TLS as a kubelet alone; `answer` decides for each request. */
export async function startPodForward(
  answer: (asked: ForwardAsked) => ForwardAnswer,
  pair?: PemPair,
): Promise<PodForwardServer> {
  const asked: ForwardAsked[] = [];
  const server =
    pair === undefined ? createServer() : createSecure({ cert: pair.certPem, key: pair.keyPem });
  server.on("request", (_request, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => protocol });
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket.on("close", () => open.delete(socket)));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const url = new URL(request.url ?? "", "http://stand-in");
    const one = {
      path: url.pathname,
      // an API server asks a kubelet by another name
      ports: [...url.searchParams.getAll("ports"), ...url.searchParams.getAll("port")],
      protocol: request.headers["sec-websocket-protocol"],
      headers: request.headers,
    };
    asked.push(one);
    const decided = answer(one);
    if ("status" in decided) refuse(socket, decided);
    else if ("instead" in decided) {
      if (decided.instead === "cut") socket.destroy();
    } else {
      sockets.handleUpgrade(request, socket, head, (stream) => {
        serve(stream, Number(one.ports[0]), decided);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): void => {
    open.forEach((socket) => socket.destroy());
  };
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        cut();
      }),
  };
}

function refuse(
  socket: Socket,
  { status, reason = "", message = "" }: Extract<ForwardAnswer, { status: number }>,
): void {
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", code: status, reason, message });
  socket.end(
    `HTTP/1.1 ${status} No\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Each channel begins with the port's number; each message with its channel's. */
function serve(stream: WebSocket, port: number, decided: { to: number } | { error: string }): void {
  const number = Buffer.alloc(2);
  number.writeUInt16LE(port);
  const say = (channel: number, content: Buffer): void => {
    if (stream.readyState === stream.OPEN)
      stream.send(Buffer.concat([Buffer.of(channel), content]));
  };
  say(dataChannel, number);
  say(errorChannel, number);
  if ("error" in decided) {
    say(errorChannel, Buffer.from(decided.error));
    return;
  }
  const pod = connect(decided.to, "127.0.0.1");
  pod.on("data", (chunk) => {
    say(dataChannel, chunk);
  });
  pod.on("close", () => {
    stream.close();
  });
  pod.on("error", (error) => {
    say(errorChannel, Buffer.from(error.message));
  });
  stream.on("message", (data: Buffer) => {
    if (data[0] === dataChannel) pod.write(data.subarray(1));
  });
  stream.on("close", () => pod.destroy());
  stream.on("error", () => pod.destroy());
}
