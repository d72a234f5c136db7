import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { spareUnused } from "../../webhook/server";
import { aPair } from "../support/tls";

const { certPem: cert, keyPem: key } = aPair();

let server: Server;
let sockets: TLSSocket[];
beforeEach(async () => {
  sockets = [];
  const impatient = { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 10 };
  server = createServer({ cert, key, ...impatient }, (request, response) => {
    request.resume().once("end", () => response.end("judged"));
  });
  spareUnused(server, { idleMs: 60_000, most: 3 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  sockets.forEach((socket) => socket.destroy());
  server.close();
});

async function open(): Promise<TLSSocket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: "127.0.0.1", port, ca: cert });
  sockets.push(socket);
  await once(socket, "secureConnect");
  return socket;
}

async function answerOn(socket: TLSSocket): Promise<string> {
  const [chunk] = (await once(socket.setEncoding("utf8"), "data")) as [string];
  return chunk;
}

const whole = "GET / HTTP/1.1\r\nHost: webhook\r\n\r\n";

test("a connection that was dialled ahead is served, however late its first request comes", async () => {
  const socket = await open();
  await once(server, "clientError"); // where node would have cut it
  socket.write(whole);
  expect(await answerOn(socket)).toMatch(/^HTTP\/1\.1 200 /);
});

test("a head that does not come to its end is cut, also on a connection that was spared", async () => {
  const socket = await open();
  await once(server, "clientError");
  socket.write(whole.slice(0, 20));
  expect(await answerOn(socket)).toMatch(/^HTTP\/1\.1 408 /);
  await once(socket, "close");
});

test("so many unused connections are spared, not any number", async () => {
  const opened = [await open(), await open(), await open(), await open(), await open()];
  const closed: TLSSocket[] = [];
  await new Promise<void>((resolve) => {
    for (const socket of opened) {
      socket.resume().on("error", () => undefined);
      socket.on("close", () => {
        if (closed.push(socket) === 2) resolve();
      });
    }
  });
  const left = opened.filter((socket) => !closed.includes(socket));
  for (const socket of left) {
    socket.write(whole);
    expect(await answerOn(socket)).toMatch(/^HTTP\/1\.1 200 /);
  }
});

test.each([
  ["no HTTP at all", "\u0000\u0001nonsense\r\n\r\n", 400],
  ["a head that is too large", `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
])("%s is answered and closed", async (_name, sent, status) => {
  const socket = await open();
  socket.write(sent);
  expect(await answerOn(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `));
  await once(socket, "close");
});
