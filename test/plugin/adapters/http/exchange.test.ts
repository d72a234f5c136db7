/** The one exchange against servers that keep to no measure. */
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { Agents } from "../../../../plugin/adapters/http/agents";
import { readArriving, NoAnswer } from "../../../../plugin/adapters/http/answer";
import { type Exchange, exchange } from "../../../../plugin/adapters/http/exchange";
import { aPair } from "../../../support/tls";

const { certPem: cert, keyPem: key } = aPair();
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function sendTo(answer: RequestListener, more: Partial<Exchange> = {}, secure = false) {
  const server: Server = secure ? createHttps({ cert, key }, answer) : createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const tls = { rejectUnauthorized: false };
  const agents = new Agents({ tls: secure ? () => tls : undefined });
  closers.push(() => {
    agents.close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const send = () =>
    exchange({
      base: new URL(`${secure ? "https" : "http"}://127.0.0.1:${port}`),
      method: "GET",
      path: "/",
      headers: {},
      lease: agents.of(undefined, false),
      signal: undefined,
      clock: {},
      limits: { dialMs: 30_000, answerMs: 30_000, answerBytes: 10_000 },
      ...more,
    });
  return { first: await send(), send };
}

test.each<[string, RequestListener, string]>([
  [
    "a head without an end",
    (_, response) => {
      response.writeHead(200, { bomb: "x".repeat(100_000) }).end();
    },
    "HPE_HEADER_OVERFLOW",
  ],
  [
    "a body without an end",
    (_, response) => {
      response.write("x".repeat(20_000));
    },
    "the answer is too long",
  ],
  [
    "a little that unpacks to a lot",
    (_, response) => {
      response.setHeader("content-encoding", "gzip").end(gzipSync("x".repeat(20_000)));
    },
    "the answer cannot be read",
  ],
])("%s is no answer, though the request was sent", async (_name, answer, message) => {
  const { first } = await sendTo(answer);
  expect(first).toBeInstanceOf(NoAnswer);
  expect(first).toMatchObject({ sent: true, reused: false, message });
});

test("a kept connection that falls silent is told from a server that is slow", async () => {
  let count = 0;
  const answer: RequestListener = (_, response) => {
    if ((count += 1) === 1) response.end("{}");
  };
  const limits = { dialMs: 30_000, answerMs: 30_000, keptMs: 50 };
  const { first, send } = await sendTo(answer, { limits });
  expect(first).toMatchObject({ status: 200, body: "{}" });
  expect(await send()).toMatchObject({ sent: true, reused: true, code: "SILENT" });
});

test("a check of the connection refuses it before anything is sent", async () => {
  const seen: unknown[] = [];
  const problem = new Error("not this one");
  const { first } = await sendTo(
    (request) => seen.push(request.url),
    { judge: () => problem },
    true,
  );
  expect(first).toMatchObject({ sent: false, cause: problem });
  expect(seen).toEqual([]);
});

test("a stream that breaks off says so when it is read", async () => {
  const answer: RequestListener = (_, response) => {
    response.write("one", () => response.destroy());
  };
  const { first } = await sendTo(answer, { streams: () => true });
  const reading = async (): Promise<void> => {
    const listening = { clock: {}, silentMs: 30_000, signal: undefined };
    if (first instanceof NoAnswer) throw first;
    for await (const chunk of readArriving(first, listening)) expect(chunk.toString()).toBe("one");
  };
  await expect(reading()).rejects.toMatchObject({ message: "the connection was reset" });
});

test("a signal that is aborted already ends the exchange with its reason", async () => {
  const reason = new Error("stop");
  await expect(sendTo(() => undefined, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
