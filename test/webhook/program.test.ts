import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "../../webhook/config";
import { type Running, startChecks, startWebhook } from "../../webhook/program";
import { freePorts } from "../support/free-ports";
import { aPair } from "../support/tls";
import { anEc } from "./fake-clusters";
import { FakeLog } from "./fake-log";
import { call } from "./https-client";
import { aReview, minorUpdate } from "./reviews";
import { emptyFolder, TlsFolder } from "./tls-folder";

const pair = aPair({ names: ["localhost", "127.0.0.1", "admission.engine.svc"] });
const folder = new TlsFolder(pair);
const dir = emptyFolder();
const ecs = join(dir, "ecs.json");
const running: Running[] = [];

afterAll(() => {
  folder.remove();
  rmSync(dir, { recursive: true });
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

function environment(more: object = {}) {
  writeFileSync(ecs, JSON.stringify(anEc({ policy: "major" })));
  return {
    ENGINE_WEBHOOK_HOST: "127.0.0.1",
    ENGINE_WEBHOOK_PORT: "0",
    ENGINE_WEBHOOK_METRICS_PORT: "0",
    ENGINE_WEBHOOK_TLS_DIR: folder.dir,
    ENGINE_WEBHOOK_CLUSTERS: `file:${ecs}`,
    ENGINE_WEBHOOK_DRAIN: "0",
    ...more,
  };
}

async function start(more: object = {}) {
  const log = new FakeLog();
  const env = environment(more);
  const webhook = await startWebhook(parseConfig(env, startChecks(env)), log, { env });
  running.push(webhook);
  return { webhook, log };
}

test("starts, becomes ready, judges, and leaves", async () => {
  const { webhook, log } = await start({ ENGINE_WEBHOOK_TYPO: "x" });
  await log.seen("ready");
  const ca = pair.certPem;
  const { port } = webhook;
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(aReview(minorUpdate, "v1beta1"));
  const answer = await call({ port, ca, method: "POST", path: "/admission", headers, body });
  expect(answer.body).toMatchObject({
    apiVersion: "admission.k8s.io/v1beta1",
    response: { uid: "uid-1", allowed: false },
  });
  expect(await call({ port, ca, path: "/readyz" })).toMatchObject({ status: 200 });
  await Promise.all([webhook.stop(), webhook.stop()]);
  await expect(call({ port, ca, path: "/readyz" })).rejects.toThrow("ECONNREFUSED");
  expect(log.lines.map(({ message }) => message)).toEqual([
    "unknown settings",
    "certificate in service",
    "listening",
    "ready",
    "review",
    "draining",
    "stopped",
  ]);
});

test.each<[string, unknown, string]>([
  ["with a blank", " major", '" major"'],
  ["in another case", "Major", '"Major"'],
  ["that is a number", 5, "5"],
  ["that is null", null, "null"],
  ["of control characters", "\u001b[31m", '"\\u001b[31m"'],
  ["that is long", "m".repeat(100_000), `"${"m".repeat(61)}..."`],
])("a policy %s is logged and counted once, whatever number of reviews", async (...row) => {
  const [, policy, value] = row;
  const env = environment({ ENGINE_WEBHOOK_METRICS_PORT: String((await freePorts(1))[0]) });
  writeFileSync(ecs, JSON.stringify(anEc({ policy })));
  const log = new FakeLog();
  const webhook = await startWebhook(parseConfig(env), log, { env });
  running.push(webhook);
  await log.seen("ready");
  const body = JSON.stringify(aReview(minorUpdate));
  const headers = { "content-type": "application/json" };
  const to = { port: webhook.port, ca: pair.certPem, path: "/admission", headers, body };
  for (let reviews = 1; reviews <= 3; reviews += 1) {
    const answer = await call({ ...to, method: "POST" });
    expect(answer.body).toMatchObject({ response: { allowed: true } });
  }
  expect(log.of("unknown upgrade policy")).toEqual([
    {
      level: "warn",
      message: "unknown upgrade policy",
      fields: {
        ec: "engine/ec",
        field: "spec.engineUpgradePolicy",
        value,
        judgedAs: 'not "major": minor releases pass',
        fix: 'set "major" or "latest"',
      },
    },
  ]);
  const { body: metrics } = await call({ port: webhook.metricsPort ?? 0, path: "/metrics" });
  expect(metrics).toContain("\nengine_admission_unknown_policy_total 1\n");
});

test.each<[string, object]>([
  ["absent", {}],
  ["major", { policy: "major" }],
  ["latest", { policy: "latest" }],
])("a policy that is %s is not logged", async (_, policy) => {
  const env = environment();
  writeFileSync(ecs, JSON.stringify(anEc(policy)));
  const log = new FakeLog();
  running.push(await startWebhook(parseConfig(env), log, { env }));
  await log.seen("ready");
  expect(log.of("unknown upgrade policy")).toEqual([]);
});

test("is not ready before there is a pair, then is", async () => {
  const late = new TlsFolder();
  const { webhook, log } = await start({ ENGINE_WEBHOOK_TLS_DIR: late.dir });
  const { fields } = await log.seen("the certificate folder holds no pair to serve");
  expect(fields["because"]).toBe(
    `${late.dir} has to hold the items cert and privateKey, it holds nothing`,
  );
  await expect(call({ port: webhook.port, ca: pair.certPem, path: "/livez" })).rejects.toThrow();
  late.swap(pair);
  await log.seen("ready");
  expect(await call({ port: webhook.port, ca: pair.certPem, path: "/readyz" })).toMatchObject({
    status: 200,
  });
  late.remove();
});

describe("the metrics port", () => {
  test("serves the probes without TLS", async () => {
    const [metricsPort = 0] = await freePorts(1);
    const { webhook, log } = await start({ ENGINE_WEBHOOK_METRICS_PORT: String(metricsPort) });
    await log.seen("ready");
    expect(webhook.metricsPort).toBe(metricsPort);
    expect(await call({ port: metricsPort, path: "/readyz" })).toMatchObject({ status: 200 });
    expect(await call({ port: metricsPort, path: "/admission", method: "POST" })).toMatchObject({
      status: 404,
    });
  });

  test("that is taken stops the start", async () => {
    const { webhook } = await start();
    const env = environment({ ENGINE_WEBHOOK_METRICS_PORT: String(webhook.port) });
    await expect(startWebhook(parseConfig(env), new FakeLog(), { env })).rejects.toThrow(
      "EADDRINUSE",
    );
  });
});

test("what the settings name has to be there", () => {
  const env = environment({
    ENGINE_WEBHOOK_TLS_DIR: join(dir, "none"),
    ENGINE_WEBHOOK_CLUSTERS: "file:/none",
  });
  expect(() => parseConfig(env, startChecks(env))).toThrow(
    /ENGINE_WEBHOOK_TLS_DIR: ENOENT.*; ENGINE_WEBHOOK_CLUSTERS: cannot use \/none: ENOENT/,
  );
  expect(() => parseConfig(environment(), startChecks(env))).not.toThrow();
  const api = { ...environment(), ENGINE_WEBHOOK_CLUSTERS: "api" };
  expect(() => parseConfig(api, startChecks(api))).toThrow(
    /^ENGINE_WEBHOOK_CLUSTERS: no way to the API server: KUBECONFIG is not set and this is not a pod$/,
  );
});
