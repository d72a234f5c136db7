/** The webhook that keeps its own certificate, with the rights of its overlay and no more. */
import { X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { load } from "js-yaml";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { createLog } from "../../webhook/log";
import { CertificateKeeper } from "../../webhook/own-certificate/keeper";
import { usualTimes } from "../../webhook/own-certificate/step";
import { type Forwarder, startForwarder } from "../support/forwarder";
import {
  admissionSecret,
  caBundleOf,
  fingerprint,
  makePair,
  type Pair,
  storedPair,
  writeTlsFolder,
} from "./certificate";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { isBypass, isOutage, startEditStream, streamer } from "./edit-stream";
import type { KubeObject } from "./api";
import { runner } from "./plugin-run";
import { freePorts } from "../support/free-ports";
import { type Scene, seedScene } from "./scene";
import { verdictsOf } from "./suite";
import { applied, putNewConfiguration, runSwap, trustedPem, untilCalled } from "./swap-states";
import { until } from "./until";
import type { User } from "./api-server";
import { newConfigurationName, newEntryName } from "./webhook-configurations";
import { startWebhook, type Webhook } from "./webhook-process";
import { drain } from "./webhook-replicas";

const webhookUser: User = { name: "webhook" };
const ours = "engine-webhook";
const day = 24 * 60 * 60_000;
const lease = "/apis/coordination.k8s.io/v1/namespaces/engine/leases/engine-webhook-certificate";

let controlPlane: ControlPlane;
let scene: Scene;
let forwarder: Forwarder;
const running: Webhook[] = [];

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner, streamer, webhookUser] });
  scene = await seedScene(controlPlane.api);
  await grant();
  forwarder = await startForwarder({ host: scene.clusterIP, port: 443 });
});
afterAll(async () => {
  await stopAll();
  await forwarder.close();
  await controlPlane.stop();
});

/** The roles of the manifests, for the user that the processes run as. */
async function grant(): Promise<void> {
  const { api } = controlPlane;
  const files = ["webhook/cluster_role", "webhook-own-cert/cluster_role", "webhook-own-cert/role"];
  for (const file of files) {
    const path = join(__dirname, `../../manifests/${file}.yaml`);
    const role = load(readFileSync(path, "utf8")) as KubeObject;
    const { name } = role.metadata;
    const metadata = { name, ...(role.kind === "Role" && { namespace: scene.namespace }) };
    await api.create({ ...role, metadata });
    await api.create({
      apiVersion: role.apiVersion,
      kind: `${role.kind}Binding`,
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: role.kind, name },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: webhookUser.name }],
    });
  }
}

let folders = 0;

/** A replica behind the Service, which has mounted a pair or, so far, nothing. */
async function open(pair?: Pair): Promise<Webhook> {
  folders += 1;
  const tlsDir = join(controlPlane.site.dataDir, `own-${String(folders)}`);
  if (pair === undefined) mkdirSync(tlsDir);
  else writeTlsFolder(tlsDir, pair);
  const [port = 0] = await freePorts(1);
  const webhook = await startWebhook({
    controlPlane,
    namespace: scene.namespace,
    tlsDir,
    kubeconfig: controlPlane.kubeconfigFor(webhookUser.name),
    address: { host: "127.0.0.1", port },
    env: { ENGINE_WEBHOOK_OWN_CERT: "true", ENGINE_WEBHOOK_DRAIN: drain },
  });
  running.push(webhook);
  forwarder.add(webhook);
  await until("the replica to get connections", () => forwarder.isReady(webhook) || undefined);
  return webhook;
}

async function leave(webhook: Webhook): Promise<void> {
  running.splice(running.indexOf(webhook), 1);
  const stopped = webhook.stop();
  forwarder.remove(webhook);
  await stopped;
}

async function stopAll(): Promise<void> {
  await Promise.all([...running].map(leave));
  await controlPlane.api.send("DELETE", lease);
}

const count = (pem: string): number => pem.split("BEGIN CERTIFICATE").length - 1;

interface Said {
  readonly sha256?: string;
  readonly matchesFolder: boolean;
  readonly inCaBundle?: boolean;
}

/** What a replica says of its certificate, which is not verified here, as a kubelet does not. */
function saidBy({ host, port }: Webhook): Promise<Said> {
  return new Promise((resolve, reject) => {
    const options = { host, port, path: "/readyz", rejectUnauthorized: false, agent: false };
    get(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => {
        resolve((JSON.parse(text) as { readonly certificate: Said }).certificate);
      });
    }).on("error", reject);
  });
}

async function allSay(what: string, fits: (certificate: Said) => boolean): Promise<void> {
  await until(`every replica to say ${what}`, async () => {
    const said = await Promise.all(running.map(saidBy));
    return said.every(fits) || undefined;
  });
}

function expectNoKeyInLogs(privateKey: string): void {
  for (const { logFile } of running) {
    const text = readFileSync(logFile, "utf8");
    expect(text).not.toContain("PRIVATE");
    expect(text).not.toContain(privateKey.split("\n")[2]);
  }
}

test("two replicas start without a Secret, and make one", async () => {
  const { api } = controlPlane;
  await api.remove(admissionSecret(scene.namespace, scene.pair));
  const mark = await controlPlane.auditMark();

  await Promise.all([open(), open()]);

  const { secret, cert, privateKey } = await storedPair(controlPlane.api, scene.namespace);
  expect(secret?.["type"]).toBe("Opaque");
  expect(Object.keys(secret?.["data"] ?? {})).toEqual(["cert", "privateKey"]);
  const { validFrom, validTo } = new X509Certificate(cert);
  expect(Math.round((Date.parse(validTo) - Date.parse(validFrom)) / day)).toBe(90);
  await allSay("the same", ({ sha256 }) => sha256 === fingerprint(cert));
  const writes = await controlPlane.writesSince(mark, { user: webhookUser.name });
  const secrets = writes.filter(({ objectRef }) => objectRef?.resource === "secrets");
  expect(secrets.map(({ verb }) => verb)).toEqual(["create"]);
  expectNoKeyInLogs(privateKey);
});

