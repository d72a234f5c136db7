import { once } from "node:events";
import { ServerResponse } from "node:http";
import { Agent, createServer, type Server } from "node:https";
import { connect, type ConnectionOptions } from "node:tls";
import { createApp } from "../../webhook/app";
import { Health } from "../../webhook/health";
import { bigBody, BodyBudget, InFlight } from "../../webhook/review/room";
import { Metrics } from "../../webhook/metrics";
import {
  type App,
  createPlainServer,
  createWebhookServer,
  drain,
  listen,
  servePair,
  spareUnused,
} from "../../webhook/server";
import { readPair } from "../../webhook/certificate/served";
import { defaultNames } from "../../plugin/domain/names/names";
import { aPair } from "../support/tls";
import { clusterFacts, FakeClusters } from "./fake-clusters";
import { FakeLog } from "./fake-log";
import { call, type Call } from "./https-client";
import { RawConnection } from "./adversarial/raw-connection";
import { head } from "./adversarial/wire";
import { aReview, options, rightUpdate, wrongUpdate } from "./reviews";
import { TlsFolder } from "./tls-folder";

const maxBody = 64 * 1024;
const pair = aPair();
const folder = new TlsFolder(pair);
const json = { "content-type": "application/json" };
const allowed = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  response: {
    uid: "uid-1",
    allowed: true,
    auditAnnotations: {
      rule: "none",
      ec: "engine/ec",
      "ec-resource-version": "1",
      data: "known",
      "data-age-seconds": "1.5",
    },
  },
};

let app: App;
let server: Server;
let port: number;
let log: FakeLog;
let metrics: Metrics;
let clusters: FakeClusters;
let health: Health;
let inFlight: InFlight;
let budget: BodyBudget;
let certificate = true;

beforeEach(async () => {
  certificate = true;
  log = new FakeLog();
  clusters = new FakeClusters();
  clusters.known = [clusterFacts()];
  health = new Health({ certificate: () => certificate, clusters: () => clusters.hasSynced() });
  inFlight = new InFlight(2);
  budget = new BodyBudget(bigBody + 2);
  metrics = new Metrics();
  const context = {
    clusters,
    operatorNamespace: "engine",
    options,
    maxBody,
    inFlight,
    health,
    metrics,
    budget,
    log,
  };
  app = createApp({ ...context, path: "/admission" });
  server = createWebhookServer(app);
  servePair(server, readPair(folder.dir, defaultNames.webhook));
  port = await listen(server, { host: "127.0.0.1", port: 0 });
});

afterEach(async () => {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
});

afterAll(() => {
  folder.remove();
});

const ask = (parts: Omit<Call, "port">) => call({ port, ca: pair.certPem, ...parts });
const post = (body: Exclude<Call["body"], undefined>, more: Partial<Call> = {}) =>
  ask({ method: "POST", path: "/admission?timeout=10s", headers: json, body, ...more });
const right = JSON.stringify(aReview(rightUpdate));
const wrong = JSON.stringify(aReview(wrongUpdate));

function status(code: number, reason: string, message: string) {
  const head = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" };
  return { ...head, message, reason, code };
}

describe("a review over HTTPS", () => {
  test.each([
    ["in one piece", right],
    ["in chunks", [right.slice(0, 10), right.slice(10)]],
  ])("%s is answered and kept alive", async (_name, body) => {
    const { status: code, headers, body: answer } = await post(body);
    expect({ code, answer }).toEqual({ code: 200, answer: allowed });
    expect(headers).toMatchObject(json);
    expect(headers).not.toHaveProperty("x-powered-by");
    expect(log.lines).toMatchObject([
      {
        level: "info",
        message: "review",
        fields: { uid: "uid-1", verdict: "allow", status: 200, ms: expect.any(Number) as number },
      },
    ]);
  });

  test("several go over one connection", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let count = 0; count < 3; count += 1) {
      const { headers } = await post(right, { agent });
      expect(headers["keep-alive"]).toBe("timeout=300");
    }
    agent.destroy();
  });

  test("a charset of UTF-8 and no encoding may be said", async () => {
    const headers = {
      "content-type": "Application/JSON; charset=UTF-8",
      "content-encoding": "identity",
    };
    expect((await post(right, { headers })).status).toBe(200);
  });
});

const big = Buffer.alloc(maxBody + 1, 32);
const typed = (type: string, more: object = {}) => ({ headers: { "content-type": type, ...more } });
const reasons = {
  400: "BadRequest",
  405: "MethodNotAllowed",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
} as const;
const notPost = "reviews are sent with POST";
const notJson = "the content type has to be application/json in UTF-8";
const encoded = "a content encoding is not accepted";
const tooLarge = `the body is larger than ${maxBody} bytes`;

