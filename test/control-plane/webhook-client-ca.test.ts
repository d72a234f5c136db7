/** A webhook that judges only for callers with a certificate, and API servers with and without one. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { aPair } from "../support/tls";
import { type Api, pathOf } from "./api";
import { type ControlPlane, type Server, startControlPlane } from "./control-plane";
import { database, type Scene, seedScene } from "./scene";
import { freePorts } from "../support/free-ports";
import { verdictsOf } from "./suite";
import { putNewConfiguration, untilCalled } from "./swap-states";
import { writeTlsFolder } from "./certificate";
import { newEntryName } from "./webhook-configurations";
import { startWebhook, type Webhook } from "./webhook-process";

const client = aPair({ commonName: "kube-apiserver", clientAuth: true });

let controlPlane: ControlPlane;
let known: Server;
let scene: Scene;
let webhook: Webhook | undefined;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  scene = await seedScene(controlPlane.api);
  writeTlsFolder(tlsDir(), scene.pair);
  await putNewConfiguration(controlPlane.api, scene);
  known = await controlPlane.addServer({
    webhookClient: {
      host: `admission.${scene.namespace}.svc`,
      cert: client.certPem,
      key: client.keyPem,
    },
  });
});
afterEach(() => webhook?.stop({ patienceMs: 0 }));
afterAll(() => controlPlane.stop());

function tlsDir(): string {
  return join(controlPlane.site.dataDir, "tls");
}

/** Readiness is asked on the plain port without a certificate: that it starts shows that probes need none. */
async function serve(subjects: string): Promise<void> {
  const ca = join(controlPlane.site.dataDir, "client-ca.pem");
  writeFileSync(ca, client.certPem);
  const { namespace } = scene;
  const [metricsPort] = await freePorts(1);
  const env = {
    ENGINE_WEBHOOK_CLIENT_CA: ca,
    ENGINE_WEBHOOK_CLIENT_SUBJECTS: subjects,
    ENGINE_WEBHOOK_METRICS_PORT: String(metricsPort),
  };
  webhook = await startWebhook({ controlPlane, namespace, tlsDir: tlsDir(), env });
  for (const { api } of [controlPlane, known]) {
    await untilCalled(api, scene, { entry: newEntryName });
  }
}

async function messageOf(api: Api): Promise<string> {
  const object = database({ namespace: scene.namespace, name: "right", engineVersion: "7.4" });
  const path = `${pathOf(object, "collection")}?dryRun=All`;
  const { body } = await api.send("POST", path, { body: object });
  return (body as { readonly message?: string }).message ?? "";
}

test("an API server that shows its certificate gets its verdicts, another one gets none", async () => {
  await serve("kube-apiserver");
  expect(await verdictsOf(known.api, scene.namespace)).toEqual({
    right: "accepted",
    wrongRefusedBy: newEntryName,
  });
  expect(await verdictsOf(controlPlane.api, scene.namespace)).toEqual({
    right: "refused",
    wrongRefusedBy: undefined,
  });
  // which of them an API server tells depends on whether it is still writing when the refusal comes
  expect(await messageOf(controlPlane.api)).toMatch(
    /failed calling webhook .*(tls: certificate required|use of closed network connection|connection reset by peer|broken pipe)/,
  );
});

test("a certificate for someone who is not listed gets none", async () => {
  await serve("someone-else");
  expect(await messageOf(known.api)).toMatch(
    /failed calling webhook .*the client certificate is for someone else/,
  );
});
