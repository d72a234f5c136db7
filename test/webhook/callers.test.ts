import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:https";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { defaultNames } from "../../plugin/domain/names";
import { admissionListener } from "../../webhook/review/call";
import { createApp, Health } from "../../webhook/app";
import { bigBody, BodyBudget } from "../../webhook/review/room";
import { Callers, readClientCa } from "../../webhook/certificate/callers";
import { readPair } from "../../webhook/certificate/served";
import { crashTeller } from "../../webhook/review/reply";
import { explainCall } from "../../webhook/review/explain";
import { InFlight } from "../../webhook/review/room";
import { Metrics } from "../../webhook/metrics";
import { createWebhookServer, listen, servePair } from "../../webhook/server";
import { aPair, type PemPair } from "../support/tls";
import { clusterFacts, FakeClusters } from "./fake-clusters";
import { FakeLog } from "./fake-log";
import { aReview, options, rightUpdate, wrongUpdate } from "./reviews";
import { TlsFolder } from "./tls-folder";
import { visit } from "./tls-visit";

const pair = aPair();
const apiserver = aPair({ commonName: "kube-apiserver", clientAuth: true });
const stranger = aPair({ commonName: "kube-apiserver", clientAuth: true });
const folder = new TlsFolder(pair);
const json = "application/json";

let server: Server;
let port: number;
let callers: Callers;
let metrics: Metrics;
let log: FakeLog;

async function open(subjects: readonly string[]): Promise<void> {
  const clusters = Object.assign(new FakeClusters(), { known: [clusterFacts()] });
  const health = new Health({ certificate: () => true, clusters: () => true });
  callers = new Callers({ ca: apiserver.certPem, subjects });
  metrics = new Metrics();
  log = new FakeLog();
  const tellCrash = crashTeller(log, metrics);
  const judging = {
    clusters,
    operatorNamespace: "engine",
    options,
    maxBody: 64 * 1024,
    budget: new BodyBudget(bigBody),
    inFlight: new InFlight(2),
  };
  server = createWebhookServer({
    path: "/admission",
    admission: admissionListener({
      ...judging,
      callers,
      health,
      metrics,
      log,
    }),
    app: createApp(health, {
      explain: {
        callers,
        explain: (request) => explainCall(request, judging),
      },
      tellCrash,
    }),
    tellCrash,
    clientCa: callers.ca,
  });
  servePair(server, readPair(folder.dir, defaultNames.webhook), callers.ca);
  port = await listen(server, { host: "127.0.0.1", port: 0 });
}

afterEach(async () => {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
});

afterAll(() => {
  folder.remove();
});

const nothing = () => undefined;
const idle = { path: "/", admission: nothing, app: nothing, tellCrash: nothing };

interface Asked {
  readonly path: string;
  readonly as?: PemPair;
  readonly body?: string | Buffer;
  readonly type?: string;
}

function ask({ path, as, body, type = json }: Asked) {
  return new Promise<{ readonly status: number | undefined; readonly body: unknown }>(
    (resolve, reject) => {
      const identity = as && { cert: as.certPem, key: as.keyPem };
      const method = body === undefined ? "GET" : "POST";
      const sent = request(
        { host: "127.0.0.1", port, path, method, agent: false, ca: pair.certPem, ...identity },
        (response) => {
          response.setEncoding("utf8");
          let text = "";
          response.on("data", (chunk: string) => (text += chunk));
          response.on("end", () => {
            resolve({ status: response.statusCode, body: JSON.parse(text) as unknown });
          });
        },
      );
      sent.on("error", reject);
      if (body !== undefined) sent.setHeader("content-type", type);
      sent.end(body);
    },
  );
}

const review = JSON.stringify(aReview(rightUpdate));
const wrong = JSON.stringify(aReview(wrongUpdate));
const needed = "a client certificate of the configured CA is needed";