test.each<[string, Partial<Call>, keyof typeof reasons, string]>([
  ["GET", { method: "GET", body: "" }, 405, notPost],
  ["PUT", { method: "PUT" }, 405, notPost],
  ["no content type", { headers: {} }, 415, notJson],
  ["YAML", typed("application/yaml"), 415, notJson],
  ["another charset", typed("application/json; charset=latin1"), 415, notJson],
  ["gzip", typed("application/json", { "content-encoding": "gzip" }), 415, encoded],
  ["an announced length beyond the limit", { body: big }, 413, tooLarge],
  ["chunks beyond the limit", { body: [big, "x"] }, 413, tooLarge],
  ["far more than the limit", { body: Array<Buffer>(5).fill(big) }, 413, tooLarge],
  ["no body", { body: "" }, 400, "the body is empty"],
  ["half a body", { body: right.slice(0, 99) }, 400, "the body is not JSON"],
])("%s is a true HTTP error", async (_name, ...[parts, code, message]) => {
  const answer = await post(right, parts);
  const body = status(code, reasons[code], message);
  expect({ status: answer.status, body: answer.body }).toEqual({ status: code, body });
  const more = { 405: { allow: "POST" }, 413: { connection: "close" } };
  expect(answer.headers).toMatchObject({ ...json, ...(code in more && more[code as 405]) });
});

test("an operation that no API server sends is a bad request, and the log says what was received", async () => {
  const body = JSON.stringify(aReview({ ...rightUpdate, operation: "PATCH" }));
  const answer = await post(body);
  const because =
    'the review\'s operation has to be CREATE, UPDATE, DELETE or CONNECT, received: "PATCH"';
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 400,
    body: { ...status(400, "BadRequest", because), uid: "uid-1" },
  });
  const fields = { uid: "uid-1", verdict: "unreadable", because, status: 400 };
  expect(log.lines).toMatchObject([{ level: "info", message: "review", fields }]);
});

test("a rejected call leaves its connection usable", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect((await post("x", { agent, headers: {} })).status).toBe(415);
  expect((await post(right, { agent })).status).toBe(200);
  agent.destroy();
});

test("a crash is a 500 with the uid, logged with where it was, and the process continues", async () => {
  clusters.crash = new TypeError("bad \u001b[31m thing");
  const { status: code, body } = await post(wrong);
  expect({ code, body }).toMatchObject({ code: 500, body: { code: 500, uid: "uid-1" } });
  const { fields } = await log.seen("a rule failed");
  expect(fields).toMatchObject({ because: "bad \\u001b[31m thing" });
  expect(String(fields["frames"])).toContain("server.test");
  clusters.crash = "no error at all";
  expect((await post(wrong)).status).toBe(500);
  clusters.crash = undefined;
  expect((await post(right)).status).toBe(200);
});

test("a large review is turned away while there is no room for it", async () => {
  const taken: number[] = [];
  Object.assign(budget, {
    take: (bytes: number) => {
      taken.push(bytes);
      return false;
    },
  });
  const { status: code, headers } = await post(right);
  expect({ code, headers }).toMatchObject({
    code: 429,
    headers: { "retry-after": "1", connection: "close" },
  });
  await post([right]);
  // of one that does not say how long it is nothing is there yet
  expect(taken).toEqual([right.length, 0]);
  expect(inFlight.size).toBe(0);
});

describe("limits", () => {
  test("beyond the cap a call is sent away, to come again", async () => {
    clusters.hangs = true;
    clusters.known = [];
    const path = "/admission?timeout=4s";
    const stuck = [post(wrong, { path }), post(wrong, { path })];
    while (clusters.asked.length < 2) await new Promise(setImmediate);
    const { status: code, headers, body } = await post(right);
    expect({ code, body }).toEqual({
      code: 429,
      body: status(429, "TooManyRequests", "too many reviews at once"),
    });
    expect(headers).toMatchObject({ "retry-after": "1", connection: "close" });
    server.closeAllConnections();
    await Promise.allSettled(stuck);
  });

  test("what cannot be judged in time is said in time", async () => {
    clusters.hangs = true;
    const { status: code, headers, body } = await post(wrong, { path: "/admission?timeout=200ms" });
    expect(code).toBe(503);
    expect(headers).toMatchObject({ "retry-after": "1", connection: "close" });
    expect(body).toMatchObject({ code: 503, uid: "uid-1" });
  });

  test("an over-long body that never ends is answered all the same", async () => {
    const socket = await RawConnection.open({ port, ca: pair.certPem });
    await socket.write(head([`Content-Length: ${maxBody + 1}`]));
    expect(await socket.reply()).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });
});

