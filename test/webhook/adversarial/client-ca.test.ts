/** The client CA is rotated while connections are open: over real TLS, with the real process. */
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { X509Certificate } from "node:crypto";
import type { SecureVersion } from "node:tls";
import { aPair, type PemPair } from "../../support/tls";
import { call } from "../https-client";
import { aReview, rightUpdate } from "../reviews";
import { RawConnection } from "./raw-connection";
import { startWebhookProcess, type WebhookProcess } from "./webhook-process";

const dir = mkdtempSync(join(tmpdir(), "engine-client-ca-"));
const file = join(dir, "ca.pem");
const body = JSON.stringify(aReview(rightUpdate));
const headers = { "content-type": "application/json" };
const day = 24 * 60 * 60_000;

/** A CA, and a caller whose certificate it has signed by way of another one. */
function anAuthority(commonName: string, days: number) {
  const root = aPair({ commonName, clientAuth: true, notAfter: new Date(Date.now() + days * day) });
  const between = aPair({ commonName: `${commonName} 1`, clientAuth: true, issuer: root });
  const leaf = aPair({ commonName: "kube-apiserver", clientAuth: true, issuer: between });
  const chain = `${leaf.certPem}${between.certPem}`;
  return { root, caller: { certPem: chain, keyPem: leaf.keyPem } };
}

const old = anAuthority("old", 20);
const next = anAuthority("next", 365);

let webhook: WebhookProcess;
const agents: Agent[] = [];

beforeEach(async () => {
  writeFileSync(file, old.root.certPem);
  webhook = await startWebhookProcess({ ENGINE_WEBHOOK_CLIENT_CA: file });
}, 60_000);

afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy();
  await webhook.stop();
});

afterAll(() => {
  rmSync(dir, { recursive: true });
});

/** One connection of a caller, kept from review to review. */
function connection({ certPem: cert, keyPem: key }: PemPair, version?: SecureVersion) {
  const versions = version && { minVersion: version, maxVersion: version };
  const agent = new Agent({ keepAlive: true, maxSockets: 1, cert, key, ...versions });
  let opened = 0;
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (...parts) => {
    opened += 1;
    return create(...parts);
  };
  agents.push(agent);
  const { port, ca } = webhook;
  const review = { ca, agent, path: "/admission", method: "POST", headers } as const;
  return {
    opened: () => opened,
    /** The status, or that the webhook has not let it in. */
    ask: () =>
      call({ port, ...review, body }).then(
        ({ status }) => status,
        () => "refused",
      ),
    /** A review whose body is on its way; resolves with its status once the rest was sent. */
    begin: () => {
      const sent = request({ host: "127.0.0.1", port, ...review });
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        sent.on("response", resolve).on("error", reject);
      });
      sent.write(body.slice(0, 20));
      return async () => {
        sent.end(body.slice(20));
        const response = await answered;
        response.resume();
        return { status: response.statusCode, connection: response.headers.connection };
      };
    },
  };
}

/** At once, as a kubelet does: nobody reads half of it. */
function replace(text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

async function rotate(...roots: readonly PemPair[]): Promise<void> {
  replace(roots.map(({ certPem }) => certPem).join(""));
  const sha256 = roots.map(({ certPem }) => fingerprint(certPem));
  await webhook.said(`"sha256":${JSON.stringify(sha256)}`);
}

function fingerprint(certPem: string): string {
  return new X509Certificate(certPem).fingerprint256.replaceAll(":", "").toLowerCase();
}

test.each<SecureVersion>(["TLSv1.3", "TLSv1.2"])(
  "over %s both are let in while the file holds both, then the new one alone",
  async (version) => {
    const before = connection(old.caller, version);
    expect([await before.ask(), await before.ask()]).toEqual([200, 200]);
    expect(await connection(next.caller, version).ask()).toBe("refused");

    await rotate(old.root, next.root);
    const after = connection(next.caller, version);
    expect([await before.ask(), await after.ask()]).toEqual([200, 200]);
    expect(await connection(old.caller, version).ask()).toBe(200);
    expect(before.opened()).toBe(1);

    const finish = before.begin();
    while ((await webhook.metric("engine_admission_in_flight")) !== 1);
    await rotate(next.root);
    expect(await after.ask()).toBe(200);
    expect(await finish()).toEqual({ status: 200, connection: "close" });
    expect([await before.ask(), await after.ask()]).toEqual(["refused", 200]);
    expect(await connection(old.caller, version).ask()).toBe("refused");
    expect([after.opened(), before.opened()]).toEqual([1, 2]);
  },
  60_000,
);

test("an idle connection under a CA that was taken out is closed", async () => {
  const idle = await RawConnection.open({ port: webhook.port, ca: webhook.ca, as: old.caller });
  await rotate(next.root);
  await idle.closed();
});

test("a refused handshake is in the log with its reason, and the next connection can be let in", async () => {
  const caller = connection(next.caller);
  expect(await caller.ask()).toBe("refused");
  await webhook.said('"because":"UNABLE_TO_GET_ISSUER_CERT_LOCALLY","message":"handshake refused"');
  await rotate(old.root, next.root);
  expect(await caller.ask()).toBe(200);
});

test("probes have the plain port, which asks for nothing", async () => {
  const answer = await call({ port: webhook.metricsPort, path: "/readyz" });
  expect(answer.status).toBe(200);
});

test.each<[string, string | undefined, string]>([
  ["is empty", "", "holds no PEM certificate"],
  ["is gone", undefined, "ENOENT"],
  [
    "holds a certificate that was cut",
    `${next.root.certPem}${old.root.certPem.slice(0, 200)}`,
    "holds a PEM certificate that cannot be read",
  ],
])("a file that %s leaves the old CA in service, with a warning", async (_name, text, because) => {
  if (text === undefined) rmSync(file);
  else replace(text);
  await webhook.said(because);
  expect(webhook.log()).toMatch(/"level":"warn".*"kept":true,"message":"the file of the client CA/);
  expect(await connection(old.caller).ask()).toBe(200);
  expect(await connection(next.caller).ask()).toBe("refused");
  expect(await webhook.metric('engine_admission_client_ca_reload_total{outcome="refused"}')).toBe(
    1,
  );
  await rotate(next.root);
  expect(await connection(next.caller).ask()).toBe(200);
});

test("the next end is told as a number, and within 30 days as a warning", async () => {
  const endOf = ({ certPem }: PemPair) => Date.parse(new X509Certificate(certPem).validTo) / 1_000;
  const end = () => webhook.metric("engine_admission_client_ca_not_after_seconds");
  await webhook.said("a certificate of the client CA ends within 30 days");
  expect(await end()).toBe(endOf(old.root));
  await rotate(next.root, old.root);
  expect(await end()).toBe(endOf(old.root));
  await rotate(next.root);
  expect(await end()).toBe(endOf(next.root));
  expect(webhook.log().match(/ends within 30 days/g)).toHaveLength(1);
});