test("upgrade-webhook registers it as any other", async () => {
  const run = await runSwap(controlPlane);
  expect(run.report.exit.code).toBe(0);
  expect(await trustedPem(controlPlane)).toBe(
    (await storedPair(controlPlane.api, scene.namespace)).cert,
  );
  const verdicts = await verdictsOf(controlPlane.api, scene.namespace);
  expect(verdicts).toEqual({ right: "accepted", wrongRefusedBy: newEntryName });
});

describe("past two thirds of its life", () => {
  const pair = makePair({
    namespace: "engine",
    notBefore: new Date(Date.now() - 61 * day),
    notAfter: new Date(Date.now() + 29 * day),
  });

  test("it is renewed, and no edit fails", async () => {
    const { api } = controlPlane;
    await stopAll();
    await api.replace(admissionSecret(scene.namespace, pair), ours);
    await putNewConfiguration(api, scene, {
      changes: { caBundle: caBundleOf(pair.cert) },
      manager: names.fieldManager,
    });
    const old = [await startOld(), await startOld()];
    await untilCalled(api, scene, { entry: newEntryName });
    const stream = await startEditStream(controlPlane, scene, { everyMs: 20 });

    // the new pods find the old pair in the Secret, and renew it
    for (const each of old) {
      await open(pair);
      await leave(each);
    }
    await until(
      "the new pair",
      async () =>
        count((await storedPair(controlPlane.api, scene.namespace)).cert) === 2 || undefined,
    );
    const after = await storedPair(controlPlane.api, scene.namespace);
    await allSay("that it is served and trusted", ({ sha256, inCaBundle, matchesFolder }) =>
      [sha256 === fingerprint(after.cert), inCaBundle === true, !matchesFolder].every(Boolean),
    );
    // pods that mount what is stored now shake hands with the new pair
    for (const each of [...running]) {
      await open(after);
      await leave(each);
    }
    await stream.seen("valid", () => true);
    await stream.seen("invalid", () => true);
    const answers = await stream.stop();

    expect(answers.length).toBeGreaterThan(100);
    expect(answers.filter((answer) => isOutage(answer) || isBypass(answer))).toEqual([]);
    expect(fingerprint(after.cert)).not.toBe(fingerprint(pair.cert));
    expect(after.cert).toContain(pair.cert.trim().replaceAll("\r\n", "\n").split("\n")[1]);
    expect(await trustedPem(controlPlane)).toBe(after.cert);
    expectNoKeyInLogs(after.privateKey);
  });

  /** A replica from before: it serves the old pair, and keeps nothing. */
  async function startOld(): Promise<Webhook> {
    const tlsDir = join(controlPlane.site.dataDir, `old-${String((folders += 1))}`);
    writeTlsFolder(tlsDir, pair);
    const [port = 0] = await freePorts(1);
    const { namespace } = scene;
    const address = { host: "127.0.0.1", port };
    const env = { ENGINE_WEBHOOK_DRAIN: drain };
    const webhook = await startWebhook({ controlPlane, namespace, tlsDir, address, env });
    running.push(webhook);
    forwarder.add(webhook);
    await until("the replica to get connections", () => forwarder.isReady(webhook) || undefined);
    return webhook;
  }

  test("in the overlap upgrade-webhook finds nothing to do, and takes what the webhook wrote", async () => {
    const { api } = controlPlane;
    expect(await runSwap(controlPlane)).toMatchObject({ code: 0, writes: [] });
    const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${newConfigurationName}`;
    const patched = await api.send("PATCH", `${path}?fieldManager=${ours}`, {
      body: { webhooks: [{ name: newEntryName, failurePolicy: "Ignore" }] },
      contentType: "application/strategic-merge-patch+json",
    });
    expect(patched.status).toBe(200);
    expect(await runSwap(controlPlane)).toMatchObject({ code: 0, writes: [applied] });
    expect(count(await trustedPem(controlPlane))).toBe(2);
  });

  test("after the overlap the new one alone is stored and trusted, and calls continue", async () => {
    const { api } = controlPlane;
    const [last] = running;
    for (const each of running.slice(1)) await leave(each);
    // it would take the lease again at its next look
    const pid = last?.daemon.pid ?? 0;
    process.kill(pid, "SIGSTOP");
    await api.send("DELETE", lease);
    const keeper = new CertificateKeeper({
      self: { names, namespace: scene.namespace },
      sender: { send: ({ method, path, ...more }) => api.send(method, path, more) },
      certificate: { isLoaded: () => true, offer: () => Promise.resolve() },
      log: createLog("silent"),
      own: true,
      times: { ...usualTimes, overlapMs: 0 },
    });
    const looked = await keeper.look().finally(() => process.kill(pid, "SIGCONT"));
    expect(looked).toBe("quiet");
    const { cert } = await storedPair(controlPlane.api, scene.namespace);
    expect(count(cert)).toBe(1);
    expect(await trustedPem(controlPlane)).toBe(cert);
    expect(keeper.trusted()).toEqual(new Set([fingerprint(cert)]));
    expect(last && (await saidBy(last)).sha256).toBe(fingerprint(cert));
    await untilCalled(api, scene, { entry: newEntryName });
    const verdicts = await verdictsOf(api, scene.namespace);
    expect(verdicts).toEqual({ right: "accepted", wrongRefusedBy: newEntryName });
  });
});
