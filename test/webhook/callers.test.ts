import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { SecureVersion } from "node:tls";
import { defaultNames } from "../../plugin/domain/names";
import { createApp, Health } from "../../webhook/app";
import { Callers, readClientCa } from "../../webhook/certificate/callers";
import { readPair } from "../../webhook/certificate/served";
import { Metrics } from "../../webhook/metrics";
import { admissionListener } from "../../webhook/review/call";
import { crashTeller } from "../../webhook/review/reply";
import { bigBody, BodyBudget, InFlight } from "../../webhook/review/room";
import { createWebhookServer, listen, servePair } from "../../webhook/server";
import { aPair } from "../support/tls";
import { clusterFacts, FakeClusters } from "./fake-clusters";
import { FakeLog } from "./fake-log";
import { call, type Call } from "./https-client";
import { aReview, options, rightUpdate } from "./reviews";
import { TlsFolder } from "./tls-folder";
import { visit } from "./tls-visit";

const pair = aPair();
const apiserver = aPair({ commonName: "kube-apiserver", clientAuth: true });
const stranger = aPair({ commonName: "kube-apiserver", clientAuth: true });
const folder = new TlsFolder(pair);
const maxBody = 64 * 1024;
const review = JSON.stringify(aReview(rightUpdate));
const needed = "a client certificate of the configured CA is needed";
const path = "/admission";

let server: Server | undefined;
let port: number;
let callers: Callers;
let metrics: Metrics;
let log: FakeLog;

async function open(subjects: readonly string[] = []): Promise<void> {
  const clusters = Object.assign(new FakeClusters(), { known: [clusterFacts()] });
  const health = new Health({ certificate: () => true, clusters: () => true });
  callers = new Callers({ ca: apiserver.certPem, subjects });
  metrics = new Metrics();
  log = new FakeLog();
  const tellCrash = crashTeller(log, metrics);
  const room = { maxBody, budget: new BodyBudget(bigBody), inFlight: new InFlight(2) };
  const judging = { clusters, operatorNamespace: "engine", options, ...room };
  server = createWebhookServer({
    path: "/admission",
    admission: admissionListener({ ...judging, callers, health, metrics, log }),
    app: createApp(health, { tellCrash }),
    tellCrash,
    clientCa: callers.ca,
  });
  servePair(server, readPair(folder.dir, defaultNames.webhook), callers.ca);
  port = await listen(server, { host: "127.0.0.1", port: 0 });
}

afterEach(async () => {
  const opened = server;
  server = undefined;
  if (opened === undefined) return;
  const closed = new Promise((resolve) => opened.close(resolve));
  opened.closeAllConnections();
  await closed;
});
afterAll(() => {
  folder.remove();
});

const ask = (more: Partial<Call> = {}) => {
  const headers = { "content-type": "application/json" };
  const post = { method: "POST", headers, body: review, as: apiserver };
  return call({ port, ca: pair.certPem, path, ...post, ...more });
};

test("reviews are for callers with a certificate of the CA", async () => {
  await open();
  expect((await ask()).status).toBe(200);
  for (const as of [undefined, stranger]) {
    const refused = { status: 403, body: { reason: "Forbidden", message: needed } };
    expect(await ask({ as })).toMatchObject(refused);
  }
});

describe.each<SecureVersion>(["TLSv1.3", "TLSv1.2"])("over %s", (version) => {
  test.each([
    ["of a stranger's own", undefined],
    ["that was begun with a certificate", apiserver],
  ])("a session %s is not taken up again, and opens nothing to nobody", async (_name, as) => {
    await open();
    // as when the pair is renewed
    if (server !== undefined) {
      servePair(server, readPair(folder.dir, defaultNames.webhook), callers.ca);
    }
    const parts = { port, ca: pair.certPem, path, version, body: review };
    const { status, session } = await visit({ ...parts, ...(as && { as }) });
    expect(status).toBe(`HTTP/1.1 ${as === undefined ? "403" : "200"}`);
    const again = await visit({ ...parts, session });
    expect(again).toMatchObject({ status: "HTTP/1.1 403", resumed: false });
  });
});

test("what goes wrong while a caller is judged is a 500, counted, and no other call's", async () => {
  await open();
  const broken = jest.spyOn(callers, "problem").mockImplementation(() => {
    throw new TypeError("no such certificate");
  });
  expect(await ask()).toMatchObject({ status: 500, body: { reason: "InternalError" } });
  broken.mockRestore();
  const { fields } = await log.seen("a call failed");
  expect(fields).toMatchObject({ because: "no such certificate" });
  expect((await metrics.render()).text).toContain("engine_admission_panics_total 1");
  expect((await ask()).status).toBe(200);
});

test("a list of subjects leaves out the others of the CA, and probes are asked for nothing", async () => {
  await open(["someone-else"]);
  const refused = { status: 403, body: { message: "the client certificate is for someone else" } };
  expect(await ask()).toMatchObject(refused);
  for (const probe of ["/readyz", "/livez"]) {
    expect((await ask({ path: probe, method: "GET", as: undefined, body: "" })).status).toBe(200);
  }
});

test("a named subject is let in", async () => {
  await open(["someone-else", "kube-apiserver"]);
  expect((await ask()).status).toBe(200);
});

test("a connection without TLS has no certificate", () => {
  expect(new Callers({ ca: apiserver.certPem, subjects: [] }).problem(new PassThrough())).toBe(
    needed,
  );
});

test("the CA's file may hold more than certificates, and has to hold one", () => {
  const dir = mkdtempSync(join(tmpdir(), "engine-ca-"));
  const file = join(dir, "ca.pem");
  const pem = apiserver.certPem.replaceAll("\r\n", "\n");
  writeFileSync(file, `several lines\n${pem}of text\n${pem}`);
  expect(readClientCa(file)).toBe(pem + pem);
  writeFileSync(file, "x");
  expect(() => readClientCa(file)).toThrow("holds no PEM certificate");
  rmSync(dir, { recursive: true });
  expect(() => readClientCa(file)).toThrow("ENOENT");
});