describe("the Express part of the port", () => {
  const ready = { certificate: true, clusters: true, serving: true };

  test.each(["/livez", "/liveness"])("%s is alive, whatever else", async (path) => {
    clusters.isSynced = false;
    certificate = false;
    expect(await ask({ path })).toMatchObject({ status: 200, body: { live: true } });
  });

  const lacking = (condition: string) => ({
    status: 503,
    body: { ready: false, conditions: { ...ready, [condition]: false } },
  });

  test.each<[string, () => void, object]>([
    ["all is well", () => {}, { status: 200, body: { ready: true, conditions: ready } }],
    ["no pair was loaded", () => void (certificate = false), lacking("certificate")],
    ["the ECs are not known", () => void (clusters.isSynced = false), lacking("clusters")],
    [
      "it drains",
      () => {
        health.drain();
      },
      lacking("serving"),
    ],
  ])("readiness when %s", async (_name, change, expected) => {
    change();
    for (const path of ["/readyz", "/readiness"]) {
      const { status, body } = await ask({ path });
      expect({ status, body }).toEqual(expected);
    }
  });

  test.each([
    ["GET", "/"],
    ["GET", "/metrics"],
    ["POST", "/admission/"],
    ["POST", "/admissions"],
    ["POST", "/livez"],
  ])("%s %s is nothing", async (method, path) => {
    const body = method === "POST" ? right : "";
    const answer = await ask({ method, path, headers: json, body });
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 404,
      body: status(404, "NotFound", "there is nothing at this path"),
    });
    expect(answer.headers).not.toHaveProperty("x-powered-by");
  });

  test("a failing condition is a 500 without a stack", async () => {
    clusters.crash = new Error("broken");
    expect(await ask({ path: "/readyz" })).toMatchObject({
      status: 500,
      body: status(500, "InternalError", "the call failed"),
    });
    expect((await log.seen("a call failed")).fields).toMatchObject({ because: "broken" });
  });
});

test("a call that fails outside of all rules is a 500, counted, and the process continues", async () => {
  jest.spyOn(inFlight, "enter").mockImplementation(() => {
    throw new Error("broken");
  });
  const body = status(500, "InternalError", "the call failed");
  expect(await post(right)).toMatchObject({ status: 500, body });
  expect((await log.seen("a call failed")).fields).toMatchObject({ because: "broken" });
  expect((await metrics.render()).text).toContain("engine_admission_panics_total 1");
  expect((await ask({ path: "/livez" })).status).toBe(200);
});

test("an answer that was begun before its call failed is cut off", async () => {
  jest.spyOn(ServerResponse.prototype, "end").mockImplementationOnce(() => {
    throw new Error("broken");
  });
  await expect(post(right)).rejects.toMatchObject({ code: "ECONNRESET" });
  expect((await log.seen("a call failed")).fields).toMatchObject({ because: "broken" });
});

test("metrics are on the plain port, which answers no review", async () => {
  const plain = createPlainServer(app);
  const at = await listen(plain, { host: "127.0.0.1", port: 0 });
  expect((await call({ port: at, path: "/metrics" })).status).toBe(200);
  const review = { method: "POST", path: "/admission", headers: json, body: right };
  expect((await call({ port: at, ...review })).status).toBe(404);
  plain.close();
});

test("a new pair is for new connections; those that exist continue", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await post(right, { agent });
  const next = aPair({ commonName: "next" });
  const nextFolder = new TlsFolder(next);
  servePair(server, readPair(nextFolder.dir, defaultNames.webhook));
  nextFolder.remove();
  expect((await post(right, { agent })).status).toBe(200);
  agent.destroy();
  await expect(post(right)).rejects.toThrow(/self-signed|verify|certificate/);
  expect((await post(right, { ca: next.certPem })).status).toBe(200);
});

