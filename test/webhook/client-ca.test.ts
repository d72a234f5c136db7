import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SecureVersion } from "node:tls";
import { defaultNames } from "../../plugin/domain/names/names";
import { createApp } from "../../webhook/app";
import { Health } from "../../webhook/health";
import { readClientCa } from "../../webhook/certificate/client-ca";
import { readPair } from "../../webhook/certificate/served";
import { Metrics } from "../../webhook/metrics";
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
const path = "/admission";

let server: Server | undefined;
let port: number;

async function open(subjects: readonly string[] = []): Promise<void> {
  const clusters = Object.assign(new FakeClusters(), { known: [clusterFacts()] });
  const health = new Health({ certificate: () => true, clusters: () => true });
  const [metrics, log] = [new Metrics(), new FakeLog()];
  const room = { maxBody, budget: new BodyBudget(bigBody), inFlight: new InFlight(2) };
  const judging = { clusters, operatorNamespace: "engine", options, ...room };
  const told = { path, clientSubjects: subjects, health, metrics, log };
  server = createWebhookServer(createApp({ ...judging, ...told }), { requireClientCert: true });
  servePair(server, readPair(folder.dir, defaultNames.webhook), apiserver.certPem);
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

test.each<[string, Partial<Call>]>([
  ["without a certificate", { as: undefined }],
  ["with a certificate of someone else", { as: stranger }],
])("a caller %s does not get through the handshake, whatever it asks", async (_name, more) => {
  await open();
  expect((await ask()).status).toBe(200);
  for (const parts of [{}, { path: "/readyz", method: "GET", body: "" }]) {
    await expect(ask({ ...more, ...parts })).rejects.toThrow(
      /certificate required|ECONNRESET|hang up/,
    );
  }
});

describe.each<SecureVersion>(["TLSv1.3", "TLSv1.2"])("over %s", (version) => {
  test("a session that was begun with a certificate is not resumed without one", async () => {
    await open();
    // as when the pair is renewed
    if (server !== undefined) {
      servePair(server, readPair(folder.dir, defaultNames.webhook), apiserver.certPem);
    }
    const parts = { port, ca: pair.certPem, path, version, body: review };
    const { status, session } = await visit({ ...parts, as: apiserver });
    expect(status).toBe("HTTP/1.1 200");
    await expect(visit({ ...parts, session })).rejects.toThrow();
    expect(await visit({ ...parts, session, as: apiserver })).toMatchObject({ resumed: false });
  });
});

test("a list of subjects leaves out the others of the CA", async () => {
  await open(["someone-else"]);
  const message = "the client certificate is for someone else";
  expect(await ask()).toMatchObject({ status: 403, body: { reason: "Forbidden", message } });
});

test("a named subject is let in", async () => {
  await open(["someone-else", "kube-apiserver"]);
  expect((await ask()).status).toBe(200);
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
