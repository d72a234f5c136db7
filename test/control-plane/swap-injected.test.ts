/** The product's chart with cert-manager, whose CA injector is played, on a real API server. */
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import type { KubeObject } from "./api";
import { caBundleOf, makePair, type Pair, secretOf } from "./certificate";
import { makeOpenDefinition } from "../support/open-definition";
import { bundleOf } from "../support/releases/tree";
import { type ControlPlane, runHelm, startControlPlane } from "./control-plane";
import { errorsIn, type PluginRun, runner, runPlugin } from "./plugin-run";
import { type Scene, seedScene } from "./scene";
import { serveScene } from "./suite";
import { readConfiguration } from "./swap-states";
import { until } from "./until";
import { newConfigurationName } from "./webhook-configurations";

const namespace = "engine";
const chart = join(__dirname, "../../manifests/chart/engine-webhook");
const annotation = "cert-manager.io/inject-ca-from";
jest.setTimeout(300_000);

let controlPlane: ControlPlane;
let scene: Scene;
const end = new AbortController();
let injecting: Promise<void> = Promise.resolve();

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner] });
  const { api } = controlPlane;
  scene = await seedScene(api, { namespace });
  const own = bundleOf("8.0.2-2").filter(({ kind }) =>
    /^(Role|RoleBinding|ServiceAccount)$/.test(kind),
  );
  for (const object of own) {
    await api.apply({ ...object, metadata: { ...object.metadata, namespace } } as KubeObject);
  }
  await api.create(certificates);
  await until("certificates to be served", async () =>
    (await api.send("GET", "/apis/cert-manager.io/v1")).status === 200 ? true : undefined,
  );
  // the operator's own Service is there already, as in a namespace that an operator runs in
  const values = ["image.repository=registry.example/webhook", "certificate.certManager.name=own"];
  const words = values.flatMap((value) => ["--set", value]);
  await runHelm(controlPlane, namespace, [
    "install",
    "webhook",
    chart,
    "--take-ownership",
    ...words,
  ]);
  await store(scene.pair);
  ca = scene.pair.cert;
  await serveScene(controlPlane, scene);
  injecting = inject(end.signal);
  await injected(scene.pair.cert);
}, 600_000);
afterAll(async () => {
  end.abort();
  await injecting;
  await controlPlane.stop();
});

/** The kind that cert-manager makes certificates from, with anything in it. */
const certificates = makeOpenDefinition({
  group: "cert-manager.io",
  scope: "Namespaced",
  kind: "Certificate",
  plural: "certificates",
});

/** The Secret as cert-manager writes it. */
async function store({ cert, privateKey }: Pair): Promise<void> {
  const items = { "tls.crt": cert, "tls.key": privateKey, "ca.crt": cert };
  const secret = secretOf(namespace, items, "kubernetes.io/tls");
  await controlPlane.api.remove(secret);
  await controlPlane.api.create(secret, "cert-manager-certificates-issuing");
}

interface Entry {
  readonly name: string;
  readonly clientConfig: { readonly caBundle?: string };
}

async function entry(): Promise<Entry | undefined> {
  const found = await readConfiguration(controlPlane.api, newConfigurationName);
  return (found?.["webhooks"] as readonly Entry[] | undefined)?.[0];
}

/** Of the certificate that the annotation names. */
let ca = "";

/** Writes that CA into the configuration whenever another one stands there. */
async function inject(signal: AbortSignal): Promise<void> {
  const { api } = controlPlane;
  const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${newConfigurationName}?fieldManager=cert-manager-cainjector`;
  while (!signal.aborted) {
    const caBundle = caBundleOf(ca);
    const { name, clientConfig } = (await entry()) ?? {};
    if (name !== undefined && clientConfig?.caBundle !== caBundle) {
      const body = { webhooks: [{ name, clientConfig: { caBundle } }] };
      await api.send("PATCH", path, {
        body,
        contentType: "application/strategic-merge-patch+json",
      });
    }
    await sleep(50);
  }
}

function injected(pem: string): Promise<unknown> {
  ca = pem;
  return until("the injected CA", async () =>
    (await entry())?.clientConfig.caBundle === caBundleOf(pem) ? true : undefined,
  );
}

const run = (...args: readonly string[]): Promise<PluginRun> =>
  runPlugin(controlPlane, args, { namespace });

test("what is injected is the CA of what is served: check 0, upgrade-webhook 0, nothing written", async () => {
  const check = await run("check");
  expect([check.code, errorsIn(check.report)]).toEqual([0, []]);
  const strict = await run("check", "--strict", "--only=WEBHOOK-CA-INJECTED,WEBHOOK-CA-STALE");
  expect([strict.code, strict.report.findings ?? []]).toEqual([0, []]);
  expect(check.report.details).toMatchObject({
    injected: [{ configuration: newConfigurationName, by: "cert-manager", annotation }],
  });
  const { webhook } = (await run("status")).report.details as {
    readonly webhook: { readonly way: string; readonly verdict: { readonly is: string } };
  };
  expect(webhook.way).toMatch(/^API server → admission:443 → /);
  expect([webhook.way.includes("broken"), webhook.verdict.is]).toEqual([false, "fine"]);
  const swap = await run("upgrade-webhook", "--yes");
  expect([swap.code, swap.writes]).toEqual([0, []]);
  expect(JSON.stringify(swap.report.steps)).toContain(annotation);
  const { metadata } = (await readConfiguration(controlPlane.api, newConfigurationName)) ?? {};
  expect(metadata?.annotations).toMatchObject({ [annotation]: `${namespace}/admission-tls` });
});

test("another CA is injected: 3 and 5 with both ways out, nothing written", async () => {
  await injected(makePair({ namespace }).cert);
  const check = await run("check");
  const swap = await run("upgrade-webhook", "--yes");
  expect([check.code, swap.code, swap.writes]).toEqual([3, 5, []]);
  for (const { report } of [check, swap]) {
    const found = (report.findings ?? []).find(({ code }) => code === "WEBHOOK-CA-INJECTED");
    expect(found?.fix).toContain(`${annotation}-`);
  }
});