describe("draining", () => {
  const gate = () => {
    let open: () => void = () => {};
    const wait = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { wait: () => wait, open };
  };

  test("serves with Connection: close until the wait is over, then is gone", async () => {
    const agent = new Agent({ keepAlive: true });
    await post(right, { agent });
    const { wait, open } = gate();
    const drained = drain(server, { health, inFlight, wait, patienceMs: 5_000 });
    const { status: code, headers, body } = await post(right);
    expect({ code, body }).toEqual({ code: 200, body: allowed });
    expect(headers["connection"]).toBe("close");
    expect((await ask({ path: "/readyz" })).headers["connection"]).toBe("close");
    open();
    await drained;
    await expect(post(right)).rejects.toThrow("ECONNREFUSED");
    agent.destroy();
  });

  test("finishes what is in flight", async () => {
    clusters.hangs = true;
    const stuck = post(wrong, { path: "/admission?timeout=600ms" });
    while (clusters.asked.length < 1) await new Promise(setImmediate);
    await drain(server, { health, inFlight, wait: () => Promise.resolve(), patienceMs: 5_000 });
    const { status: code, headers } = await stuck;
    expect({ code, connection: headers["connection"] }).toEqual({ code: 503, connection: "close" });
  });

  test("answers what has arrived on a connection that looks idle", async () => {
    const socket = await RawConnection.open({ port, ca: pair.certPem });
    const call = "GET /livez HTTP/1.1\r\nHost: webhook\r\n\r\n";
    await socket.write(call);
    expect(await socket.reply()).toMatch(/^HTTP\/1\.1 200 /);
    const wait = () => {
      // the bytes are with the system, and the server has not been told of them yet
      socket.socket.write(call);
      return Promise.resolve();
    };
    await drain(server, { health, inFlight, wait, patienceMs: 5_000 });
    await socket.closed();
    expect(socket.text().match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  });

  test("does not wait for ever", async () => {
    clusters.hangs = true;
    const stuck = post(wrong);
    const failed = expect(stuck).rejects.toThrow();
    while (clusters.asked.length < 1) await new Promise(setImmediate);
    await drain(server, { health, inFlight, wait: () => Promise.resolve(), patienceMs: 1 });
    await failed;
  });
});

const cbc = { maxVersion: "TLSv1.2", ciphers: "ECDHE-RSA-AES128-SHA256" } as const;
test.each<[string, ConnectionOptions, RegExp]>([
  ["TLS 1.3", {}, /^TLS_AES/],
  ["TLS 1.2 with GCM", { maxVersion: "TLSv1.2" }, /^TLS_ECDHE_RSA_WITH_AES_\d+_GCM/],
  ["TLS 1.2 with CBC", cbc, /HANDSHAKE_FAILURE/],
  [
    "TLS 1.1",
    { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
    /PROTOCOL_VERSION/,
  ],
])("%s is spoken or refused", async (_name, options, seen) => {
  const socket = connect({ host: "127.0.0.1", port, ca: pair.certPem, ...options });
  const shaken = once(socket, "secureConnect").then(
    () => socket.getCipher().standardName,
    (error: unknown) => (error as NodeJS.ErrnoException).code,
  );
  expect(await shaken).toMatch(seen);
  socket.destroy();
});

describe("connections on which nothing was sent yet", () => {
  const { certPem: cert, keyPem: key } = pair;
  const most = 3;
  let impatient: Server;
  let sockets: RawConnection[];
  beforeEach(async () => {
    sockets = [];
    const times = { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 10 };
    impatient = createServer({ cert, key, ...times }, (request, response) => {
      request.resume().once("end", () => response.end("judged"));
    });
    spareUnused(impatient, { idleMs: 60_000, most });
    port = await listen(impatient, { host: "127.0.0.1", port: 0 });
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    impatient.close();
  });
  const open = async () => {
    const socket = await RawConnection.open({ port, ca: cert });
    sockets.push(socket);
    return socket;
  };
  const whole = "GET / HTTP/1.1\r\nHost: webhook\r\n\r\n";

  test.each([
    ["a request is answered, however late it comes", whole, /^HTTP\/1\.1 200 /],
    ["a head that does not come to its end is cut", whole.slice(0, 20), /^HTTP\/1\.1 408 /],
  ])("are spared: %s", async (_name, bytes, answer) => {
    const socket = await open();
    await once(impatient, "clientError"); // where node would have cut it
    await socket.write(bytes);
    expect(await socket.reply()).toMatch(answer);
  });

  test("are spared up to a number", async () => {
    const opened = [await open(), await open(), await open(), await open(), await open()];
    await Promise.race(opened.map((socket) => socket.closed()));
    await Promise.any(opened.filter((socket) => !socket.isClosed).map((socket) => socket.closed()));
    const left = opened.filter((socket) => !socket.isClosed);
    expect(left).toHaveLength(most);
    for (const socket of left) {
      await socket.write(whole);
      expect(await socket.reply()).toMatch(/^HTTP\/1\.1 200 /);
    }
  });
});
