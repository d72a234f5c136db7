/** The pods that everybody may call may write nothing, a pod without a port renews; and the way there. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { defaultNames as names } from "../../plugin/domain/names/names";
import {
  admissionSecret,
  caBundleOf,
  fingerprint,
  makePair,
  storedPair,
  writeTlsFolder,
} from "./certificate";
import { type ControlPlane, startControlPlane } from "./control-plane";
import type { Daemon } from "./site";
import { isBypass, isOutage, startEditStream, streamer } from "./edit-stream";
import type { KubeObject } from "./api";
import { runner } from "./plugin-run";
import { type Scene, seedScene } from "./scene";
import { putNewConfiguration, trustedPem, untilCalled } from "./swap-states";
import { until } from "./until";
import type { User } from "./api-server";
import { newEntryName } from "./webhook-configurations";
import { webhookExecutable } from "./webhook-process";
import { Replicas } from "./webhook-replicas";

const day = 24 * 60 * 60_000;
const { namespace, deployment } = names.companion;
const account = (name: string): User => ({ name: `system:serviceaccount:${namespace}:${name}` });
const serving = account(deployment);
const renewing = account(`${deployment}-renewal`);
const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${deployment}-certificate`;
/** Past two thirds of its life: whoever may renew it does. */
const due = makePair({
  namespace,
  notBefore: new Date(Date.now() - 61 * day),
  notAfter: new Date(Date.now() + 29 * day),
});

let controlPlane: ControlPlane;
let scene: Scene;
let replicas: Replicas | undefined;
let renewal: Daemon | undefined;

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner, streamer, serving, renewing] });
  const { api } = controlPlane;
  scene = await seedScene(api, { namespace, pair: due });
  await api.replace(admissionSecret(namespace, due), names.webhookFieldManager);
  await putNewConfiguration(api, scene, {
    changes: { caBundle: caBundleOf(due.cert) },
    manager: names.fieldManager,
  });
});
afterAll(async () => {
  await renewal?.stop();
  await replicas?.close();
  await controlPlane.stop();
});

const tlsDir = (): string => join(controlPlane.site.dataDir, "mounted");

/** The overlay's access rights, as `kubectl apply -k` would send them; bound to whom is said. */
async function applyRights(boundTo: string): Promise<void> {
  const folder = join(__dirname, "../../manifests/webhook-own-cert");
  const { stdout } = await controlPlane.kubectl(["kustomize", folder]);
  const rights = loadAll(stdout)
    .map((object) => object as KubeObject)
    .filter(({ kind }) => kind.includes("Role"))
    .map((object) => JSON.stringify(object).replaceAll(`"${deployment}-renewal"`, `"${boundTo}"`));
  const file = join(controlPlane.site.dataDir, "rights.json");
  writeFileSync(file, JSON.stringify({ kind: "List", apiVersion: "v1", items: rights.map(parse) }));
  expect(await controlPlane.kubectl(["apply", "-f", file])).toMatchObject({ code: 0 });
}

const parse = (text: string): unknown => JSON.parse(text);

/** Waits until the API server answers by the bindings that are stored. */
async function untilMayPatch(serves: "yes" | "no", renews: "yes" | "no"): Promise<void> {
  await until(`patch: ${serves} for who serves, ${renews} for who renews`, async () => {
    const answers = [await mayPatch(serving), await mayPatch(renewing)];
    return answers.join() === [serves, renews].join() || undefined;
  });
}

/** What the guide to the webhook in production tells to run after the move. */
async function mayPatch({ name }: User): Promise<string> {
  const registration = `validatingwebhookconfigurations/${names.webhook.configuration}`;
  const { stdout } = await controlPlane.kubectl([
    ...["auth", "can-i", "patch", registration],
    ...["--as", name],
  ]);
  return stdout.trim();
}

/** A lease that the old generation does not get: its renewal falls due only after the move. */
async function leaseOfAnother(): Promise<void> {
  const [collection = "", name = ""] = lease.split(/\/(?=[^/]+$)/);
  const { status } = await controlPlane.api.send("POST", collection, {
    body: {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace },
      spec: { holderIdentity: "another", leaseDurationSeconds: 90 },
    },
  });
  expect(status).toBe(201);
}

function startRenewal(): Daemon {
  return controlPlane.site.start({
    name: "engine-webhook-renewal",
    file: webhookExecutable,
    args: [],
    env: {
      ENGINE_WEBHOOK_ROLE: "renew",
      ENGINE_WEBHOOK_OWN_CERT: "true",
      ENGINE_NAMESPACE: namespace,
      KUBECONFIG: controlPlane.kubeconfigFor(renewing.name),
    },
  });
}

test("pods that renew for themselves are replaced by both, and no edit fails meanwhile", async () => {
  const { api } = controlPlane;
  await applyRights(deployment);
  await leaseOfAnother();
  writeTlsFolder(tlsDir(), due);
  replicas = await Replicas.start({
    controlPlane,
    scene,
    tlsDir: tlsDir(),
    kubeconfig: controlPlane.kubeconfigFor(serving.name),
    env: { ENGINE_WEBHOOK_OWN_CERT: "true" },
  });
  await untilCalled(api, scene, { entry: newEntryName });
  await untilMayPatch("yes", "no");
  const stream = await startEditStream(controlPlane, scene, { everyMs: 20 });
  const mark = await controlPlane.auditMark();

  // the bindings move first: both generations run, the old one without the right to write
  await applyRights(`${deployment}-renewal`);
  await untilMayPatch("no", "yes");
  await api.send("DELETE", lease);
  renewal = startRenewal();
  await replicas.roll({ env: { ENGINE_WEBHOOK_ROLE: "serve" } });
  const renewed = await until("the new pair", async () => {
    renewal?.assertRunning();
    const pair = await storedPair(controlPlane.api, namespace);
    return pair.cert.split("BEGIN").length - 1 === 2 ? pair : undefined;
  });
  // as the kubelet brings it
  writeTlsFolder(tlsDir(), renewed);
  await replicas.allSay(
    "that it serves the new one",
    ({ certificate }) => certificate.sha256 === fingerprint(renewed.cert),
  );
  await stream.seen("valid", () => true);
  await stream.seen("invalid", () => true);
  const answers = await stream.stop();

  expect(answers.length).toBeGreaterThan(100);
  expect(answers.filter((answer) => isOutage(answer) || isBypass(answer))).toEqual([]);
  expect(fingerprint(renewed.cert)).not.toBe(fingerprint(due.cert));
  expect(await trustedPem(controlPlane)).toBe(renewed.cert);
  const by = ({ name: user }: User) =>
    controlPlane.writesSince(mark, { user, outcome: "accepted" });
  expect(await by(serving)).toEqual([]);
  const writes = await by(renewing);
  expect(new Set(writes.map(({ objectRef }) => objectRef?.resource))).toEqual(
    new Set(["leases", "validatingwebhookconfigurations", "secrets"]),
  );
});