test.each(["/admission", "/explain"])(
  "%s is for callers with a certificate of the CA",
  async (path) => {
    await open([]);
    expect((await ask({ path, body: review, as: apiserver })).status).toBe(200);
    for (const as of [undefined, stranger]) {
      const { status, body } = await ask({ path, body: review, ...(as && { as }) });
      expect({ status, body }).toMatchObject({
        status: 403,
        body: { reason: "Forbidden", message: needed },
      });
    }
  },
);

test.each(["TLSv1.3", "TLSv1.2"] as const)(
  "after the pair was replaced no session over %s is taken up again",
  async (version) => {
    await open([]);
    servePair(server, readPair(folder.dir, defaultNames.webhook), callers.ca);
    const parts = { port, ca: pair.certPem, path: "/admission", version, body: review };
    const { status, session } = await visit({ ...parts, as: apiserver });
    expect(status).toBe("HTTP/1.1 200");
    const again = await visit({ ...parts, session });
    expect(again).toMatchObject({ status: "HTTP/1.1 403", resumed: false });
  },
);

test.each(["/admission", "/explain"])(
  "what goes wrong while the caller of %s is judged is a 500, counted, and no other call's",
  async (path) => {
    await open([]);
    const broken = jest.spyOn(callers, "problem").mockImplementation(() => {
      throw new TypeError("no such certificate");
    });
    expect(await ask({ path, body: review, as: apiserver })).toMatchObject({
      status: 500,
      body: { reason: "InternalError" },
    });
    broken.mockRestore();
    expect((await log.seen("a call failed")).fields).toMatchObject({
      because: "no such certificate",
    });
    expect((await metrics.render()).text).toContain("engine_admission_panics_total 1");
    expect((await ask({ path, body: review, as: apiserver })).status).toBe(200);
  },
);

test("a list of subjects leaves out the others of the CA", async () => {
  await open(["someone-else"]);
  const refused = await ask({ path: "/admission", body: review, as: apiserver });
  expect(refused).toMatchObject({
    status: 403,
    body: { message: "the client certificate is for someone else" },
  });
});

test("a named subject is let in", async () => {
  await open(["someone-else", "kube-apiserver"]);
  expect((await ask({ path: "/admission", body: review, as: apiserver })).status).toBe(200);
});

test("probes are asked for nothing", async () => {
  await open(["kube-apiserver"]);
  expect((await ask({ path: "/readyz" })).status).toBe(200);
  expect((await ask({ path: "/livez" })).status).toBe(200);
});

test("an explanation reports the rules and the way that would pass", async () => {
  await open([]);
  const { status, body } = await ask({ path: "/explain", body: wrong, as: apiserver });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { allowed: false, nearest: [{ field: "spec.engineVersion", from: "9.9" }] },
  });
});

test.each<[string, Partial<Asked>, number]>([
  ["another content type", { body: wrong, type: "text/plain" }, 415],
  ["a body that is too large", { body: Buffer.alloc(64 * 1024 + 1, 32) }, 413],
  ["no review", { body: "{" }, 400],
  ["GET", {}, 404],
])("of /explain %s is refused", async (_name, parts, code) => {
  await open([]);
  expect((await ask({ path: "/explain", as: apiserver, ...parts })).status).toBe(code);
});

test("a connection without TLS has no certificate", () => {
  const callers = new Callers({ ca: apiserver.certPem, subjects: [] });
  expect(callers.problem(new PassThrough())).toBe(needed);
  server = createWebhookServer(idle);
});

describe("the CA's file", () => {
  const dir = mkdtempSync(join(tmpdir(), "engine-ca-"));
  const file = join(dir, "ca.pem");

  afterAll(() => {
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(() => {
    server = createWebhookServer(idle);
  });

  test("is read", () => {
    const pem = apiserver.certPem.replaceAll("\r\n", "\n");
    writeFileSync(file, `several lines\n${pem}of text\n${pem}`);
    expect(readClientCa(file)).toBe(pem + pem);
  });

  test("has to hold a certificate", () => {
    writeFileSync(file, "x");
    expect(() => readClientCa(file)).toThrow("holds no PEM certificate");
  });

  test("has to be there", () => {
    expect(() => readClientCa(join(dir, "none"))).toThrow("ENOENT");
  });
});
