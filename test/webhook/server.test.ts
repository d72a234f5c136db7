import { Agent } from "node:https";
import type { RequestListener } from "node:http";
import type { Server } from "node:https";
import { connect as connectTcp } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { admissionListener } from "../../webhook/review/call";
import { createApp, Health } from "../../webhook/app";
import { InFlight } from "../../webhook/review/room";
import { bigBody, BodyBudget } from "../../webhook/review/room";
import { Metrics } from "../../webhook/metrics";
import { createWebhookServer, drain, listen, servePair } from "../../webhook/server";
import { readPair } from "../../webhook/certificate/served";
import { defaultNames } from "../../plugin/domain/names";
import { aPair } from "../support/tls";
import { clusterFacts, FakeClusters } from "./fake-clusters";
import { FakeLog } from "./fake-log";
import { call, type Call } from "./https-client";
import { aReview, bytesOf, options, rightUpdate, wrongUpdate } from "./reviews";
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

let server: Server;
let port: number;
let log: FakeLog;
let clusters: FakeClusters;
let health: Health;
let inFlight: InFlight;
let budget: BodyBudget;
let certificate = true;
let crashes: unknown[];

beforeEach(async () => {
  certificate = true;
  crashes = [];
  log = new FakeLog();
  clusters = new FakeClusters();
  clusters.known = [clusterFacts()];
  health = new Health({ certificate: () => certificate, clusters: () => clusters.synced() });
  inFlight = new InFlight(2);
  budget = new BodyBudget(bigBody + 2);
  const context = {
    clusters,
    operatorNamespace: "engine",
    options,
    maxBody,
    inFlight,
    health,
    metrics: new Metrics(),
    budget,
    log,
  };
  server = createWebhookServer({
    path: "/admission",
    admission: admissionListener(context),
    app: createApp(health, { tellCrash: (error) => crashes.push(error) }),
    tellCrash: (error) => crashes.push(error),
  });
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

  test("a denial is a 200", async () => {
    const { status: code, body } = await post(wrong);
    expect(code).toBe(200);
    expect(body).toMatchObject({
      response: { uid: "uid-1", allowed: false, status: { code: 422 } },
    });
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

  test("a path without a query is judged in the usual time", async () => {
    expect((await post(right, { path: "/admission" })).status).toBe(200);
  });
});

const big = Buffer.alloc(maxBody + 1, 32);
const close = { connection: "close" };
const notPost = status(405, "MethodNotAllowed", "reviews are sent with POST");
const notJson = status(
  415,
  "UnsupportedMediaType",
  "the content type has to be application/json in UTF-8",
);
const encoded = status(415, "UnsupportedMediaType", "a content encoding is not accepted");
const tooLarge = status(413, "RequestEntityTooLarge", `the body is larger than ${maxBody} bytes`);
const empty = status(400, "BadRequest", "the body is empty");
const cut = status(400, "BadRequest", "the body is not JSON");
const typed = (type: string) => ({ headers: { "content-type": type } });

interface Refusal {
  readonly body: ReturnType<typeof status>;
  readonly headers?: object;
}

test.each<[string, Partial<Call>, Refusal]>([
  ["GET", { method: "GET", body: "" }, { body: notPost, headers: { allow: "POST" } }],
  ["PUT", { method: "PUT" }, { body: notPost, headers: { allow: "POST" } }],
  ["no content type", { headers: {} }, { body: notJson }],
  ["YAML", typed("application/yaml"), { body: notJson }],
  ["protobuf", typed("application/vnd.kubernetes.protobuf"), { body: notJson }],
  ["another charset", typed("application/json; charset=latin1"), { body: notJson }],
  ["gzip", { headers: { ...json, "content-encoding": "gzip" } }, { body: encoded }],
  ["an announced length beyond the limit", { body: big }, { body: tooLarge, headers: close }],
  ["chunks beyond the limit", { body: [big, "x"] }, { body: tooLarge, headers: close }],
  [
    "far more than the limit",
    { body: Array<Buffer>(5).fill(big) },
    { body: tooLarge, headers: close },
  ],
  ["no body", { body: "" }, { body: empty }],
  ["half a body", { body: right.slice(0, 99) }, { body: cut }],
])("%s is a true HTTP error", async (_name, parts, { body, headers = {} }) => {
  const answer = await post(right, parts);
  expect({ status: answer.status, body: answer.body }).toEqual({ status: body.code, body });
  expect(answer.headers).toMatchObject({ ...json, ...headers });
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

  const head = (length: number) =>
    `POST /admission?timeout=200ms HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const open = async (): Promise<TLSSocket> => {
    const socket = connect({ host: "127.0.0.1", port, ca: pair.certPem });
    await new Promise((resolve) => socket.once("secureConnect", resolve));
    return socket;
  };

  test("a body that does not arrive in time is a 503", async () => {
    const socket = await open();
    socket.write(`${head(100)}{`);
    const chunks: string[] = [];
    socket.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
    await new Promise((resolve) => socket.once("close", resolve));
    expect(chunks.join("")).toMatch(/^HTTP\/1.1 503 [^]*did not arrive in time/);
  });

  test("a caller that goes away leaves nothing behind", async () => {
    const socket = await open();
    socket.write(`${head(100)}{`);
    await new Promise(setImmediate);
    socket.destroy();
    await log.seen("the caller went away");
    await inFlight.idle();
    expect(log.of("review")).toEqual([]);
  });

  test("an over-long body that never ends is answered all the same", async () => {
    const socket = await open();
    socket.write(head(maxBody + 1));
    const answer = await new Promise((resolve) => socket.setEncoding("utf8").once("data", resolve));
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });

  test("TLS below 1.2 is refused", async () => {
    const socket = connect({
      host: "127.0.0.1",
      port,
      ca: pair.certPem,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    const error = await new Promise<Error>((resolve) => socket.once("error", resolve));
    expect(error.message).toMatch(/protocol version|unsupported protocol/);
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
    ["POST", "/explain"],
    ["POST", "/livez"],
  ])("%s %s is nothing", async (method, path) => {
    const answer = await ask({ method, path, headers: json, body: right });
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
      body: status(500, "InternalError", "the request failed"),
    });
    expect(crashes).toEqual([clusters.crash]);
  });
});

test.each<[string, RequestListener, object]>([
  [
    "before its answer is a 500",
    () => {
      throw new Error("broken");
    },
    { status: 500, body: status(500, "InternalError", "the call failed") },
  ],
  [
    "within its answer is cut off",
    (_request, response) => {
      response.writeHead(200, { "content-length": 10 }).write("part");
      throw new Error("broken");
    },
    { code: "ECONNRESET" },
  ],
])("a call that fails outside of all rules, %s, and the process continues", async (...row) => {
  const [, admission, seen] = row;
  const broken = createWebhookServer({
    path: "/admission",
    admission,
    app: createApp(health),
    tellCrash: (error) => crashes.push(error),
  });
  servePair(broken, readPair(folder.dir, defaultNames.webhook));
  const brokenPort = await listen(broken, { host: "127.0.0.1", port: 0 });
  const one = { port: brokenPort, ca: pair.certPem };
  const answer = call({ ...one, path: "/admission" }).catch((error: unknown) => error);
  expect(await answer).toMatchObject(seen);
  expect(crashes).toEqual([new Error("broken")]);
  expect((await call({ ...one, path: "/livez" })).status).toBe(200);
  broken.close();
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

  test("does not wait for ever", async () => {
    clusters.hangs = true;
    const stuck = post(wrong);
    const failed = expect(stuck).rejects.toThrow();
    while (clusters.asked.length < 1) await new Promise(setImmediate);
    await drain(server, { health, inFlight, wait: () => Promise.resolve(), patienceMs: 1 });
    await failed;
  });
});

test("a port that is taken is an error", async () => {
  const other = createWebhookServer({
    path: "/x",
    admission: () => {},
    app: () => {},
    tellCrash: () => {},
  });
  await expect(listen(other, { host: "127.0.0.1", port })).rejects.toThrow("EADDRINUSE");
});

test("what is not TLS gets no answer and harms nobody", async () => {
  const socket = connectTcp({ host: "127.0.0.1", port });
  socket.on("error", () => {});
  socket.write("POST /admission HTTP/1.1\r\n\r\n");
  await new Promise((resolve) => socket.once("close", resolve));
  expect((await post(bytesOf(right))).status).toBe(200);
});
